"""A request through the model's own chat template: the exact prompt, with the origin of every character."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import (
    Document,
    Item,
    Json,
    Origin,
    Path,
    Piece,
    PromptByte,
    Rendered,
    RenderedItem,
    Rendering,
    Request,
    SourceByte,
    TemplateSource,
    Tokens,
)
from promptlint.read.names import shown
from promptlint.read.places import pointer
from promptlint.read.plain import plain
from promptlint.render.chat_template import HARMONY, ChatTemplate, ChatTemplates, NativeChat
from promptlint.render.conversation import KWARGS, PASSED, Places, conversation, has_string_arguments

if TYPE_CHECKING:
    from promptlint.render.template import Profile
    from promptlint.render.template.process import Renderer


_SURROGATE = "[\ud800-\udfff]"


class Aside(NamedTuple):
    """What a template is given beside the request."""

    now: datetime  # its clock
    ranks: Callable[[], bytes]  # makes the file o200k_base.tiktoken, for harmony
    variables: Mapping[str, Any] = {}  # --template-kwargs
    profile: "Profile" = "transformers"  # who calls the template


def render_chat(
    request: Request, templates: ChatTemplates | NativeChat, aside: Aside, renderer: "Renderer"
) -> Rendered:
    """The prompt of `request` as transformers' `apply_chat_template` writes it, with the generation prompt.

    PromptlintError: the request is of a format that no chat template takes, or the template refuses it.
    """
    from promptlint.render.template import Template

    if isinstance(templates, NativeChat):
        return _by_library(request, templates, aside)
    body, places = conversation(request)
    template = templates.choose(tools=bool(body.get("tools")))
    variables = _variables(body, template, aside)
    name = _name(template.source)
    found = renderer.render(
        Template(name, template.source.source, "chat"), variables, now=aside.now, profile=aside.profile
    )
    found = found._replace(notes=(*found.notes, *_notes(body, template, aside, found)))
    return rendered(request, template.source, found, {**places, **{(name,): None for name in aside.variables}})


def _name(template: TemplateSource) -> str:
    """What an error names: lines behind it are those of the template's own text."""
    document = template.document
    path = document.path if document.revision is None else f"{document.revision}:{document.path}"
    inside = f" {pointer(template.path)}" if template.path else ""
    return shown(path) + inside


def _notes(body: dict[str, Json], template: ChatTemplate, aside: Aside, found: Rendering) -> Iterator[str]:
    """What a user may want to know about a rendering."""
    source = template.source.source
    for name in ("bos_token", "eos_token"):
        if re.search(rf"\b{name}\b", source) and name not in {*template.special, *aside.variables}:
            yield f"the template prints {name}, which is not known here: give it with --template-kwargs {name}=…"
    if body.get("tools") and found.origins and not any(o.path and o.path[0] == "tools" for o in found.origins):
        yield "the template prints none of the tools"
    if aside.profile == "transformers" and has_string_arguments(body):
        yield (
            "arguments of tool calls are strings and stay so, as transformers leaves them; vLLM parses them first "
            "(--provider vllm)"
        )


def _by_library(request: Request, chat: NativeChat, aside: Aside) -> Rendered:
    """The prompt that a model's own library makes: its ids are the truth."""
    from promptlint.render.native import render_harmony, render_mistral

    if chat.path == HARMONY and request.format == "harmony" and isinstance(request.body, dict):
        body = request.body
        places: Places = {(): request.path}
    else:
        body, places = conversation(request)
    if aside.variables:
        raise PromptlintError("a library renders this model, and takes no --template-kwargs", "leave them out")
    settings = request.body if isinstance(request.body, dict) and "conversations" not in request.body else {}
    given = plain({**settings, **body})
    if chat.path == HARMONY:
        native = render_harmony(given, aside.ranks, aside.now.date().isoformat())
    else:
        native = render_mistral(given, chat.path)
    document = Document(chat.path, None, None, b"", "", "utf-8", SourceByte(0), 1)
    found = Rendering(native.text, native.origins, native.notes)
    prompt = rendered(request, TemplateSource(document, (), None, ""), found, places)
    return prompt._replace(tokens=Tokens(native.ids, native.ends))


