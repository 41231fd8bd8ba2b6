"""Modules of the project that send prompts: who hands a text to one of their functions may put a prompt together."""

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from promptlint.facts import flow_tables
from promptlint.lint.flow.code import Language
from promptlint.lint.flow.project import candidates, language_of
from promptlint.lint.flow.signs import imported, signs

_PYTHON = re.compile(r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)", re.MULTILINE)
_TYPESCRIPT = re.compile(r"\bimport\s+(?!type\b)([\w$\s{},*]+?)\s+from\s*[\"']([^\"'\n]+)[\"']")
_NAME = re.compile(r"([\w$]+)(?:\s+as\s+([\w$]+))?")
_LONGEST = 400_000  # bytes of a module that is looked at


class Uses(NamedTuple):
    """Where a source uses what modules of its project that send prompts give it."""

    places: tuple[int, ...]  # characters
    looked_for: tuple[str, ...]  # paths on which the answer depends, whether they are there or not


class _Brought(NamedTuple):
    module: str  # as written
    name: str  # in that module
    local: str


def uses_of_senders(path: str, text: str, words: Mapping[str, list[int]]) -> Uses:
    """The places at which a source names what it imports from such modules. Only files of its project are read."""
    language = language_of(path)
    places: set[int] = set()
    looked_for: dict[str, None] = {}
    for one in _brought(language, text):
        if one.local in words and _comes_from_sender(path, language, one, looked_for):
            places.update(words[one.local])
    return Uses(tuple(sorted(places)), tuple(looked_for))


def _brought(language: Language, text: str) -> Iterator[_Brought]:
    """The names that the imports of a text bring."""
    if language == "python":
        for match in _PYTHON.finditer(text):
            for each in _NAME.finditer(match[2]):
                yield _Brought(match[1], each[1], each[2] or each[1])
        return
    for match in _TYPESCRIPT.finditer(text):
        for each in _NAME.finditer(match[1]):
            yield _Brought(match[2], each[1], each[2] or each[1])


def _comes_from_sender(path: str, language: Language, one: _Brought, looked_for: dict[str, None]) -> bool:
    dot = "" if one.module.endswith(".") else "."
    modules = (one.module, f"{one.module}{dot}{one.name}") if language == "python" else (one.module,)
    for module in modules:
        for each in candidates(path, language, module):
            looked_for[each] = None
            if os.path.isfile(each):
                state = os.stat(each)
                if state.st_size <= _LONGEST and _sends(os.path.realpath(each), state.st_mtime_ns, state.st_size):
                    return True
                break
    return False


@lru_cache(1 << 13)
def _sends(path: str, changed: int, size: int) -> bool:
    """Whether a module, in the state that its time and size tell, imports a library of models and calls it."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            text = file.read()
    except OSError:
        return False
    language = language_of(path)
    return flow_tables.imports_sdk(language, imported(language, text)) and signs(language, text).sends
