"""Spans that hold a prompt: the AI SDK's, OpenTelemetry's GenAI conventions, OpenInference (Phoenix), OpenLLMetry."""

import re
from typing import Any

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.load import ai_sdk, flat_messages, gaps, genai_parts, messages
from promptlint.load.attributes import Attribute, Attributes, attributes
from promptlint.load.blocks import Body, text_or_none, wrong
from promptlint.load.tools import tool_item, tool_items
from promptlint.prompt import Item, Json, Path, Segment

_NO_SETTINGS = frozenset({"messages", "tools", "functions", "model", "system", "instructions", "prompt", "input"})


def convention(value: dict[str, Json]) -> str | None:
    """What kind of span holds a prompt here, None where it holds none."""
    held = attributes(value, ())
    row = _row(held)
    if row is not None:
        return str(row["title"])
    return "a GenAI span" if flat_messages.events(value, ()) else None


def _row(held: Attributes) -> dict[str, Any] | None:
    for row in facts.table("formats")["spans"]:
        found: dict[str, Any] = row
        if row.get("messages") in held or flat_messages.holds(held, row.get("flat")):
            return found
    return None


def load(value: Json, path: Path) -> Body:
    """The request that a span holds."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a span (an object)")
    held = attributes(value, path)
    row = _row(held) or facts.table("formats")["spans"][-1]
    items = [*_tools(held, row), *_system(held, row), *_messages(value, held, row, path)]
    if not items:
        raise PromptlintError("a span that holds no prompt", "record message content where the spans are made")
    model, platform = held.get(row["model"]), held.get(row["platform"])
    settings = _settings(held, row)
    named = {place.path: (name,) for name, place in settings.items()}
    if model is not None:
        named[model.path] = ("model",)
    return Body(
        items=tuple(items),
        consumed=frozenset(value),
        model=text_or_none(model.value) if model is not None else None,
        settings={place.path: place.value for place in settings.values()},
        named=named,
        notes=(row["note"], *gaps.notes(items)),
        platform=text_or_none(platform.value) if platform is not None else None,
        may_lack_markers=True,
    )


def _messages(span: dict[str, Json], held: Attributes, row: dict[str, Any], path: Path) -> list[Item]:
    """From one attribute that holds them all, from one attribute a field, or from events."""
    whole = held[row["messages"]].entered() if row.get("messages") in held else None
    if whole is not None and isinstance(whole.value, list):
        return ai_sdk.message_items(whole.value, whole.path) if row.get("shape") == "ai-sdk" else _list(whole)
    if whole is not None and isinstance(whole.value, dict) and isinstance(whole.value.get("messages"), list):
        return _list(Attribute((*whole.path, "messages"), whole.value["messages"]))
    if whole is not None and isinstance(whole.value, str) and whole.value:
        return [Item("messages", "user", None, whole.path, (Segment("text", whole.path, whole.value),))]
    return flat_messages.message_items(held, row.get("flat")) or flat_messages.events(span, path)


def _list(found: Attribute) -> list[Item]:
    value = found.value if isinstance(found.value, list) else []
    if any(isinstance(message, dict) and "parts" in message for message in value):
        return genai_parts.message_items(value, found.path)
    return list(messages.load(value, found.path).items)


def _system(held: Attributes, row: dict[str, Any]) -> list[Item]:
    found = held.get(row.get("system", ""))
    if found is None:
        return []
    found = found.entered()
    if isinstance(found.value, list):
        segments = genai_parts.parts(found.value, found.path)
    else:
        segments = [Segment("text", found.path, found.value)] if isinstance(found.value, str) else []
    return [Item("system", None, None, found.path, tuple(segments))] if segments else []


def _tools(held: Attributes, row: dict[str, Any]) -> list[Item]:
    found = held.get(row.get("tools", ""))
    if found is not None and isinstance(whole := found.entered().value, list) and not isinstance(whole[:1], str):
        return _tool_list(found.entered())
    texts = _numbered(held, row.get("tools"))
    if texts:
        return [item for text in texts for item in _tool(text.entered())]
    return flat_messages.tool_items(held, row.get("flat_tools"))


def _tool_list(found: Attribute) -> list[Item]:
    """Tools as objects, or as JSON texts."""
    entries = found.value if isinstance(found.value, list) else []
    if not any(isinstance(entry, str) for entry in entries):
        return tool_items(found.value, found.path)
    return [item for i, entry in enumerate(entries) for item in _tool(Attribute((*found.path, i), entry).entered())]


def _tool(found: Attribute) -> list[Item]:
    if isinstance(found.value, dict):
        return [tool_item(found.value, found.path)]
    return [Item("tools", None, None, found.path, (Segment("tool", found.path, found.value),))]


def _numbered(held: Attributes, name: str | None) -> list[Attribute]:
    """The entries `name.0`, `name.1` … of an array, in their order."""
    if name is None:
        return []
    found = [
        (int(key[len(name) + 1 :]), held[key]) for key in held if re.fullmatch(rf"{re.escape(name)}\.\d{{1,9}}", key)
    ]
    return [attribute for _, attribute in sorted(found, key=lambda entry: entry[0])]


def _settings(held: Attributes, row: dict[str, Any]) -> Attributes:
    """By the name that the field has in a request."""
    rule = facts.table("formats")["span_settings"]
    prefix: str = rule["prefix"]
    found = {
        name[len(prefix) :]: attribute
        for name, attribute in held.items()
        if name.startswith(prefix) and name[len(prefix) :] not in rule["not"] and not name[-1].isdigit()
    }
    if row.get("parameters") in held:
        whole = held[row["parameters"]].entered()
        inside = whole.value.items() if isinstance(whole.value, dict) else ()
        found |= {name: Attribute((*whole.path, name), value) for name, value in inside if name not in _NO_SETTINGS}
    return found