def _variables(body: dict[str, Json], template: ChatTemplate, aside: Aside) -> dict[str, Any]:
    """As `apply_chat_template` names them; what the user says comes before what the request says."""
    passed = {name: plain(body[name]) for name in PASSED if name in body and aside.profile != "llama-cpp"}
    kwargs = plain(body.get(KWARGS))
    return {
        "add_generation_prompt": True,
        "documents": None,
        **template.special,
        **passed,
        **(kwargs if isinstance(kwargs, dict) else {}),
        **aside.variables,
        "messages": plain(body["messages"]),
        "tools": plain(body.get("tools")) or None,
    }


def rendered(
    request: Request, template: TemplateSource, found: Rendering, places: Mapping[Path, Path | None]
) -> Rendered:
    """A rendering as a prompt: its origins lead into the document, its items are those of the request.

    `places`: where the variables, or values within them, stand in the document; None for those that do not.
    """
    origins = tuple(_placed(origin, places) for origin in found.origins)
    origins = origins or (Origin(0, len(found.text), "unknown"),)
    text, notes = found.text, found.notes
    if re.search(_SURROGATE, text):
        text = re.sub(_SURROGATE, "\ufffd", text)
        notes = (*notes, "the template prints lone surrogates, which no tokenizer takes: U+FFFD stands for them")
    items = tuple(_items(request, text, origins))
    size = items[-1].byte + len(items[-1].text.encode()) if items else 0
    return Rendered(request, text, items, "", size, notes, template, origins)


def _placed(origin: Origin, places: Mapping[Path, Path | None]) -> Origin:
    path = origin.path
    if path is None:
        return origin
    depth = next((depth for depth in range(len(path), -1, -1) if path[:depth] in places), None)
    place = None if depth is None else places[path[:depth]]
    known = None if place is None else (*place, *path[depth:])
    return origin._replace(path=known, name=origin.name or str(path[0]))


def _items(request: Request, text: str, origins: tuple[Origin, ...]) -> "list[RenderedItem]":
    """Runs of the text, each with what it prints of one item and the template's text in front of that."""
    by_path = {item.path: item for item in request.items}
    done: list[RenderedItem] = []
    waiting: list[Origin] = []
    held: Item | None = None
    open_until = 0  # how many of the waiting belong to `held`
    byte = 0

    def close(item: Item | None, run: list[Origin]) -> None:
        nonlocal byte
        start, end = run[0].start, run[-1].end
        pieces = tuple(Piece(o.path or (), "key" if o.kind == "key" else "value", text[o.start : o.end]) for o in run)
        item = item or Item("messages", None, None, request.path, ())
        done.append(RenderedItem(item, text[start:end], pieces, (), start, PromptByte(byte)))
        byte += len(text[start:end].encode())

    for origin in origins:
        item = _item_of(origin.path, by_path, held)
        if item is not None and held is not None and item is not held:
            close(held, waiting[:open_until])
            del waiting[:open_until]
        waiting.append(origin)
        if item is not None:
            held, open_until = item, len(waiting)
    if held is not None and open_until:
        close(held, waiting[:open_until])
    if rest := waiting[open_until:]:
        close(None, rest)
    return done


def _item_of(path: Path | None, by_path: Mapping[Path, Item], held: Item | None) -> Item | None:
    """The item that a place of the document belongs to; the list of the tools goes on behind one of them."""
    if not path:
        return None
    if held is not None and held.path[: len(path)] == path:
        return held
    return next((by_path[path[:depth]] for depth in range(len(path), 0, -1) if path[:depth] in by_path), None)
