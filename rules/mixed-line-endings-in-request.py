"""Texts in which lines end in two ways, and requests in which some texts end their lines otherwise than the rest."""

from collections.abc import Iterator

from promptlint.lint.edits import Edit
from promptlint.lint.hit import Hit
from promptlint.lint.subject import PrefixText, RequestSubject
from promptlint.lint.text_fixes import one_line_end
from promptlint.lint.volatile.characters import LineEnds, line_ends
from promptlint.lint.volatile.found import fixed_texts, hit_of, in_prefix, where

_NAMES = {"\r\n": "CR LF", "\n": "LF", "\r": "CR"}


def check(subject: RequestSubject) -> Iterator[Hit]:
    """In a mixed text the first line of the rarer kind; for a whole text in CR LF, beside others in LF, a note."""
    read = [(text, ends) for text in fixed_texts(subject) if (ends := line_ends(text.text))]
    some_lf = any(one.end == "\n" for _, ends in read for one in ends)
    for text, ends in read:
        if len(ends) > 1:
            rest = f"and {ends[0].lines:,} in {_NAMES[ends[0].end]}"
            yield from _hit(subject, text, ends[-1], rest)
        elif ends[0].end != "\n" and some_lf:
            for hit in _hit(subject, text, ends[0], "where others end in LF"):
                yield hit._replace(severity="info")


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """All lines of the text end in LF."""
    return one_line_end(subject, hit)


def _hit(subject: RequestSubject, text: PrefixText, few: LineEnds, rest: str) -> Iterator[Hit]:
    if in_prefix(subject, text, few.first[0].start, few.first[0].end):
        lines = "1 line" if few.lines == 1 else f"{few.lines:,} lines"
        words = f"{where(text)} ends {lines} in {_NAMES[few.end]} {rest}"
        yield hit_of(subject, text, list(few.first))._replace(values={"what": words})
