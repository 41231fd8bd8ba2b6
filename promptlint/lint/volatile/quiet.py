"""Where a text shows or explains something instead of saying it: examples, code, suppositions."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from promptlint.lint.volatile.scan import compiled, line_of

Range = tuple[int, int]

_FENCE = r"(?m)^[ \t>]{0,8}(```+|~~~+)"
_TAG = (
    r"(?i)<(examples?|samples?|few[-_]?shots?|demonstrations?|demos?|template|output[-_]format|format|schema|"
    r"transcripts?|conversation[-_]examples?|good[-_]examples?|bad[-_]examples?|"
    r"example[-_]\w{1,20})(?:\s[^<>\n]{0,80})?>"
)
_TITLE = (
    r"(?im)^[ \t]{0,4}(?:(?P<level>#{1,6})[ \t][^\n]{0,60}?|[*_>\- \t]{0,6}(?:[\w.,']+[ \t]){0,8}?)"
    r"(?:\b(?:examples?|samples?|few[- ]shot|transcripts?|e\.g\.|for instance|demonstrations?|excerpts?)\b[^\n]{0,80}|"
    r"\b(?:such|reads)\b[^\n]{0,60}:[ \t]*)$"
)
_HEADING = r"(?m)^[ \t]{0,4}(#{1,6})[ \t]"
_ASKS = r"(?im)^[^\w\n]{0,4}(?:user|human|customer|q|question|input|caller|guest|client)\b\W{0,3}:"
_ANSWERS = r"(?im)^[^\w\n]{0,4}(?:assistant|ai|agent|bot|a|answer|output|response|reply)\b\W{0,3}:"
_SHOWS = (
    r"(?i)\b(?:e\.g|i\.e|for (?:example|instance)|such as|examples?|samples?|formats?|formatted|looks? like|written as|"
    r"in the form|iso[- ]?8601|rfc[- ]?3339|yyyy|hh:mm|styles?|shaped? like|like (?:this|so)|placeholders?|"
    r"zum beispiel|z\.\s?b|"
    r"par exemple|por ejemplo)\b"
)
_SUPPOSES = (
    r"(?i)\b(?:if|when(?:ever)?|unless|once|until|after|before|assum(?:e|ing)|suppos(?:e|ing)|pretend|imagin(?:e|ary)|"
    r"fiction(?:al)?|hypothetical(?:ly)?|simulated?|scenario|every|each|wenn|falls|si|angenommen)\b"
)
_QUOTED_KEY = r"[\"'][\w .-]{1,40}[\"']\s?:\s?[\"']?$"
_STATE = r"(?i)\b(?:context|metadata|session|state|env(?:ironment)?|current|runtime)\b[^.!?]*$"
_BARE_HEADING = r"(?m)(?:(?<=\n\n)|\A)[A-Z][\w ,&-]{2,50}$"
_SENTENCE = r"(?<!\be\.g)(?<!\bi\.e)[.!?;]\s"


def is_quiet(text: str, start: int, end: int, *, fences: bool = True) -> bool:
    """Whether a value is shown as an example: in a block of its own, or by the words around it."""
    return in_range(_blocks(text, fences), start) or is_shown(text, start, end) or _is_field(text, start)


def is_shown(text: str, start: int, end: int) -> bool:
    """Whether the line of a value says that it is an example."""
    low, high = line_of(text, start)[0], line_of(text, end)[1]
    return compiled(_SHOWS).search(text, low, min(high, end + 40)) is not None


def _is_field(text: str, start: int) -> bool:
    """Whether a value stands in a JSON object inside running text: an answer that is shown, unless words say state."""
    if compiled(_QUOTED_KEY).search(text[max(start - 60, 0) : start]) is None:
        return False
    opened = text.rfind("{", max(start - 600, 0), start)
    if opened < 0 or not text[: min(opened, 80)].strip(" \t\n[{"):
        return False
    return compiled(_STATE).search(text[max(opened - 80, 0) : opened]) is None


def is_supposed(text: str, start: int) -> bool:
    """Whether the sentence in front of a place begins a condition or a supposition."""
    front = text[line_of(text, start)[0] : start]
    return compiled(_SUPPOSES).search(compiled(_SENTENCE).split(front)[-1]) is not None


def in_range(ranges: tuple[Range, ...], at: int) -> bool:
    """Whether one of these ranges (in order, without overlap) holds a character."""
    number = bisect_right(ranges, (at, 1 << 60)) - 1
    return number >= 0 and at < ranges[number][1]


@lru_cache(maxsize=8)
def fences(text: str) -> tuple[Range, ...]:
    """Code between fences; one that is never closed runs to the end."""
    return tuple(_fences(text))


def _fences(text: str) -> Iterator[Range]:
    start, mark = -1, ""
    for match in compiled(_FENCE).finditer(text):
        if start < 0:
            start, mark = match.start(), match[1]
        elif match[1][0] == mark[0] and len(match[1]) >= len(mark):
            yield start, match.end()
            start = -1
    if start >= 0:
        yield start, len(text)


@lru_cache(maxsize=8)
def _blocks(text: str, with_fences: bool) -> tuple[Range, ...]:
    """Examples: tagged sections, sections under such a heading, dialogues, and code."""
    found = [*_tagged(text), *_titled(text), *_dialogue(text), *(fences(text) if with_fences else ())]
    return tuple(_joined(sorted(found)))


def _tagged(text: str) -> Iterator[Range]:
    lower = text.lower()
    unclosed: set[str] = set()
    at = 0
    for match in compiled(_TAG).finditer(text):
        name = match[1].lower()
        if match.start() < at or name in unclosed:
            continue
        stop = lower.find(f"</{name}>", match.end())
        if stop < 0:
            unclosed.add(name)
            continue
        at = stop
        yield match.start(), stop


def _titled(text: str) -> Iterator[Range]:
    """From a heading to the next one of its rank, from a line that ends in a colon to the next blank line."""
    at = 0
    for match in compiled(_TITLE).finditer(text):
        if match.start() < at:
            continue
        stop = match.end()
        if match["level"]:
            stop = _next_heading(text, match.end(), len(match["level"]))
        elif match[0].rstrip(" \t*_").endswith(":"):
            stop = _next_blank(text, match.end())
        elif compiled(_BARE_HEADING).match(text, match.start()) and text.startswith("\n\n", match.end()):
            following = compiled(_BARE_HEADING).search(text, match.end() + 2)
            stop = following.start() if following else len(text)
        at = stop
        yield match.start(), stop


def _next_blank(text: str, at: int) -> int:
    """The next blank line, or the one behind it where a blank line follows at once."""
    blank = text.find("\n\n", at + (2 if text.startswith("\n\n", at) else 1))
    return len(text) if blank < 0 else blank


def _next_heading(text: str, at: int, rank: int) -> int:
    for match in compiled(_HEADING).finditer(text, at):
        if len(match[1]) <= rank:
            return match.start()
    return len(text)


def _dialogue(text: str) -> Iterator[Range]:
    """Lines of speakers, if some answer; up to the next blank line where a speaker has a line of its own."""
    if compiled(_ANSWERS).search(text) is None:
        return
    for pattern in (_ASKS, _ANSWERS):
        at = 0
        for match in compiled(pattern).finditer(text):
            if match.start() < at:
                continue
            stop = text.find("\n", match.end())
            at = len(text) if stop < 0 else stop
            if not text[match.end() : at].strip():
                at = _next_blank(text, match.end())
            yield match.start(), at


def _joined(ranges: list[Range]) -> Iterator[Range]:
    start, end = -1, -1
    for low, high in ranges:
        if low <= end:
            end = max(end, high)
            continue
        if start >= 0:
            yield start, end
        start, end = low, high
    if start >= 0:
        yield start, end
