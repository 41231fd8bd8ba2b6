"""`of.name` and `of[key]`."""

import re
from dataclasses import replace
from typing import Any

from promptlint.facts import flow_tables
from promptlint.lint.flow.code import Argument, Call, Constant, Item, Member
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.texts import as_date, element_of, whole_number
from promptlint.lint.flow.values import (
    Changing,
    Class,
    Code,
    Either,
    Fields,
    Outside,
    Package,
    Plain,
    Several,
    Thing,
    Unknown,
    Value,
    Written,
    either,
)

_LAST_OF_PATH = frozenset({"name", "stem", "suffix", "suffixes"})  # which is the same below any folder
_WHOLE_DAY = 10  # characters of an ISO time that are its date


def member(run: Run, of: Value, name: str, node: Any, frame: Frame) -> Value:
    """What `of.name` is; `node` is the whole expression."""
    if isinstance(of, Unknown) and (row := flow_tables.change_of(run.language(frame), "member", name)) is not None:
        return Changing(run.change(row.kind, name, run.at(node, frame), frame))
    match of:
        case Outside(module):
            return _outside(run, f"{module}.{name}", node, frame)
        case Package(number):
            found = run.of_module(number, name)
            inner = run.project.submodule(number, name) if found is None else None
            return Package(inner) if inner is not None else Unknown(name) if found is None else found
        case Thing():
            return _of_thing(run, of, name, node, frame)
        case Class():
            from promptlint.lint.flow.calls import method_of

            return method_of(run, of, name) or Unknown(name)
        case Fields() if name in of.entries:
            entry = of.entries[name]
            if isinstance(entry, Code) and entry.function.is_getter:
                from promptlint.lint.flow.calls import run_code

                return run_code(run, entry, [], run.at(node, frame), frame)
            return entry
        case Changing():
            return _of_changing(run, of, name, node, frame)
        case Either(options):
            return either(*(member(run, one, name, node, frame) for one in options))
        case Unknown(known):
            return Unknown(f"{known}.{name}" if known else name)
        case Several() if name in ("length", "size"):
            return Plain(None)
        case Several() if name in ("rows", "data", "results") and of.order is not None and of.order.kind == "query":
            return of
        case _:
            return Unknown(name)


def _outside(run: Run, name: str, node: Any, frame: Frame) -> Value:
    language = run.language(frame)
    known = flow_tables.change_of(language, "attribute", name)
    # Of the environment only some variables differ; see where one of them is read.
    if known is not None and name not in flow_tables.passing(language).environment_readers:
        return Changing(run.change(known.kind, name, run.at(node, frame), frame))
    reader, _, variable = name.rpartition(".")
    if reader in flow_tables.passing(language).environment_readers and variable in flow_tables.environment_variables():
        return Changing(run.change("environment", name, run.at(node, frame), frame))
    return Outside(name)


def _of_thing(run: Run, of: Thing, name: str, node: Any, frame: Frame) -> Value:
    from promptlint.lint.flow.calls import method_of, run_code

    if name in of.fields:
        return of.fields[name]
    found = method_of(run, of, name)
    if isinstance(found, Code) and found.function.is_getter:
        return run_code(run, found, [], run.at(node, frame), frame)
    return Unknown(name) if found is None else found


def _of_changing(run: Run, of: Changing, name: str, node: Any, frame: Frame) -> Value:
    passing = flow_tables.passing(run.language(frame))
    if of.change.kind == "query":
        return of
    if name in ("length", "size") or name in passing.clean_methods:
        return Plain(None)
    if of.change.kind == "environment" and name in _LAST_OF_PATH:
        return Unknown(name)
    moved = Changing(of.change._replace(at=run.at(node, frame)))
    return as_date(moved) if name in passing.to_date.attributes else moved


