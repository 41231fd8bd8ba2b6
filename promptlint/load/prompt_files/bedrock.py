"""Bedrock prompt management: what `get-prompt` answers, and what `create-prompt` takes."""

from collections.abc import Iterator

from promptlint.load.prompt_files.found import Stored, StoredText, dicts
from promptlint.prompt import Json, Path

_LANGUAGE = "double-brace"


def prompts(value: Json) -> list[Stored] | None:
    """One prompt for each variant; a `cachePoint` ends a cached part."""
    variants = value.get("variants") if isinstance(value, dict) else None
    found = []
    for number, variant in dicts(variants):
        held = variant.get("templateConfiguration")
        if not isinstance(held, dict):
            return None
        at: Path = ("variants", number, "templateConfiguration")
        texts = (*_text(held.get("text"), (*at, "text")), *_chat(held.get("chat"), (*at, "chat")))
        found.append(Stored("Bedrock prompt", texts))
    return found or None


def _text(held: Json, at: Path) -> Iterator[StoredText]:
    if isinstance(held, dict) and isinstance(held.get("text"), str):
        yield StoredText((*at, "text"), _LANGUAGE, marked="cachePoint" in held)


def _chat(held: Json, at: Path) -> Iterator[StoredText]:
    if not isinstance(held, dict):
        return
    yield from _blocks(held.get("system"), (*at, "system"), "system")
    for number, message in dicts(held.get("messages")):
        role = message.get("role")
        yield from _blocks(
            message.get("content"), (*at, "messages", number, "content"), role if isinstance(role, str) else "user"
        )


def _blocks(blocks: Json, at: Path, role: str) -> Iterator[StoredText]:
    """The texts of one message; the first begins it."""
    waiting: StoredText | None = None
    begun: str | None = role
    for number, block in dicts(blocks):
        if "cachePoint" in block and waiting is not None:
            waiting = waiting._replace(marked=True)
        if isinstance(block.get("text"), str):
            if waiting is not None:
                yield waiting
            waiting, begun = StoredText((*at, number, "text"), _LANGUAGE, begun), None
    if waiting is not None:
        yield waiting
