"""What a differing stretch of text looks like: a time, a date, an id, a count, a piece of the environment."""

import re
from typing import NamedTuple

from promptlint.boundary.forms import number

# Patterns are compiled when first used: at import they would cost 8 ms, felt by every start.

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?"
_CLOCK = r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?"
_ZONE = r"(?:\s?(?:z|utc|gmt)\b|\s?[+-]\d{2}:?\d{2}\b)?"
_DAY = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})"
_NAMED_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}})?|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}})?|{_MONTH},?\s\d{{4}})"
_DATE = rf"(?:(?:{_WEEKDAY},?\s)?(?:{_DAY}|{_NAMED_DAY})(?:,?\s{_WEEKDAY}\b)?)"
_MOMENT = (
    r"(?i)"
    rf"(?<![\w.:/-])(?:(?P<date>{_DATE})(?:(?:t|,?\s(?:at\s)?)(?P<time>{_CLOCK}){_ZONE})?"
    rf"|(?P<clock>{_CLOCK}){_ZONE}(?:,?\s(?:on\s)?(?P<day>{_DATE}))?"
    rf"|(?P<weekday>{_WEEKDAY})|(?P<epoch>1[5-9]\d{{8}}(?:\d{{3}}|\.\d+)?))(?![\w:])"
)
_COMPACT = r"(?i)(?<!\d)(?P<date>20\d{6})(?:[t_-]?(?P<time>\d{4}(?:\d{2})?)z?)?(?!\d)"

_WORD = r"[0-9A-Za-z_\-+/=.:]+"
_ID_WORD = r"[0-9A-Za-z_\-]+"
_UUID = r"(?i)[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}"
_RANDOM = r"(?i)(?=[a-z]*\d)(?:[0-9a-f]{6,}|(?=[0-9]*[a-z])[0-9a-z]{8,})\Z"
_LONG_RANDOM = r"(?=.*[a-z])(?=.*[A-Z])[0-9A-Za-z_\-+/=]{16,}\Z"
_NUMBER = r"-?\d+(?:[.,_]\d+)*"
_COUNTS = (
    r"(?i)"
    r"\b(?:turns?|steps?|iterations?|rounds?|requests?|calls?|attempts?|retr(?:y|ies)|messages?|tokens?|left|remaining|used|budget|"
    r"count(?:er)?|index|page|seq(?:uence)?|no|nr|number|of)\b|#"
)
_STATUS_LINE = r"^(?:[ MADRCUT?!]{2}|[MADRCUT?!]{1,2})[ \t]+\S+(?: -> \S+)?$"
_LOG_LINE = r"^(?:\* )?[0-9a-f]{7,40} \S.*$"
_LISTING_LINE = r"^[-dlbcps][-rwxsStT]{9}[.+@]?\s+\d+\s"
_FIELD_LINE = (
    r"(?i)"
    r"^\W*(?:(?:current |git |os |working |default )?"
    r"(?:branch|host(?:name)?|user(?:name)?|cwd|pwd|directory|dir|folder|worktree|workspace|root|home|shell|"
    r"platform|os|os version|kernel|arch(?:itecture)?|node(?: version)?|python(?: version)?|commit|head|path|status)s?)\b\W{0,3}[:=]"
)
_ON_BRANCH = r"(?i)^(?:On branch|HEAD detached at|Your branch is) "
_PATH = r"(?:[A-Za-z]:\\|~?/|\.{1,2}/)[^\s\"'<>|]*[\\/][^\s\"'<>|]+"
_LIST_LINE = r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S"


class Shape(NamedTuple):
    """A label for a differing stretch, the words on both sides, and the range in the old text that it covers."""

    cause: str
    message: str
    old: str
    new: str


class Stretch(NamedTuple):
    """`old[a0:a1]` became `new[b0:b1]`; the text around is equal."""

    old: str
    a0: int
    a1: int
    new: str
    b0: int
    b1: int


def shape(stretch: Stretch) -> Shape | None:
    """The narrowest label whose evidence the stretch shows, or None."""
    return (
        _moment(stretch) or _identifier(stretch) or _counter(stretch) or _number_form(stretch) or _environment(stretch)
    )


def _covering(pattern: str, text: str, start: int, end: int) -> re.Match[str] | None:
    """The match on the line of `start` that covers `start:end`."""
    low = max(text.rfind("\n", 0, start) + 1, start - 120)
    stop = text.find("\n", end)
    high = min(len(text) if stop < 0 else stop, end + 120)
    for match in re.compile(pattern).finditer(text, low, high):
        if match.start() <= start and end <= match.end() and (start < match.end() or start == end):
            return match
        if match.start() > start:
            break
    return None


def _both(pattern: str, s: Stretch) -> tuple[re.Match[str], re.Match[str]] | None:
    x = _covering(pattern, s.old, s.a0, s.a1)
    y = _covering(pattern, s.new, s.b0, s.b1) if x else None
    return (x, y) if x and y and x[0] != y[0] else None


def _moment(s: Stretch) -> Shape | None:
    found = _both(_MOMENT, s) or _both(_COMPACT, s)
    if not found:
        return None
    x, y = (_parts(match) for match in found)
    if not x or not y or x.keys() != y.keys():
        return None
    old, new = found[0][0], found[1][0]
    if x.get("clock") != y.get("clock") or x.get("epoch") != y.get("epoch"):
        return Shape("clock", f"a time of day moved: {old} became {new}", old, new)
    if x.get("day") != y.get("day"):
        return Shape("date-rollover", f"a date moved: {old} became {new}", old, new)
    return None


