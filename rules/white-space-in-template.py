"""Printed spaces and tabs in front of a line feed of literal text."""

import re
from collections.abc import Iterator

from promptlint.lint.edits import Replace
from promptlint.lint.hit import Hit
from promptlint.lint.stranded import end_of_prefix
from promptlint.lint.subject import TemplateSubject
from promptlint.template import SourceRange, Text

_TRAILING = re.compile(r"(?<![ \t])[ \t]+(?=\r?\n)")


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """One finding for a file, at the first such line."""
    found: dict[int, list[SourceRange]] = {}
    for part in subject.template.parts[: end_of_prefix(subject)]:
        if isinstance(part, Text) and ("\n" in part.text):
            raw = subject.template.files[part.range.file].text
            for match in _TRAILING.finditer(raw, part.range.start, part.range.end):
                if match[0] in part.text:
                    found.setdefault(part.range.file, []).append(SourceRange(part.range.file, *match.span()))
    for ranges in found.values():
        yield Hit(ranges[0], {"count": len(ranges)}, tuple(ranges[1:]))


def fix(subject: TemplateSubject, hit: Hit) -> Iterator[Replace]:
    """All of them, in the file that was named."""
    for place in (hit.at, *hit.related):
        assert isinstance(place, SourceRange)
        if not place.file:
            yield Replace(place, place.start, place.end, "")
