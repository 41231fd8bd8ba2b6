"""Records of logging and tracing tools, whose parts of the request stand apart; data/formats.yaml says where."""

from typing import Any

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.load import gaps, messages
from promptlint.load.anthropic import system_items
from promptlint.load.blocks import Body, text_or_none
from promptlint.load.envelope import Found, entered
from promptlint.load.loaders import loader
from promptlint.load.recognise import RECORD, format_of, is_message
from promptlint.load.tools import tool_items
from promptlint.prompt import Item, Json, Path, Segment

_TOOLS = ("tools", "functions")
_SYSTEM = ("system", "instructions")
_MODEL = ("model", "model_name")
_NO_SETTINGS = frozenset({*_TOOLS, *_SYSTEM, "messages", "input", "prompt", "contents", *_MODEL})


def row_of(value: dict[str, Json]) -> dict[str, Any] | None:
    """The row of data/formats.yaml whose fields a record has."""
    for row in facts.table("formats")["records"]:
        if all(name in value for name in row["has"]):
            found: dict[str, Any] = row
            return found
    return None


def load(value: Json, path: Path, input_format: str | None = None) -> Body:
    """The request that a record holds; its messages are read as `input_format`, or as their content tells."""
    row = row_of(value) if isinstance(value, dict) else None
    if row is None:
        raise PromptlintError("no record of a known tool")
    top = Found(path, value)
    body = _messages(top, row, input_format)
    tools, system = _parts(top, row, "tools", _TOOLS), _parts(top, row, "system", _SYSTEM)
    items, parts = [*body.items], body.parts
    if tools is not None and not any(item.level == "tools" for item in items):
        items += tool_items(tools.value, tools.path)
        parts = {**parts, "tools": tools.path}
    if system is not None and not any(item.level == "system" for item in items):
        items += system_items(system.value, system.path)
    settings, named = _settings(top, row)
    model = _first(top, [*row["model"], *(f"{place}.{n}" for place in row.get("parameters", ()) for n in _MODEL)])
    if body.model is None and model is not None and isinstance(model.value, str):
        body, named = body._replace(model=model.value), {**named, model.path: ("model",)}
    platform = _first(top, row.get("platform", ()))
    return body._replace(
        items=tuple(items),
        consumed=frozenset(value) if isinstance(value, dict) else frozenset(),
        settings={**settings, **body.settings},
        named={**named, **body.named},
        notes=(row["note"], *body.notes, *gaps.notes(items)),
        platform=text_or_none(platform.value) if platform is not None else None,
        parts=parts,
        may_lack_markers=True,
    )


def _messages(top: Found, row: dict[str, Any], input_format: str | None) -> Body:
    """A whole request, a list of messages, or one text. Raises PromptlintError where the record has none of them."""
    found = _first(top, row["messages"])
    instead = gaps.redacted(found.value) if found is not None else None
    if found is None or instead is not None:
        where = f": {instead} stands in their place" if instead else ""
        raise PromptlintError(f"{row['title']} without its messages{where}", row["empty"])
    path, value = found.path, found.value
    notes: tuple[str, ...] = ()
    if isinstance(value, list) and value and isinstance(value[0], list | str):  # LangChain's batches, mostly of one
        if len(value) > 1:
            notes = (f"the record holds {len(value)} prompts: the first one is compared",)
        path, value = (*path, 0), value[0]
    if isinstance(value, str):
        turn = Item("messages", "user", None, path, (Segment("text", path, value),))
        return Body((turn,), frozenset(), format=input_format or "messages", notes=notes)
    if isinstance(value, list) and (not value or is_message(value[0])):
        body = messages.load(value, path)
        chat = all(isinstance(message, dict) and "role" in message for message in value)
        parts: dict[str, Path] = {"messages": path} if chat else {}
        return body._replace(format=input_format or "messages", notes=notes, parts=parts)
    inside = format_of(value)
    if inside is None or inside == RECORD:
        raise PromptlintError(f"{row['title']} whose messages are of no known form", row["empty"])
    return _whole(value, path, input_format or inside)


def _whole(value: Json, path: Path, format_name: str) -> Body:
    body, held = loader(format_name)(value, path), value if isinstance(value, dict) else {}
    rest = {name: inner for name, inner in held.items() if name not in body.consumed}
    settings = {(*path, name): inner for name, inner in rest.items()}
    named = {(*path, name): (name,) for name in rest}
    if body.model is not None:
        named[*path, "model"] = ("model",)
    parts: dict[str, Path] = {name: (*path, name) for name in ("messages", "tools") if name in held}
    return body._replace(format=format_name, settings={**settings, **body.settings}, named=named, parts=parts)


def _parts(top: Found, row: dict[str, Any], name: str, fields: tuple[str, ...]) -> Found | None:
    """Tools or system text: where the row says, or among the parameters."""
    places = [*row.get(name, ()), *(f"{place}.{field}" for place in row.get("parameters", ()) for field in fields)]
    return _first(top, places)


def _settings(top: Found, row: dict[str, Any]) -> tuple[dict[Path, Json], dict[Path, tuple[str, ...]]]:
    found = _first(top, row.get("parameters", ()))
    if found is None or not isinstance(found.value, dict):
        return {}, {}
    held = {n: v for n, v in found.value.items() if n not in _NO_SETTINGS and not n.startswith("_")}
    return {(*found.path, n): v for n, v in held.items()}, {(*found.path, n): (n,) for n in held}


def _first(top: Found, places: list[str] | tuple[str, ...]) -> Found | None:
    """The first of some dotted places that holds anything; JSON text is entered."""
    for place in places:
        found: Found | None = top
        for step in place.split("."):
            found = _inside(found, step) if found is not None else None
        if found is not None and found.value not in (None, "", {}, []):
            return found
    return None


def _inside(found: Found, step: str) -> Found | None:
    if not isinstance(found.value, dict) or step not in found.value:
        return None
    value, path = found.value[step], (*found.path, step)
    inner = entered(value) if isinstance(value, str) else None
    return Found(path, value) if inner is None else Found((*path, None), inner)
