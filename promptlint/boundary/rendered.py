"""Two prompts that templates made: where their texts part, and which difference of the requests is the reason."""

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from promptlint.boundary.align import pairs
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.pairing import Pairing, counterpart, entry_of, paired
from promptlint.boundary.shown import Shown, level_at, origins_in, printed_in, shown
from promptlint.boundary.template_causes import Hunk, by_template, once, other_text
from promptlint.boundary.texts import stretches
from promptlint.facts.causes import cause
from promptlint.prompt import Path, Rendered, Spot
from promptlint.read.raw import common_prefix


class _Sent(NamedTuple):
    """A difference of what the authors sent, and the places on both sides that it covers, repeats among them."""

    divergence: Divergence
    paths_a: frozenset[Path]
    paths_b: frozenset[Path]


def rendered_divergences(
    a: Rendered, b: Rendered, sent: list[Divergence], form_a: Rendered, form_b: Rendered
) -> tuple[list[Divergence], list[Divergence]]:
    """The differences of two rendered prompts in prompt order, and those of `sent` that neither prompt shows.

    `sent`: the differences of the requests in their documented forms `form_a` and `form_b`. What they explain bears
    their name; the rest is the template's doing.
    """
    one, two = shown(a), shown(b)
    pairing = paired(form_a, form_b)
    waiting = [_Sent(d, _covered(form_a, d, "a"), _covered(form_b, d, "b")) for d in sent]
    told: set[int] = set()
    found: list[Divergence] = []
    differences = hunks(one, two, pairing)
    for region, raw, hunk in differences:
        near = [(i, s) for i, s in enumerate(waiting) if _explains(s, a, b, region)]
        own = [(i, s) for i, s in near if _explains(s, a, b, raw) or _explains(s, a, b, hunk)]
        for i, reason in own:
            if i not in told:
                found.append(_placed(reason.divergence, hunk, one, two))
                told.add(i)
        if _is_explained(hunk, a, b, own, near):
            continue
        # A role, or whether a field is there at all, decides what a template prints without being printed.
        silent = _beside(hunk, one, two, pairing, [s for i, s in enumerate(waiting) if i not in told])
        if silent is None:
            found += by_template(hunk, raw, one, two, pairing)
        else:
            found.append(_placed(silent.divergence, hunk, one, two))
            told.add(waiting.index(silent))
    equal = common_prefix(a.text, b.text)
    found = [_not_before(d, equal) for d in found]
    if differences:
        found = _from(found, equal, differences[0].region, one, two)
    return once(found), [s.divergence for i, s in enumerate(waiting) if i not in told]


def _covered(form: Rendered, divergence: Divergence, side: str) -> frozenset[Path]:
    ranges = [(d.a_start, d.a_end) if side == "a" else (d.b_start, d.b_end) for d in (divergence, *divergence.repeats)]
    return frozenset().union(*(_paths(form, start, end) for start, end in ranges))


def _is_explained(
    hunk: Hunk, a: Rendered, b: Rendered, own: list[tuple[int, _Sent]], near: list[tuple[int, _Sent]]
) -> bool:
    """Whether what the authors changed is the reason for a hunk, or for the values on whose border it stands."""
    if any(not cause(reason.divergence.cause).benign for _, reason in own):
        return True
    if own and hunk.a0 == len(a.text):  # an appended turn explains what follows the first prompt
        return True
    prints = printed_in(a, hunk.a0, hunk.a1) or printed_in(b, hunk.b0, hunk.b1)
    return not prints and any(not cause(reason.divergence.cause).benign for _, reason in near)


def _beside(hunk: Hunk, a: Shown, b: Shown, pairing: Pairing, waiting: list[_Sent]) -> _Sent | None:
    """A difference of the entries whose text stands around a hunk, which no prompt shows."""
    entries_a = _entries_around(a, hunk.a0, hunk.a1, pairing.items_a)
    entries_b = _entries_around(b, hunk.b0, hunk.b1, pairing.items_b)
    for sent in waiting:
        if not cause(sent.divergence.cause).benign:
            in_a = {entry_of(path, pairing.items_a) for path in sent.paths_a}
            in_b = {entry_of(path, pairing.items_b) for path in sent.paths_b}
            if in_a & entries_a or in_b & entries_b:
                return sent
    return None


