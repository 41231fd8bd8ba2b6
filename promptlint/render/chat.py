"""A request through the model's own chat template: the exact prompt, with the origin of every character."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import (
    Document,
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
    SourceByte,
    TemplateSource,
    Tokens,
)
from promptlint.read.descend import descend
from promptlint.read.names import shown
from promptlint.render.chat_template import HARMONY, ChatTemplate, ChatTemplates, NativeChat

if TYPE_CHECKING:
    from promptlint.render.template.process import Renderer

_FORMATS = ("openai-chat", "messages", "ollama-chat")  # whose messages are what a chat template takes
_SHAREGPT_ROLES = {"human": "user", "gpt": "assistant", "function_call": "assistant", "observation": "tool"}
_PASSED = ("documents",)  # fields of a request that a template takes under their own names, beside messages and tools
_KWARGS = "chat_template_kwargs"  # vLLM and SGLang hand its entries to the template


Places = dict[Path, Path | None]
"""A place among the variables of a template -> the place in the document; None for what stands in none."""


class Aside(NamedTuple):
    """What a template is given beside the request."""

    now: datetime  # its clock
    ranks: Callable[[], bytes]  # makes the file o200k_base.tiktoken, for harmony
    variables: Mapping[str, Any] = {}  # --template-kwargs


def render_chat(
    request: Request, templates: ChatTemplates | NativeChat, aside: Aside, renderer: "Renderer"
) -> Rendered:
    """The prompt of `request` as transformers' `apply_chat_template` writes it, with the generation prompt.

    PromptlintError: the request is of a format that no chat template takes, or the template refuses it.
    """
    from promptlint.render.template import Template

    if isinstance(templates, NativeChat):
        return _by_library(request, templates, aside)
    body, places = _body(request)
    template = templates.choose(tools=bool(body.get("tools")))
    variables = _variables(body, template, aside)
    name = shown(template.source.document.path)
    found = renderer.render(Template(name, template.source.source, "chat"), variables, now=aside.now)
    return rendered(request, template.source, found, {**places, **{(name,): None for name in aside.variables}})


def _by_library(request: Request, chat: NativeChat, aside: Aside) -> Rendered:
    """The prompt that a model's own library makes: its ids are the truth."""
    from promptlint.render.native import render_harmony, render_mistral

    if chat.path == HARMONY and request.format == "harmony" and isinstance(request.body, dict):
        body = request.body
        places: Places = {(): request.path}
    else:
        body, places = _body(request)
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


def _body(request: Request) -> tuple[dict[str, Json], Places]:
    """Messages and tools as a chat template takes them, and where they stand in the document."""
    body: Json = {"messages": request.body} if isinstance(request.body, list) else request.body
    if request.parts:
        body = {name: descend(request.body, path[len(request.path) :]) for name, path in request.parts.items()}
    if request.format == "sharegpt" and isinstance(body, dict):
        return _sharegpt(body, request.path)
    messages = body.get("messages") if isinstance(body, dict) else None
    if request.format not in _FORMATS or not isinstance(body, dict) or not isinstance(messages, list) or not messages:
        raise PromptlintError(
            f"a chat template takes messages as in Chat Completions, not a request of the format {request.format}",
            "leave out --chat-template, or give the request that the server of the model gets",
        )
    if isinstance(request.body, list):
        return body, {("messages",): request.path}
    if request.parts:
        return body, {(name,): path for name, path in request.parts.items()}
    kwargs = body.get(_KWARGS)
    places: Places = {(name,): (*request.path, _KWARGS, name) for name in (kwargs if isinstance(kwargs, dict) else {})}
    return body, places | {(name,): (*request.path, name) for name in ("messages", "tools", *_PASSED)}


def _sharegpt(body: dict[str, Json], path: Path) -> tuple[dict[str, Json], Places]:
    """`conversations` of `{from, value}`, the system text beside them."""
    messages: list[Json] = []
    places: Places = {("tools",): (*path, "tools")}
    if isinstance(body.get("system"), str) and body["system"]:
        messages.append({"role": "system", "content": body["system"]})
        places[("messages", 0, "content")] = (*path, "system")
    turns = body.get("conversations")
    for index, turn in enumerate(turns if isinstance(turns, list) else []):
        if not isinstance(turn, dict):
            continue
        role = str(turn.get("from"))
        here: Path = ("messages", len(messages))
        places[(*here, "role")] = (*path, "conversations", index, "from")
        places[(*here, "content")] = (*path, "conversations", index, "value")
        messages.append({"role": _SHAREGPT_ROLES.get(role, role), "content": turn.get("value")})
    tools = body.get("tools")
    return {"messages": messages, "tools": tools if isinstance(tools, list) else None}, places


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


def plain(value: Json) -> Any:
    """JSON as Python has it: numbers as `json.loads` reads them."""
    if isinstance(value, Number):
        return float(value.text) if any(sign in value.text for sign in ".eE") else int(value.text)
    if isinstance(value, dict):
        return {name: plain(held) for name, held in value.items()}
    return [plain(held) for held in value] if isinstance(value, list) else value


def rendered(
    request: Request, template: TemplateSource, found: Rendering, places: Mapping[Path, Path | None]
) -> Rendered:
    """A rendering as a prompt: its origins lead into the document, its items are those of the request.

    `places`: where the variables, or values within them, stand in the document; None for those that do not.
    """
    origins = tuple(_placed(origin, places) for origin in found.origins)
    origins = origins or (Origin(0, len(found.text), "unknown"),)
    items = tuple(_items(request, found.text, origins))
    size = items[-1].byte + len(items[-1].text.encode()) if items else 0
    return Rendered(request, found.text, items, "", size, found.notes, template, origins)


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
