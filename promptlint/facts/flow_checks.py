"""What is wrong with the tables that flow_tables reads: asked when they are compiled, not when they are used."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, get_args

from promptlint.facts.flow_tables import FIELDS, Into, Kind, Language, Slot, words_of

_ROW = {"library", "languages", "names", "imports", "takes", "positional", "result", "evidence", "source", "checked"}
_CHANGING = {"kind", "at_most", "into", "source", "checked", *FIELDS}
_SOURCE = re.compile(r"https://[^\s;]+|\b(?:PyPI|npm) [\w@./-]+ \d")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def prompt_call_faults(table: Mapping[str, Any]) -> list[str]:
    """What is wrong with the content of prompt_calls.yaml, a line each; nothing if it is right."""
    found: list[str] = []
    for section in ("calls", "decorators"):
        for name, row in table[section].items():
            found += (f"prompt_calls.yaml: {section}: {name}: {fault}" for fault in _prompt_row(row))
    found += (f"prompt_calls.yaml: bodies: {fault}" for fault in _slots(table["bodies"]["takes"].values()))
    for name, row in table["names"].items():
        if isinstance(row, list):
            found += (f"prompt_calls.yaml: names: {name}: {fault}" for fault in _texts(row))
    for section in ("bodies", "names", "packages"):
        found += (f"prompt_calls.yaml: {section}: {fault}" for fault in _origin(table[section]))
    return found


def changing_value_faults(table: Mapping[str, Any]) -> list[str]:
    """What is wrong with the content of changing_values.yaml, a line each; nothing if it is right."""
    found: list[str] = []
    for language in get_args(Language):
        seen: set[tuple[str, str]] = set()
        for name, row in table[language]["changing"].items():
            place = f"changing_values.yaml: {language}: {name}"
            found += (f"{place}: {fault}" for fault in _changing_row(row, seen))
        found += (f"changing_values.yaml: {language}: {fault}" for fault in _origin(table[language]))
    kinds = [kind for kind in table["commands"] if kind not in get_args(Kind)]
    found += (f"changing_values.yaml: commands: unknown kind {kind}" for kind in kinds)
    found += (f"changing_values.yaml: {fault}" for fault in _origin(table))
    return found


def _prompt_row(row: Mapping[str, Any]) -> Iterator[str]:
    yield from _fields(row, _ROW)
    yield from _origin(row)
    for language in row.get("languages") or ["none"]:
        if language not in get_args(Language):
            yield f"unknown language {language}"
    names = row.get("names") or []
    yield from _texts([*names, *row.get("imports", ())])
    if not names:
        yield "no names"
    if not row.get("imports") and not row.get("evidence"):
        yield from (f"{name} is a common word: it needs imports" for name in names if _common(name))
    slots = [*row.get("takes", {}).values(), *filter(None, row.get("positional", ())), row.get("result")]
    yield from _slots(slot for slot in slots if slot is not None)
    if not any(slot not in (None, "options") for slot in slots):
        yield "takes no part of a prompt"


def _changing_row(row: Mapping[str, Any], seen: set[tuple[str, str]]) -> Iterator[str]:
    yield from _fields(row, _CHANGING)
    yield from _origin(row)
    if row.get("kind") not in get_args(Kind):
        yield f"unknown kind {row.get('kind')}"
    if row.get("into", "result") not in get_args(Into):
        yield f"unknown into {row['into']}"
    if not isinstance(row.get("at_most", 0), int):
        yield "at_most is no number"
    names = [(field, name) for field in FIELDS for name in row.get(field, ())]
    yield from _texts([name for _, name in names])
    if not names:
        yield "no names"
    for one in names:
        if one in seen:
            yield f"{one[1]} stands there twice"
        seen.add(one)


def _fields(row: Mapping[str, Any], known: Collection[str]) -> Iterator[str]:
    yield from (f"unknown field {field}" for field in row if field not in known)


def _slots(slots: Iterable[object]) -> Iterator[str]:
    yield from (f"unknown slot {slot}" for slot in slots if slot not in get_args(Slot))


def _texts(values: Iterable[object]) -> Iterator[str]:
    """YAML reads a bare `no` or `on` as a truth value."""
    yield from (f"{value!r} is no text" for value in values if not isinstance(value, str) or not value.strip())


def _origin(row: Mapping[str, Any]) -> Iterator[str]:
    if not _SOURCE.search(str(row.get("source", ""))):
        yield "no source"
    if not _DAY.fullmatch(str(row.get("checked", ""))):
        yield "no date on which it was checked"


def _common(name: object) -> bool:
    """A single word is a name that other software has as well."""
    return isinstance(name, str) and "." not in name and len(words_of(name)) < 2
