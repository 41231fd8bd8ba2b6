"""Two values that stand at the same place and differ: every difference, with its label."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.align import Gap, gaps
from promptlint.boundary.divergence import ID_FIELDS, Divergence
from promptlint.boundary.forms import text_form
from promptlint.boundary.media import describe, is_media
from promptlint.boundary.placeholder import is_placeholder
from promptlint.boundary.sections import turn_section
from promptlint.boundary.shapes import shape
from promptlint.boundary.stretch import Stretch
from promptlint.boundary.texts import Named, name_text
from promptlint.boundary.tree import Index, Node, insertion, spot_in
from promptlint.finding import ChangeLevel
from promptlint.prompt import Json, Number, Path, Rendered, RenderedItem
from promptlint.read.raw import common_prefix

_THINKING_FIELDS = frozenset(("thinking", "reasoning", "reasoning_content", "reasoning_details", "reasoningContent"))
_SPEAKERS = frozenset(("user", "assistant", "model", "system", "developer"))
_NUMBER_LABELS = frozenset(("number-form", "counter", "clock"))

Range = tuple[int, int]  # characters of a prompt


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
    if x.key == y.key:
        return
    if is_media(x.value) or is_media(y.value):
        yield _media(x, y, pair)
    elif x.text is not None and y.text is not None:
        yield from _texts(x, y, pair)
    elif (joined := _joined(x)) is not None and joined == _joined(y) and pair.level != "tools":
        a, b = (pair.at_a.first[x.path], pair.at_a.last[x.path]), (pair.at_b.first[y.path], pair.at_b.last[y.path])
        yield reshaped("the same text in another shape", a, b, y.path, pair)
    elif isinstance(x.children, dict) and isinstance(y.children, dict):
        yield from _objects(x, y, x.children, y.children, pair)
    elif isinstance(x.children, list) and isinstance(y.children, list):
        yield from _lists(x, y, x.children, y.children, pair)
    elif x.children is None and y.children is None:
        yield _scalars(x, y, pair)
    elif isinstance(x.children, list) and y.text is not None and _holds_blocks(x.children):
        yield from _lists(x, y, x.children, [y], pair)
    elif isinstance(y.children, list) and x.text is not None and _holds_blocks(y.children):
        yield from _lists(x, y, [x], y.children, pair)
    else:
        yield whole(pair.fallback, _another_type(x, y), x, y, pair)


def _another_type(x: Node, y: Node) -> str:
    for one, other, verb in ((x, y, "gained"), (y, x, "lost")):
        if one.text is not None and isinstance(other.children, dict) and "text" in other.children:
            names = ", ".join(f"“{name}”" for name in other.children if name != "text")
            return f"the text {verb} {names}"
    return "the value has another type"


def whole(cause: str, message: str, x: Node, y: Node, pair: Pair) -> Divergence:
    """A divergence that concerns two values as a whole; its place is their first differing character."""
    a_start, b_start = pair.at_a.first[x.path], pair.at_b.first[y.path]
    a_end, b_end = pair.at_a.last[x.path], pair.at_b.last[y.path]
    head = common_prefix(pair.a.text, pair.b.text, a_start, b_start)
    if a_end - a_start == b_end - b_start <= head:  # both print alike
        return placed(cause, message, (a_start, a_start), (b_start, b_start), y.path, pair)
    a_start, b_start = a_start + head, b_start + head
    return placed(cause, message, (a_start, max(a_start, a_end)), (b_start, max(b_start, b_end)), y.path, pair)


def reshaped(message: str, a: Range, b: Range, within: Path, pair: Pair) -> Divergence:
    """The same text at two ranges; what stands at `a` in A is empty exactly where both print alike."""
    head = common_prefix(pair.a.text, pair.b.text, a[0], b[0])
    least = min(a[1] - a[0], b[1] - b[0])
    if a[1] - a[0] == b[1] - b[0] <= head:
        return placed("content-shape", message, (a[0], a[0]), (b[0], b[0]), within, pair)
    a_start, b_start = a[0] + min(head, least), b[0] + min(head, least)
    a_end = max(a[1], a_start + len(pair.a.separator))  # the shorter side may end where the other goes on
    return placed("content-shape", message, (a_start, a_end), (b_start, max(b[1], b_start)), within, pair)


def placed(cause: str, message: str, a: Range, b: Range, within: Path, pair: Pair) -> Divergence:
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
        a=spot_in(pair.at_a, pair.a, *a),
        b=spot_in(pair.at_b, pair.b, *b),
    )


def gone(cause: str, message: str, a: Range, b_at: int, within: Path, pair: Pair) -> Divergence:
    """Something that only A has."""
    return _one_sided(cause, message, a, (b_at, b_at), within, pair)._replace(b_present=False)


def came(cause: str, message: str, a_at: int, b: Range, within: Path, pair: Pair) -> Divergence:
    """Something that only B has."""
    return _one_sided(cause, message, (a_at, a_at), b, within, pair)._replace(a_present=False)


def _one_sided(cause: str, message: str, a: Range, b: Range, within: Path, pair: Pair) -> Divergence:
    """It starts where the texts first differ."""
    head = common_prefix(pair.a.text, pair.b.text, a[0], b[0])
    moved_a, moved_b = (a[0] + head, max(a[1], a[0] + head)), (b[0] + head, max(b[1], b[0] + head))
    return placed(cause, message, moved_a, moved_b, within, pair)


def _media(x: Node, y: Node, pair: Pair) -> Divergence:
    if is_media(x.value) and isinstance(y.text, str):
        return whole("content-stubbed", f"{describe(x.value)} became text", x, y, pair)
    if is_media(x.value) and is_media(y.value):
        old, new = describe(x.value), describe(y.value)
        message = f"{old} became {new}" if old != new else f"{old}: the data is equal, other fields differ"
        return whole("image-changed", message, x, y, pair)
    return whole("image-changed", "an image, file or sound was put in or taken out", x, y, pair)


def _holds_blocks(entries: list[Node]) -> bool:
    """Whether a list is the content of a message or a result, one text block of which may also stand as a string."""
    return any(entry.path[-1] == "text" for entry in entries)


def _joined(found: Node) -> str | None:
    """The text of a string or of a list of text blocks; None for anything else."""
    if not isinstance(found.children, list):
        return found.text
    texts = [child.text for child in found.children if child.path[-1] == "text"]
    blocks = [text for text in texts if text is not None]
    return "".join(blocks) if blocks and len(blocks) == len(found.children) else None


def _texts(x: Node, y: Node, pair: Pair) -> Iterator[Divergence]:
    old, new = x.text or "", y.text or ""
    at_a, at_b = pair.at_a.first[x.path], pair.at_b.first[y.path]
    for found in _named(old, new, x.path, pair):
        a, b = (at_a + found.a0, at_a + found.a1), (at_b + found.b0, at_b + found.b1)
        message = found.message or ("the text of this message differs" if pair.level == "messages" else "")
        divergence = placed(found.cause, message, a, b, y.path, pair)
        yield divergence._replace(old=found.was, new=found.now)


def _named(old: str, new: str, path: Path, pair: Pair) -> list[Named]:
    head = common_prefix(old, new)
    whole_text = Named(pair.fallback, "", head, len(old), head, len(new), "", "")
    if path[-1:] and path[-1] in ID_FIELDS and " " not in old + new:
        return [whole_text._replace(cause="identifier", message="an id was made anew", was=old, now=new)]
    if pair.level == "messages" and path[-1:] and path[-1] in _THINKING_FIELDS and old and not new:
        return [whole_text._replace(cause="reasoning-dropped", message="the thinking of an earlier turn is empty now")]
    spoken = not _is_result(path, pair.at_a.item)
    if pair.level == "messages" and is_placeholder(len(old), new, spoken=spoken) and not text_form(old, new):
        message = f"{len(old):,} characters were replaced by a placeholder of {len(new):,}"
        return [whole_text._replace(cause="content-stubbed", message=message)]
    named = name_text(old, new, pair.fallback)
    return [_turn_context(old, new, entry) if entry.cause == pair.fallback else entry for entry in named]


def _is_result(path: Path, item: RenderedItem) -> bool:
    """Whether a text stands in the result of a tool rather than in what somebody said."""
    below = path[len(item.item.path) :]
    return (
        item.item.role not in _SPEAKERS
        or below[-1:] == ("output",)
        or len(below) > 3
        or (len(below) > 1 and below[-1] == "content")
    )


def _turn_context(old: str, new: str, entry: Named) -> Named:
    """Only the content of one section differs, and its name says that it is chosen for each turn."""
    name = turn_section(old, entry.a0, entry.a1)
    if not name or name != turn_section(new, entry.b0, entry.b1):
        return entry
    return entry._replace(cause="per-turn-context", message=f"the section <{name}> holds other content")


def _scalars(x: Node, y: Node, pair: Pair) -> Divergence:
    old, new = _word(x.value), _word(y.value)
    if isinstance(x.value, Number) and isinstance(y.value, Number):
        key = next((f"{step}: " for step in reversed(x.path) if isinstance(step, str)), "")
        start = len(key)
        stretch = Stretch(key + old, start, start + len(old), key + new, start, start + len(new))
        if (found := shape(stretch)) and found.cause in _NUMBER_LABELS:
            divergence = whole(found.cause, found.message, x, y, pair)
            return divergence._replace(old=found.old, new=found.new)
    return whole(pair.fallback, f"{old} became {new}", x, y, pair)


def _word(value: Json) -> str:
    if isinstance(value, Number):
        return value.text
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
    return {None: "null", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else "[…]"


def _objects(x: Node, y: Node, fields: dict[str, Node], others: dict[str, Node], pair: Pair) -> Iterator[Divergence]:
    if any(
        (((*x.path, key), "key") in pair.at_a.starts) != (((*y.path, key), "key") in pair.at_b.starts)
        for key in fields.keys() & others.keys()
    ):
        yield whole(pair.fallback, "a text block became another block, or the other way round", x, y, pair)
        return
    common_a = [key for key in fields if key in others]
    common_b = [key for key in others if key in fields]
    if x.loose == y.loose and list(fields) != list(others):
        yield whole("key-order", "the same keys and values in another order", x, y, pair)
        return
    if pair.level == "messages" and (kinds := _kinds(x, y)):
        yield whole(pair.fallback, "a block of type {} became one of type {}".format(*kinds), x, y, pair)
        return
    if common_a != common_b:
        head = next(i for i, (p, q) in enumerate(zip(common_a, common_b, strict=True)) if p != q)
        yield _reordered_keys(x, y, common_a[head], common_b[head], pair)
    yield from _fields_gone(x, y, fields, others, pair)
    for key in common_a:
        yield from differences(fields[key], others[key], pair)


def _kinds(x: Node, y: Node) -> tuple[str, str] | None:
    """The types of two blocks, if they differ."""
    old = x.value.get("type") if isinstance(x.value, dict) else None
    new = y.value.get("type") if isinstance(y.value, dict) else None
    return (old, new) if isinstance(old, str) and isinstance(new, str) and old != new else None


def _reordered_keys(x: Node, y: Node, key_a: str, key_b: str, pair: Pair) -> Divergence:
    """Keys in another order where the values differ too, so that it is no mere `key-order`."""
    a, b = pair.at_a.starts[(*x.path, key_a), "key"], pair.at_b.starts[(*y.path, key_b), "key"]
    head = common_prefix(key_a, key_b)
    message = "keys come in another order"
    return placed(pair.fallback, message, (a + head, a + len(key_a) + 1), (b + head, b + len(key_b) + 1), y.path, pair)


def _fields_gone(
    x: Node, y: Node, fields: dict[str, Node], others: dict[str, Node], pair: Pair
) -> Iterator[Divergence]:
    at = pair.at_b.first[y.path]
    for key in fields:
        if key in others:
            at = pair.at_b.last[others[key].path] + 1
        else:
            yield _removed(fields[key], f"“{key}” ", at, y, pair)
    at = pair.at_a.first[x.path]
    for key in others:
        if key in fields:
            at = pair.at_a.last[fields[key].path] + 1
        else:
            yield _added(others[key], f"“{key}” ", at, x, pair)


def _removed(old: Node, name: str, b_at: int, b_parent: Node, pair: Pair) -> Divergence:
    """A field or entry that only A has."""
    thinking = pair.level == "messages" and old.path[-1:] and old.path[-1] in _THINKING_FIELDS
    cause = "reasoning-dropped" if thinking else pair.fallback
    found = gone(cause, f"{name}was removed", _own_range(old, pair.at_a), b_at, old.path, pair)
    return found._replace(b=insertion(pair.at_b, b_parent, b_at))


def _added(new: Node, name: str, a_at: int, a_parent: Node, pair: Pair) -> Divergence:
    """A field or entry that only B has."""
    found = came(pair.fallback, f"{name}was added", a_at, _own_range(new, pair.at_b), new.path, pair)
    return found._replace(a=insertion(pair.at_a, a_parent, a_at))


def _own_range(found: Node, places: Index) -> Range:
    key = places.starts.get((found.path, "key"))
    return (places.first[found.path] if key is None else key), places.last[found.path]


def _lists(x: Node, y: Node, entries: list[Node], others: list[Node], pair: Pair) -> Iterator[Divergence]:
    keys_a, keys_b = [entry.key for entry in entries], [entry.key for entry in others]
    if Counter(keys_a) == Counter(keys_b):
        yield whole("list-order", f"the same {len(entries)} entries in another order", x, y, pair)
        return
    for gap in gaps(keys_a, keys_b):
        yield from _gap(x, y, entries, others, gap, pair)


def _gap(x: Node, y: Node, entries: list[Node], others: list[Node], gap: Gap, pair: Pair) -> Iterator[Divergence]:
    paired = min(gap.a1 - gap.a0, gap.b1 - gap.b0)
    for i in range(paired):
        yield from differences(entries[gap.a0 + i], others[gap.b0 + i], pair)
    i, j = gap.a0 + paired, gap.b0 + paired
    for old in entries[i : gap.a1]:
        at = pair.at_b.last[others[j - 1].path] + 1 if j else pair.at_b.first[y.path]
        yield _removed(old, "an entry ", at, y, pair)
    for new in others[j : gap.b1]:
        at = pair.at_a.last[entries[i - 1].path] + 1 if i else pair.at_a.first[x.path]
        yield _added(new, "an entry ", at, x, pair)
