"""Two prompts that templates made: where their texts part, and which difference of the requests is the reason."""

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from promptlint.boundary.align import Gap, gaps
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.shown import Shown, level_at, origins_in, printed_in, shown
from promptlint.boundary.template_causes import Hunk, by_template, once
from promptlint.boundary.texts import stretches
from promptlint.facts.causes import cause
from promptlint.prompt import Origin, Path, Rendered, Spot
from promptlint.read.raw import common_prefix

_LONG = 24  # characters from which an equal value is taken to be the same one, wherever it stands


class _Sent(NamedTuple):
    """A difference of what the authors sent, and the places on both sides that it covers."""

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
    waiting = [_Sent(d, _paths(form_a, d.a_start, d.a_end), _paths(form_b, d.b_start, d.b_end)) for d in sent]
    told: set[int] = set()
    found: list[Divergence] = []
    for hunk in hunks(one, two):
        printed_a, printed_b = printed_in(a, hunk.a0, hunk.a1), printed_in(b, hunk.b0, hunk.b1)
        reasons = [(i, s) for i, s in enumerate(waiting) if _explains(s, printed_a, printed_b)]
        for i, reason in reasons:
            if i not in told:
                found.append(_placed(reason.divergence, hunk, a, b))
                told.add(i)
        # An appended turn explains what follows the first prompt, not what is gone from it.
        unexplained = all(cause(reason.divergence.cause).benign for _, reason in reasons)
        if unexplained and (not reasons or hunk.a0 < len(a.text)):
            found.append(by_template(hunk, one, two, printed_a, printed_b))
    return once(found), [s.divergence for i, s in enumerate(waiting) if i not in told]


def hunks(a: Shown, b: Shown) -> list[Hunk]:
    """Where two rendered texts differ, first to last, each at the first character that differs."""
    found = list(_between(a, b))
    begins = [*((hunk.a0, hunk.b0) for hunk in found), (len(a.text), len(b.text))]
    return [_slid(hunk, a.text, b.text, *begins[number + 1]) for number, hunk in enumerate(found)]


def _slid(hunk: Hunk, a: str, b: str, end_a: int, end_b: int) -> Hunk:
    """What was put in or taken out, moved on over text that is equal before it.

    A prompt that goes on behind its opener for the answer has nothing put in ahead of that opener. `end_a`, `end_b`:
    where the next hunk begins.
    """
    if hunk.a0 < hunk.a1 and hunk.b0 < hunk.b1:
        return hunk
    by = min(common_prefix(a, b, hunk.a0, hunk.b0), end_a - hunk.a1, end_b - hunk.b1)
    return Hunk(*(at + by for at in hunk))


def _between(a: Shown, b: Shown) -> Iterator[Hunk]:
    """The values that both print in the same order are equal; what differs stands between them."""
    moved = {level for level in ("tools", "system") if _turns_before(a, level) != _turns_before(b, level)}
    at_a = at_b = 0
    for i, j in _same_values(_names(a, moved), _names(b, moved)):
        yield from _in_region(a.text, at_a, a.values[i].start, b.text, at_b, b.values[j].start)
        at_a, at_b = a.values[i].end, b.values[j].end
    yield from _in_region(a.text, at_a, len(a.text), b.text, at_b, len(b.text))


def _in_region(a: str, a0: int, a1: int, b: str, b0: int, b1: int) -> Iterator[Hunk]:
    old, new = a[a0:a1], b[b0:b1]
    if old == new:
        return
    if not old or not new:
        yield Hunk(a0, a1, b0, b1)
        return
    for s in stretches(old, new):
        yield Hunk(a0 + s.a0, a0 + s.a1, b0 + s.b0, b0 + s.b1)


def _same_values(a: list[Hashable], b: list[Hashable]) -> Iterator[tuple[int, int]]:
    """Pairs of equal entries, rising on both sides."""
    i = j = 0
    for gap in [*gaps(a, b), Gap(len(a), len(a), len(b), len(b))]:
        yield from zip(range(i, gap.a0), range(j, gap.b0), strict=True)
        i, j = gap.a1, gap.b1


def _names(side: Shown, moved: set[str]) -> list[Hashable]:
    """What tells the printed values apart: a long one its text, a short one its place as well.

    What moved is no anchor: the turns are, which it moved along.
    """
    names: list[Hashable] = []
    base = len(side.prompt.request.path)
    for number, origin in enumerate(side.values):
        text = side.text[origin.start : origin.end]
        if moved and level_at(side, origin.start) in moved:
            names.append((id(side), number))
        else:
            names.append(text if len(text) >= _LONG else ((origin.path or ())[base:], text))
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


def _explains(sent: _Sent, printed_a: list[Origin], printed_b: list[Origin]) -> bool:
    return _touches(sent.paths_a, printed_a) or _touches(sent.paths_b, printed_b)


def _touches(paths: frozenset[Path], printed: list[Origin]) -> bool:
    """Whether one of the places is printed here, as itself or within a value that is printed as a whole."""
    for origin in printed:
        path = origin.path or ()
        if None in path:  # a template was given the value of a string that holds JSON: the string is what was sent
            path = path[: path.index(None)]
        if path in paths or (origin.kind == "serialised" and any(one[: len(path)] == path for one in paths)):
            return True
    return False


def _placed(divergence: Divergence, hunk: Hunk, a: Rendered, b: Rendered) -> Divergence:
    """A difference of the requests at the place where the prompts show it."""
    return divergence._replace(
        a_start=_located(a, divergence.a, hunk.a0, hunk.a1),
        a_end=hunk.a1,
        b_start=_located(b, divergence.b, hunk.b0, hunk.b1),
        b_end=hunk.b1,
        repeats=(),
    )


def _located(rendered: Rendered, spot: Spot, start: int, end: int) -> int:
    """The character of the prompt, within a range, that prints the begin of a spot; else the begin of the range."""
    for origin in origins_in(rendered, start, end):
        if origin.path == spot.path and origin.kind in ("value", "key") and origin.char is not None:
            at = origin.start + spot.char - origin.char
            if max(origin.start, start) <= at < min(origin.end, end):
                return at
    return start
