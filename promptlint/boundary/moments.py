"""Times of day and calendar dates, in the notations that prompts carry."""

import re
from typing import NamedTuple

from promptlint.boundary.stretch import Shape, Stretch, ahead, both, surroundings

# Patterns are compiled when first used: at import they would cost 8 ms, felt by every start.

_MONTHS = (
    "january jan januar janvier enero gennaio janeiro januari января",
    "february feb februar février febrero febbraio fevereiro februari февраля",
    "march mar märz mars marzo março maart марта",
    "april apr avril abril aprile апреля",
    "may mai mayo maggio maio mei мая",
    "june jun juni juin junio giugno junho июня",
    "july jul juli juillet julio luglio julho июля",
    "august aug août agosto augustus августа",
    "september sept sep septembre septiembre settembre setembro сентября",
    "october oct oktober octobre octubre ottobre outubro октября",
    "november nov novembre noviembre novembro ноября",
    "december dec dezember décembre diciembre dicembre dezembro декабря",
)
_WEEKDAYS = (
    "monday montag lundi lunes lunedì maandag понедельник",
    "tuesday dienstag mardi martes martedì dinsdag вторник",
    "wednesday mittwoch mercredi miércoles mercoledì woensdag среда",
    "thursday donnerstag jeudi jueves giovedì donderdag четверг",
    "friday freitag vendredi viernes venerdì vrijdag пятница",
    "saturday samstag samedi sábado sabato zaterdag суббота",
    "sunday sonntag dimanche domingo domenica zondag воскресенье",
)
_SHORT_DAY = r"(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b\.?"
_MONTH = rf"(?:{'|'.join(sorted(' '.join(_MONTHS).split(), key=len, reverse=True))})\b\.?"
_LONG_DAY = rf"(?:{'|'.join(' '.join(_WEEKDAYS).split())})\b"
_WEEKDAY = rf"(?:{_LONG_DAY}|{_SHORT_DAY})"
_HALF = r"(?:\s?[ap]\.m\.?|\s?pm|am|\s(?-i:AM))(?![a-z])"
_PLAIN_CLOCK = r"(?:[01]?\d|2[0-4]):[0-5]\d"
_CLOCK = (
    rf"(?:{_PLAIN_CLOCK}(?::[0-6]\d(?:[.,]\d+)?)?(?:{_HALF})?|(?:1[0-2]|0?[1-9]){_HALF}"
    r"|(?:[01]?\d|2[0-4])[.:][0-5]\d\s(?:uhr|h)\b|(?:[01]?\d|2[0-4])\s?h\s?[0-5]\d"
    r"|(?:[01]?\d|2[0-4])\s?[時时点시]\s?[0-5]?\d\s?[分분](?:\s?[0-5]?\d\s?[秒초])?)"
)
_ZONE = r"(?:\s?(?:z|utc|gmt|cet|cest|[ecmp][sd]t)\b|\s?[+-]\d{2}:?\d{2}\b)?"
_DAY = (
    r"(?:\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{4}\.\d{2}\.\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{1,2}/\d{1,2}/\d{2}"
    r"|\d{2}[-.]\d{2}[-.]\d{2}|\d{4}-w\d{2}(?:-\d)?|(?:\d{4}\s?[年년]\s?)?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일])"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th|er|\.|º)?"
_NAMED_DAY = (
    rf"(?:{_NTH}\s(?:of\s|de\s)?{_MONTH}(?:,?\s(?:de\s)?\d{{4}})?|{_MONTH}\s{_NTH}(?![\w:])(?:,?\s\d{{4}})?"
    rf"|{_MONTH},?\s(?:de\s)?\d{{4}})"
)
_NAMED_DATE = rf"(?:(?:{_WEEKDAY},?\s(?:der\s|den\s|le\s|el\s)?)?(?:{_DAY}|{_NAMED_DAY})(?:,?\s{_WEEKDAY})?)"
_START, _END = r"(?<![0-9A-Za-z])(?<!\d[.:])", r"(?![0-9A-Za-z]|:\d)"