def _entries_around(side: Shown, start: int, end: int, items: frozenset[Path]) -> set[Path | None]:
    first = bisect_right(side.ends, start) - 1
    last = first + 1
    while last < len(side.values) and side.values[last].start < end:
        last += 1
    near = side.values[max(first, 0) : last + 1]
    return {entry for origin in near if (entry := entry_of(origin.path or (), items)) is not None}


def _not_before(divergence: Divergence, equal: int) -> Divergence:
    """What is aligned ahead of the place where the prompts part stands at that place."""
    a_start, b_start = max(divergence.a_start, equal), max(divergence.b_start, equal)
    return divergence._replace(
        a_start=a_start, a_end=max(divergence.a_end, a_start), b_start=b_start, b_end=max(divergence.b_end, b_start)
    )


def _from(found: list[Divergence], equal: int, region: Hunk, a: Shown, b: Shown) -> list[Divergence]:
    """The first cost stands where the prompts part: it may begin with text that the template prints around a value."""
    costs = [i for i, d in enumerate(found) if not cause(d.cause).benign]
    first = min(costs, key=lambda i: found[i].a_start, default=None)
    if equal == len(a.text) or (first is not None and found[first].a_start == equal):
        return found
    if first is not None and found[first].a_start <= region.a1:
        found[first] = found[first]._replace(a_start=equal, b_start=equal)
        return found
    return [other_text(Hunk(equal, len(a.text), equal, len(b.text)), a, b), *found]


class Difference(NamedTuple):
    """A differing stretch of two prompts."""

    region: Hunk  # between the nearest equal values
    raw: Hunk  # as the alignment found it
    hunk: Hunk  # moved on as far as equal text ahead of it allows


def hunks(a: Shown, b: Shown, pairing: Pairing) -> list[Difference]:
    """Where two rendered texts differ, first to last."""
    found = [(region, raw) for region in _between(a, b, pairing) for raw in _stretches(a.text, b.text, region)]
    begins = [*((raw.a0, raw.b0) for _, raw in found), (len(a.text), len(b.text))]
    return [
        Difference(region, raw, _slid(raw, a.text, b.text, *begins[number + 1]))
        for number, (region, raw) in enumerate(found)
    ]


def _stretches(a: str, b: str, region: Hunk) -> Iterator[Hunk]:
    if region.is_pure:
        yield region
        return
    for s in stretches(a[region.a0 : region.a1], b[region.b0 : region.b1]):
        yield Hunk(region.a0 + s.a0, region.a0 + s.a1, region.b0 + s.b0, region.b0 + s.b1)


def _slid(hunk: Hunk, a: str, b: str, end_a: int, end_b: int) -> Hunk:
    """What was put in or taken out, moved on over text that is equal before it.

    A prompt that goes on behind its opener for the answer has nothing put in ahead of that opener. `end_a`, `end_b`:
    where the next hunk begins.
    """
    if not hunk.is_pure:
        return hunk
    by = min(common_prefix(a, b, hunk.a0, hunk.b0), end_a - hunk.a1, end_b - hunk.b1)
    return Hunk(*(at + by for at in hunk))


def _between(a: Shown, b: Shown, pairing: Pairing) -> Iterator[Hunk]:
    """The values that both print in the same order are equal; what differs stands between them."""
    moved = {level for level in ("tools", "system") if _turns_before(a, level) != _turns_before(b, level)}
    own = {path: path for path in pairing.to_b}
    names = _names(a, moved, pairing.items_a, own), _names(b, moved, pairing.items_b, pairing.to_a)
    at_a = at_b = 0
    for i, j in [*pairs(*names), (len(a.values), len(b.values))]:
        end_a, end_b = _begin(a, i), _begin(b, j)
        if a.text[at_a:end_a] != b.text[at_b:end_b]:
            yield Hunk(at_a, end_a, at_b, end_b)
        at_a, at_b = _end(a, i), _end(b, j)


