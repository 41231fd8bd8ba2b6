"""Times of day and dates that a text gives as the present ones."""

import re
from collections.abc import Iterator

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.notations import (
    CLOCK,
    DATE,
    DATE_AND_CLOCK,
    EPOCH,
    MOMENT,
    MONTH_OF_YEAR,
    SECONDS,
    WEEKDAY,
)
from promptlint.lint.volatile.quiet import is_quiet, is_supposed
from promptlint.lint.volatile.scan import compiled, near

_TIME_SIGN = r"\d[:：][0-5]\d|1[5-9]\d{8}|\d\s?[時时点]|\d\s?(?i:[ap]\.?m\b|uhr)"
_DATE_SIGN = r"\d{4}|\d[-/.]\d{1,2}[-/.]\d\d|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|tag\b|mittwoch|di\b|es\b)"
_START = r"(?:(?<![\s\S])|(?<=[\n.!?;|>\[({#*\"'`,])|(?<=[\n.!?;|>#*:-]\s)|(?<=\s\s))"
_NOTE = r"(?:\s?\([^()\n]{1,40}\))?(?:\s(?:in|for|at)\s[\w/ ,.+-]{1,40}?)?"
_IS = (
    r"(?:[\s\"'`*_\])]{0,4}(?:(?:is|are|reads|shows|says|was)\b(?:\s(?:now|currently|exactly))?:?|[:：=>→]{1,2}|->|是|は|ist|est|es|è|é)"
    r"[\s\"'`*_(\[<]{0,6}(?:the\s)?|[ \t*_#]{0,4}\n[\s>*_-]{0,4})"
)
_MAYBE_IS = rf"(?:{_IS}|[\s(\"'`*\[]{{1,3}})"
_NOW = (
    r"(?:(?:current|present|local|actual|system|server|wall[- ]clock|user'?s?)[-_ ]?(?:utc[-_ ]?|local[-_ ]?)?"
    r"(?:(?:date|day)[-_ ]?(?:and|&|/|\+)?[-_ ]?time|date[-_ ]?time|time[-_ ]?stamp|clock|time(?:\sof\sday)?)"
    r"|time\snow|the\stime\sis\snow|the\s(?:exact\s)?(?:date\sand\s)?time|(?:right\s)?now|today(?:'s\sdate\sand\stime)?"
    r"|<clock|<time"
    r"|aktuelle\s(?:uhr)?zeit|uhrzeit|hora\sactual|la\shora(?:\sactual)?|heure\sactuelle"
    r"|hora\satual|ora\sattuale|当前时间|现在时间|目前时间|当前日期和时间|现在|現在時刻|現在の時刻|текущее\sвремя|сейчас)"
)
_STAMPED = (
    r"(?:as\sof|(?:generated|built|rendered|compiled|assembled|produced|fetched|retrieved|refreshed|started\sfrom\sa\sbuild)"
    r"(?:\s(?:at|on))?|(?:server\s|agent\s)?build(?:\s(?:time|date|of))?|snapshot(?:\s(?:taken|time))?(?:\s(?:at|of))?"
    r"|request(?:[-_ ](?:time|received|sent|made))?(?:\sat)?|time[-_ ]?stamp|date\s?(?:/|and|&)\s?time|time)"
)
_IT_IS = r"(?:it(?:\sis|['’]s)\s(?:now\s|currently\s|about\s)?|es\sist\s(?:jetzt\s|gerade\s)?|il\sest\s|son\slas\s)"
_UNIX = (
    r"(?:(?:current|unix|epoch|posix|server|system)[-_ ]?(?:unix[-_ ]?|epoch[-_ ]?)?(?:time(?:[-_ ]?stamp)?|seconds|ms|ts)?"
    r"|now|time[-_ ]?stamp)(?:[-_ ]?(?:ms|s|seconds))?"
)
_TIME = (
    rf"(?i)(?:(?<![\w-])(?P<now>{_NOW}){_NOTE}{_IS}(?P<at>{MOMENT})"
    rf"|(?<![\w-])(?P<now2>{_NOW})[\s(,]{{1,2}}(?P<full>{DATE_AND_CLOCK})"
    rf"|{_START}(?P<said>{_IT_IS})(?P<told>{MOMENT})"
    rf"|(?<![\w-])(?P<stamp>{_STAMPED}){_NOTE}{_MAYBE_IS}(?P<when>{DATE_AND_CLOCK})"
    rf"|(?<![\w-])(?P<unix>{_UNIX}){_NOTE}{_IS}(?P<epoch>{EPOCH}))"
)
_FIRST = rf"(?i)[\s\[(]{{0,3}}(?P<first>{DATE_AND_CLOCK}(?:\s\d{{4}})?)[\])]?[ \t]*(?:\n|\Z|[-–—:|.])"
_RANGE = r"(?i)\s?(?:[-–—]|to|until|till|and|bis|or)\s?(?:\d{1,2}(?:[:.]\d\d|\s?[ap]\.?m)|later|earlier|before|after|thereafter)"
_TODAY = (
    r"(?:today(?:['’]s\s(?:date|day)|[-_ ]?date)?|(?:current|present)[-_ ]?(?:local[-_ ]?|utc[-_ ]?)?(?:date|day|month)"
    r"|date\stoday|(?:the\s)?calendar\s(?:reads|says|shows)|(?:right\s)?now|shift\s(?:of|on|date)"
    r"|heute|(?:heutiges|aktuelles)\sdatum|fecha\s(?:actual|de\shoy)|hoy|date\s(?:du\sjour|actuelle)|aujourd['’]hui(?:,?\snous\ssommes)?"
    r"|nous\ssommes|oggi|data\s(?:di\soggi|attuale|atual)|hoje|今天|今日|当前日期|今日の日付|本日|сегодня)"
)
_DAY = (
    rf"(?i)(?:(?<![\w-])(?P<today>{_TODAY}){_NOTE}(?:{_IS}|[\s(,]{{1,2}}|)(?:le\s|the\s)?"
    rf"(?P<day>{DATE}|{MONTH_OF_YEAR}|{WEEKDAY})"
    rf"|{_START}(?P<said>{_IT_IS})(?P<told>{DATE}|{WEEKDAY})"
    rf"|{_START}(?P<dated>date)[*_\"']{{0,2}}[:：][\s*_\"']{{0,3}}(?P<named>{WEEKDAY},?\s{DATE}))"
)
_MOST = 2000  # candidates of one text
_BESIDE = 80  # characters within which a time and a date are one thing