def _moment_pattern(date: str, *more: str) -> str:
    """A date with or without a time, a time with or without a date, a Unix time, and `more` alternatives."""
    return (
        rf"(?i){_START}(?:(?P<date>{date})(?:(?:t|_|,?\s(?:(?:at|um|à)\s)?)(?P<time>{_CLOCK})(?P<zone>{_ZONE}))?"
        rf"|(?<![-+])(?P<clock>{_CLOCK})(?P<zone2>{_ZONE})(?:,?\s(?:on\s)?(?P<day>{date}))?"
        rf"{''.join(f'|{alternative}' for alternative in more)}"
        rf"|(?<![+.,$#])(?P<epoch>1[5-9]\d{{8}}(?:\d{{9}}|\d{{6}}|\d{{3}}|\.\d+)?)){_END}"
    )


# The names of months and days make a pattern that takes 20 ms to compile: it is used only where such a name stands.
_MOMENT = _moment_pattern(_DAY)
_NAMED_MOMENT = _moment_pattern(_NAMED_DATE, rf"(?P<weekday>{_WEEKDAY})")
_NAMES = frozenset(" ".join((*_MONTHS, *_WEEKDAYS, "mon tue tues wed thu thur thurs fri sat sun")).split())
_COMPACT = rf"(?i){_START}(?P<date>20\d{{6}})(?:[t_-]?(?P<time>(?:[01]\d|2[0-4])[0-5]\d(?:[0-6]\d)?)z?)?{_END}"
_TIME_WORD = (
    r"(?i)\b(?:time|clock|now|at|currently|it'?s|it is|since|until|today|local|um|uhrzeit|zeit|jetzt|heute|ist|à|"
    r"il est|heure|hora|las|son las|ora|ore|sono le|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:\s(?:is|now))?\W{0,4}$"
)
_DAY_WORD = r"(?i)\b(?:today|date|day|now|it is|on|heute|fecha|hoy)(?:\s(?:is))?\W{0,4}$"
_NO_TIME = (
    r"(?i)\b(?:ratio|odds|scales?|scores?|aspect|mix|verses?|chapter|psalms?|won|lost|duration|takes?|took|lasts?)\b"
    r"[^.!?\n]{0,16}$"
)
_BEHIND_NAME = r"\b[A-Z][a-z]+ $"  # John 23:10
_VERSION = (
    r"(?i)(?:\b(?:version|ver|release|v|api|model|edition|build|schema|spec|draft)\b[\"']?\s?[:=]?\s?[\"']?"
    r"|\b(?:claude|gpt|gemini|llama|mistral|qwen|deepseek|command|grok)[\w.-]*|[a-z][\w.]*\d\w*[-_@])$"
)


class Moment(NamedTuple):
    """What a text says: a time of day, a day, a Unix time."""

    time: tuple[int | str, ...] | None
    day: tuple[int, ...] | None
    epoch: str | None


def moment(s: Stretch) -> Shape | None:
    """The label of two different times or dates; None where there are none, one without a label if none holds."""
    around = f"{surroundings(s.old, s.a0, s.a1)} {surroundings(s.new, s.b0, s.b1)}".lower()
    named = not _NAMES.isdisjoint(re.findall(r"[^\W\d_]+", around))
    for pattern in (_NAMED_MOMENT if named else _MOMENT, _COMPACT):
        if (found := both(pattern, s)) and (shape := _compared(*found)):
            return shape
    return None


def _compared(old: re.Match[str], new: re.Match[str]) -> Shape | None:
    x, y = _read(old), _read(new)
    if x is None or y is None:
        return None
    if (x.time is None, x.day is None, x.epoch is None) != (y.time is None, y.day is None, y.epoch is None):
        return Shape("", "", old[0], new[0])
    if x.time != y.time or x.epoch != y.epoch:
        return Shape("clock", f"a time of day moved: {old[0]} became {new[0]}", old[0], new[0])
    if x.day != y.day:
        return Shape("date-rollover", f"a date moved: {old[0]} became {new[0]}", old[0], new[0])
    return Shape("", "", old[0], new[0])  # the same moment in another notation or zone


