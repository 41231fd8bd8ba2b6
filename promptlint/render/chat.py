"""A request through the model's own chat template: the exact prompt, with the origin of every character."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import (
    Item,
    Json,
    Number,
    Origin,
    Path,
    Piece,
    PromptByte,
    Rendered,
    RenderedItem,
    Rendering,
    Request,
    TemplateSource,
)
from promptlint.read.names import shown
from promptlint.render.chat_template import ChatTemplate, ChatTemplates

_FORMATS = ("openai-chat", "messages")  # whose messages are what a chat template takes
_PASSED = ("documents",)  # fields of a request that a template takes under their own names, beside messages and tools
_KWARGS = "chat_template_kwargs"  # vLLM and SGLang hand its entries to the template


class Aside(NamedTuple):
    """What a template is given beside the request."""

    variables: Mapping[str, Any] = {}  # --template-kwargs
    now: datetime | None = None  # the clock of the template; None: the real one


def render_chat(request: Request, templates: ChatTemplates, aside: Aside) -> Rendered:
    """The prompt of `request` as transformers' `apply_chat_template` writes it, with the generation prompt.

    PromptlintError: the request is of a format that no chat template takes, or the template refuses it.
    """
    from promptlint.render.template import Template, render_all

    body = _body(request)
    template = templates.choose(tools=bool(body.get("tools")))
    variables = _variables(body, template, aside)
    name = shown(template.source.document.path)
    found = render_all(Template(name, template.source.source, "chat"), [variables], now=aside.now)[0]
    return rendered(request, template.source, found, _places(request, aside))


def _body(request: Request) -> dict[str, Json]:
    body: Json = {"messages": request.body} if isinstance(request.body, list) else request.body
    if request.format not in _FORMATS or not isinstance(body, dict) or not body.get("messages"):
        raise PromptlintError(
            f"a chat template takes messages as in Chat Completions, not a request of the format {request.format}",
            "leave out --chat-template, or give the request that the server of the model gets",
        )
    return body


def _variables(body: dict[str, Json], template: ChatTemplate, aside: Aside) -> dict[str, Any]:
    """As `apply_chat_template` names them; what the user says comes before what the request says."""
    passed = {name: plain(body[name]) for name in _PASSED if name in body}
    kwargs = plain(body.get(_KWARGS))
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


def _places(request: Request, aside: Aside) -> "dict[str, Path | None]":
    """Where the variables of the template stand in the document; None for those of the command line."""
    bare = isinstance(request.body, list)
    places: dict[str, Path | None] = {"messages": request.path if bare else (*request.path, "messages")}
    if isinstance(request.body, dict):
        places |= {name: (*request.path, name) for name in ("tools", *_PASSED) if name in request.body}
        kwargs = request.body.get(_KWARGS)
        places |= {name: (*request.path, _KWARGS, name) for name in (kwargs if isinstance(kwargs, dict) else {})}
    return places | dict.fromkeys(aside.variables)


def plain(value: Json) -> Any:
    """JSON as Python has it: numbers as `json.loads` reads them."""
    if isinstance(value, Number):
        return float(value.text) if any(sign in value.text for sign in ".eE") else int(value.text)
    if isinstance(value, dict):
        return {name: plain(held) for name, held in value.items()}
    return [plain(held) for held in value] if isinstance(value, list) else value


def rendered(
    request: Request, template: TemplateSource, found: Rendering, places: "Mapping[str, Path | None]"
) -> Rendered:
    """A rendering as a prompt: its origins lead into the document, its items are those of the request.

    `places`: where each variable stands in the document.
    """
    origins = tuple(_placed(origin, places) for origin in found.origins)
    origins = origins or (Origin(0, len(found.text), "unknown"),)
    items = tuple(_items(request, found.text, origins))
    size = items[-1].byte + len(items[-1].text.encode()) if items else 0
    return Rendered(request, found.text, items, "", size, found.notes, template, origins)


def _placed(origin: Origin, places: "Mapping[str, Path | None]") -> Origin:
    if origin.path is None:
        return origin
    name = str(origin.path[0])
    place = places.get(name)
    return origin._replace(path=None if place is None else (*place, *origin.path[1:]), name=origin.name or name)


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
        item = _item_of(origin.path, by_path)
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


def _item_of(path: Path | None, by_path: Mapping[Path, Item]) -> Item | None:
    """The item that a place of the document belongs to."""
    for depth in range(len(path or ()), 0, -1):
        if (found := by_path.get((path or ())[:depth])) is not None:
            return found
    return None
