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
_ISO = r"\b(?P<y>20\d\d)-(?P<m>\d\d)-(?P<d>\d\d)\b"
_LONG = rf"(?:\b(?P<w>{'|'.join(_DAYS)}),? )?\b(?P<d>\d\d?) (?P<n>{'|'.join(_MONTHS)}) (?P<y>20\d\d)\b"
_US = rf"(?:\b(?P<w>{'|'.join(_DAYS)}),? )?\b(?P<n>{'|'.join(_MONTHS)}) (?P<d>\d\d?), (?P<y>20\d\d)\b"


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
    """The first date of a text, that of the day after it, and the text with it."""
    found = [match for pattern in (_ISO, _LONG, _US) if (match := re.search(pattern, text))]
    for match in sorted(found, key=lambda match: match.start()):
        parts = match.groupdict()
        month = int(parts["m"]) if "m" in parts else _MONTHS.index(parts["n"]) + 1
        try:
            day = date(int(parts["y"]), month, int(parts["d"]))
        except ValueError:
            continue
        new = _written(match, day + timedelta(days=1))
        return match[0], new, text[: match.start()] + new + text[match.end() :]
    return None


def _written(match: re.Match[str], day: date) -> str:
    parts = match.groupdict()
    padded = "m" in parts or parts["d"].startswith("0")
    values = {"y": f"{day.year}", "d": f"{day.day:02d}" if padded else f"{day.day}"}
    values |= {"m": f"{day.month:02d}", "n": _MONTHS[day.month - 1], "w": _DAYS[day.weekday()]}
    new, done = "", match.start()
    for name in sorted((name for name in parts if parts[name]), key=match.start):
        new += match.string[done : match.start(name)] + values[name]
        done = match.end(name)
    return new + match.string[done : match.end()]
