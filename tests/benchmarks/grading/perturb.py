"""The corpus again, moved a little: the place must move by the known amount, the cause must not.

Every perturbation changes both files of a pair in the same way, so that the fault stays what it was.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grading.cases import Case, TruePlace

# Seventeen characters each, of the kind that the value holds.
PROSE, WORD, SPACE = "Kindly note this ", "kindly_note_this_", " " * 17

SCHEMAS = {"input_schema", "inputSchema", "parameters"}


def shifted(case: Case, folder: Path) -> Case | None:
    """Insert 17 characters ahead of the first difference, inside its value (or its key).

    The same insertion goes into every string that equals either value, so that kept messages, moved list items
    and call ids stay partners. None where no text differs or the value is one of a closed list (a block's type).
    """
    place = case.place
    if place is None or (place.atom == "value" and place.after.endswith("/type")):
        return None
    sides = [json.loads(path.read_bytes()) for path in (case.before, case.after)]
    pointers = (place.before, place.after)
    if place.atom == "key":
        names = {pointer.rsplit("/", 1)[1]: WORD + pointer.rsplit("/", 1)[1] for pointer in pointers}
        for side, pointer in zip(sides, pointers, strict=True):
            _rename_keys(_at(side, pointer.rsplit("/", 1)[0]), names)
        pointers = (_renamed(place.before), _renamed(place.after))
    else:
        values = {str(_at(side, pointer)) for side, pointer in zip(sides, pointers, strict=True)}
        sides = [_strings(side, _inserted(values)) for side in sides]
    moved = TruePlace(*pointers, place.atom, place.char + 17, place.byte + 17)
    others = tuple((pointer, char + 17) for pointer, char in case.other_places)
    return _written(case._replace(place=moved, other_places=others), folder, *map(_plain, sides))


def renamed(case: Case, folder: Path) -> Case | None:
    """Rename every tool in both requests, in definitions and calls. None where there is no tool."""
    sides = [json.loads(path.read_bytes()) for path in (case.before, case.after)]
    names = {name for side in sides for name in _tool_names(side)}
    if not names:
        return None
    new = {name: f"{name}_mk2" for name in names}
    return _written(case, folder, *(_plain(_strings(side, new)) for side in sides))


def reindented(case: Case, folder: Path) -> Case:
    """Write one file wide and in ASCII, the other without any white space: not a byte of the prompt changes."""
    before, after = (json.loads(path.read_bytes()) for path in (case.before, case.after))
    wide = json.dumps(before, indent=4)
    narrow = json.dumps(after, ensure_ascii=False, separators=(",", ":"))
    return _written(case, folder, wide, narrow)


PERTURBATIONS: dict[str, Callable[[Case, Path], Case | None]] = {
    "shifted": shifted,
    "renamed": renamed,
    "reindented": reindented,
}


def _inserted(values: set[str]) -> dict[str, str]:
    """JSON inside a string must stay JSON; an id or a name must stay one word."""
    if all(map(_is_json, values)):
        return {text: text[0] + SPACE + text[1:] for text in values}
    insert = PROSE if any(" " in text for text in values) else WORD
    return {text: insert + text for text in values}


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except ValueError:
        return False


def _at(value: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _renamed(pointer: str) -> str:
    parent, key = pointer.rsplit("/", 1)
    return f"{parent}/{WORD}{key}"


def _rename_keys(value: dict[str, Any], names: dict[str, str]) -> None:
    entries = list(value.items())
    value.clear()
    value.update((names.get(key, key), entry) for key, entry in entries)


def _strings(value: Any, new: dict[str, str]) -> Any:
    """Copy a value with whole strings replaced."""
    if isinstance(value, dict):
        return {key: _strings(entry, new) for key, entry in value.items()}
    if isinstance(value, list):
        return [_strings(entry, new) for entry in value]
    return new.get(value, value) if isinstance(value, str) else value


def _tool_names(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for entry in value for name in _tool_names(entry)]
    if not isinstance(value, dict):
        return []
    own = [value["name"]] if "name" in value and SCHEMAS & value.keys() else []
    return own + [name for entry in value.values() for name in _tool_names(entry)]


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _written(case: Case, folder: Path, before: str, after: str) -> Case:
    paths = folder / "before.json", folder / "after.json"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_bytes(text.encode())
    return case._replace(before=paths[0], after=paths[1])