def _read(match: re.Match[str]) -> Moment | None:
    """The moment of a match; None if its numbers are out of range or its surroundings say that it is none."""
    groups = match.groupdict()
    time, day = groups["time"] or groups.get("clock"), groups["date"] or groups.get("day") or groups.get("weekday")
    front = ahead(match)
    if day and (not _real_day(day) or re.search(_VERSION, front)):
        return None
    if groups.get("weekday") and re.fullmatch(rf"(?i){_SHORT_DAY}", match[0]) and not re.search(_DAY_WORD, front):
        return None
    if groups.get("clock") and not _stands_for_time(match, front):
        return None
    return Moment(_time(time) if time else None, _day(day) if day else None, groups.get("epoch"))


def _stands_for_time(match: re.Match[str], front: str) -> bool:
    """`10:11` may be a ratio or a verse: what does not look like a time alone needs a word in front."""
    clock = match["clock"]
    if match["day"] or match["zone2"]:
        return True
    if not re.fullmatch(rf"{_PLAIN_CLOCK}|(?i:\d+\s?h\s?\d+)", clock):
        return True
    if re.search(_TIME_WORD, front):
        return re.search(_NO_TIME, front) is None
    return re.match(r"\d\d:", clock) is not None and not re.search(f"{_NO_TIME}|(?-i:{_BEHIND_NAME})", front)


def _time(text: str) -> tuple[int | str, ...]:
    """Hour, minute, second and fraction."""
    fraction = re.search(r":\d+[.,](\d+)", text)
    whole = text if fraction is None else text[: fraction.start(1) - 1]
    numbers = [int(n) for n in re.findall(r"\d+", whole)]
    if len(numbers) == 1 and len(whole) >= 4 and whole.isdigit():
        numbers = [int(whole[i : i + 2]) for i in range(0, len(whole), 2)]
    if re.search(r"(?i)p\.?m", text):
        numbers[0] = numbers[0] % 12 + 12
    elif re.search(r"(?i)a\.?m", text):
        numbers[0] %= 12
    return (*numbers, *[0] * (3 - len(numbers)), fraction[1].rstrip("0") if fraction else "")


def _day(text: str) -> tuple[int, ...]:
    """Numbers of a date (the notation does not count, so neither does their order), and its weekday."""
    lower = text.lower()
    words = re.findall(r"[^\W\d_]+", lower)
    numbers = [int(n) for n in re.findall(r"\d+", lower)]
    if len(numbers) == 1 and numbers[0] > 10_000_000:
        numbers = [numbers[0] // 10_000, numbers[0] // 100 % 100, numbers[0] % 100]
    months = [i + 1 for i, names in enumerate(_MONTHS) for word in words if word in names.split()]
    weekdays = [-i - 1 for i, names in enumerate(_WEEKDAYS) for word in words if _is_day(word, names.split())]
    return (*sorted([*numbers, *months[:1]]), *weekdays[:1])


def _is_day(word: str, names: list[str]) -> bool:
    return word in names or (3 <= len(word) <= 5 and names[0].startswith(word))


def _real_day(day: str) -> bool:
    """Numbers of a date in their ranges: 2026-13-45 is a version or a code, not a day."""
    numbers = sorted(n for n in _day(day) if n >= 0)
    years, small = [n for n in numbers if n > 99], [n for n in numbers if n <= 99]
    if "-w" in day.lower():
        return bool(small) and 1 <= small[0] <= 53
    if any(not 1900 <= year <= 2199 for year in years) or len(years) > 1:
        return False
    if not years and len(small) == 3:  # one of them is the year
        small = small[:2]
    return not small or (small[-1] <= 31 and small[0] >= 1 and (len(small) < 2 or small[0] <= 12))