def _parts(match: re.Match[str]) -> dict[str, str]:
    """What a matched moment holds, checked to be a real time or date: keys clock, day, epoch."""
    groups = {name: text.lower() for name, text in match.groupdict().items() if text}
    parts: dict[str, str] = {}
    if clock := groups.get("time") or groups.get("clock"):
        parts["clock"] = clock
    if day := groups.get("date") or groups.get("day") or groups.get("weekday"):
        parts["day"] = day
    if epoch := groups.get("epoch"):
        parts["epoch"] = epoch
    return parts if all(_real_day(part) for name, part in parts.items() if name == "day") else {}


def _real_day(day: str) -> bool:
    """Numbers of a date in their ranges: 2026-13-45 is a version or a code, not a day."""
    numbers = [int(n) for n in re.findall(r"\d+", day)]
    if any(name in day for name in _MONTHS):
        return all(n <= 31 or 1900 <= n <= 2199 for n in numbers)
    if len(numbers) == 1 and len(day) == 8:
        numbers = [int(day[:4]), int(day[4:6]), int(day[6:])]
    if not numbers:
        return True
    small = [n for n in numbers if n < 100]
    return len(numbers) == 3 and 1 <= max(small[:2]) <= 31 and min(small[:2]) <= 12 and min(small[:2]) >= 1


def _word(pattern: str, text: str, start: int, end: int) -> tuple[int, int]:
    """`start:end` widened to whole words of this pattern."""
    low = max(0, start - 200)
    begin = start
    while begin > low and re.fullmatch(pattern, text[begin - 1]):
        begin -= 1
    stop, high = end, min(len(text), end + 200)
    while stop < high and re.fullmatch(pattern, text[stop]):
        stop += 1
    return begin, stop


def _identifier(s: Stretch) -> Shape | None:
    if (found := _both(_UUID, s)) is not None:
        return Shape("identifier", "an id was made anew", found[0][0], found[1][0])
    for pattern in (_ID_WORD, _WORD):
        a0, a1 = _word(pattern, s.old, s.a0, s.a1)
        b0, b1 = _word(pattern, s.new, s.b0, s.b1)
        old, new = s.old[a0:a1], s.new[b0:b1]
        if s.a0 - a0 == s.b0 - b0 and _id_like(old, new):
            return Shape("identifier", "an id was made anew", old, new)
    return None


def _id_like(old: str, new: str) -> bool:
    """Both words are an id of one kind: an equal prefix, then a random part that differs in several characters."""
    if not re.fullmatch(_ID_WORD, old) or not re.fullmatch(_ID_WORD, new):
        return False
    x, y = _random_part(old), _random_part(new)
    if not x or not y or x == y or old[: len(old) - len(x)] != new[: len(new) - len(y)]:
        return False
    if abs(len(x) - len(y)) > 2:
        return False
    return sum(p != q for p, q in zip(x, y, strict=False)) >= 3


def _random_part(word: str) -> str:
    """The end of a word that looks random: hex, base32 or base64 of some length, with digits; or ''."""
    if re.match(_LONG_RANDOM, word):
        return word
    tail = re.split(r"[_\-]", word)[-1]
    return tail if re.match(_RANDOM, tail) or re.match(_LONG_RANDOM, tail) else ""


def _counter(s: Stretch) -> Shape | None:
    found = _both(_NUMBER, s)
    if not found:
        return None
    old, new = found[0][0], found[1][0]
    if not (old.lstrip("-").isdigit() and new.lstrip("-").isdigit()) or len(old) > 12 or len(new) > 12:
        return None
    around = s.old[max(0, found[0].start() - 40) : found[0].end() + 40]
    line = around.replace(old, " ")
    if int(new) == int(old) + 1 or re.search(_COUNTS, line):
        return Shape("counter", f"a count moved: {old} became {new}", old, new)
    if len(old) >= 6 and len(new) >= 6 and sum(p != q for p, q in zip(old, new, strict=False)) >= 4:
        return Shape("identifier", "an id was made anew", old, new)
    return None


def _number_form(s: Stretch) -> Shape | None:
    found = _both(_NUMBER, s)
    if found and number(found[0][0]) == number(found[1][0]):
        old, new = found[0][0], found[1][0]
        return Shape("number-form", f"the same number written otherwise: {old} became {new}", old, new)
    return None


def _environment(s: Stretch) -> Shape | None:
    old_lines, new_lines = _lines(s.old, s.a0, s.a1), _lines(s.new, s.b0, s.b1)
    changed = [line for line in (*old_lines, *new_lines) if line.strip()]
    if changed and all(_environment_line(line) for line in changed) and old_lines != new_lines:
        return Shape(
            "environment", "state of the machine or the work tree changed", s.old[s.a0 : s.a1], s.new[s.b0 : s.b1]
        )
    if (found := _both(_PATH, s)) is not None:
        old, new = found[0][0], found[1][0]
        return Shape("environment", f"a path changed: {old} became {new}", old, new)
    return None


def _lines(text: str, start: int, end: int) -> list[str]:
    """The lines that the stretch touches; a stretch of whole lines does not touch the line behind it."""
    if start == end and (start == 0 or text[start - 1] == "\n"):
        return []
    low = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", max(start, end - 1) if end > start and text[end - 1] == "\n" else end)
    return text[low : len(text) if stop < 0 else stop].split("\n")


def _environment_line(line: str) -> bool:
    return any(re.match(pattern, line) for pattern in (_STATUS_LINE, _LOG_LINE, _LISTING_LINE, _FIELD_LINE, _ON_BRANCH))


def list_lines(text: str) -> list[str]:
    """The lines of a text if every one is an entry of a list (`- x`, `1. x`), otherwise nothing."""
    lines = [line for line in text.split("\n") if line.strip()]
    return lines if lines and all(re.match(_LIST_LINE, line) for line in lines) else []
