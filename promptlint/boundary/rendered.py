"""Two prompts that templates made: where their texts part, and which difference of the requests is the reason."""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from promptlint.boundary.align import pairs
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.pairing import Pairing, counterpart, entry_of, paired
from promptlint.boundary.reasons import Reasons, reasons
from promptlint.boundary.shown import Shown, level_at, origins_in, printed_in, shown
from promptlint.boundary.template_causes import Hunk, by_template, once, other_text
from promptlint.boundary.texts import stretches
from promptlint.facts.causes import cause
from promptlint.prompt import Path, Rendered, Spot
from promptlint.read.raw import common_prefix


def rendered_divergences(
    a: Rendered, b: Rendered, sent: list[Divergence], form_a: Rendered, form_b: Rendered
) -> tuple[list[Divergence], list[Divergence]]:
    """The differences of two rendered prompts in prompt order, and those of `sent` that neither prompt shows.

    `sent`: the differences of the requests in their documented forms `form_a` and `form_b`. What they explain bears
    their name; the rest is the template's doing.
    """
    one, two = shown(a), shown(b)
    pairing = paired(form_a, form_b)
    known = reasons(sent, form_a, form_b, pairing)
    told: set[int] = set()
    found: list[Divergence] = []
    differences = hunks(one, two, pairing)
    for region, raw, hunk in differences:
        own = known.of(raw, one, two) | known.of(hunk, one, two)
        explained = _is_explained(hunk, one, two, known, own, region)
        if not explained:
            # A role, or whether a field is there at all, decides what a template prints without being printed.
            silent = known.costly(known.beside(hunk, one, two, pairing) - told)[:1]
            own |= set(silent)
            explained = bool(silent)
        found += [_placed(sent[number], hunk, one, two) for number in sorted(own - told)]
        told |= own
        if not explained:
            found += by_template(hunk, raw, one, two, pairing)
    equal = common_prefix(a.text, b.text)
    found = [_not_before(d, equal) for d in found]
    if differences:
        found = _from(found, equal, differences[0].region, one, two)
    return once(found), [d for number, d in enumerate(sent) if number not in told]


def _is_explained(hunk: Hunk, a: Shown, b: Shown, known: Reasons, own: set[int], region: Hunk) -> bool:
    """Whether what the authors changed is the reason for a hunk, or for the values on whose border it stands."""
    if known.costly(own) or (own and hunk.a0 == len(a.text)):  # an appended turn explains what follows the first prompt
        return True
    prints = printed_in(a.prompt, hunk.a0, hunk.a1) or printed_in(b.prompt, hunk.b0, hunk.b1)
    return not prints and bool(known.costly(known.of(region, a, b)))


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
    room = min(end_a - hunk.a1, end_b - hunk.b1)
    by = common_prefix(a[hunk.a0 : hunk.a0 + room], b[hunk.b0 : hunk.b0 + room])
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
