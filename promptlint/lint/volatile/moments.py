"""Times of day and dates that a text gives as the present ones."""

import re
from collections.abc import Iterator
from itertools import islice

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.notations import (
    CLOCK,
    DATE,
    DATE_AND_CLOCK,
    EPOCH,
    MOMENT,
    MONTH,
    MONTH_OF_YEAR,
    SECONDS,
    TO_THE_SECOND,
    WEEKDAY,
)
from promptlint.lint.volatile.quiet import is_quiet, is_supposed
from promptlint.lint.volatile.scan import compiled, line_of, near

_TIME_SIGN = r"\d[:：][0-5]\d|1[5-9]\d{8}|\d\s?[時时点]|\d\s?(?i:[ap]\.?m\b|uhr)"
_DATE_SIGN = (
    r"(?i:\btoday|\bcurrent.?date)|\d{4}|\d[-/.]\d{1,2}[-/.]\d\d|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"tag\b|mittwoch|di\b|es\b)"
)
_START = r"(?:(?<![\s\S])|(?<=[\n.!?;|>\[({#*\"'`,])|(?<=[\n.!?;|>#*:-]\s)|(?<=\s\s))"
_NOTE = r"(?:\s?\([^()\n]{1,40}\))?(?:\s(?:in|for|at)\s[\w/ ,.+-]{1,40}?)?"
_IS = (
    r"(?:[\s\"'`*_\])]{0,4}(?:(?:is|are|reads|shows|says|was)\b(?:\s(?:now|currently|exactly))?:?|[:：=>→]{1,2}|->|"
    r"是|は|ist|est|es|è|é)"
    r"[\s\"'`*_(\[<]{0,6}(?:the\s)?|[ \t*_#]{0,4}\n[\s>*_-]{0,4})"
)
_MAYBE_IS = rf"(?:{_IS}|[\s(\"'`*\[]{{1,3}})"
_NOW = (
    r"(?:(?:current|present|local|actual|system|server|wall[- ]clock|user'?s?)[-_ ]?(?:utc[-_ ]?|local[-_ ]?)?"
    r"(?:(?:date|day)[-_ ]?(?:and|&|/|\+)?[-_ ]?time|date[-_ ]?time|time[-_ ]?stamp|clock|moment|time(?:\sof\sday)?)"
    r"|time\snow|the\stime\sis\snow|the\s(?:exact\s)?(?:date\sand\s)?time|(?:right\s)?now|today(?:'s\sdate\sand\stime)?"
    r"|(?:utc|local)[-_ ]now|now[-_ ](?:utc|local|iso)|the\sclock|<clock|<time(?:[-_]?stamp)?|<date[-_]?time"
    r"|今の時刻|현재\s?(?:시간|시각)"
    r"|aktuelle\s(?:uhr)?zeit|uhrzeit|hora\sactual|la\shora(?:\sactual)?|heure\sactuelle"
    r"|hora\satual|ora\sattuale|当前时间|现在时间|目前时间|当前日期和时间|现在|現在時刻|現在の時刻|текущее\sвремя|сейчас)"
)
_STAMPED = (
    r"(?:as\sof|(?:generated|built|rendered|compiled|assembled|produced|fetched|retrieved|refreshed|"
    r"started\sfrom\sa\sbuild)"
    r"(?:\s(?:at|on))?|(?:server\s|agent\s)?build(?:\s(?:time|date|of))?|snapshot(?:\s(?:taken|time))?(?:\s(?:at|of))?"
    r"|request(?:[-_ ](?:time|received|sent|made))?(?:\sat)?|time[-_ ]?stamp|date\s?(?:/|and|&)\s?time|date|time"
    r"|(?:(?:session|conversation|chat|run)\s)?start(?:ed|\stime)(?:\s(?:at|on))?)"
)
_IT_IS = (
    r"(?:(?:(?:right\s)?now,?\s|currently,?\s|at\sthe\stime\sof\sthis\srequest,?\s)?it(?:\sis|['’]s)\s(?:now\s|"
    r"currently\s|about\s)?|es\sist\s(?:jetzt\s|gerade\s)?|il\sest\s|son\slas\s)"
)
_UNIX = (
    r"(?:(?:current|unix|epoch|posix|server|system)[-_ ]?(?:unix[-_ ]?|epoch[-_ ]?)?(?:time(?:[-_ ]?stamp)?|"
    r"seconds|ms|ts)?"
    r"|now(?:[-_ ](?:unix|epoch|utc))?|time[-_ ]?stamp)(?:[-_ ]?(?:ms|s|seconds))?"
)
_TIME = (
    rf"(?i)(?:(?<![\w-])(?P<now>{_NOW}){_NOTE}{_IS}(?P<at>{MOMENT})"
    rf"|(?<![\w-])(?P<now2>{_NOW})[\s(,]{{1,2}}(?P<full>{DATE_AND_CLOCK})"
    rf"|{_START}(?P<said>{_IT_IS})(?P<told>{MOMENT})"
    rf"|(?<![\w-])(?P<stamp>{_STAMPED}){_NOTE}{_MAYBE_IS}(?P<when>{DATE_AND_CLOCK})"
    rf"|{_START}(?P<bare>(?:\w{{1,20}}\s)?clock|time)[*_\"']{{0,2}}[:：\s][\s*_\"'`]{{0,3}}(?P<second>{TO_THE_SECOND})"
    rf"|(?<![\w-])(?P<unix>{_UNIX}){_NOTE}{_IS}(?P<epoch>{EPOCH}))"
)
_FIRST = rf"(?i)[\s\[(]{{0,3}}(?P<first>{DATE_AND_CLOCK}(?:\s\d{{4}})?)(?:\][ \t]|[\])]?[ \t]*(?:\n|\Z|[-–—:|.]))"
_RANGE = (
    r"(?i)\s?(?:[-–—]|to|until|till|and|bis|or)\s?(?:\d{1,2}(?:[:.]\d\d|\s?[ap]\.?m)|later|earlier|before|after|"
    r"thereafter)"
)
_TODAY = (
    r"(?:today(?:['’]?s\s(?:date|day)|[-_ ]?date)?|the\sdate(?=\sis\s)|<date(?=>)|(?:current|present)[-_ ]?(?"
    r":local[-_ ]?|utc[-_ ]?)?(?:date|day|month)"
    r"|date\stoday|(?:the\s)?calendar\s(?:reads|says|shows)|(?:right\s)?now|shift\s(?:of|on|date)"
    r"|heute|(?:heutiges|aktuelles)\sdatum|fecha\s(?:actual|de\shoy)|hoy|date\s(?:du\sjour|actuelle)|"
    r"aujourd['’]hui(?:,?\snous\ssommes)?"
    r"|nous\ssommes|oggi|data\s(?:di\soggi|attuale|atual)|hoje|vandaag(?:\sis\shet)?|오늘(?:\s날짜)?|今天|今日|当前日期|今日の日付|"
    r"本日|сегодня)"
)
_DAY = (
    rf"(?i)(?:(?<![\w-])(?P<today>{_TODAY}){_NOTE}(?:{_IS}|[\s(,]{{1,2}}|)(?:le\s|the\s)?"
    rf"(?P<day>{DATE}|{MONTH_OF_YEAR}|{WEEKDAY})"
    rf"|{_START}(?P<said>{_IT_IS})(?P<told>{DATE}|{WEEKDAY})"
    rf"|{_START}(?P<dated>date)[*_\"']{{0,2}}[:：][\s*_\"']{{0,3}}(?P<named>{WEEKDAY},?\s{DATE}))"
)
_OTHER_DAY = r"(?i)\b(?:from|before|after|since|until|till|than|past|to|between|not|was)\s(?:the\s)?$"
_MAIL = r"(?im)^[ \t>*_-]{0,6}(?:from|to|cc|subject|sender|recipient|body|author)[*_]{0,2}:"
_NOTICE = r"(?im)^[ \t>*_-]{0,6}(?:location|place|venue|where|time|when|title)[*_]{0,2}:"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOSING = '"”’»'
_MOST = 2000  # candidates of one text
_BESIDE = 80  # characters within which a time and a date are one thing


