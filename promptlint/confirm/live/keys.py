"""Keys, kept out of what is printed and recorded, however a server repeats them."""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from promptlint.confirm.live.calls import Answer, events
from promptlint.errors import PromptlintError

LEAST_KEY = 8
"""Characters. A shorter "key" is a word like any other (EMPTY, test): hiding it would spoil names and numbers."""

_ESCAPED = re.compile(r"\\+(?:u00([0-7][0-9a-fA-F]))?|%([0-7][0-9a-fA-F])")
"""Escapes of JSON, once or several times over, and of addresses; the names of control characters stay as they are."""


def hidden(text: str, key: str, sent: str = "") -> str:
    """`text` without a key, as long as before: every run of the key that is long enough to tell is hidden.

    Escaped characters are seen through. `sent`: what was sent without the key; runs of the key in it are words of the
    prompt and stay. Linear in the text for each character of the key.
    """
    if len(key) < LEAST_KEY:
        return text
    places = _places(text, key, sent)
    plain, starts, ends = _unescaped(text)
    if plain is not text:
        found = _places(plain, _unescaped(key)[0], sent)
        places += [(_source(first, starts, ends)[0], _source(end - 1, starts, ends)[1]) for first, end in found]
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


def _unescaped(text: str) -> tuple[str, list[int], list[int]]:
    """The text with its escapes read; and where each stretch of it begins there and in `text`.

    The text itself, and nothing more, where there are none.
    """
    parts: list[str] = []
    origins: list[int] = []
    start = 0
    for found in _ESCAPED.finditer(text):
        code = found[1] or found[2]
        for part, origin in ((text[start : found.start()], start), (chr(int(code, 16)) if code else "", found.start())):
            if part:
                parts.append(part)
                origins.append(origin)
        start = found.end()
    if not start:
        return text, [], []
    parts.append(text[start:])
    origins.append(start)
    return "".join(parts), [0, *accumulate(len(part) for part in parts)], [*origins, len(text)]


def _source(at: int, starts: list[int], origins: list[int]) -> tuple[int, int]:
    """Where a character of the text with its escapes read comes from."""
    from bisect import bisect_right

    stretch = bisect_right(starts, at, 0, len(origins) - 1) - 1
    inside = at - starts[stretch]
    first = origins[stretch] + inside
    one = starts[stretch + 1] - starts[stretch] == 1
    return first, origins[stretch + 1] if one else first + 1


def holds(text: str, key: str) -> bool:
    """Whether a text holds a key that is hidden elsewhere, escaped or not."""
    return len(key) >= LEAST_KEY and (key in text or _unescaped(key)[0] in _unescaped(text)[0])


def kept_whole(answer: Answer, without: Answer, key: str) -> bool:
    """Whether an answer without its key still says the same, and does not say the key in pieces."""
    if len(key) < LEAST_KEY:
        return True
    try:
        before, after = events(answer), events(without)
    except PromptlintError:
        return True  # it is none, and will be none
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
