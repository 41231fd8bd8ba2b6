"""Characters that nobody sees, line feeds of two kinds, letters in pieces."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.scan import compiled

_INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]+|\u00a0{2,}"
)
_JOINERS = frozenset("\u200c\u200d")
_DIRECTIONS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_JOINED = "[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufeff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\ua980-\ua9df]"
_RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_UNSPACED = "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]"
_PICTURE = "[\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff]"
_FLAG = "\U0001f3f4"
_PIECES = "[^\\W\\d_][\u0300-\u036f\u3099\u309a]|[\u1100-\u1112][\u1161-\u1175]"
_LINE_END = r"\r\n|\n|\r"
_FIRST = 6  # places of one kind that are kept
_NEAR = 200  # characters around a mark of direction in which its script stands
_NAMES = {
    "\ufeff": "byte order mark",
    "\u00a0": "no-break space",
    "\u00ad": "soft hyphen",
    "\u200b": "zero-width space",
}


def invisible(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Runs of characters that show nothing, where no script and no picture needs them, in order."""
    if text.isascii():
        return
    for match in compiled(_INVISIBLE).finditer(text):
        if not _is_needed(text, match):
            yield Found(match.start(), match.end(), _named(match[0]))


def _is_needed(text: str, match: re.Match[str]) -> bool:
    run, start, end = match[0], match.start(), match.end()
    before, behind = text[start - 1 : start] if start else "", text[end : end + 1]
    if set(run) <= _JOINERS and before and behind:
        pictures = compiled(_PICTURE)
        if compiled(_JOINED).match(before) or compiled(_JOINED).match(behind):
            return True
        return run == "\u200d" and pictures.match(before) is not None and pictures.match(behind) is not None
    if set(run) <= _DIRECTIONS:
        return compiled(_RIGHT_TO_LEFT).search(text, max(start - _NEAR, 0), end + _NEAR) is not None
    if run == "\u200b":
        return bool(compiled(_UNSPACED).match(before or " ") or compiled(_UNSPACED).match(behind or " "))
    return before == _FLAG and run.endswith("\U000e007f") and len(run) <= 7  # the flag of a region


def _named(run: str) -> str:
    code = f"U+{ord(run[0]):04X}"
    name = _NAMES.get(run[0]) or unicodedata.name(run[0], "").lower()
    what = f"{code} ({name})" if name else code
    return what if len(run) == 1 else f"a run of {len(run):,} characters from {what}"


def pieces(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Letters followed by a mark with which they make one character, in order."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return
    for match in compiled(_PIECES).finditer(text):
        whole = unicodedata.normalize("NFC", match[0])
        if len(whole) == 1:
            codes = " ".join(f"U+{ord(char):04X}" for char in match[0])
            yield Found(match.start(), match.end(), f"{codes} instead of U+{ord(whole):04X}")


class LineEnds(NamedTuple):
    """The lines of one text that end in one way."""

    end: str
    lines: int
    first: tuple[Found, ...]  # of them


def line_ends(text: str) -> list[LineEnds]:
    """How the lines of a text end, the most frequent way first."""
    if "\r" not in text:
        at, count = text.find("\n"), text.count("\n")
        return [LineEnds("\n", count, (Found(at, at + 1),))] if count else []
    counts = {"\r\n": 0, "\n": 0, "\r": 0}
    first: dict[str, list[Found]] = {end: [] for end in counts}
    for match in compiled(_LINE_END).finditer(text):
        end = match[0]
        counts[end] += 1
        if counts[end] <= _FIRST:
            first[end].append(Found(match.start(), match.end()))
    found = [LineEnds(end, count, tuple(first[end])) for end, count in counts.items() if count]
    return sorted(found, key=lambda one: -one.lines)
