"""What the loaders share: typed access with clear errors, and blocks -> segments."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.prompt import Item, Json, Kind, Marker, Number, Path, Segment
from promptlint.read.names import shown


class Body(NamedTuple):
    """What a format's loader finds in a request."""

    items: tuple[Item, ...]
    consumed: frozenset[str]  # top-level fields that are text, or say which model reads it
    model: str | None = None
    automatic: Marker | None = None
    settings: Mapping[Path, Json] = {}  # settings that stand beside text in a consumed field
    notes: tuple[str, ...] = ()
    token_ids: tuple[int, ...] | None = None
    at: Path | None = None  # where the text stands, if not at the request itself
    provider: str | None = None  # if the blocks tell
    platform: str | None = None  # who serves the model, as a record names it
    named: Mapping[Path, tuple[str, ...]] = {}  # settings, and the model, that stand under other names
    format: str | None = None  # if what a record holds tells
    parts: Mapping[str, Path] = {}  # messages and tools, if they stand apart
    may_lack_markers: bool = False  # if the record need not keep them


@cache
def kinds(dialect: str) -> dict[str, Kind]:
    """Block type -> kind of segment."""
    found: dict[str, Kind] = facts.table("formats")["dialects"][dialect]["kinds"]
    return found


@cache
def _names(table: str, field: str) -> frozenset[str]:
    return frozenset(facts.table("formats")[table][field])


def marker_names() -> frozenset[str]:
    """The fields that mark where a cached part ends."""
    return _names("markers", "names")


def reasoning_names() -> frozenset[str]:
    """The fields of a Chat message that carry reasoning."""
    return _names("reasoning", "names")


def type_name(value: Json) -> str:
    """The JSON type in words, with its article."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, Number):
        return "a number"
    return "null" if value is None else "a boolean"


def pointer(path: Path) -> str:
    """A path for an error message: RFC 6901, `/` alone where a string that holds JSON is entered."""
    if not path:
        return "the top level"
    return shown(
        "".join("/" + str("" if step is None else step).replace("~", "~0").replace("/", "~1") for step in path)
    )


def wrong(path: Path, value: Json, due: str) -> PromptlintError:
    """The error for a value of the wrong type."""
    return PromptlintError(f"{pointer(path)} is {type_name(value)}, but {due} is due there")


def array(value: Json, path: Path) -> list[Json]:
    """`value` if it is an array, [] if it is missing or null."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong(path, value, "an array")
    return value


def required_array(body: dict[str, Json], field: str, at: Path) -> list[Json]:
    """The array that a request cannot do without."""
    if field not in body:
        raise PromptlintError(f"a request without `{field}`: {pointer(at)} has no such field")
    if not isinstance(body[field], list):
        raise wrong((*at, field), body[field], "an array")
    return array(body[field], (*at, field))


def objects(value: Json, path: Path) -> Iterator[tuple[Path, dict[str, Json]]]:
    """The entries of an array of objects with their paths."""
    for index, entry in enumerate(array(value, path)):
        if not isinstance(entry, dict):
            raise wrong((*path, index), entry, "an object")
        yield (*path, index), entry


def text_or_none(value: Json) -> str | None:
    """`value` if it is a string."""
    return value if isinstance(value, str) else None


def marker(holder: Json, path: Path) -> Marker | None:
    """The marker that an object itself carries."""
    if isinstance(holder, dict) and not marker_names().isdisjoint(holder):
        for name in marker_names():
            field = holder.get(name)
            if isinstance(field, dict):
                return Marker((*path, name), text_or_none(field.get("ttl")))
    return None


def lifted_marker(holder: dict[str, Json], path: Path) -> Marker | None:
    """The marker of a block, or the last one inside its content, which counts for the whole block."""
    found = marker(holder, path)
    for name in ("content", "output"):
        inner = holder.get(name)
        if found is None and isinstance(inner, list):
            marks = (marker(entry, (*path, name, index)) for index, entry in reversed(list(enumerate(inner))))
            found = next((mark for mark in marks if mark), None)
    return found


def role_of(message: dict[str, Json], path: Path) -> str | None:
    """The role of a message, None where it has none."""
    role = message.get("role")
    if role is None or isinstance(role, str):
        return role
    raise wrong((*path, "role"), role, "a string")


def content(value: Json, path: Path, dialect: str) -> list[Segment]:
    """The segments of a message's content: a string, or an array of blocks."""
    if value is None:
        return []
    if isinstance(value, str):
        return [Segment("text", path, value)]
    if not isinstance(value, list):
        raise wrong(path, value, "a string or an array of blocks")
    return [block(entry, (*path, index), dialect) for index, entry in enumerate(value)]


def block(value: Json, path: Path, dialect: str) -> Segment:
    """One block of a message as one segment."""
    if isinstance(value, str):
        return Segment("text", path, value)
    if not isinstance(value, dict):
        raise wrong(path, value, "a block (an object)")
    found = lifted_marker(value, path)
    if is_text(value):
        if any(value[name] is not None for name in value.keys() - _plain()):
            kind: Kind = "thinking" if value.get("thought") is True else "text"
            return Segment(kind, path, value, found)
        return Segment("text", (*path, "text"), value["text"], found)
    return Segment(kind_of(value, dialect), path, value, found)


def is_text(value: dict[str, Json]) -> bool:
    """Whether a block is text: a string `text`, with a text type or none."""
    kind = value.get("type")
    return isinstance(value.get("text"), str) and (
        "type" not in value or (isinstance(kind, str) and kind in _names("text_blocks", "types"))
    )


@cache
def _plain() -> frozenset[str]:
    return marker_names() | _names("text_blocks", "no_atoms") | {"type", "text"}


def kind_of(value: dict[str, Json], dialect: str) -> Kind:
    """The kind of a block that is not text, from its type or else from the key that names it."""
    table = kinds(dialect) | kinds("anthropic") if dialect == "openai" else kinds(dialect)
    declared = value.get("type")
    if isinstance(declared, str):
        return table.get(declared, "other")
    return next((table[name] for name in value if name in table), "other")


def rest(holder: dict[str, Json], path: Path, done: frozenset[str]) -> list[Segment]:
    """The fields of a message that no other segment covers, as one segment, or nothing."""
    covered = done | marker_names()
    if all(holder[name] in (None, []) for name in holder.keys() - covered):
        return []
    return [Segment("other", path, holder, None, covered)]


def with_marker(segments: list[Segment], found: Marker | None) -> list[Segment]:
    """The segments with a marker at the end of the last one."""
    if found is None or not segments:
        return segments
    return [*segments[:-1], segments[-1]._replace(marker=found)]
