"""Requests -> the token ids that a model on this machine is given, and what its cache should be able to reuse."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from promptlint.boundary.align import common_head
from promptlint.commands.compare import compare
from promptlint.commands.options import Options
from promptlint.commands.single import encoded, prompt_of, renderer_for
from promptlint.commands.templates import TemplateOptions, name_of, sides_of, spelled_tokens
from promptlint.errors import PromptlintError
from promptlint.finding import Diff
from promptlint.prompt import Request
from promptlint.render import render
from promptlint.render.chat_template import NativeChat, NoChatTemplate, open_chat_template
from promptlint.render.conversation import conversation
from promptlint.tokens import Tokenizer, open_tokenizer

if TYPE_CHECKING:
    from promptlint.commands.templates import Side
    from promptlint.render.template.process import Renderer

_TEXTS = ("text", "completion", "ollama-generate")  # formats whose prompt is a text that a base model reads


class ModelSide(NamedTuple):
    """The vocabulary of a model, and its chat templates for both requests (None: it has none)."""

    tokenizer: Tokenizer
    sides: "tuple[Side, Side] | None"
    provider: str | None = None

    @property
    def options(self) -> Options:
        """As the commands that read requests take them."""
        return Options(self.tokenizer, False, self.provider, None, True, self.sides)


class ModelPrompt(NamedTuple):
    """What a model is given for one request."""

    ids: tuple[int, ...]
    text: str | None  # None: token ids were given
    through_template: bool
    notes: tuple[str, ...]


class Predicted(NamedTuple):
    """Two predictions for one pair of requests: as `diff` shows it, and over the model's own ids."""

    of_request: int | None  # usable tokens by the rules of whoever serves the requests; None: not known
    of_model: int  # tokens that a cache of this model can use: `usable` of the common ones
    common: int  # equal ids at the start
    a_ids: tuple[int, ...]
    b_ids: tuple[int, ...]
    tokenizer: str
    through_template: bool
    diff: Diff
    notes: tuple[str, ...]


def model_side(
    path: str, *, tokenizer: str | None = None, templates: TemplateOptions | None = None, provider: str | None = None
) -> ModelSide:
    """The vocabulary and the chat template in the folder, or the GGUF, of a model.

    What the user names stands in their place: `tokenizer`, and the template in `templates`. PromptlintError if the
    model has no vocabulary that can be used exactly, or a template that is damaged.
    """
    wanted = templates or TemplateOptions()
    sides = None
    if wanted.chat_template is None:
        try:
            open_chat_template(path)
            wanted = wanted._replace(chat_template=path)
        except NoChatTemplate:
            if wanted.kwargs:
                raise
    if wanted.chat_template is not None:
        sides = sides_of(wanted, provider, tokenizer)
    if sides is not None and isinstance(sides[0].templates, NativeChat):
        tokenizer = sides[0].templates.vocabulary
    return ModelSide(open_tokenizer(tokenizer or path, fast=False), sides, provider)


def prompt_ids(
    request: Request, side: ModelSide, renderer: "Renderer | None" = None, *, second: bool = False
) -> ModelPrompt:
    """The ids of a request: through the model's own template, with its own vocabulary, from the first to the last.

    Nothing is put in front: a token of begin is there only if the template prints one. A request that no chat template
    takes, such as one for Anthropic, is read in its documented form, and a note says so. `renderer`: the process that
    renders templates, None to start one. PromptlintError if the template refuses the request.
    """
    if request.token_ids is not None:
        return ModelPrompt(tuple(request.token_ids), None, False, request.notes)
    if side.sides is not None and renderer is None:
        with renderer_for(side.options) as made:
            return prompt_ids(request, side, made, second=second)
    note = _in_another_form(request, side)
    prompt = render(request) if note is not None else prompt_of(request, side.options, renderer, side=int(second))
    found = encoded(prompt, side.tokenizer)
    said = [note] if note else []
    if not found.whole:
        said.append(
            f"{name_of(request.document)}: computed up to the first image; the tokens of an image are not known"
        )
    notes = (*request.notes, *prompt.notes, *said, *spelled_tokens(prompt, side.options))
    return ModelPrompt(tuple(found.ids), prompt.text, note is None, notes)


def _in_another_form(request: Request, side: ModelSide) -> str | None:
    """Why no chat template makes the prompt of a request, "" where that goes without saying; None if one makes it."""
    if request.format in _TEXTS:
        return ""
    if side.sides is None:
        return "the model has no chat template: requests are computed in their documented form"
    if isinstance(side.sides[0].templates, NativeChat):
        return None
    try:
        conversation(request)
    except PromptlintError:
        return f"no chat template takes a request of the format {request.format}: it is computed in its documented form"
    return None


def predict(old: Request, new: Request, side: ModelSide, options: Options) -> Predicted:
    """What should be reused of the second request. `options`: how `diff` would compare the two, without the model."""
    diff, notes = compare(old, new, options)
    with renderer_for(side.options) as renderer:
        a = prompt_ids(old, side, renderer)
        b = prompt_ids(new, side, renderer, second=True)
    common = common_head(a.ids, b.ids)
    said = dict.fromkeys((*notes, *a.notes, *b.notes, *_differ(diff, a, b)))
    return Predicted(
        of_request=diff.boundary.usable_tokens,
        of_model=usable(common, len(b.ids)),
        common=common,
        a_ids=a.ids,
        b_ids=b.ids,
        tokenizer=side.tokenizer.name,
        through_template=a.through_template and b.through_template,
        diff=diff,
        notes=tuple(said),
    )


def _differ(diff: Diff, a: ModelPrompt, b: ModelPrompt) -> Iterator[str]:
    """Why the two predictions need not agree."""
    counted = diff.b.prompt_tokens
    if counted is not None and counted != len(b.ids):
        named = diff.b.provider != "unknown"
        reader = f"as {diff.b.provider} is thought to read it" if named else "as it stands, for it names no known model"
        yield f"the second request is {counted:,} tokens {reader}, and {len(b.ids):,} tokens of this model"


def usable(common: int, b: int) -> int:
    """Tokens of a prompt of `b` tokens that a cache can use which holds the first `common` ones of them.

    The last token is always computed, for its logits: so a prompt that is repeated reuses `b` - 1.
    """
    return max(min(common, b - 1), 0)