def _nth(run: Run, of: Several, node: Item, frame: Frame) -> Value:
    """An item under a number; of one among many that are not told apart only a copy, which may be changed alone."""
    assert node.key is not None
    number = run.text(run.at(node.key, frame)).replace(" ", "")
    is_known = not any(item.spread or item.repeated for item in of.items)
    place = whole_number(number)
    if is_known and place is not None and -len(of.items) <= place < len(of.items):
        return of.items[place].value
    if number == "0" and of.items and not (of.items[0].spread or of.items[0].repeated):
        return of.items[0].value
    if number == "-1" and of.items and not of.items[-1].spread:
        last = of.items[-1]
        return copied(last.value) if last.repeated else last.value
    return copied(element_of(of))


_BOUNDS = re.compile(r"\[\s*(-?\d{0,9})\s*:\s*(-?\d{0,9})\s*\]\Z")


def _part_of(run: Run, of: Several, node: Item, frame: Frame) -> Several:
    """A new list: the items between the bounds of a slice, as far as these and the items are known."""
    items = [item.copy() for item in of.items]
    bounds = _BOUNDS.search(run.text(run.at(node, frame)))
    first, last = (int(bound) if bound else None for bound in bounds.groups()) if bounds else (None, None)
    if not any(item.spread or item.repeated or item.maybe for item in items):
        items = items[first:last]
    elif first and first > 0 and not any(item.spread or item.repeated or item.maybe for item in items[:first]):
        items = items[first:]
    return replace(of, items=items, parameter="")


def copied(value: Value, depth: int = 4) -> Value:
    """The value, with lists and mappings of its own."""
    if depth and isinstance(value, Several):
        return replace(value, items=[replace(item, value=copied(item.value, depth - 1)) for item in value.items])
    if depth and isinstance(value, Fields):
        entries = {key: copied(each, depth - 1) for key, each in value.entries.items()}
        return replace(value, entries=entries, maybe=set(value.maybe), places=dict(value.places))
    return value


def _is_behind_the_day(run: Run, node: Item, frame: Frame) -> bool:
    """`now.isoformat().split("T")[1]`: what is cut off from the day is the time."""
    match node.of:
        case Call(callee=Member(name="split" | "partition"), arguments=(Argument(value=Constant(text=str(text))), *_)):
            is_cut = text in flow_tables.passing(run.language(frame)).to_date.separators
            return is_cut and node.key is not None and run.text(run.at(node.key, frame)) != "0"
        case _:
            return False


def item_of(run: Run, of: Value, key: Value | None, node: Item, frame: Frame) -> Value:
    """What `of[key]` is; without a key a part of it."""
    match of:
        case Changing(change):
            if change.kind == "query":
                return of
            moved = Changing(change._replace(at=run.at(node, frame)))
            if change.kind == "date" and _is_behind_the_day(run, node, frame):
                return Changing(moved.change._replace(kind="clock"))
            is_day = node.until is not None and 0 < node.until <= _WHOLE_DAY
            return as_date(moved) if is_day else moved
        case Fields() if isinstance(key, Plain) and key.text is not None:
            return of.entries.get(key.text) or either(*of.others, Unknown(key.text))
        case Fields() if functions := [one for one in of.entries.values() if isinstance(one, Code | Class)]:
            return either(*functions)  # one of a table
        case Several():
            if isinstance(key, Changing):
                return Changing(key.change._replace(kind="random_choice", at=run.at(node, frame)))
            return _part_of(run, of, node, frame) if key is None else _nth(run, of, node, frame)
        case Either(options):
            return either(*(item_of(run, one, key, node, frame) for one in options))
        case Outside(name) if isinstance(key, Plain) and key.text is not None:
            language = run.language(frame)
            if name in flow_tables.passing(language).environment_readers:
                if key.text in flow_tables.environment_variables():
                    return Changing(run.change("environment", key.text, run.at(node, frame), frame))
                return Unknown(key.text)
            return Unknown(key.text)
        case Written() if key is None:
            return of
        case Unknown(name):
            text = key.text if isinstance(key, Plain) and key.text else ""
            return Unknown(text or name)
        case _:
            return Unknown()
