"""The tags of a Jinja source with their exact places, without parsing what stands inside."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_OPENS = r"\{[{%#]"
_INSIDE = r""""(?:[^"\\]|\\[\s\S])*(?:"|\Z)|'(?:[^'\\]|\\[\s\S])*(?:'|\Z)|[{}]|%\}"""
_WORD = r"[-+]?\s*(\w*)"
_RAW_END = r"\{%[-+]?\s*endraw\s*[-+]?%\}"
_BLOCKS = frozenset(("if", "for", "macro", "call", "filter", "block", "generation", "with", "autoescape"))
_BRANCHES = frozenset(("elif", "else"))


class Tag(NamedTuple):
    """One `{{ ... }}` or `{% ... %}` at characters `start:end` of the source."""

    start: int
    end: int
    word: str  # the first word of a statement; empty for what is printed


class Branch(NamedTuple):
    """A block that holds a place, and which of its branches does."""

    opened: Tag
    chosen: Tag


def tags(source: str) -> list[Tag]:
    """Every tag that prints or decides, in order; comments and raw text hold none."""
    return list(_tags(source))


def _tags(source: str) -> Iterator[Tag]:
    opens, word, raw_end = re.compile(_OPENS), re.compile(_WORD), re.compile(_RAW_END)
    at = 0
    while opened := opens.search(source, at):
        start = opened.start()
        if opened[0] == "{#":
            at = source.find("#}", start + 2) + 2
            if at < 2:
                return
            continue
        at = _end(source, start + 2, printing=opened[0] == "{{")
        said = word.match(source, start + 2)
        first = said[1] if said is not None and opened[0] == "{%" else ""
        if first == "raw":
            ended = raw_end.search(source, at)
            if ended is None:
                return
            at = ended.end()
        else:
            yield Tag(start, at, first)


def _end(source: str, at: int, *, printing: bool) -> int:
    """Where a tag ends: strings and dicts inside it may hold brackets, too."""
    inside = re.compile(_INSIDE)
    depth = 0
    while found := inside.search(source, at):
        at = found.end()
        if found[0] == "{":
            depth += 1
        elif found[0] == "}" and depth:
            depth -= 1
        elif found[0] == "}" and printing and source.startswith("}", at):
            return at + 1
        elif found[0] == "%}" and not printing:
            return at
    return len(source)


def tag_from(found: Sequence[Tag], start: int, end: int) -> Tag | None:
    """The first printing tag of a range of the source, which may have begun before it."""
    number = bisect_right(found, start, key=lambda tag: tag.end)
    while number < len(found) and found[number].start < end:
        if not found[number].word:
            return found[number]
        number += 1
    return None


def tag_around(found: Sequence[Tag], char: int) -> Tag | None:
    """The tag that a place lies in."""
    number = bisect_right(found, char, key=lambda tag: tag.end)
    return found[number] if number < len(found) and found[number].start <= char else None


def around(found: Sequence[Tag], char: int) -> list[Branch]:
    """The blocks that hold a place, outermost first."""
    stack: list[Branch] = []
    for tag in found:
        if tag.start >= char:
            break
        if tag.word in _BLOCKS:
            stack.append(Branch(tag, tag))
        elif tag.word in _BRANCHES and stack:
            stack[-1] = Branch(stack[-1].opened, tag)
        elif tag.word.removeprefix("end") in _BLOCKS and stack:
            stack.pop()
    return stack