def clocks(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Times of day that the text says to be the present one, or that it was made at, in order."""
    head = compiled(_FIRST).match(text)
    if head and not in_argument and _is_time(head["first"]) and re.search(SECONDS, head["first"]):
        yield Found(head.start("first"), head.end("first"))
    left = _MOST
    for match in near(_TIME_SIGN, _TIME, text, 130, 60):
        left -= 1
        if left < 0:
            return
        name = next(name for name in ("at", "full", "told", "when", "epoch") if match[name])
        if in_argument and name not in ("at", "full"):
            continue
        if name == "when" and not _is_stamp(match):
            continue
        if name != "epoch" and not _is_time(match[name]):
            continue
        start, end = match.span(name)
        if compiled(_RANGE).match(text, end) is None and _is_said(text, match.start(), start, end):
            label = (match["now"] or match["now2"] or "").lower()
            yield Found(start, end, sure=bool(label) and not label.startswith(("the", "<")))


def dates(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Dates that the text says to be today's, in order; not those beside a present time of day."""
    left, times = _MOST, None
    for match in near(_DATE_SIGN, _DAY, text, 130, 60):
        left -= 1
        if left < 0:
            return
        name = next(name for name in ("day", "told", "named") if match[name])
        start, end = match.span(name)
        if (name == "told" and not _is_definite(match[name])) or compiled(rf"(?i)\s?[-–]\s?{CLOCK}").match(text, end):
            continue
        if not _is_said(text, match.start(), start, end) or (in_argument and name != "day"):
            continue
        times = list(clocks(text)) if times is None else times
        if any(one.start - _BESIDE < end and start < one.end + _BESIDE for one in times):
            continue
        sure = name == "day" and _is_definite(match[name]) and not match["today"].lower().startswith("shift")
        yield Found(start, end, sure=sure)


def _is_time(value: str) -> bool:
    """A time finer than a day: midnight of a date is the date, and `9:00-17:30` is no time with a zone."""
    if re.fullmatch(r"\d{1,2}:\d\d\s?-\s?\d{1,2}:?\d\d", value):
        return False
    times = re.findall(r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?", value)
    return not times or any(int(digit) for digit in re.findall(r"\d", "".join(times[:1])))


def _is_stamp(match: re.Match[str]) -> bool:
    """Weak words need a time to the second, and where they could begin a row of a plan, a place of their own."""
    word = match["stamp"].lower()
    if not re.search(SECONDS, match["when"]):
        return word.startswith(("as of", "generated", "built", "rendered", "request"))
    if word in ("time", "timestamp", "time stamp", "time-stamp", "time_stamp"):
        line = match.string[max(match.string.rfind("\n", 0, match.start()) + 1, match.start() - 16) : match.start()]
        return not re.search(r"\w", line) or line.endswith((". ", "; "))
    return True


def _is_definite(value: str) -> bool:
    """A date with a year."""
    return re.search(r"\d{4}|\d/\d{1,2}/\d\d", value) is not None


def _is_said(text: str, label: int, start: int, end: int) -> bool:
    """Whether the text says it of the present: not in an example, a condition, a quotation."""
    if text[max(label - 1, 0) : label] in ('"', "“", "‘", "«") and not any(q in text[label:start] for q in '"”’»'):
        if any(q in text[end : end + 24].partition("\n")[0] for q in '"”’»'):
            return False
    return not is_quiet(text, start, end) and not is_supposed(text, label)
