"""Values of a YAML document -> characters of its text."""

from collections.abc import Callable, Sequence
from typing import Any

from promptlint.prompt import Path, Spot
from promptlint.read.yaml_nodes import Fault, compose
from promptlint.read.yaml_scalars import begin, chars
from promptlint.read.yaml_text import members, scalar

Range = tuple[int, int]
Members = dict[str, tuple[Any, Any]]


def yaml_ranges(text: str, spots: Sequence[Spot], within: Callable[[str, Sequence[Spot]], list[Range]]) -> list[Range]:
    """The characters of `spots`; `within` finds spots in a text that is JSON, for scalars that a path enters.

    Exact for plain, quoted, literal and folded scalars: the characters of the file, with their escapes, indentation
    and folded white space, that are read as the wanted ones. The range is empty, and at the start of the scalar, where
    no character stands for itself (`!!binary`); it is at the start of its nearest ancestor for what does not exist,
    and at the end of a collection for a last step "-". Never raises.
    """
    try:
        return _ranges(text, compose(text), spots, within)
    except Fault:
        return [_clamped(spot, 0, len(text)) if not spot.path else (0, 0) for spot in spots]


def _ranges(
    text: str, root: Any, spots: Sequence[Spot], within: Callable[[str, Sequence[Spot]], list[Range]]
) -> list[Range]:
    found: dict[int, Range] = {}
    entered: dict[int, tuple[Any, list[int]]] = {}  # scalars that are JSON text, with the spots in each
    known: dict[int, Members] = {}
    for number, spot in enumerate(spots):
        outer = spot.path[: spot.path.index(None)] if None in spot.path else spot.path
        if root is None or not spot.path:
            found[number] = _clamped(spot, 0, len(text))
            continue
        key, node, missing = _lookup(root, outer, known)
        if missing:
            place = _end(text, node) if missing == ("-",) and isinstance(node.value, list) else begin(text, node)
            found[number] = place, place
        elif len(outer) < len(spot.path):
            entered.setdefault(id(node), (node, []))[1].append(number)
        else:
            found[number] = _key(text, key, spot) if spot.atom == "key" and key else _value(text, node, spot)
    for node, numbers in entered.values():
        found |= zip(numbers, _entered(text, node, [spots[number] for number in numbers], within), strict=True)
    return [found[number] for number in range(len(spots))]


def _lookup(root: Any, steps: Path, known: dict[int, Members]) -> tuple[Any, Any, Path]:
    """The key and the value at `steps`, or at the nearest ancestor that exists, and the steps that lead nowhere."""
    key, node = None, root
    for done, step in enumerate(steps):
        if node.tag.endswith("map") and isinstance(step, str):
            if id(node) not in known:
                known[id(node)] = members(node)
            if step in known[id(node)]:
                key, node = known[id(node)][step]
                continue
        elif node.tag.endswith("seq") and isinstance(step, int) and 0 <= step < len(node.value):
            key, node = None, node.value[step]
            continue
        return key, node, steps[done:]
    return key, node, ()


def _key(text: str, key: Any, spot: Spot) -> Range:
    table = chars(text, key)
    return table.range(spot.char, spot.end) if table else (begin(text, key),) * 2


def _value(text: str, node: Any, spot: Spot) -> Range:
    if isinstance(node.value, list):
        return _clamped(spot, node.start_mark.index, _end(text, node, inside=False))
    value, start = scalar(node), begin(text, node)
    if not isinstance(value, str):
        return _clamped(spot, start, node.end_mark.index)
    table = chars(text, node) if value == node.value else None
    return table.range(spot.char, spot.end) if table else (start, start)


def _entered(
    text: str, node: Any, spots: list[Spot], within: Callable[[str, Sequence[Spot]], list[Range]]
) -> list[Range]:
    value = scalar(node) if isinstance(node.value, str) else None
    table = chars(text, node) if isinstance(value, str) and value == node.value else None
    if table is None:
        return [(begin(text, node),) * 2] * len(spots)
    inner = [spot._replace(path=spot.path[spot.path.index(None) + 1 :]) for spot in spots]
    return [table.range(start, end) for start, end in within(node.value, inner)]


def _clamped(spot: Spot, start: int, end: int) -> Range:
    return min(start + spot.char, end), min(start + max(spot.char, spot.end), end)


def _end(text: str, node: Any, *, inside: bool = True) -> int:
    """Where a collection ends, or (inside) where something could be added: before a bracket, behind the last entry.

    Block style has no bracket, and PyYAML ends it where the next thing begins.
    """
    start, end = node.start_mark.index, node.end_mark.index
    if not isinstance(node.value, list):
        return int(end)
    if node.flow_style:
        return int(end) - inside
    last = node.value[-1] if node.value else node
    last = last[1] if isinstance(last, tuple) else last
    if last is not node and start <= last.start_mark.index < end:
        return _end(text, last, inside=False)
    return len(text[:end].rstrip())  # an alias, which stands elsewhere
