"""State of the machine and of the work tree: git output, listings, working directory, host, platform."""

import re
from collections.abc import Iterator
from itertools import islice

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.quiet import fences, in_range, is_quiet, is_supposed
from promptlint.lint.volatile.scan import compiled, near

_STATUS = r"(?-i:[MADRCUT?!][ MADRCUT?!]| [MADRCUT]|[MADRCUT]) (?=[^\n ]*[/.])[^\n]{1,300}(?:\n|\Z)"
_BARE = r"[^\w\n]{0,6}"
_LIVE = (
    rf"(?P<status>^{_BARE}(?:(?:current\s)?(?:git[ _]?)?status|working tree|modified files|(?:uncommitted |"
    rf"unstaged |staged )?changes)\b[^\n]{{0,60}}\n"
    rf"(?:```[^\n]{{0,20}}\n)?(?:\n)?(?P<entries>(?:{_STATUS})+))"
    rf"|(?P<porcelain>^(?:{_STATUS}){{2,}})"
    r"|(?P<git>^(?:on branch \S{1,80}|head detached at \S{1,80}|your branch is (?:up to date|ahead of|"
    r"behind)[^\n]{0,120}"
    r"|changes (?:not staged for commit|to be committed):|untracked files:|"
    r"nothing to commit, working tree clean)[ \t]*$)"
    rf"|(?P<branch>^{_BARE}(?:(?:current|active|checked[- ]out)[ _](?:git )?|git )"
    rf"branch[\"'`*_]{{0,3}}\s?[:=]\s?[\"'`*]{{0,3}}[^\s\"'`*]{{1,80}})"
    rf"|(?P<commits>^{_BARE}(?:head|(?:recent|last|latest|head)\s?(?:git\s)?commits?\b[^\n]{{0,30}})"
    rf"[:\n]\s{{0,4}}[-*]?\s?[0-9a-f]{{7,40}}\b[^\n]{{0,120}})"
    r"|(?P<listing>^[-dl][-rwxsStT]{9}[.+@]?\s{1,4}\d{1,5}\s[^\n]{1,200})"
    rf"|(?P<files>^{_BARE}(?:(?:current|working)\s(?:directory|folder)\s(?:listing|contents|files|structure)"
    r"|(?:directory|file|project)\s(?:listing|tree|structure)\s(?:\(?(?:snapshot|at the start)[^\n]{0,60})"
    r"|files\sin\s(?:the\s)?(?:current|working)\s(?:directory|folder))[^\n]{0,60}\n\s{0,4}\S[^\n]{0,100})"
)
_STILL = (
    rf"(?P<path>^{_BARE}(?:your\s|the\s)?(?:current[-_ ]|primary[-_ ]|default[-_ ])?(?:working[-_ ]dir(?:ectory)?|"
    r"(?<=current.)dir(?:ectory)?|cwd|pwd|folder|worktree|"
    r"workspace(?:[-_ ](?:root|folder|path|dir(?:ectory)?))?|(?:project|repo(?:sitory)?)[-_ ](?:root|path|"
    r"dir(?:ectory)?))"
    r"(?:\s(?:is|path))?[\"'`*_]{0,3}\s?[:=>]?\s?[\"'`*]{0,3}(?:[A-Za-z]:[\\/]|/[\w.~-]|~/)[^\s<\"'`*\]]{0,200})"
    rf"|(?P<host>^{_BARE}(?:host[-_ ]?name|host|machine(?:\sname)?|"
    rf"node(?:\sname)?)[\"'`*_]{{0,3}}\s?[:=>]\s?[\"'`*]{{0,3}}"
    r"(?=[\w.-]*[\d.-])[A-Za-z0-9][\w.-]{2,80})"
    rf"|(?P<platform>^{_BARE}(?:platform|os(?:[ _]version)?|operating system|kernel|default shell|shell|"
    rf"arch(?:itecture)?)[\"'`*_]{{0,3}}"
    r"\s?[:=>]\s?[\"'`*]{0,3}(?:/\S{0,20}/)?(?:darwin|linux|macos|mac os|windows|win32|ubuntu|debian|x86_64|amd64|"
    r"arm64|aarch64|zsh|bash|"
    r"fish|pwsh|powershell|sh\b)[^\n<]{0,60})"
)
_STATE = rf"(?im)(?:{_LIVE}|{_STILL})"
_SIGN = (
    r"(?im)^[^\w\n]{0,6}(?:current|active|checked|git|status|uncommitted|unstaged|staged|working|modified|changes|"
    r"on branch|head|your|"
    r"untracked|nothing to|recent|"
    r"last|latest|director|file|project|primary|default|cwd|pwd|folder|worktree|workspace|repo|host|machine|node|"
    r"platform|os\b|os_|"
    r"operating|kernel|shell|arch|the |[-dl][-rwxst]{9}|[MADRCUT?!]{1,2} |[MADRCUT]  )"
)
_WORDS = {
    "status": "the state of the work tree",
    "porcelain": "the state of the work tree",
    "git": "the state of the work tree",
    "branch": "the branch that is checked out",
    "commits": "a list of the latest commits",
    "listing": "a directory listing",
    "files": "a directory listing",
    "path": "the working directory",
    "host": "the host",
    "platform": "the platform",
}
_SHOWS = (
    r"(?i)\b(?:e\.g\.|for (?:example|instance)|examples?|looks? like|output of|samples?|formats?|would (?:show|"
    r"print|be))\b"
)
_MOST = 2000  # candidates of one text
_AHEAD = 120  # characters in front of a block of code that say what it is


def environment(text: str, in_argument: bool = False) -> Iterator[Found]:
    """One finding for a text: the state that moves most, the fields beside it as further places."""
    if in_argument:
        return
    live: list[Found] = []
    still: list[Found] = []
    for match in islice(near(_SIGN, _STATE, text, 0, 400), _MOST):
        name = next(name for name in _WORDS if match[name])
        start, end = _value(match, name)
        if _is_example(text, start, end) or is_supposed(text, match.start(name)):
            continue
        found = Found(start, end, _WORDS[name], severity=None if name not in ("path", "host", "platform") else "info")
        (still if found.severity else live).append(found)
    if live or any(one.what != "the platform" for one in still) or len(still) > 1:
        yield from (*live, *still)


def _value(match: re.Match[str], name: str) -> tuple[int, int]:
    start, end = match.span("entries" if name == "status" else name)
    if name in ("path", "host", "platform", "branch"):
        label = re.match(
            r"[ \t\W]*[\w -]+?(?:\sis)?[\"'`*_]{0,3}\s?[:=>]\s?[\"'`*]{0,3}|[ \t\W]*[\w -]+?\s(?=[/~]|[A-Za-z]:)",
            match[name],
        )
        start += label.end() if label else 0
    while start < end and match.string[end - 1] in "\n ":
        end -= 1
    return start, end


def _is_example(text: str, start: int, end: int) -> bool:
    """In code, the words in front of the code decide: a state is often printed between fences."""
    code = fences(text)
    if not in_range(code, start):
        return is_quiet(text, start, end, fences=False)
    begin = max(low for low, high in code if low <= start < high)
    front = text[max(0, begin - _AHEAD) : begin]
    said = re.search(r"(?i)\b(?:current|snapshot|status at|at the start|right now)\b", front)
    return said is None or compiled(_SHOWS).search(front) is not None
