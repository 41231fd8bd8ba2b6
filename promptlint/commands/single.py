"""One request, ready to be asked about: who serves it, and its prompt as text and as token ids."""

from bisect import bisect_right
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from promptlint.boundary.counts import Counts, count
from promptlint.commands.compare import provider_of_pair, with_vocabulary
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.facts.own import Overrides
from promptlint.facts.providers import Provider
from promptlint.load import load
from promptlint.prompt import Rendered, Request
from promptlint.read.sources import read
from promptlint.render import render
from promptlint.tokens import Tokenizer, open_tokenizer

if TYPE_CHECKING:
    from promptlint.commands.templates import TemplateOptions
    from promptlint.render.template.process import Renderer

_MEDIA = ("image", "document")


def opened(
    tokenizer: str | None,
    *,
    provider: str | None,
    templates: "TemplateOptions | None",
    own: Overrides,
    block_size: int | None = None,
) -> Options:
    """How to read requests, with the vocabulary and the chat templates that the user names."""
    sides = None
    if templates is not None:
        from promptlint.commands.templates import sides_of

        sides = sides_of(templates, provider, tokenizer)
        if sides is None:
            raise PromptlintError("--vars renders templates, and this is about requests", "leave it out")
        tokenizer = tokenizer or sides[0].templates.vocabulary
    chosen = tokenizer is not None
    return Options(open_tokenizer(tokenizer), False, provider, block_size, chosen, sides, own=own)


class Single(NamedTuple):
    """A request with all that a command needs to know about it. Nothing is counted yet."""

    request: Request
    prompt: Rendered | None  # None: token ids were given
    provider: Provider
    options: Options
    notes: tuple[str, ...]


def single(argument: str, options: Options, input_format: str | None, request_path: str | None) -> Single:
    """The request that `argument` names. Raises PromptlintError for input that cannot be read."""
    return prepared(load(read(argument), input_format=input_format, request_path=request_path), options)


def prepared(request: Request, options: Options) -> Single:
    """A request that was read."""
    provider = provider_of_pair(request, request, options)
    options, said = with_vocabulary(request, request, options)
    if request.token_ids is not None:
        return Single(request, None, provider, options, (*request.notes, *said))
    with renderer_for(options) as renderer:
        prompt = prompt_of(request, options, renderer)
    if options.sides is not None:
        from promptlint.commands.templates import spelled_tokens

        said = (*said, *spelled_tokens(prompt, options))
    return Single(request, prompt, provider, options, (*request.notes, *prompt.notes, *said))


def renderer_for(options: Options) -> AbstractContextManager["Renderer | None"]:
    """The process that renders templates; None where there are none."""
    if options.sides is None:
        return nullcontext()
    from promptlint.render.template.process import Renderer

    return Renderer()


def prompt_of(
    request: Request, options: Options, renderer: "Renderer | None", *, like: Rendered | None = None, side: int = 0
) -> Rendered:
    """The prompt of a request, in the documented form or through the chat template of a side."""
    if options.sides is None or renderer is None:
        return render(request, like=like)
    from promptlint.commands.templates import through_template

    return through_template(request, options.sides[side], renderer)


def counted(prompt: Rendered, tokenizer: Tokenizer, memo: dict[str, int] | None = None) -> Counts:
    """Counts of one prompt: `in_a` answers."""
    return count(tokenizer, prompt, prompt, memo)


class Ids(NamedTuple):
    """The token ids of a prompt up to the first image or the like, and how many of them stand in front of a place."""

    tokenizer: Tokenizer
    prompt: Rendered
    ids: Sequence[int]
    places: list[int]  # characters in front of which a whole number of tokens was encoded
    tokens: list[int]  # as many
    whole: bool  # nothing was left out

    def at(self, char: int) -> int:
        """Tokens of the first `char` characters."""
        if self.prompt.tokens is not None:
            return bisect_right(self.prompt.tokens.ends, len(self.prompt.text[:char].encode()))
        known = bisect_right(self.places, char) - 1
        rest = self.prompt.text[self.places[known] : char]
        return self.tokens[known] + (self.tokenizer.count(rest) if rest else 0)


def encoded(prompt: Rendered, tokenizer: Tokenizer) -> Ids:
    """The ids of a prompt, encoded in one go, or from level to level where that makes the same ids."""
    end = _first_medium(prompt)
    text = prompt.text[:end]
    if prompt.tokens is not None:
        kept = bisect_right(prompt.tokens.ends, len(text.encode()))
        return Ids(tokenizer, prompt, prompt.tokens.ids[:kept], [], [], end == len(prompt.text))
    ids: list[int] = []
    places, tokens = [0], [0]
    for joint in (*(char for char in level_starts(prompt) if 0 < char < end), end):
        if joint == end or (tokenizer.has_cuts and tokenizer.is_cut(text, joint)):
            ids += tokenizer.encode(text[places[-1] : joint])
            places.append(joint)
            tokens.append(len(ids))
    return Ids(tokenizer, prompt, ids, places, tokens, end == len(prompt.text))


def level_starts(prompt: Rendered) -> list[int]:
    """Characters at which another level begins."""
    return [b.char for a, b in pairwise(prompt.items) if a.item.level != b.item.level]


def _first_medium(prompt: Rendered) -> int:
    """Characters in front of the first item with an image or the like: only the model's processor knows its tokens."""
    for item in prompt.items:
        if any(segment.kind in _MEDIA for segment in item.item.segments) or any(
            piece.tokens is not None for piece in item.pieces
        ):
            return item.char
    return len(prompt.text)
