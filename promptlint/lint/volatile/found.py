"""What a detector finds in one text, and the hits that follow from it."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from promptlint.finding import Severity
from promptlint.lint.hit import Hit, Place
from promptlint.lint.subject import PrefixText, RequestSubject

_TAIL = 100  # characters: less than this behind a place is no prefix worth keeping
_SHOWN = 60  # characters of a value in a message
_RELATED = 5  # further places of the same thing in one text
_DATA = frozenset({"default", "examples", "example", "const", "enum", "pattern", "format", "input_examples", "$id"})
_NAMING = frozenset({"properties", "patternProperties", "$defs", "definitions"})


class Found(NamedTuple):
    """Characters `start:end` of a text that move by themselves."""

    start: int
    end: int
    what: str = ""  # in words, where a rule knows several
    sure: bool = False  # the text says itself that it moves
    severity: Severity | None = None  # instead of the rule's, or of a warning where it is not sure


Detector = Callable[[str, bool], Iterator[Found]]
"""A text, and whether it describes one argument of a tool -> what moves in it, in order."""


def fixed_texts(subject: RequestSubject) -> Iterator[PrefixText]:
    """Texts that every request should repeat: tools without the data of their schemas, and the system text."""
    for text in subject.cached_texts():
        if text.level != "messages" and text.atom == "value" and not _is_data(text):
            yield text


def in_argument(text: PrefixText) -> bool:
    """Whether it stands inside the schema of a tool's arguments."""
    return text.level == "tools" and "properties" in text.path


def _is_data(text: PrefixText) -> bool:
    """Values that a schema quotes: a default, an example, a pattern. A property may have such a name, too."""
    if text.level != "tools":
        return False
    steps = zip((None, *text.path), text.path, strict=False)
    return any(step in _DATA and before not in _NAMING for before, step in steps if isinstance(step, str))


def in_prefix(subject: RequestSubject, text: PrefixText, start: int, end: int) -> bool:
    """Whether something worth keeping stands behind these characters, or a marker that covers them.

    Where no marker decides, text at the end of the system text is where it should be.
    """
    if text.char + start >= subject.cached_end:
        return False
    return subject.explicit or text.level == "tools" or subject.cached_end - (text.char + end) >= _TAIL


def hits(subject: RequestSubject, detect: Detector) -> Iterator[Hit]:
    """One hit for each text in which something is found; further ones of the same text are related places."""
    for text in fixed_texts(subject):
        moving = (one for one in detect(text.text, in_argument(text)) if in_prefix(subject, text, one.start, one.end))
        if found := list(islice(moving, 1 + _RELATED)):
            yield hit_of(subject, text, found)


def hit_of(subject: RequestSubject, text: PrefixText, found: list[Found]) -> Hit:
    """The hit of the first of them."""
    first = found[0]
    return Hit(
        place(text, first),
        {"value": shown(text.text[first.start : first.end]), "where": where(text), "what": first.what},
        related=tuple(place(text, one) for one in found[1:]),
        lost_tokens=subject.tokens_behind(text.char + first.start),
        severity=first.severity or (None if first.sure else "warning"),
        confidence="certain" if first.sure else "possible",
    )


def place(text: PrefixText, found: Found) -> Place:
    """Its place in the document."""
    return Place(text.path, found.start, found.end, text.atom)


def where(text: PrefixText) -> str:
    """Words for the place of a text."""
    if not text.path:
        return "the prompt"
    if text.level == "tools":
        return f"the tool {text.name}" if text.name else "the tools"
    if text.level == "messages":
        return "the first message"
    return "the developer message" if text.role == "developer" else "the system text"


def shown(value: str) -> str:
    """A value as a message quotes it: one line, cut short."""
    line = " ".join(value.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
