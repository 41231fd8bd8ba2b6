"""Fixes of one text of a request by which the prompt changes: what a rule has found in it, wherever it stands in it."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from promptlint.lint.edits import Edit, Replace
from promptlint.lint.hit import Hit, Place
from promptlint.lint.subject import RequestSubject
from promptlint.lint.volatile.characters import invisible, pieces
from promptlint.load import value_of_document
from promptlint.prompt import Document, Json, Path
from promptlint.read.descend import descend
from promptlint.template import SourceRange

_HANGUL_FINALS = ("\u11a8", "\u11c2")


def invisible_removed(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """Without characters that show nothing; several no-break spaces in a row become as many spaces."""
    path, text = _text(subject, hit)
    for found in invisible(text):
        yield _edit(path, found.start, found.end, " " * text.count("\u00a0", found.start, found.end))


def one_line_end(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """All lines end in a line feed."""
    path, text = _text(subject, hit)
    place = text.find("\r")
    while place >= 0:
        end = place + 1 + text.startswith("\n", place + 1)
        yield _edit(path, place, end, "\n")
        place = text.find("\r", end)


def composed(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """Letters and their accents are one character each, as far as there is one (NFC)."""
    path, text = _text(subject, hit)
    done = 0
    for found in pieces(text):
        if found.start < done:
            continue
        done = found.end
        while done < len(text) and (unicodedata.combining(text[done]) or _is_final(text[done])):
            done += 1
        yield _edit(path, found.start, done, unicodedata.normalize("NFC", text[found.start : done]))


def _is_final(char: str) -> bool:
    return _HANGUL_FINALS[0] <= char <= _HANGUL_FINALS[1]


def _text(subject: RequestSubject, hit: Hit) -> tuple[Path, str]:
    """The text that a hit is about; nothing for a key, whose name is referred to elsewhere."""
    assert isinstance(hit.at, Place)
    document, path = subject.request.document, hit.at.path
    if hit.at.atom == "key":
        return path, ""
    found = descend(_value(document), path) if path else document.text
    return path, found if isinstance(found, str) else ""


@lru_cache(maxsize=1)
def _value(document: Document) -> Json:
    return value_of_document(document)


def _edit(path: Path, start: int, end: int, text: str) -> Edit:
    """A request that is nothing but a text is its file."""
    return Replace(path, start, end, text) if path else Replace(SourceRange(0, start, end), start, end, text)
