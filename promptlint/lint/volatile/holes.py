"""Holes of a template that nothing has filled."""

from collections.abc import Iterator
from itertools import islice

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.quiet import is_quiet
from promptlint.lint.volatile.scan import compiled, line_of, near

_SIGN = r"\{\{|\$\{|<%|\[object |%\(|undefined|NaN|null|None"
_LABEL = (
    r"(?:user|name|email|e-mail|date|time|locale|language|time ?zone|city|country|location|company|plan|tier|"
    r"order|account|role|title|id)"
)
_HOLE = (
    r"(?P<object>\[object [A-Z][a-z]{2,20}\])"
    r"|"
    r"(?P<braces>(?<![\w\\^_=}${])\{\{\{?[-~#/^&]?[ \t]{0,4}[A-Za-z_][\w.]{0,60}(?:\[[^\]\n]{1,20}\])?(?:[ \t]{0,3"
    r"}\|[ \t]{0,3}[\w(), '\"-]{1,60})?"
    r"[ \t]{0,4}~?\}?\}\}(?!\}))"
    r"|(?P<dollar>(?<![\w$\\])\$\{[a-z_][\w]{2,40}(?:\.\w{1,40}){0,4}\})"
    r"|(?P<erb><%[=-]?[ \t]{0,4}[A-Za-z_@][^%\n<>]{0,120}-?%>)"
    r"|(?P<percent>(?<![\w%])%\([A-Za-z_]\w{1,60}\)[sdrf](?!\w))"
    rf"|(?P<value>(?m:^)[ \t]{{0,8}}(?:[-*•][ \t])?[\"'*]{{0,2}}(?:[A-Z][\w -]{{0,40}}?\s)?(?i:{_LABEL}(?:\s(?:id|"
    rf"name|number|date))?)[\"'*]{{0,2}}:"
    r"[*]{0,2}[ \t]{1,3}(?P<empty>undefined|NaN|null|None)\.?[ \t]*(?m:$))"
)
_OPEN = r"\{\{[^{}\n]{1,80}\}\}|\{%|\$\{\w{1,60}\}|<%|%\(\w{1,60}\)[sdrf]"
_CODE = r"(`{1,2})[^`\n]{1,400}\1"
_EXPLAINS = (
    r"(?i)\b(?:placeholders?|templat\w{0,5}|jinja2?|mustache|handlebars|liquid|nunjucks|merge (?:tags?|fields?)|"
    r"interpolat\w{1,5}|"
    r"substitut\w{1,5}|curly|braces|f-strings?|github actions|workflows?|helm|terraform|vue|angular|svelte|jsx|"
    r"bash|shell|"
    r"environment variables?|env vars?|variables?|tokens? like|syntax|dbt|erb|latex|snippets?|macros?)\b"
)
_ORDERS = (
    r"(?i)\b(?:use|write|insert|keep|leave|replace|include|put|output|emit|produce|preserve|copy|contains?|with|"
    r"like|add|never|literal(?:ly)?)\b"
)
_CONTROL = r"\{%-?\s{0,4}(?:if|for|set|include|macro|block|extends|import|raw)\b|\{\{[^{}|\n]{1,80}\|[^{}\n]{1,80}\}\}"
_SHELL = r"(?m)(?<!\\)\$[A-Za-z_]\w*|=\s?[\"']?\$\{|^#!/|\$\(|\$\{\w+[:%#]|;\s(?:then|do)\b|^\s*(?:fi|done|esac)\s*$"
_CALL = r"\w\("
_SENTENCE = 5  # words from which an indented line is one
_AROUND = 600  # characters on each side in which a text explains such holes
_MOST = 2000  # candidates of one text


def holes(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Holes that stand in running text and are not explained there, in order.

    A text with control blocks or filters is a template that someone keeps, and no text that was meant to be sent.
    """
    if "{" in text and compiled(_CONTROL).search(text):
        return
    for match in islice(near(_SIGN, _HOLE, text, 80, 260), _MOST):
        name = next(name for name in ("object", "braces", "dollar", "erb", "percent", "value") if match[name])
        start, end = match.span("empty" if name == "value" else name)
        if is_quiet(text, start, end) or _in_code(text, start):
            continue
        if name not in ("object", "value") and _is_explained(text, start, end):
            continue
        if name == "dollar" and _in_script(text, start, end):
            continue
        if name == "value" and in_argument:
            continue
        yield Found(start, end, name, sure=name == "object")


def is_open(text: str) -> bool:
    """Whether a text holds a hole, explained or not."""
    return ("{" in text or "%" in text) and compiled(_OPEN).search(text) is not None


def _in_code(text: str, at: int) -> bool:
    """Between backticks on its line."""
    low, high = line_of(text, at, 400)
    return any(match.start() < at < match.end() for match in compiled(_CODE).finditer(text, low, high))


def _in_script(text: str, start: int, end: int) -> bool:
    """Lines of a shell or a build file, which fill such holes themselves."""
    if compiled(_SHELL).search(text, max(0, start - _AROUND), end + _AROUND):
        return True
    low, high = line_of(text, start, 400)
    line = text[low:high]
    indented = line.startswith(("  ", "\t")) and len(line.split()) < _SENTENCE
    return indented or compiled(_CALL).search(text, low, start) is not None


def _is_explained(text: str, start: int, end: int) -> bool:
    low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
    around = text[low:start] + " " + text[end:high]
    if compiled(_EXPLAINS).search(around):
        return True
    front = text[line_of(text, start)[0] : start]
    return compiled(_ORDERS).search(front) is not None
