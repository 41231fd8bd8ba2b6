"""Another order of a template: what stays first, what varies by session, then by request. Nothing else is changed.

Models weigh what stands near the end of a prompt; so what is moved in front may be restated, in a line, behind the
breakpoint. What varies is never moved in front of what stays.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from promptlint.lint.calls import clock_of, is_random, named
from promptlint.lint.stranded import FEW
from promptlint.lint.subject import TemplateSubject
from promptlint.lint.variables import guess
from promptlint.lint_facts import Suggestion
from promptlint.template import Hole, Text

_STAYS, _SESSION, _REQUEST = 0, 1, 2
_OPENS = re.compile(r"\s*(?:#{1,6}\s.*|<[A-Za-z][\w.-]*>|.*[:\uff1a]|\*\*.*\*\*)\s*")
_CLOSES = re.compile(r"\s*</[A-Za-z][\w.-]*>\s*")


class Chunk(NamedTuple):
    """Whole lines of the template that no tag cuts in two."""

    first: int  # line, from 0
    last: int  # behind its last line
    tier: int
    tokens: int  # of fixed text
    why: str  # what in it varies, or ""


def suggestion(subject: TemplateSubject, path: str, open_tags: Sequence[int]) -> Suggestion | None:
    """The template in a better order, or None where there is none.

    `open_tags`: for each line of the named file how many tags are open where it begins; one more for its end.
    """
    text = subject.template.files[0].text
    lines = text.splitlines(keepends=True)
    chunks = list(_joined(_chunks(subject, lines, open_tags), lines))
    saved = _saved(chunks)
    if saved < FEW:
        return None
    ordered = sorted(chunks, key=lambda chunk: chunk.tier)
    moved = tuple(_moves(chunks, ordered))
    return Suggestion(path, _text(ordered, lines), saved, moved, _note(chunks, lines))


def _chunks(subject: TemplateSubject, lines: list[str], open_tags: Sequence[int]) -> Iterator[Chunk]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    first = 0
    for number in range(len(lines)):
        if open_tags[number + 1] == 0:
            yield _chunk(subject, first, number + 1, starts[first], starts[number + 1])
            first = number + 1


def _chunk(subject: TemplateSubject, first: int, last: int, start: int, end: int) -> Chunk:
    tier, why, tokens = _STAYS, "", 0
    for part in subject.template.parts:
        if part.range.file or not start <= part.range.start < end:
            continue
        if isinstance(part, Text):
            tokens += subject.count(part.text[: max(end - part.range.start, 0)]) if part.when == "always" else 0
            continue
        found, words = _tier(subject, part)
        if found > tier:
            tier, why = found, words
    return Chunk(first, last, tier, tokens, why)


def _tier(subject: TemplateSubject, hole: Hole) -> tuple[int, str]:
    for call in hole.calls:
        if clock_of(call) is not None or is_random(call):
            return _REQUEST, named(call)
    tiers = [(_of_name(subject, name), name) for name in hole.names]
    return max(tiers, default=(_STAYS, ""))


def _of_name(subject: TemplateSubject, name: str) -> int:
    found = guess(name, subject.variables)
    if found is None or found.often == "stable":
        return _STAYS
    return _SESSION if found.often == "per-session" else _REQUEST


def _joined(chunks: Iterator[Chunk], lines: list[str]) -> Iterator[Chunk]:
    """A heading, a label or a tag in front of what varies goes with it, and so does a short text behind it."""
    done: list[Chunk] = []
    for chunk in chunks:
        before = done[-1] if done else None
        if before is not None and before.tier and chunk.tier == _STAYS and _CLOSES.fullmatch(_of(chunk, lines)):
            done[-1] = before._replace(last=chunk.last)
            continue
        while chunk.tier and done and done[-1].tier == _STAYS and _OPENS.fullmatch(_of(done[-1], lines)):
            chunk = chunk._replace(first=done.pop().first)
        done.append(chunk)
    yield from _runs(done)


def _runs(chunks: list[Chunk]) -> Iterator[Chunk]:
    """Runs of what stays: a short one behind what varies, such as `Answer:`, stays there."""
    run: list[Chunk] = []
    tier = _STAYS
    for chunk in [*chunks, Chunk(0, 0, -1, 0, "")]:
        if chunk.tier == _STAYS:
            run.append(chunk)
            continue
        if tier and sum(each.tokens for each in run) < FEW:
            run = [each._replace(tier=tier) for each in run]
        yield from run
        run = []
        if chunk.tier > 0:
            tier = chunk.tier
            yield chunk


def _of(chunk: Chunk, lines: list[str]) -> str:
    return "".join(lines[chunk.first : chunk.last])


def _saved(chunks: list[Chunk]) -> int:
    """Tokens of fixed text that stand behind the first thing that varies, and would stand in front of it."""
    first = next((number for number, chunk in enumerate(chunks) if chunk.tier), len(chunks))
    return sum(chunk.tokens for chunk in chunks[first:] if chunk.tier == _STAYS)


def _moves(chunks: list[Chunk], ordered: list[Chunk]) -> Iterator[str]:
    """What varies and now stands behind what stayed behind it."""
    last = max((chunk.last for chunk in chunks if chunk.tier == _STAYS), default=0)
    for chunk in ordered:
        if chunk.tier and chunk.why and chunk.first < last:
            lines = (
                f"line {chunk.first + 1}" if chunk.last == chunk.first + 1 else f"lines {chunk.first + 1}-{chunk.last}"
            )
            yield f"{lines} ({chunk.why}) behind line {last}"


def _text(ordered: list[Chunk], lines: list[str]) -> str:
    parts = [_of(chunk, lines) for chunk in ordered]
    feed = "\r\n" if any(line.endswith("\r\n") for line in lines) else "\n"
    ended = [
        part if part.endswith(("\n", "\r")) or number == len(parts) - 1 else part + feed
        for number, part in enumerate(parts)
    ]
    text = "".join(ended)
    return text if lines[-1].endswith(("\n", "\r")) else text.rstrip("\r\n")


def _note(chunks: list[Chunk], lines: list[str]) -> str:
    """Fixed text that stood behind the question and now stands in front of it."""
    first = next((number for number, chunk in enumerate(chunks) if chunk.tier == _REQUEST), len(chunks))
    if not any(chunk.tier == _STAYS and chunk.tokens for chunk in chunks[first:]):
        return ""
    return (
        "models weigh what stands near the end: if a rule must stand close to the question, restate it there, in a "
        "line behind the breakpoint"
    )
