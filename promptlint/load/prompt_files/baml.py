"""BAML: functions and template strings whose prompts are Jinja between `#"` and `"#`."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.load.delimited.scan import Fault

_BEGIN = re.compile(
    r"//[^\r\n]*|\"(?:\\.|[^\"\\\r\n])*\"|\b(?:prompt|template_string)\b[^{}\"#\r\n]{0,300}(?P<open>#+\")|(?P<other>#+\")"
)


class Block(NamedTuple):
    """Characters `start:end` of the file: the text of one prompt."""

    start: int
    end: int


def blocks(text: str) -> Iterator[Block]:
    """The prompts of a file, in order; other raw strings, such as those of tests, are none. Raises Fault."""
    place = 0
    while found := _BEGIN.search(text, place):
        place = found.end()
        opening = found["open"] or found["other"]
        if opening is None:
            continue
        end = text.find('"' + opening[:-1], place)
        if end < 0:
            raise Fault(found.end() - len(opening), f"{opening} is not closed")
        if found["open"] is not None:
            yield Block(place, end)
        place = end + len(opening)


def comments(text: str) -> Iterator[tuple[int, int]]:
    """Comments outside of the prompts."""
    inside = [(block.start, block.end) for block in blocks(text)]
    number = 0
    for found in re.finditer(r"//[^\r\n]*", text):
        while number < len(inside) and inside[number][1] < found.start():
            number += 1
        if number == len(inside) or found.start() < inside[number][0]:
            yield found.span()
