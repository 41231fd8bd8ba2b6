"""Patterns of paths as .gitignore has them, matched as git matches them.

A library that does this exists. It takes three times as long to import as Python to start, and ten stars in one
pattern keep it busy for minutes: whoever writes a .gitignore could hang a gate. Here a star never goes back.
"""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

MOST_GLOBS = 1000
"""Patterns with wildcards that one list may have; those beyond are not used."""

_WILD = "*?[\\"
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class _Line(NamedTuple):
    """One pattern without its signs."""

    number: int  # in its list: the last one that matches decides
    pattern: str
    excludes: bool  # False: it began with an exclamation mark
    only_folders: bool  # it ended with a slash
    anchored: bool  # it holds a slash: it is about the whole path; else about the last name in it


class _Glob:
    """A pattern with wildcards; compiled when a path first gets past its literal beginning."""

    def __init__(self, line: _Line) -> None:
        self.line = line
        self.literal = _literal(line.pattern)

    def matches(self, text: str) -> bool:
        return text.startswith(self.literal) and self._compiled.fullmatch(text) is not None

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        source = _expression(self.line.pattern) if self.line.anchored else _name_expression(self.line.pattern)
        return re.compile("(?!)" if source is None else source, re.DOTALL)


class Patterns:
    """A list of patterns. Most are plain names or endings, which are looked up."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._paths: dict[str, list[_Line]] = {}
        self._names: dict[str, list[_Line]] = {}
        self._endings: list[_Line] = []  # *.log; the star is cut off
        self._globs: list[_Glob] = []
        self.unused = 0  # patterns beyond MOST_GLOBS
        for number, text in enumerate(lines):
            if line := _line(number, text):
                self._add(line)
        self._any_ending = tuple(line.pattern for line in self._endings)

    def _add(self, line: _Line) -> None:
        if not any(sign in line.pattern for sign in _WILD):
            (self._paths if line.anchored else self._names).setdefault(line.pattern, []).append(line)
        elif len(self._globs) + len(self._endings) >= MOST_GLOBS:
            self.unused += 1
        elif not line.anchored and line.pattern[0] == "*" and not any(sign in line.pattern[1:] for sign in _WILD):
            self._endings.append(line._replace(pattern=line.pattern[1:]))
        else:
            self._globs.append(_Glob(line))

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches excludes the path; None if none matches.

        `path` is relative to the folder of the list, with `/`. The folders above it are not looked at.
        """
        name = path[path.rfind("/") + 1 :]
        found = [*self._paths.get(path, ()), *self._names.get(name, ())]
        if name.endswith(self._any_ending):
            found += [line for line in self._endings if name.endswith(line.pattern)]
        found += [glob.line for glob in self._globs if glob.matches(path if glob.line.anchored else name)]
        last = max((line for line in found if is_folder or not line.only_folders), default=None) if found else None
        return None if last is None else last.excludes

    def excludes(self, path: str) -> bool:
        """Whether a file, or a folder above it, is excluded."""
        end = path.find("/")
        while end >= 0:
            if self.verdict(path[:end], is_folder=True):
                return True
            end = path.find("/", end + 1)
        return bool(self.verdict(path, is_folder=False))


def _line(number: int, text: str) -> _Line | None:
    text = text.removesuffix("\r")
    if not text or text[0] == "#":
        return None
    text = _without_blanks(text)
    excludes = not text.startswith("!")
    text = text.removeprefix("!")
    only_folders = text.endswith("/")
    text = text[:-1] if only_folders else text
    if not text:
        return None
    return _Line(number, text.removeprefix("/"), excludes, only_folders, "/" in text)


def _without_blanks(text: str) -> str:
    """Without spaces at the end, unless a backslash keeps the first of them."""
    bare = text.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if slashes % 2 and len(bare) < len(text) else bare


def _literal(pattern: str) -> str:
    """The beginning of a pattern up to its first wildcard."""
    end = min((place for sign in _WILD if (place := pattern.find(sign)) >= 0), default=len(pattern))
    return pattern[:end]


def _expression(pattern: str) -> str | None:
    """The regular expression of a pattern that is about a whole path; None for one that matches nothing."""
    runs: list[list[str]] = [[]]  # names between two `**`
    for name in _names(pattern):
        if len(name) > 1 and not name.strip("*"):
            runs.append([])
            continue
        source = _name_expression(name)
        if not source:  # also for a name that is empty: no path has two slashes in a row
            return None
        runs[-1].append(source)
    *leading, last = ["/".join(run) for run in runs]
    if not leading:
        return last
    # Between two `**` the first place that fits leaves most of the path to what follows, so it is kept.
    inner = "".join(f"(?>(?:[^/]+/)*?{run}/)" for run in leading[1:] if run)
    begin = f"{leading[0]}/" if leading[0] else ""
    return f"{begin}{inner}(?:[^/]+/)*{last}" if last else f"{begin}{inner}.+"


def _names(pattern: str) -> list[str]:
    """What stands between the slashes; one in brackets is no such slash."""
    found, begin, at = [], 0, 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "/":
            found.append(pattern[begin:at])
            begin = at + 1
        elif sign == "[" and (bracket := _bracket(pattern, at + 1)):
            at = bracket[1]
            continue
        elif sign == "\\" and pattern[at + 1 : at + 2] != "/":
            at += 1
        at += 1
    return [*found, pattern[begin:]]


def _name_expression(pattern: str) -> str | None:
    """The regular expression of a pattern that is about one name; None for one that matches nothing."""
    pieces = [""]  # between stars
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "*":
            pieces.append("")
        elif sign == "?":
            pieces[-1] += "[^/]"
        elif sign == "[":
            found = _bracket(pattern, at)
            if found is None:
                return None
            pieces[-1] += found[0]
            at = found[1]
        elif sign != "\\":
            pieces[-1] += re.escape(sign)
        elif at == len(pattern):
            return None
        else:
            pieces[-1] += re.escape(pattern[at])
            at += 1
    first, *others = pieces
    if not others:
        return first
    inner = "".join(f"(?>[^/]*?{piece})" for piece in others[:-1] if piece)
    return f"{first}{inner}[^/]*{others[-1]}"


def _bracket(pattern: str, at: int) -> tuple[str, int] | None:
    """The class of characters that begins behind a bracket, and where the pattern goes on; None if it never ends."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    parts: list[str] = []
    start, before = at, ""  # `before`: a character that could begin a range
    while True:
        sign = pattern[at : at + 1]
        if not sign or (sign == "\\" and at + 1 >= len(pattern)):
            return None
        if sign == "]" and at > start:
            break
        end = pattern.find("]", at) if pattern.startswith("[:", at) else -1
        if end > at + 2 and pattern[end - 1] == ":":
            if pattern[at + 2 : end - 1] not in _CLASSES:
                return None
            parts.append(_CLASSES[pattern[at + 2 : end - 1]])
            at, before = end + 1, ""
            continue
        if sign == "-" and before and pattern[at + 1 : at + 2] not in ("", "]"):
            at += 1 + (pattern[at + 1] == "\\")
            if at >= len(pattern):
                return None
            if before <= pattern[at]:
                parts.append(f"{re.escape(before)}-{re.escape(pattern[at])}")
            at, before = at + 1, ""
            continue
        at += sign == "\\"
        before = pattern[at]
        parts.append(re.escape(before))
        at += 1
    inside = "".join(parts)
    source = f"[^/{inside}]" if negated else f"(?!/)[{inside}]" if inside else "(?!)"
    return source, at + 1
