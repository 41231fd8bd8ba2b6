"""A realistic variation of a request, and what the makers of variations are given."""

from datetime import date
from typing import Literal, NamedTuple

from promptlint.prompt import Item, Json, Path, Request, Segment
from promptlint.read.descend import descend

_SALTED = ("vllm", "sglang")
Group = Literal["form", "text", "tools", "messages", "settings", "markers", "engine"]


class Variation(NamedTuple):
    """One edit of a request."""

    name: str  # in kebab-case: that of its file, too
    group: Group
    does: str  # what was done, in words
    value: Json  # the whole document with it
    path: Path = ()  # where it was done


class Source(NamedTuple):
    """The request that is varied."""

    request: Request
    value: Json  # the whole document that holds it
    today: date
    provider: str  # who serves it, a key of data/providers.yaml
    hosted: bool  # by an engine that one hosts oneself

    @property
    def salted(self) -> bool:
        """Whether who serves it keeps requests of different salts apart."""
        return self.hosted and self.provider in _SALTED

    def at(self, path: Path) -> Json:
        return descend(self.value, path)

    def items(self, level: str) -> list[Item]:
        return [item for item in self.request.items if item.level == level]


def is_entry(path: Path) -> bool:
    """Whether a path leads to an entry of a list."""
    return bool(path) and isinstance(path[-1], int)


def texts(item: Item) -> list[Segment]:
    """The plain texts of an item."""
    return [s for s in item.segments if s.kind == "text" and isinstance(s.content, str) and s.content]


def main_text(source: Source) -> Segment | None:
    """The first text of the system text, else of the messages; None if there is none."""
    items = [*source.items("system"), *source.items("messages")]
    return next((segment for item in items for segment in texts(item)), None)
