"""The movable lines of a template, with what each prints and how often that changes."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from promptlint.lint.calls import clock_of, is_random, named
from promptlint.lint.paragraphs import Lines, defining, movable
from promptlint.lint.subject import TemplateSubject
from promptlint.lint.variables import guess
from promptlint.template import Call, Condition, Hole, Loop, Template, Text

STAYS, SESSION, REQUEST = 0, 1, 2
_MOST = 20_000  # lines of a template that is looked at; no prompt has more
_CALLS = r"\{\{|\{%[-+]?\s*(?:include|call)\b"


class Chunk(NamedTuple):
    """Lines that are moved together."""

    lines: Lines
    text: str
    tier: int
    tokens: int  # of fixed text
    why: str  # what in it varies, or ""
    asks: bool  # it prints an argument of which nothing is known
    mark: bool  # it holds the last breakpoint


def chunks(subject: TemplateSubject) -> list[Chunk] | None:
    """All lines of the named file; None where it cannot be told which of them print something that varies."""
    template = subject.template
    text = template.files[0].text
    lines = list(islice(movable(template), _MOST + 1))
    if len(lines) > _MOST:
        return None
    owners = _owners(template, lines)
    if owners is None:
        return None
    whys: list[tuple[int, str]] = [(STAYS, "")] * len(lines)
    tokens, asks = [0] * len(lines), [False] * len(lines)
    for part, owner in zip(template.parts, owners, strict=True):
        if isinstance(part, Hole):
            one = _tier(subject, part)
            whys[owner] = max(whys[owner], one, key=lambda why: why[0])
            asks[owner] = asks[owner] or (one[0] == STAYS and bool(part.names))
        elif part.when == "always":
            for number, written in _lines_of(part, owner, lines, text):
                tokens[number] += subject.count(written)
    rows: list[Loop | Condition] = [*template.conditions, *template.loops]
    for row in rows:
        one = _tier(subject, row)
        for owner in {owners[row.first], owners[row.last - 1]}:
            whys[owner] = max(whys[owner], one, key=lambda why: why[0])
    marks = [mark.range.start for mark in template.breakpoints if mark.range.file == 0]
    last = marks[-1] if marks else -1
    return [
        Chunk(one, text[one.start : one.end], *whys[n][:1], tokens[n], whys[n][1], asks[n], one.start <= last < one.end)
        for n, one in enumerate(lines)
    ]


def _lines_of(part: Text, owner: int, lines: list[Lines], text: str) -> Iterator[tuple[int, str]]:
    """What of a text stands in each of the lines."""
    start, end = part.range.start, part.range.end
    if part.inside is not None or part.range.file or not lines[owner].start <= start < lines[owner].end:
        yield owner, part.text
        return
    while owner < len(lines) and lines[owner].start < end:
        yield owner, text[max(start, lines[owner].start) : min(end, lines[owner].end)]
        owner += 1


def _owners(template: Template, lines: list[Lines]) -> list[int] | None:
    """Which of the lines print each part; None where what a macro or another file prints may come from several."""
    text = template.files[0].text
    starts = [one.start for one in lines]
    elsewhere = defining(template)
    begins = [start for start, _ in elsewhere]

    def native(part: Text | Hole) -> int | None:
        found = part.inside if isinstance(part, Text) and part.inside is not None else part.range
        region = bisect_right(begins, found.start) - 1
        if found.file or (region >= 0 and found.start < elsewhere[region][1]):
            return None
        return bisect_right(starts, found.start) - 1

    own = [native(part) for part in template.parts]
    behind, following = [], len(lines) - 1
    for owner in reversed(own):
        following = following if owner is None else owner
        behind.append(following)
    calling = [number for number, one in enumerate(lines) if re.search(_CALLS, text[one.start : one.end])]
    owners, before = [], 0
    for owner, after in zip(own, reversed(behind), strict=True):
        before = before if owner is None else owner
        if owner is None:
            first, last = bisect_right(calling, before - 1), bisect_right(calling, after)
            if last - first != 1:
                return None
            owner = calling[first]
        owners.append(owner)
    return owners


def _tier(subject: TemplateSubject, row: Hole | Loop | Condition) -> tuple[int, str]:
    """How often something changes, and what in it."""
    for call in row.calls:
        if (tier := _of_call(subject, call)) != STAYS:
            return tier, named(call)
    return max(((_of_name(subject, name), name) for name in row.names), default=(STAYS, ""), key=lambda why: why[0])


def _of_call(subject: TemplateSubject, call: Call) -> int:
    clock = clock_of(subject.template, call)
    if clock is not None:
        return SESSION if clock == "day" else REQUEST
    return REQUEST if is_random(subject.template, call) else STAYS


def _of_name(subject: TemplateSubject, name: str) -> int:
    found = guess(name, subject.variables)
    if found is None or found.often == "stable":
        return STAYS
    return SESSION if found.often == "per-session" else REQUEST
