"""How one format is rendered: data/formats.yaml, compiled for the walk."""

from functools import cache
from typing import NamedTuple

from promptlint import facts
from promptlint.prompt import Json, Level


class Encoded(NamedTuple):
    """What counts as encoded data, and what it costs; see data/formats.yaml."""

    fields: list[str]
    shortest: int  # characters
    characters_per_token: int
    dearest: int  # tokens


class Form(NamedTuple):
    """The rendering rules of one format."""

    order: tuple[Level, ...]
    rank: dict[str, int]  # declared field -> its position
    free: frozenset[str]  # fields below which keys keep the order sent
    markers: frozenset[str]
    text_types: frozenset[str]
    beside_text: frozenset[str]  # fields of a text block that add nothing to its text
    encoded: Encoded


@cache
def form_of(format_name: str) -> Form:
    """The rules of a format named in data/formats.yaml."""
    formats = facts.table("formats")
    entry = formats["formats"][format_name]
    dialects = [formats["dialects"][name] for name in entry["dialects"]]
    fields = dict.fromkeys(field for dialect in dialects for field in dialect["fields"])
    markers = frozenset(formats["markers"]["names"])
    return Form(
        order=tuple(entry["order"]),
        rank={field: rank for rank, field in enumerate(fields)},
        free=frozenset(field for dialect in dialects for field in dialect["free"]),
        markers=markers,
        text_types=frozenset(formats["text_blocks"]["types"]),
        beside_text=markers.union(formats["text_blocks"]["no_atoms"], ("type", "text")),
        encoded=Encoded(*(formats["encoded"][name] for name in Encoded._fields)),
    )


def is_text_block(block: dict[str, Json], form: Form) -> bool:
    """Whether a declared object is a block whose string `text` stands for it."""
    if not isinstance(block.get("text"), str):
        return False
    kind = block.get("type")
    return "type" not in block or (isinstance(kind, str) and kind in form.text_types)


def _says_nothing(name: str, held: Json, form: Form) -> bool:
    return held is None or (held == [] and name not in form.free)


def declared_fields(value: dict[str, Json], form: Form, omit: frozenset[str]) -> list[str]:
    """The fields of a declared object in the order of the form, unknown ones last by name.

    A null or an empty list says what a missing field says: libraries that dump their models write either.
    """
    rank, last = form.rank, len(form.rank)
    fields = [name for name, held in value.items() if name not in omit and not _says_nothing(name, held, form)]
    if len(fields) > 1:
        fields.sort(key=lambda name: (rank.get(name, last), name))
    return fields
