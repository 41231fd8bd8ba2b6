"""What a region of a template prints: the whole of it, a macro, the body of a `set` block."""

from collections.abc import Callable
from typing import NamedTuple

from promptlint.template import Breakpoint, Condition, Hole, Loop, Text, When

_ORDER: tuple[When, ...] = ("always", "maybe", "repeated")


class Printed(NamedTuple):
    """What a region prints; the lists grow while it is walked."""

    parts: list[Text | Hole]
    loops: list[Loop]
    conditions: list[Condition]
    breakpoints: list[Breakpoint]

    def rows(self) -> list[Hole | Loop | Condition]:
        """All that depends on arguments or calls."""
        return [*(part for part in self.parts if isinstance(part, Hole)), *self.loops, *self.conditions]


def nothing_printed() -> Printed:
    """For what is printed next."""
    return Printed([], [], [], [])


def combined(outer: When, inside: When) -> When:
    """When a part is printed that stands in a region."""
    return max(outer, inside, key=_ORDER.index)


def add_region(to: Printed, region: Printed, when: When) -> None:
    """What a region prints, behind all that is printed already."""
    ahead = len(to.parts)
    to.parts.extend([part._replace(when=combined(when, part.when)) for part in region.parts])
    to.loops.extend([loop._replace(first=loop.first + ahead, last=loop.last + ahead) for loop in region.loops])
    to.conditions.extend([one._replace(first=one.first + ahead, last=one.last + ahead) for one in region.conditions])
    to.breakpoints.extend([mark._replace(part=mark.part + ahead) for mark in region.breakpoints])


def trimmed(region: Printed) -> Printed:
    """A region without the white space at its ends, as far as that is literal text."""
    parts = region.parts
    first, last = 0, len(parts)
    while first < last and _is_blank(parts[first]):
        first += 1
    while last > first and _is_blank(parts[last - 1]):
        last -= 1
    kept = parts[first:last]
    if kept:
        kept[0] = _cut(kept[0], str.lstrip)
        kept[-1] = _cut(kept[-1], str.rstrip)

    def place(number: int) -> int:
        return min(max(number - first, 0), len(kept))

    return Printed(
        kept,
        [loop._replace(first=place(loop.first), last=place(loop.last)) for loop in region.loops],
        [one._replace(first=place(one.first), last=place(one.last)) for one in region.conditions],
        [mark._replace(part=place(mark.part)) for mark in region.breakpoints],
    )


def _is_blank(part: Text | Hole) -> bool:
    return isinstance(part, Text) and part.when == "always" and not part.text.strip()


def _cut(part: Text | Hole, strip: Callable[[str], str]) -> Text | Hole:
    """A text without white space at one end."""
    if isinstance(part, Hole) or part.when != "always":
        return part
    text = strip(part.text)
    start, end = part.range.start, part.range.end
    if end - start == len(part.text):  # it has no escapes and no CR LF: a character is a character
        start, end = (end - len(text), end) if strip is str.lstrip else (start, start + len(text))
    return part._replace(text=text, range=part.range._replace(start=start, end=end))
