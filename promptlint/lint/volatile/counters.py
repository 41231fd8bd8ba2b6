"""Counts of turns, requests and tokens that go on while a conversation runs."""

import re
from collections.abc import Iterator
from itertools import islice

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.quiet import is_quiet
from promptlint.lint.volatile.scan import compiled, line_of, near

_N = r"(?:~|about\s|approx(?:imately|\.)?\s)?(?P<{name}>\d{{1,3}}(?:[,_ ]\d{{3}})+|\d{{1,9}}(?:\.\d+)?(?:\s?[km]\b)?)"
_COUNTED = r"(?:turn|request|message|call|iteration|attempt|round|exchange|interaction|reply|response)"
_SPENT = (
    r"(?:tokens?|turns?|messages?|requests?|(?:tool\s)?calls?|steps?|iterations?|rounds?|credits?|"
    r"context(?:\swindow)?|budget)"
)
_COUNT = (
    rf"(?i)(?:(?<![\w-])(?P<of>{_COUNTED}\s(?:no\.?\s|number\s|#)?{_N.format(name='a')}\s?(?:of|/|out\sof)\s?\d[\d,]*)"
    rf"|(?<![\w-])(?P<nth>(?:current\s|this\sis\s|you\sare\s(?:on|in|at)\s)(?:the\s)?(?:{_COUNTED}|step)(?:\sis)?"
    rf"\s?(?:no\.?\s|number\s|count\s)?[:#=]?\s?{_N.format(name='b')})"
    rf"|(?m:^)[ \t>*_<-]{{0,6}}(?P<alone>(?:turn|iteration|request)\s?[:=>]\s?{_N.format(name='i')})(?=[ \t<]|$|\n)"
    rf"|(?<![\w-])(?P<percent>(?:context|token|budget)(?:\swindow)?\s(?:usage|used)\s?[:=]\s?{_N.format(name='j')}\s?%)"
    rf"|(?<![\w.])(?P<part>{_N.format(name='k')}\s?%\sof\s(?:the\s|your\s)?(?:context|token|budget)[\w\s]{{0,20}}(?"
    r":used|left|remaining))"
    rf"|(?<![\w-])(?P<spent>you\shave\sused\s{_N.format(name='l')}\sof\s(?:your\s|the\s)?\d[\d,]*\s{_SPENT})"
    rf"|(?<![\w-])(?P<hash>{_COUNTED}\s(?:#|number\s){_N.format(name='c')})"
    rf"|(?<![\w-])(?P<left>{_SPENT}[-_ ](?:left|remaining|used|so\sfar|spent|consumed)(?:\s(?:is|are))?"
    rf"[\"'`*_]{{0,3}}\s?[:=>]?[\s\"'`*]{{0,3}}{_N.format(name='d')})"
    rf"|(?<![\w-])(?P<still>(?:remaining|used|spent|consumed)[-_ ]{_SPENT}(?:\s(?:is|are))?"
    rf"[\"'`*_]{{0,3}}\s?[:=>][\s\"'`*]{{0,3}}{_N.format(name='e')})"
    rf"|(?<![\w.,/-])(?P<tokens>{_N.format(name='f')}\s(?:(?:more|input|output|context)\s)?(?:tokens?|turns|messages)\s"
    r"(?:left|remaining|remain|used\sso\sfar|so\sfar)\b)"
    rf"|(?<![\w.,/-])(?P<share>{_N.format(name='g')}\s?(?:of|/)\s?\d[\d,_]*\s?[km]?\s(?:tokens?|turns|"
    r"messages)\s(?:used|left|remaining|spent))"
    r"|(?<![\w-])(?P<counter>(?:turn|request|message|call|iteration)[-_ ]?(?:count(?:er)?|index|number|"
    r"no)[\"'`*_]{0,3}\s?[:=]"
    rf"[\s\"'`*]{{0,3}}{_N.format(name='h')}))"
)
_SIGN = r"\d"
_LIMIT = (
    r"(?i)\b(?:if|when|whenever|once|until|unless|after|before|by|at most|at least|fewer|less|more than|under|"
    r"below|within|"
    r"up to|every|each|per|max(?:imum)?|min(?:imum)?|limit(?:ed)?|reserve|keep|leave|only|first|see|"
    r"until)\b[^.!?\n]{0,40}$"
)
_HEADING = r"(?m)^[ \t]{0,4}(?:#{1,6}[ \t]|\*\*)"
_MOST = 2000  # candidates of one text


def counters(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Counts that say how far a conversation has come, in order."""
    if in_argument:
        return
    for match in islice(near(_SIGN, _COUNT, text, 60, 60), _MOST):
        start, end = match.span()
        if (
            not _is_limit(text, start)
            and not _is_row(text, match.start(), match["of"] or match["alone"])
            and not is_quiet(text, _number(match), end)
        ):
            yield Found(start, end, sure=_is_sure(match))


def _number(match: re.Match[str]) -> int:
    """Where the number of a count begins."""
    return max(match.start(name) for name in "abcdefghijkl" if match[name])


def _is_sure(match: re.Match[str]) -> bool:
    """What is left or spent, and what is called current; `Turn 4 of 20` and `#17` can be names of something."""
    told = any(match[name] for name in ("left", "still", "tokens", "share", "percent", "part", "spent"))
    return told or (match["nth"] or "").lower().startswith("current")


def _is_limit(text: str, start: int) -> bool:
    return compiled(_LIMIT).search(text[line_of(text, start)[0] : start]) is not None


def _is_row(text: str, start: int, of: str | None) -> bool:
    """`Round 1 of 3` as a heading, or with another one above or below, is a plan and no count."""
    if of is None:
        return False
    low, high = line_of(text, start)
    if compiled(_HEADING).match(text, low) is not None:
        return True
    word = re.split(r"[\s:=>]", of)[0]
    pattern = rf"(?i)\b{word}\s?[:=]?\s?(?:no\.?\s|number\s|#)?\d{{1,9}}\b"
    rows = compiled(pattern)
    return rows.search(text, high, high + 2000) is not None or rows.search(text, max(low - 2000, 0), low) is not None
