"""Variations of the text itself: white space, line ends, Unicode forms, a date."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from promptlint.vary.edit import changed, put
from promptlint.vary.variation import Source, Variation, main_text, texts

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT = 3  # letters of a short name
_WEEKDAY = rf"(?:\b(?P<w>{'|'.join((*_DAYS, *(day[:_SHORT] for day in _DAYS)))}),? )?"
_MONTH = rf"(?P<n>{'|'.join((*_MONTHS, *(month[:_SHORT] for month in _MONTHS)))})"
_ISO = r"(?<![\d-])(?P<y>20\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?![\d-])"
_LONG = rf"{_WEEKDAY}(?<!\d)(?P<d>\d\d?) {_MONTH} (?P<y>20\d\d)\b"
_US = rf"{_WEEKDAY}\b{_MONTH} (?P<d>\d\d?), (?P<y>20\d\d)\b"
_NOW = r"(?i)\b(?:today|date|now|currently|it is)\b[^.\n]{0,24}$"  # in front of the date that is meant to move


def variations(source: Source) -> Iterator[Variation]:
    main = main_text(source)
    if main is None:
        return
    text = str(main.content)
    line = text.find("\n")
    at = line if line > 0 else len(text)
    where = "the first line" if line > 0 else "the first text"
    spaced = f"{text[:at]} {text[at:]}"
    yield Variation(
        "space-added", "text", f"a space at the end of {where}", put(source.value, main.path, spaced), main.path
    )
    last = [segment for item in source.request.items[-1:] for segment in texts(item)]
    if last and last[-1].path != main.path:
        path, held = last[-1].path, str(last[-1].content)
        yield Variation(
            "space-in-newest",
            "text",
            "a space at the end of the newest message",
            put(source.value, path, f"{held} "),
            path,
        )
    yield _everywhere(source, "crlf", "line ends CRLF instead of LF", _crlf)
    every = [str(segment.content) for item in source.request.items for segment in texts(item)]
    if all(unicodedata.is_normalized("NFC", held) for held in every):
        yield _everywhere(source, "nfd", "letters decomposed (NFD), as some file systems do", _nfd)
    else:
        yield _everywhere(source, "nfc", "letters composed (NFC)", _nfc)
    yield _tomorrow(source)


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def _everywhere(source: Source, name: str, does: str, change: Callable[[str], str]) -> Variation:
    """The same change of all texts."""
    value, first = source.value, None
    for item in source.request.items:
        for segment in texts(item):
            held = str(segment.content)
            if (new := change(held)) != held:
                value = put(value, segment.path, new)
                first = segment.path if first is None else first
    return Variation(name, "text", does if first is not None else f"{does}: changes nothing here", value, first or ())


def _tomorrow(source: Source) -> Variation:
    """The first date a day later; without one, today's date in front of the text."""
    for item in (*source.items("system"), *source.items("messages")):
        for segment in texts(item):
            found = _dated(str(segment.content))
            if found is not None:
                old, new, text = found
                return Variation(
                    "date-tomorrow",
                    "text",
                    f"a day later: {old} became {new}",
                    put(source.value, segment.path, text),
                    segment.path,
                )
    main = main_text(source)
    assert main is not None
    line = f"Today is {source.today.isoformat()}.\n"
    value = changed(source.value, main.path, lambda held: f"{line}{held}")
    return Variation("date-in-front", "text", "today's date put in front of the text", value, main.path)


def _dated(text: str) -> tuple[str, str, str] | None:
    """The date that says which day it is, else the first one; that of the day after it; and the text with it."""
    found = [
        (match, day) for pattern in (_ISO, _LONG, _US) for match in re.finditer(pattern, text) if (day := _day(match))
    ]
    found.sort(key=lambda each: each[0].start())
    now = (each for each in found if re.search(_NOW, text[max(each[0].start() - 40, 0) : each[0].start()]))
    chosen = next(now, next(iter(found), None))
    if chosen is None:
        return None
    match, day = chosen
    new = _written(match, day + timedelta(days=1))
    return match[0], new, text[: match.start()] + new + text[match.end() :]


def _day(match: re.Match[str]) -> date | None:
    parts = match.groupdict()
    names = [month[:_SHORT] for month in _MONTHS]
    month = int(parts["m"]) if "m" in parts else names.index(parts["n"][:_SHORT]) + 1
    try:
        return date(int(parts["y"]), month, int(parts["d"]))
    except ValueError:
        return None


def _written(match: re.Match[str], day: date) -> str:
    parts = match.groupdict()
    padded = "m" in parts or parts["d"].startswith("0")
    values = {"y": f"{day.year}", "d": f"{day.day:02d}" if padded else f"{day.day}"}
    values |= {"m": f"{day.month:02d}", "n": _MONTHS[day.month - 1], "w": _DAYS[day.weekday()]}
    for name in ("n", "w"):
        if len(parts.get(name) or "") == _SHORT and parts[name] != "May":
            values[name] = values[name][:_SHORT]
    new, done = "", match.start()
    for name in sorted((name for name in parts if parts[name]), key=match.start):
        new += match.string[done : match.start(name)] + values[name]
        done = match.end(name)
    return new + match.string[done : match.end()]
