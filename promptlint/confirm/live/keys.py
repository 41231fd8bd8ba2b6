"""Keys, kept out of what is printed and recorded, however a server repeats them."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

from promptlint.confirm.live.calls import Answer, events
from promptlint.errors import PromptlintError

LEAST_KEY = 8
"""Characters. A shorter "key" is a word like any other (EMPTY, test): hiding it would spoil names and numbers."""

_ESCAPED = re.compile(r"\\+(?:u00([0-7][0-9a-fA-F])|(.))|%([0-7][0-9a-fA-F])", re.DOTALL)
"""Escapes of JSON, once or several times over, and of addresses. What stands for a control character is a letter."""


def hidden(text: str, key: str, sent: str = "") -> str:
    """`text` without a key, as long as before: every run of the key that is long enough to tell is hidden.

    Escaped characters are seen through. `sent`: what was sent without the key; runs of the key in it are words of the
    prompt and stay. Linear in the text for each character of the key.
    """
    if len(key) < LEAST_KEY:
        return text
    places = _places(text, key, sent)
    plain, units = _unescaped(text)
    if units:
        found = _places(plain, _unescaped(key)[0], sent)
        places += [(_source(first, units)[0], _source(end - 1, units)[1]) for first, end in found]
    parts, start = [], 0
    for first, end in sorted(places):
        if end > start:
            parts += [text[start : max(first, start)], "*" * (end - max(first, start))]
            start = end
    return "".join((*parts, text[start:]))


def _places(text: str, key: str, sent: str) -> list[tuple[int, int]]:
    """Where the key stands, or so much of it as tells."""
    runs = {key[start : start + LEAST_KEY] for start in range(len(key) - LEAST_KEY + 1)}
    places = []
    for run in (key, *(run for run in runs if run not in sent)):
        at = text.find(run) if run else -1
        while at >= 0:
            places.append((at, at + len(run)))
            at = text.find(run, at + 1)
    return places


class _Escape(NamedTuple):
    """One escape: its place in the text with all of them read, and in the text itself."""

    at: int
    start: int
    end: int


def _unescaped(text: str) -> tuple[str, list[_Escape]]:
    """The text with its escapes read, each of them one character."""
    parts: list[str] = []
    units: list[_Escape] = []
    start = size = 0
    for found in _ESCAPED.finditer(text):
        code = found[1] or found[3]
        parts += [text[start : found.start()], chr(int(code, 16)) if code else found[2]]
        size += found.start() - start
        units.append(_Escape(size, *found.span()))
        size += 1
        start = found.end()
    return "".join((*parts, text[start:])), units


def _source(at: int, units: list[_Escape]) -> tuple[int, int]:
    """Where a character of the text with its escapes read comes from."""
    number = bisect_right(units, at, key=lambda unit: unit.at) - 1
    if number < 0:
        return at, at + 1
    unit = units[number]
    if unit.at == at:
        return unit.start, unit.end
    first = unit.end + at - unit.at - 1
    return first, first + 1


def holds(text: str, key: str) -> bool:
    """Whether a text holds a key that is hidden elsewhere, escaped or not."""
    return len(key) >= LEAST_KEY and (key in text or _unescaped(key)[0] in _unescaped(text)[0])


def kept_whole(answer: Answer, without: Answer, key: str) -> bool:
    """Whether an answer without its key still says the same, and does not say the key in pieces."""
    if len(key) < LEAST_KEY:
        return True
    try:
        before = events(answer)
    except PromptlintError:
        return True  # there is nothing to be read in it
    try:
        after = events(without)
    except PromptlintError:
        return False
    texts: dict[tuple[str, ...], list[str]] = {}
    for event in after:
        for path, text in _texts(event.value):
            texts.setdefault(path, []).append(text)
    if any(hidden(joined, key) != joined for joined in map("".join, texts.values())):
        return False
    return [_shape(event.value) for event in before] == [_shape(event.value) for event in after]


def _texts(value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text and the names that lead to it. (A value of JSON is no deeper than its reader allows.)"""
    left: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while left:
        path, each = left.pop()
        if isinstance(each, str):
            yield path, each
        elif isinstance(each, dict):
            left += [((*path, name), held) for name, held in each.items()]
        elif isinstance(each, list):
            left += [(path, held) for held in reversed(each)]


def _shape(value: Any) -> str:
    """A value with its texts left out."""
    found = []
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            found.append(repr(list(each)))
            left += each.values()
        elif isinstance(each, list):
            found.append(str(len(each)))
            left += each
        elif not isinstance(each, str):
            found.append(repr(each))
    return "\n".join(found)
