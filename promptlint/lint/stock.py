"""The two checks that a rule can have without code: a pattern, and the causes of changes."""

import re
from collections.abc import Iterator

from promptlint.lint.hit import Hit, Place
from promptlint.lint.rule import Rule
from promptlint.lint.subject import PairSubject, RequestSubject, SourceSubject, TemplateSubject
from promptlint.template import SourceRange, Text

_SHOWN = 60  # characters of a match in a message


def pattern(rule: Rule, subject: RequestSubject | TemplateSubject | SourceSubject) -> Iterator[Hit]:
    """Every match in the text of the cached part of a request, in the literal text of a template, in a source file."""
    assert rule.pattern is not None
    wanted = re.compile(rule.pattern)
    if isinstance(subject, RequestSubject):
        for piece in subject.cached_texts():
            for match in wanted.finditer(piece.text):
                at = Place(piece.path, match.start(), match.end(), piece.atom)
                yield Hit(
                    at, {"match": _shown(match[0])}, lost_tokens=subject.tokens_behind(piece.char + match.start())
                )
        return
    if isinstance(subject, SourceSubject):
        for match in wanted.finditer(subject.source.modules[0].text):
            yield Hit(SourceRange(0, match.start(), match.end()), {"match": _shown(match[0])})
        return
    template = subject.template
    for part in template.parts:
        if isinstance(part, Text):
            raw = template.files[part.range.file].text
            for match in wanted.finditer(raw, part.range.start, part.range.end):
                yield Hit(SourceRange(part.range.file, match.start(), match.end()), {"match": _shown(match[0])})


def changes(rule: Rule, subject: PairSubject) -> Iterator[Hit]:
    """Every change of a pair that has one of the rule's causes and costs something."""
    for change in subject.changes:
        if change.cause in rule.changes:
            yield change.hit


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
