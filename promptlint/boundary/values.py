"""Two values that stand at the same place and differ: every difference, with its label."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.align import Gap, common_prefix, gaps
from promptlint.boundary.divergence import Divergence, spot_at
from promptlint.boundary.forms import value_form
from promptlint.boundary.media import describe, is_media
from promptlint.boundary.placeholder import is_placeholder
from promptlint.boundary.sections import turn_section
from promptlint.boundary.shapes import shape
from promptlint.boundary.stretch import Stretch
from promptlint.boundary.texts import Named, name_text
from promptlint.boundary.tree import Index, Node, identity
from promptlint.finding import ChangeLevel
from promptlint.prompt import CharIndex, Json, Number, Path, Rendered, Spot

ID_FIELDS = frozenset(("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "response_id", "item_id"))


class Pair(NamedTuple):
    """Two prompts and one item of each, with the labels that hold where nothing narrower is proved."""

    a: Rendered
    b: Rendered
    at_a: Index
    at_b: Index
    level: ChangeLevel
    fallback: str
    within: Path | None  # of the item, where the fallback speaks of the item as a whole


def differences(x: Node, y: Node, pair: Pair) -> Iterator[Divergence]:
    """Every difference of two values, in no fixed order."""
    if identity(x.value) == identity(y.value):
        return
    if is_media(x.value) or is_media(y.value):
        yield _media(x, y, pair)
    elif x.text is not None and y.text is not None:
        yield from _texts(x, y, pair)
    elif isinstance(x.children, dict) and isinstance(y.children, dict):
        yield from _objects(x, y, x.children, y.children, pair)
    elif isinstance(x.children, list) and isinstance(y.children, list):
        yield from _lists(x, y, x.children, y.children, pair)
    elif x.children is None and y.children is None:
        yield _scalars(x, y, pair)
    elif isinstance(x.children, list) and y.text is not None:
        yield from _lists(x, y, x.children, [y], pair)
    elif isinstance(y.children, list) and x.text is not None:
        yield from _lists(x, y, [x], y.children, pair)
    else:
        yield whole(pair.fallback, "the value has another type", x, y, pair)


def whole(cause: str, message: str, x: Node, y: Node, pair: Pair) -> Divergence:
    """A divergence that concerns two values as a whole; its place is their first differing character."""
    a_start, b_start = pair.at_a.first[x.path], pair.at_b.first[y.path]
    a_end, b_end = pair.at_a.last[x.path], pair.at_b.last[y.path]
    head = common_prefix(pair.a.text[a_start:a_end], pair.b.text[b_start:b_end])
    return placed(cause, message, (a_start + head, a_end), (b_start + head, b_end), y.path, pair)


def placed(
    cause: str,
    message: str,
    a: tuple[int, int],
    b: tuple[int, int],
    within: Path,
    pair: Pair,
    was: str = "",
    now: str = "",
) -> Divergence:
    """A divergence of two ranges of prompt characters."""
    return Divergence(
        cause=cause,
        level=pair.level,
        a_start=a[0],
        a_end=a[1],
        b_start=b[0],
        b_end=b[1],
        within=within if pair.within is None or cause != pair.fallback else pair.within,
        message=message,
        a=spot_at(pair.a, *a),
        b=spot_at(pair.b, *b),
        old=was,
        new=now,
    )


def _media(x: Node, y: Node, pair: Pair) -> Divergence:
    if is_media(x.value) and isinstance(y.text, str):
        return whole("content-stubbed", f"{describe(x.value)} became text", x, y, pair)
    if is_media(x.value) and is_media(y.value):
        return whole("image-changed", f"{describe(x.value)} became {describe(y.value)}", x, y, pair)
    return whole("image-changed", "an image, file or sound was put in or taken out", x, y, pair)


def _texts(x: Node, y: Node, pair: Pair) -> Iterator[Divergence]:
    old, new = x.text or "", y.text or ""
    at_a, at_b = pair.at_a.first[x.path], pair.at_b.first[y.path]
    for found in _named(old, new, x.path, pair):
        a, b = (at_a + found.a0, at_a + found.a1), (at_b + found.b0, at_b + found.b1)
        yield placed(found.cause, found.message, a, b, y.path, pair, found.was, found.now)


def _named(old: str, new: str, path: Path, pair: Pair) -> list[Named]:
    if path and path[-1] in ID_FIELDS and " " not in old + new:
        head = common_prefix(old, new)
        return [Named("identifier", "an id was made anew", head, len(old), head, len(new), old, new)]
    if pair.level == "messages" and is_placeholder(len(old), new):
        head = common_prefix(old, new)
        message = f"{len(old):,} characters were replaced by a placeholder of {len(new):,}"
        return [Named("content-stubbed", message, head, len(old), head, len(new), "", "")]
    named = name_text(old, new, pair.fallback)
    return [_turn_context(old, new, entry) if entry.cause == pair.fallback else entry for entry in named]


def _turn_context(old: str, new: str, entry: Named) -> Named:
    """Only the content of one section differs, and its name says that it is chosen for each turn."""
    name = turn_section(old, entry.a0, entry.a1)
    if not name or name != turn_section(new, entry.b0, entry.b1):
        return entry
    return entry._replace(cause="per-turn-context", message=f"the section <{name}> holds other content")


def _scalars(x: Node, y: Node, pair: Pair) -> Divergence:
    old, new = _word(x.value), _word(y.value)
    if isinstance(x.value, Number) and isinstance(y.value, Number):
        found = shape(Stretch(old, 0, len(old), new, 0, len(new)))
        if found and found.cause in ("number-form", "counter", "clock"):
            return whole(found.cause, found.message, x, y, pair)._replace(old=found.old, new=found.new)
    return whole(pair.fallback, f"{old} became {new}", x, y, pair)


def _word(value: Json) -> str:
    if isinstance(value, Number):
        return value.text
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
    return {None: "null", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else "[…]"


def _objects(x: Node, y: Node, fields: dict[str, Node], others: dict[str, Node], pair: Pair) -> Iterator[Divergence]:
    if form := value_form(x.value, y.value):
        yield from _reformed(form.cause, form.message, x, y, fields, others, pair)
        return
    common_a = [key for key in fields if key in others]
    common_b = [key for key in others if key in fields]
    if common_a != common_b:
        head = next(i for i, (p, q) in enumerate(zip(common_a, common_b, strict=True)) if p != q)
        yield _at_keys(pair.fallback, "keys come in another order", x, y, common_a[head], common_b[head], pair)
    yield from _fields_gone(x, y, fields, others, pair)
    for key in common_a:
        yield from differences(fields[key], others[key], pair)


def _reformed(
    cause: str, message: str, x: Node, y: Node, fields: dict[str, Node], others: dict[str, Node], pair: Pair
) -> Iterator[Divergence]:
    """Equal after normalisation: claimed at the smallest value that differs."""
    if list(fields) == list(others):
        for key in fields:
            yield from differences(fields[key], others[key], pair)
        return
    yield whole(cause, message, x, y, pair)


def _at_keys(cause: str, message: str, x: Node, y: Node, key_a: str, key_b: str, pair: Pair) -> Divergence:
    a, b = pair.at_a.starts[(*x.path, key_a), "key"], pair.at_b.starts[(*y.path, key_b), "key"]
    head = common_prefix(pair.a.text[a:], pair.b.text[b:])
    return placed(cause, message, (a + head, a + head + 1), (b + head, b + head + 1), y.path, pair)


def _fields_gone(
    x: Node, y: Node, fields: dict[str, Node], others: dict[str, Node], pair: Pair
) -> Iterator[Divergence]:
    for key in fields:
        if key not in others:
            yield removed(fields[key], key, _after(list(fields), key, others, pair.at_b, y), y.path, pair)
    for key in others:
        if key not in fields:
            yield added(others[key], key, _after(list(others), key, fields, pair.at_a, x), x.path, pair)


def _after(keys: list[str], key: str, others: dict[str, Node], places: Index, parent: Node) -> int:
    """The prompt character behind the last earlier sibling that the other side has too."""
    for sibling in reversed(keys[: keys.index(key)]):
        if sibling in others:
            return places.last[others[sibling].path] + 1
    return places.first[parent.path]


def removed(gone: Node, name: str, b_at: int, b_parent: Path, pair: Pair) -> Divergence:
    """A field or entry that only A has."""
    a = _own_range(gone, pair.at_a)
    found = placed(pair.fallback, f"{_quoted(name)}was removed", a, (b_at, b_at), gone.path, pair)
    return found._replace(b=_insertion(b_parent), b_present=False)


def added(new: Node, name: str, a_at: int, a_parent: Path, pair: Pair) -> Divergence:
    """A field or entry that only B has."""
    b = _own_range(new, pair.at_b)
    found = placed(pair.fallback, f"{_quoted(name)}was added", (a_at, a_at), b, new.path, pair)
    return found._replace(a=_insertion(a_parent), a_present=False)


def _quoted(name: str) -> str:
    return f"“{name}” " if name else "an entry "


def _own_range(found: Node, places: Index) -> tuple[int, int]:
    key = places.starts.get((found.path, "key"))
    return (places.first[found.path] if key is None else key), places.last[found.path]


def _insertion(parent: Path) -> Spot:
    return Spot((*parent, "-"), "value", CharIndex(0), CharIndex(0))


def _lists(x: Node, y: Node, entries: list[Node], others: list[Node], pair: Pair) -> Iterator[Divergence]:
    keys_a, keys_b = [identity(entry.value) for entry in entries], [identity(entry.value) for entry in others]
    if Counter(keys_a) == Counter(keys_b):
        yield whole("list-order", f"the same {len(entries)} entries in another order", x, y, pair)
        return
    for gap in gaps(keys_a, keys_b):
        yield from _gap(x, y, entries, others, gap, pair)


def _gap(x: Node, y: Node, entries: list[Node], others: list[Node], gap: Gap, pair: Pair) -> Iterator[Divergence]:
    paired = min(gap.a1 - gap.a0, gap.b1 - gap.b0)
    for i in range(paired):
        yield from differences(entries[gap.a0 + i], others[gap.b0 + i], pair)
    for gone in entries[gap.a0 + paired : gap.a1]:
        at = pair.at_b.last[others[gap.b1 - 1].path] + 1 if gap.b1 else pair.at_b.first[y.path]
        yield removed(gone, "", at, y.path, pair)
    for new in others[gap.b0 + paired : gap.b1]:
        at = pair.at_a.last[entries[gap.a1 - 1].path] + 1 if gap.a1 else pair.at_a.first[x.path]
        yield added(new, "", at, x.path, pair)
