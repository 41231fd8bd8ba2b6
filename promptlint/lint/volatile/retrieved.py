"""Sections that hold what was looked up, remembered or planned for one turn."""

import re
from collections.abc import Iterator
from itertools import islice

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.quiet import is_quiet
from promptlint.lint.volatile.scan import compiled

_TELLING = (
    r"retriev\w{0,40}|search[-_]?results?|relevant[-_]\w{1,40}|memory[-_]context|memories|recalled[-_]\w{1,40}|"
    r"rag[-_]?\w{0,40}|"
    r"todos?|todo[-_]?list|current[-_](?:state|task|page|file|selection|todos?)|user[-_]memor\w{1,4}|open[-_]?"
    r"files|recent[-_]\w{1,40}|"
    r"editor[-_]\w{1,40}|turn[-_]context|session[-_]context|live[-_]\w{1,40}|context[-_]documents|app[-_]?state|"
    r"workspace[-_]state|"
    r"conversation[-_]summary|\w{1,30}[-_]of[-_]this[-_]turn"
)
_GENERIC = r"context|documents?|memory|knowledge|facts|state|sources|passages|snippets"
_SECTION = rf"(?i)<(?:(?P<telling>{_TELLING})|(?P<generic>{_GENERIC}))(?:\s[^<>\n]{{0,200}})?>"
_HEADED = (
    r"(?im)^[^\w\n]{0,6}(?:here are (?:the |some )?)?(?:(?:relevant|retrieved|recalled|similar|top)\s(?:\w+\s)?"
    r"(?:passages|documents|context|chunks|memories|excerpts|snippets|results|articles)|search results)"
    r"(?:\s(?:for|from)\s[^\n]{1,80}?)?\W{0,4}$"
)
_ITEM = (
    r"(?i)\s{0,4}(?:\[\d{1,3}\]|\(\d{1,3}\)|<(?:doc|passage|chunk|result|source|item)|(?:document|passage|chunk|"
    r"source|result)\s?\d|"
    r"[-*\d.)\s]{0,5}(?:source|title|url|score|relevance|similarity)\s?[:=])"
)
_SCORED = r"(?i)\b(?:score|similarity|relevance|distance)[\"']?\s?[:=]\s?[\"']?0?\.\d|\b(?:query|question)=\""
_RULES = (
    r"(?i)[\s\W]{0,8}(?:you|use|when|always|never|do not|don['’]t|the section|if|cite|prefer|only|answer|this|"
    r"these|put|write|call|each|store|keep)\b"
)
_LOOK = 300  # characters behind a heading
_LEAST = 24  # characters of a section that holds something
_MOST = 2000  # candidates of one text


def retrieved(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Such sections; those with a name of every day are said with less weight."""
    if in_argument:
        return
    yield from sorted([*_sections(text), *_headed(text)])


def _sections(text: str) -> Iterator[Found]:
    """Tagged sections with content, from the opening tag to the closing one."""
    lower = text.lower()
    unclosed: set[str] = set()
    at = 0
    for count, match in enumerate(compiled(_SECTION).finditer(text)):
        name = (match["telling"] or match["generic"]).lower()
        if match.start() < at or name in unclosed:
            continue
        stop = lower.find(f"</{name}>", match.end()) if count < _MOST else -1
        if stop < 0:
            unclosed.add(name)
            continue
        body = text[match.end() : min(stop, match.end() + 4000)]
        if not _is_content(body) or is_quiet(text, match.start(), match.start() + 1):
            continue
        at = stop + len(name) + 3
        scored = compiled(_SCORED).search(match[0] + body) is not None
        yield Found(match.start(), at, name, severity=None if match["telling"] or scored else "info")


def _is_content(body: str) -> bool:
    """More than white space and empty tags, and no instructions."""
    plain = re.sub(r"<[^<>]{0,200}>", "", body).strip()
    return len(plain) >= _LEAST and compiled(_RULES).match(plain) is None


def _has_passages(text: str, heading: re.Match[str]) -> bool:
    """Rows of results behind a heading; behind one that says `retrieved`, any text that gives no orders."""
    if compiled(_ITEM).match(text, heading.end()) is not None:
        return True
    behind = text[heading.end() : heading.end() + _LOOK].lstrip("\n").partition("\n\n")[0]
    return "retrieved" in heading[0].lower() and _is_content(behind)


def _headed(text: str) -> Iterator[Found]:
    at = 0
    for match in islice(compiled(_HEADED).finditer(text), _MOST):
        if match.start() < at or not _has_passages(text, match) or is_quiet(text, match.start(), match.end()):
            continue
        stop = text.find("\n\n", match.end() + 2)
        at = len(text) if stop < 0 else stop
        yield Found(match.start(), at, match[0].strip(" \n#*:").lower())
