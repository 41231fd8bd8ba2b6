"""Keys that stand twice in one object of a JSON text, each with its places."""

import re
from functools import lru_cache
from json import JSONDecoder
from typing import NamedTuple

from promptlint.prompt import Path, Step

_TOKEN = r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]'


class Repeated(NamedTuple):
    """A key with more than one value in one object: the last one counts."""

    path: Path  # of the key
    earlier: tuple[tuple[int, int], ...]  # characters of the text at which the same key, in quotes, stands before
    equal: bool  # all of its values are written alike


class _Open:
    """An object or array that is being read."""

    def __init__(self, path: Path, is_object: bool) -> None:
        self.path = path
        self.is_object = is_object
        self.step: Step = 0  # the key or index that is being read
        self.key: tuple[int, int] | None = None  # where that key stands; None: a key is due, or this is an array
        self.keys: dict[str, list[tuple[int, int, int]]] = {}  # key -> its places, and where its value ends


@lru_cache(maxsize=2)
def repeated_keys(text: str) -> tuple[Repeated, ...]:
    """Every key that stands more than once in an object, in the order of the text, which is valid JSON."""
    return tuple(sorted(_walk(text), key=lambda found: found.earlier)) if _any(text) else ()


def _any(text: str) -> bool:
    """Whether there is one at all, at the speed of the C scanner."""
    found = False

    def members(pairs: list[tuple[str, object]]) -> None:
        nonlocal found
        found = found or len({key for key, _ in pairs}) < len(pairs)

    JSONDecoder(object_pairs_hook=members, parse_int=len, parse_float=len).decode(text)
    return found


def _walk(text: str) -> list[Repeated]:
    decode = JSONDecoder().decode
    done: list[Repeated] = []
    waiting: list[_Open] = []
    for token in re.finditer(_TOKEN, text, re.DOTALL):
        mark, begin = token[0][0], token.start()
        top = waiting[-1] if waiting else None
        if mark == '"':
            if top is not None and top.is_object and top.key is None:
                top.step, top.key = decode(token[0]), (begin, token.end())
        elif mark in "{[":
            path = () if top is None else (*top.path, top.step)
            waiting.append(_Open(path, mark == "{"))
        elif top is not None:
            _value_ends(top, begin)
            if mark in "}]":
                done += _repeated(text, waiting.pop())
    return done


def _value_ends(top: _Open, end: int) -> None:
    """A comma or a closing bracket ends the value of a key, or an element."""
    if not top.is_object:
        assert isinstance(top.step, int)
        top.step += 1
    elif top.key is not None:
        top.keys.setdefault(str(top.step), []).append((*top.key, end))
        top.key = None


def _repeated(text: str, closed: _Open) -> list[Repeated]:
    found = []
    for key, places in closed.keys.items():
        if len(places) > 1:
            values = {text[stop:end].partition(":")[2].strip() for _, stop, end in places}
            earlier = tuple((begin, stop) for begin, stop, _ in places[:-1])
            found.append(Repeated((*closed.path, key), earlier, len(values) == 1))
    return found