def _begin(side: Shown, number: int) -> int:
    return side.values[number].start if number < len(side.values) else len(side.text)


def _end(side: Shown, number: int) -> int:
    return side.values[number].end if number < len(side.values) else len(side.text)


def _names(side: Shown, moved: set[str], items: frozenset[Path], ways: dict[Path, Path]) -> list[Hashable]:
    """What tells the printed values apart: their place, in terms of the first request, and their text.

    What moved is no anchor: the turns are, which it moved along. `ways`: from entries to those of the first request.
    """
    names: list[Hashable] = []
    base = len(side.prompt.request.path)
    for number, origin in enumerate(side.values):
        text = side.text[origin.start : origin.end]
        path = origin.path or ()
        place: Path | None = path[base:]
        if entry_of(path, items) is not None:
            place = counterpart(path, items, ways)
        if place is None or (moved and level_at(side, origin.start) in moved):
            names.append((id(side), number))
        else:
            names.append((place, text))
    return names


def _turns_before(side: Shown, level: str) -> int | None:
    """How many runs of messages are printed ahead of the first item of a level; None if that has no item."""
    levels: list[str] = [item.item.level for item in side.prompt.items]
    return levels[: levels.index(level)].count("messages") if level in levels else None


def _paths(form: Rendered, start: int, end: int) -> frozenset[Path]:
    """The atoms of a documented form that stand in a range of it."""
    found: set[Path] = set()
    first = max(bisect_right(form.items, start, key=lambda item: item.char) - 1, 0)
    for item in form.items[first:]:
        if item.char >= end:
            break
        at = item.char
        for piece in item.pieces:
            if at < end and at + len(piece.text) + len(form.separator) > start:
                found.add(piece.path)
            at += len(piece.text) + len(form.separator)
    return frozenset(found)


def _explains(sent: _Sent, a: Rendered, b: Rendered, hunk: Hunk) -> bool:
    """Whether one of the places that a difference covers is printed in a hunk."""
    return _touches(sent.paths_a, a, hunk.a0, hunk.a1) or _touches(sent.paths_b, b, hunk.b0, hunk.b1)


def _touches(paths: frozenset[Path], prompt: Rendered, start: int, end: int) -> bool:
    for origin in printed_in(prompt, start, end):
        path = origin.path or ()
        if None in path:  # a template was given the value of a string that holds JSON: the string is what was sent
            path = path[: path.index(None)]
        if path in paths or (origin.kind == "serialised" and any(one[: len(path)] == path for one in paths)):
            return True
    return False


def _placed(divergence: Divergence, hunk: Hunk, a: Shown, b: Shown) -> Divergence:
    """A difference of the requests at the place where the prompts show it."""
    placed = divergence._replace(
        a_start=_located(a.prompt, divergence.a, hunk.a0, hunk.a1),
        a_end=hunk.a1,
        b_start=_located(b.prompt, divergence.b, hunk.b0, hunk.b1),
        b_end=hunk.b1,
        repeats=(),
        rendered=True,
    )
    if placed.cause == "content-shape":
        return placed._replace(message=f"{placed.message}; the template prints the two apart")
    for side, start, end in ((a, hunk.a0, hunk.a1), (b, hunk.b0, hunk.b1)):
        if start < end and not printed_in(side.prompt, start, end):
            into = f"the template puts text of its own into the {'first' if side is a else 'second'} prompt"
            placed = placed._replace(message=f"{placed.message}; {into}" if placed.message else into)
    return placed


def _located(rendered: Rendered, spot: Spot, start: int, end: int) -> int:
    """The character of the prompt, within a range, that prints the begin of a spot; else the begin of the range."""
    for origin in origins_in(rendered, start, end):
        if origin.path == spot.path and origin.kind in ("value", "key") and origin.char is not None:
            at = origin.start + spot.char - origin.char
            if max(origin.start, start) <= at < min(origin.end, end):
                return at
    return start
