"""What a logger has left out or cut, as far as the text shows it."""

from collections.abc import Iterable, Iterator
from functools import cache

from promptlint import facts
from promptlint.load.blocks import pointer
from promptlint.prompt import Item, Json, Path

_LONG = 200  # characters: a shorter text may well end in three dots
_ENDS = ("...", "…", "[truncated]")
_NAMED = 2  # places named in a note


@cache
def _marks(kind: str) -> tuple[str, ...]:
    return tuple(facts.table("formats")["gaps"][kind])


def redacted(value: Json) -> str | None:
    """The words that a logger has put in place of a text, or of the content of every message; None otherwise."""
    contents = (
        [entry.get("content") if isinstance(entry, dict) else entry for entry in value]
        if isinstance(value, list)
        else [value]
    )
    said = [held for held in contents if isinstance(held, str) and held in _marks("redacted")]
    return said[0] if said and len(said) == len(contents) else None


def notes(items: Iterable[Item]) -> list[str]:
    """Notes on texts that are redacted or cut."""
    texts = [found for item in items for segment in item.segments for found in _texts(segment.path, segment.content)]
    hidden = [path for path, text in texts if text in _marks("redacted")]
    cut = [path for path, text in texts if any(mark in text for mark in _marks("truncated"))]
    maybe = [path for path, text in texts if len(text) >= _LONG and text.endswith(_ENDS) and path not in cut]
    told = ((hidden, "was redacted"), (cut, "was cut by the logger"), (maybe, "ends in dots: it may have been cut"))
    return [f"{_named(paths)} {what}" for paths, what in told if paths]


def _named(paths: list[Path]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(pointer(path) for path in paths[:_NAMED]) + more


def _texts(path: Path, value: Json) -> Iterator[tuple[Path, str]]:
    waiting: list[tuple[Path, Json]] = [(path, value)]
    while waiting:
        at, held = waiting.pop()
        if isinstance(held, str):
            yield at, held
        elif isinstance(held, dict):
            waiting += [((*at, name), inner) for name, inner in reversed(held.items())]
        elif isinstance(held, list):
            waiting += [((*at, index), inner) for index, inner in reversed(list(enumerate(held)))]
