"""What a rendered template shows of the request, and where the template or the request printed a character."""

import re
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from promptlint.boundary.divergence import origin_at
from promptlint.finding import ChangeLevel
from promptlint.prompt import CharIndex, Origin, Path, Rendered, Spot

_LINE_END = r"\r\n|\r|\n"  # as Jinja reads them
_PRINTED = frozenset(("value", "key", "changed", "serialised"))  # origins that lead into the request


class Shown(NamedTuple):
    """A prompt with what it prints of its request."""

    prompt: Rendered
    values: list[Origin]  # that lead into the request, in prompt order
    ends: list[int]  # of these, characters of the prompt
    by_path: dict[Path, list[Origin]]

    @property
    def text(self) -> str:
        return self.prompt.text

    @property
    def first(self) -> int:
        """Where the first text of the request begins."""
        return self.values[0].start if self.values else 0

    @property
    def last(self) -> int:
        """Where the last text of the request ends."""
        return self.ends[-1] if self.ends else 0


def shown(prompt: Rendered) -> Shown:
    """The values of the request that a prompt prints."""
    found = Shown(prompt, [origin for origin in prompt.origins if is_printed(origin)], [], {})
    for origin in found.values:
        found.ends.append(origin.end)
        found.by_path.setdefault(origin.path or (), []).append(origin)
    return found


def is_printed(origin: Origin) -> bool:
    """Whether an origin leads into the request."""
    return origin.kind in _PRINTED and origin.path is not None


def origins_in(prompt: Rendered, start: int, end: int) -> tuple[Origin, ...]:
    """The origins of a range of the text."""
    if start >= end:
        return ()
    last = bisect_left(prompt.origins, end, key=lambda origin: origin.start)
    return prompt.origins[origin_at(prompt, start) : last]


def printed_in(prompt: Rendered, start: int, end: int) -> list[Origin]:
    """What of the request is printed in a range of the text; the first one is cut to the range."""
    return [
        o if o.start >= start or o.char is None else o._replace(start=start, char=o.char + start - o.start)
        for o in origins_in(prompt, start, end)
        if is_printed(o)
    ]


def shows(side: Shown, path: Path, wanted: Origin) -> bool:
    """Whether a prompt shows, of the value at a place, the characters that `wanted` prints."""
    size = wanted.end - wanted.start
    return any(
        origin.char is None
        or wanted.char is None
        or (origin.char < wanted.char + size and wanted.char < origin.char + origin.end - origin.start)
        for origin in side.by_path.get(path, ())
    )


def level_at(side: Shown, char: int) -> ChangeLevel:
    """The level of the item that is printed here; the template's own text in front of all is its system text."""
    items = side.prompt.items
    if char < side.first or not items:
        return "system"
    return items[max(bisect_right(items, char, key=lambda item: item.char) - 1, 0)].item.level


def next_value(side: Shown, char: int) -> Path:
    """The value of the request that is printed next, else the last one."""
    if not side.values:
        return side.prompt.request.path
    index = min(bisect_right(side.ends, char), len(side.values) - 1)
    return side.values[index].path or ()


def spot_of(prompt: Rendered, char: int) -> Spot:
    """The place in the template that prints a character, or in the request where its line is not known."""
    if prompt.template is not None and not prompt.template.source:
        path = next_value(shown(prompt), char)
        return Spot(path, "value", CharIndex(0), CharIndex(0))
    return value_spot(prompt, char, char) if template_place(prompt, char) is None else template_spot(prompt, char)


def value_spot(prompt: Rendered, char: int, end: int) -> Spot:
    """The place in the request whose value prints characters of the prompt, or the place in the template."""
    if not prompt.origins or char >= len(prompt.text):
        return template_spot(prompt, char)
    origin = prompt.origins[origin_at(prompt, char)]
    if not is_printed(origin):
        return template_spot(prompt, char)
    start = 0 if origin.char is None else origin.char + char - origin.start
    stop = start + max(min(end, origin.end) - char, 0)
    return Spot(origin.path or (), "key" if origin.kind == "key" else "value", CharIndex(start), CharIndex(stop))


def template_spot(prompt: Rendered, char: int) -> Spot:
    """The place in the template whose text, or whose expression, prints a character of the prompt."""
    template = prompt.template
    if template is None:
        return Spot((), "value", CharIndex(0), CharIndex(0), in_template=True)
    line, column = template_place(prompt, char) or _place_before(prompt, char)
    starts = [0, *(match.end() for match in re.finditer(_LINE_END, template.source))]
    at = CharIndex(starts[line - 1] + (column or 1) - 1)
    return Spot(template.path, "value", at, at, in_template=True)


def _place_before(prompt: Rendered, char: int) -> tuple[int, int | None]:
    """The nearest place before a character whose own place is not in the template itself, but in one it includes."""
    for number in range(origin_at(prompt, char), 0, -1):
        if place := template_place(prompt, prompt.origins[number - 1].end - 1):
            return place
    return 1, None


def template_place(prompt: Rendered, char: int) -> tuple[int, int | None] | None:
    """Line and column, from 1, of the template's text or call that prints a character; None where it is not known.

    Of what an expression prints only the line is known.
    """
    if prompt.template is None or not prompt.origins or char >= len(prompt.text):
        return None
    origin = prompt.origins[origin_at(prompt, char)]
    lines = re.split(_LINE_END, prompt.template.source)
    if origin.line is None or origin.line > len(lines) or (origin.kind == "template" and origin.name):
        return None
    if origin.kind == "call":
        called = lines[origin.line - 1].find(f"{origin.name}(")
        return origin.line, called + 1 if called >= 0 else None
    if origin.kind != "template" or origin.column is None:
        return origin.line, None
    line, column = literal_place(prompt, origin, char)
    if line <= len(lines) and (lines[line - 1] + "\n").startswith(prompt.text[char : char + 1], column - 1):
        return line, column
    return origin.line, origin.column


def literal_place(prompt: Rendered, origin: Origin, char: int) -> tuple[int, int]:
    """Line and column of a character that a template's text prints as it stands; an escape is one place."""
    ahead = prompt.text[origin.start : char]
    begins = ahead.rfind("\n") + 1
    return (origin.line or 1) + ahead.count("\n"), len(ahead) - begins + (1 if begins else origin.column or 1)
