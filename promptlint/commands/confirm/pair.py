"""Two prompts as token ids of the model that is run: what is equal in them, and the part of them that is computed."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from promptlint.boundary.align import common_head
from promptlint.commands.confirm.ids import ModelPrompt, ModelSide, predict, prompt_ids, usable
from promptlint.commands.confirm.wanted import ConfirmOptions
from promptlint.commands.options import Options
from promptlint.commands.own_facts import own_facts
from promptlint.commands.single import encoded, opened, prompt_of, renderer_for
from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.prompt import Request
from promptlint.read.names import shown
from promptlint.read.sources import read

if TYPE_CHECKING:
    from promptlint.render.template.process import Renderer

AROUND = (2048, 512)  # tokens that are computed on either side of the place where two prompts part
LESS_AROUND = (512, 128)  # by a model that takes minutes for those


class Pair(NamedTuple):
    """Two prompts in tokens."""

    a: Sequence[int]
    b: Sequence[int]
    tokenizer: str
    notes: tuple[str, ...]

    @property
    def common(self) -> int:
        """Equal tokens at the start."""
        return common_head(self.a, self.b)

    @property
    def predicted(self) -> int:
        """Tokens of B that a cache which holds A can give: the last token of B is always computed."""
        return usable(self.common, len(self.b))


def pair_in_bytes(wanted: ConfirmOptions, both: tuple[Request, Request]) -> Pair:
    """A and B for a model that has no vocabulary of its own: in bytes, or in the tokens that the user names."""
    old, new = both
    options = _options(wanted, wanted.tokenizer or "bytes")
    with renderer_for(options) as renderer:
        a, b = _ids(old, options, renderer, 0), _ids(new, options, renderer, 1)
    given = old.token_ids is not None and new.token_ids is not None
    return _pair(a, b, "ids as given" if given else options.tokenizer.name)


def pair_of_model(wanted: ConfirmOptions, side: ModelSide, both: tuple[Request, Request]) -> Pair:
    """A and B through the model's own template, with its own vocabulary; what `diff` predicts is told beside it."""
    old, new = both
    told = predict(old, new, side, _options(wanted, wanted.tokenizer)._replace(sides=None))
    notes = told.notes
    if told.of_request is not None and told.of_request != told.of_model:
        counts = f"promptlint diff predicts {told.of_request:,} usable tokens"
        notes += (
            f"{counts} of {told.diff.b.tokenizer} for these requests; this model has its own tokens and template",
        )
    name = told.tokenizer if wanted.tokenizer is not None else os.path.basename(os.path.normpath(told.tokenizer))
    return _checked(Pair(told.a_ids, told.b_ids, name, notes))


def side_of(wanted: ConfirmOptions, folder: str) -> ModelSide:
    """The vocabulary and template of a model, or those that the user names."""
    from promptlint.commands.confirm.ids import model_side

    return model_side(folder, tokenizer=wanted.tokenizer, templates=wanted.templates, provider=wanted.provider)


def requests(wanted: ConfirmOptions) -> tuple[Request, Request]:
    """A and B as they are read. Raises PromptlintError for one that cannot be, and for two of different formats."""
    old, new = (
        load(read(path), input_format=wanted.input_format, request_path=wanted.request_path) for path in wanted.paths
    )
    if old.format != new.format:
        formats = f"{old.format} and {new.format}"
        raise PromptlintError(f"the inputs are of two formats, {formats}", "read both as one with --input-format")
    return old, new


def _options(wanted: ConfirmOptions, tokenizer: str | None) -> Options:
    own = own_facts(wanted.paths[1], wanted.facts)
    return opened(tokenizer, provider=wanted.provider, templates=wanted.templates, own=own)


def _ids(request: Request, options: Options, renderer: "Renderer | None", number: int) -> ModelPrompt:
    if request.token_ids is not None or options.sides is not None:
        side = ModelSide(options.tokenizer, options.sides, options.provider)
        return prompt_ids(request, side, renderer, second=bool(number))
    prompt = prompt_of(request, options, renderer)
    found = encoded(prompt, options.tokenizer)
    said = () if found.whole else (f"{shown(request.document.path)}: computed up to the first image",)
    return ModelPrompt(tuple(found.ids), prompt.text, False, (*request.notes, *prompt.notes, *said))


def _pair(a: ModelPrompt, b: ModelPrompt, tokenizer: str) -> Pair:
    return _checked(Pair(a.ids, b.ids, tokenizer, tuple(dict.fromkeys((*a.notes, *b.notes)))))


def _checked(pair: Pair) -> Pair:
    for name, ids in (("A", pair.a), ("B", pair.b)):
        if not ids:
            raise PromptlintError(f"{name} is an empty prompt", "there is nothing to compute")
    return pair


class Window(NamedTuple):
    """What is computed of two prompts: tokens around the place where they part."""

    a: list[int]
    b: list[int]
    start: int  # tokens that were left out ahead of both
    note: str  # what was left out, or ""


def window(pair: Pair, vocabulary: int, most: int | None, around: tuple[int, int] = AROUND) -> Window:
    """Cut a pair to what can be computed soon. `most`: tokens that the model takes, None: any number.

    Equal heads that lie further ahead are left out of both. Ids that the model does not have are numbered anew, so that
    equal ones stay equal and the first ones that differ still do.
    """
    ahead, behind = around
    if most is not None:
        ahead = min(ahead, max(most - behind, most // 2))
        behind = min(behind, most - ahead)
    common = pair.common
    start, end = max(common - ahead, 0), common + behind
    a, b = (list(ids[start:end]) for ids in (pair.a, pair.b))
    notes = list(_left_out(pair, start, end))
    if max(*a, *b) >= vocabulary:
        a, b = renumbered(a, b, vocabulary)
        notes.append(
            f"the model has {vocabulary:,} token ids: those of the prompts were numbered anew, equal ones alike"
        )
    return Window(a, b, start, "; ".join(notes))


def _left_out(pair: Pair, start: int, end: int) -> Iterator[str]:
    last = max(len(pair.a), len(pair.b))
    if start:
        yield (
            f"only tokens {start:,} to {min(end, last):,} were computed, around the place where a and b part: as if "
            f"both began at token {start:,}, for what is equal ahead of it was left out of both"
        )
    elif end < last:
        yield f"only the first {end:,} tokens were computed: no later one can change what stands ahead of it"


def renumbered(a: Sequence[int], b: Sequence[int], vocabulary: int) -> tuple[list[int], list[int]]:
    """Ids below `vocabulary`: at each position they are equal in both where they were, and differ where they did."""
    new_a = [each % vocabulary for each in a]
    new_b = [each % vocabulary for each in b]
    for place, (old, new) in enumerate(zip(a, b, strict=False)):
        if old != new and new_a[place] == new_b[place]:
            new_b[place] = (new_b[place] + 1) % vocabulary
    return new_a, new_b