def clocks(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Times of day that the text says to be the present one, or that it was made at, in order."""
    head = compiled(_FIRST).match(text)
    if head and not in_argument and _is_time(head["first"]) and re.search(SECONDS, head["first"]):
        yield Found(head.start("first"), head.end("first"))
    for match in islice(near(_TIME_SIGN, _TIME, text, 130, 60), _MOST):
        name = next(name for name in ("at", "full", "told", "when", "second", "epoch") if match[name])
        if in_argument and name not in ("at", "full"):
            continue
        if name == "when" and not _is_stamp(match):
            continue
        if name in ("when", "second") and _is_beside(_MAIL, text, match.start(), match.end()):
            continue
        if name != "epoch" and not _is_time(match[name]):
            continue
        start, end = match.span(name)
        if compiled(_RANGE).match(text, end) is None and _is_said(text, match.start(), start, end):
            yield Found(start, end, sure=_is_sure(match))


def dates(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Dates that the text says to be today's, in order; not those beside a present time of day.

    A text that calls several days today tells of other days: exercises, transcripts, examples.
    """
    named = list(_named_days(text, in_argument))
    if len({_numbers(match[name]) for match, name in named if _is_definite(match[name])}) > 1:
        return
    times: list[Found] | None = None
    for match, name in named:
        start, end = match.span(name)
        if is_supposed(text, match.start()):
            continue
        times = list(clocks(text)) if times is None else times
        if any(one.start - _BESIDE < end and start < one.end + _BESIDE for one in times):
            continue
        label = (match["today"] or "").lower()
        sure = _is_definite(match[name]) and bool(label) and not label.startswith(("shift", "the date", "<"))
        yield Found(start, end, sure=sure and (label != "now" or _begins(text, match.start())))


def _named_days(text: str, in_argument: bool) -> Iterator[tuple[re.Match[str], str]]:
    """What is called today in running text, suppositions included, with the group that holds the date."""
    for match in islice(near(_DATE_SIGN, _DAY, text, 130, 60), _MOST):
        name = next(name for name in ("day", "told", "named") if match[name])
        start, end = match.span(name)
        if name != "day" and (in_argument or not _is_definite(match[name])):
            continue
        if name == "named" and any(_is_beside(field, text, match.start(), end) for field in (_MAIL, _NOTICE)):
            continue
        if name == "day" and (
            _is_vague(match) or compiled(_OTHER_DAY).search(text[max(match.start() - 12, 0) : match.start()])
        ):
            continue
        if compiled(rf"(?i)\s?[-–]\s?{CLOCK}").match(text, end) is None and not _is_told_of(
            text, match.start(), start, end
        ):
            yield match, name


def _is_vague(match: re.Match[str]) -> bool:
    """A day without a year and a weekday, or behind a mere space or on the next line: `now 1 May`, a list item."""
    value = match["day"]
    if _is_definite(value):
        return False
    gap = match.string[match.end("today") : match.start("day")]
    return not gap.strip() or ("\n" in gap and re.match(rf"(?i){WEEKDAY}", value) is None)


def _is_beside(field: str, text: str, start: int, end: int) -> bool:
    """Whether a field of a letter or an invitation stands on a line near by."""
    low, high = line_of(text, start)[0], line_of(text, end)[1]
    return compiled(field).search(text, max(low - 200, 0), min(high + 200, len(text))) is not None


def _numbers(date: str) -> frozenset[int]:
    """Year, month and day in any notation: the same for `2026-11-29` and `November 29, 2026`."""
    month = compiled(rf"(?i){MONTH}").search(date)
    names = [1 + _MONTHS.index(month[0][:3].lower())] if month and month[0][:3].lower() in _MONTHS else []
    return frozenset([*names, *map(int, re.findall(r"\d+", date))])


def _is_sure(match: re.Match[str]) -> bool:
    """A label that means the present whatever stands around it; `now` only where a line or a sentence begins."""
    label = (match["now"] or match["now2"] or "").lower()
    if label in ("now", "right now", "today"):
        return _begins(match.string, match.start())
    if not label:
        weak = (match["stamp"] or match["unix"] or match["said"] or "").lower()
        return weak.startswith(("request", "now", "current")) or weak.endswith(("now ", "currently ", "jetzt "))
    return not label.startswith(("the", "<"))


def _is_time(value: str) -> bool:
    """A time finer than a day: midnight of a date is the date, and `9:00-17:30` is no time with a zone."""
    if re.fullmatch(r"\d{1,2}:\d\d\s?-\s?\d{1,2}:?\d\d", value):
        return False
    times = re.findall(r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?", value)
    return not times or any(int(digit) for digit in re.findall(r"\d", "".join(times[:1])))


def _is_stamp(match: re.Match[str]) -> bool:
    """Weak words need a time to the second, and where they could begin a row of a plan, a place of their own."""
    word = match["stamp"].lower()
    if "\n" in match.string[match.end("stamp") : match.start("when")] and not _begins(match.string, match.start()):
        return False
    if not re.search(SECONDS, match["when"]):
        return word.startswith(("as of", "generated", "built", "rendered", "request"))
    if word in ("date", "time", "timestamp", "time stamp", "time-stamp", "time_stamp"):
        line = match.string[max(match.string.rfind("\n", 0, match.start()) + 1, match.start() - 16) : match.start()]
        return not re.search(r"\w", line) or line.endswith((". ", "; "))
    return True


def _is_definite(value: str) -> bool:
    """A date with a year."""
    return re.search(r"\d{4}|\d/\d{1,2}/\d\d", value) is not None


def _is_said(text: str, label: int, start: int, end: int) -> bool:
    """Whether the text says it of the present: not in an example, a condition, a quotation."""
    return not _is_told_of(text, label, start, end) and not is_supposed(text, label)


def _is_told_of(text: str, label: int, start: int, end: int) -> bool:
    """In an example or a quotation."""
    opened = text[max(label - 1, 0) : label] in ('"', "“", "‘", "«") and not any(
        q in text[label:start] for q in _CLOSING
    )
    if opened and any(q in text[end : end + 24].partition("\n")[0] for q in _CLOSING):
        return True
    return is_quiet(text, start, end)


def _begins(text: str, at: int) -> bool:
    """Whether a line or a sentence begins at a character."""
    return compiled(_START).match(text, at) is not None
