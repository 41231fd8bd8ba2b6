"""A template cut into whole lines that may change places: no tag, no `{{ ... }}` and no comment is cut in two."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.template import Hole, Template, Text

_BLOCK_SET = r"set\s+[\w.\s,()]*(?:\||-?%\}|\+%\})"
_CUTS_AHEAD, _CUTS_BEHIND = ("{{-", "{%-", "{#-"), ("-}}", "-%}", "-#}")


class Lines(NamedTuple):
    """Lines `first:last` (half-open, from 0) of the named file, characters `start:end` of it."""

    first: int
    last: int
    start: int
    end: int


def movable(template: Template) -> Iterator[Lines]:
    """All of the file, in the smallest pieces that may be moved; empty lines in a row are one piece."""
    text = template.files[0].text
    whole = sorted(_whole(template))
    number = depth = inside = 0  # tags that were met, regions that are open, where the last tag ends
    begin, first = 0, 0
    written = ahead = 0  # the next character that is no white space; the end of the last one
    for line, place in enumerate(_line_ends(text), 1):
        while number < len(whole) and whole[number][0] < place:
            start, end = whole[number]
            depth += _opens(text[start:end])
            inside = max(inside, end)
            number += 1
        if written < place:
            ahead, written = _back(text, place, begin), _forth(text, place)
        is_glued = text.startswith(_CUTS_AHEAD, written) or text.endswith(_CUTS_BEHIND, max(ahead - 3, 0), ahead)
        in_gap = ahead <= begin and text.find("\n", place, written) >= 0
        if depth == 0 and inside <= place and not is_glued and not in_gap:
            yield Lines(first, line, begin, place)
            begin, first = place, line
    if begin < len(text):
        yield Lines(first, first + text.count("\n", begin) + 1, begin, len(text))


def _line_ends(text: str) -> Iterator[int]:
    place = 0
    while place < len(text):
        place = text.find("\n", place) + 1 or len(text)
        yield place


def _back(text: str, place: int, least: int) -> int:
    while place > least and text[place - 1].isspace():
        place -= 1
    return place


def _forth(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def defining(template: Template) -> list[tuple[int, int]]:
    """Regions of the named file that print where they are called: macros and `set` blocks, in order."""
    text = template.files[0].text
    found, begin, depth = [], 0, 0
    for tag in sorted(tag for tag in template.tags if tag.file == 0):
        written = text[tag.start : tag.end]
        step = _opens(written)
        if depth == 0 and not (step > 0 and word_of(written) in ("macro", "set")):
            continue
        if depth == 0:
            begin = tag.start
        depth += step
        if depth == 0:
            found.append((begin, tag.end))
    return found


def word_of(tag: str) -> str:
    """The first word of a tag."""
    named = re.match(r"\{%[-+]?\s*(\w+)", tag)
    return named[1] if named is not None else ""


def _whole(template: Template) -> set[tuple[int, int]]:
    """Tags, comments and `{{ ... }}` of the named file."""
    found = [*template.tags, *template.comments]
    found += [part.range for part in template.parts if isinstance(part, Hole)]
    found += [part.inside for part in template.parts if isinstance(part, Text) and part.inside is not None]
    return {(one.start, one.end) for one in found if one.file == 0}


def _opens(tag: str) -> int:
    """1 for a tag that begins a region, -1 for one that ends it."""
    word = word_of(tag)
    if word.startswith("end"):
        return -1
    if word == "set":
        return int(re.match(_BLOCK_SET, tag[tag.index("set") :]) is not None)
    return int(word in ("if", "for", "macro", "call", "filter", "block", "with", "raw", "generation", "autoescape"))
