"""Where in a source text prompts are put together, as far as its words tell: all else need not be looked at."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from promptlint.facts import flow_tables
from promptlint.lint.flow.code import Language
from promptlint.lint.flow.stream import is_prose

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_USED = re.compile(r"[?!\"']?\s?(?:=|:|\(|\[|\+=|\.[a-z]+\()")  # what follows a name in code, and hardly in prose
_HINT = re.compile(r"[Pp]rompt|PROMPT|[Aa]ssistant|[Aa]gent|LLM|llm|[Ss]kill|SKILL")
_ROLES = ("system", "developer")
_OTHER_ROLES = frozenset({"role", "assistant", "human", "placeholder"})
_PYTHON_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)", re.MULTILINE)
_TYPESCRIPT_IMPORT = re.compile(r"(?:\bfrom|\bimport|\brequire[ \t]*\(|\bimport[ \t]*\()[ \t]*[\"']([^\"'\n]+)[\"']")
_OWNER = re.compile(r"([\w$]+)(?:\([^()]*\))?[!?]?\s*\??\.\s*\Z")
_BODY = frozenset(
    {"messages", "contents", "system", "systemInstruction", "system_instruction", "instructions", "prompt"}
)
_LONG = re.compile(r"(?:(?<=[\"'`])|(?<=\\\n)|(?<=\\n))[^\"\\`]{400,}")
_DOCSTRING = re.compile(r"(?:[:;}\n]|^)[ \t]*\n\s*[rRuU]?(?:\"\"\"|''')(?:\\\n)?\Z|\A[rR]?\"\"\"\Z")
_LEAST = 80  # words of a long text
_NAME = r"(?<![\w$])([A-Za-z_$][\w$]*+)\s*(?::[^=\n]*)?=[\s(]*"
_OPENS = r"[rfbuRFBU]{0,2}[\"'`]{1,3}(?:\\\n|\\n)?$"
_NAME_OF_TEXT = re.compile(_NAME + _OPENS)
_NAME_OF_LIST = re.compile(_NAME + r"\[\s*(?:[\"'`][^\n]*\n\s*)*" + _OPENS)


class Signs(NamedTuple):
    """What the words of a source text tell."""

    places: tuple[int, ...]  # characters at which calls that take prompts, names of prompts, long texts begin; sorted
    words: Mapping[str, list[int]]  # each word of the text, and the characters at which it begins
    deals_with_prompts: bool  # the module shows that it has to do with language models
    hints: bool  # some word at least leaves room for one
    sends: bool  # a call that takes prompts is among the places


def signs(language: Language, text: str) -> Signs:
    """What the words of a source text tell; without places nothing says that it puts prompts together."""
    words: dict[str, list[int]] = {}
    for match in _WORD.finditer(text):
        words.setdefault(match[0], []).append(match.start())
    modules = imported(language, text)
    hints = _HINT.search(text) is not None
    deals = (hints or flow_tables.imports_sdk(language, modules)) and flow_tables.deals_with_prompts(
        language, modules, words, text
    )
    names = _names(language, modules)
    is_body = "model" in words and not _BODY.isdisjoint(words)
    found: list[int] = []
    calls: list[int] = []
    for word, starts in words.items():
        kind = _kind(word)
        if kind == "strong":
            found += starts
        elif kind == "weak" and deals:
            found += [start for start in starts if _USED.match(text, start + len(word))]
        elif word in names:
            calls += [start for start in starts if _is_call(text, start, names[word], is_body)]
        elif word in _ROLES and not _OTHER_ROLES.isdisjoint(words):
            found += [start for start in starts if _is_quoted(text, start, start + len(word))]
    if hints:
        found += _long_texts(text, words)
    return Signs(tuple(sorted({*found, *calls})), words, deals, hints, bool(calls))


@lru_cache(1 << 16)
def _kind(word: str) -> str | None:
    return flow_tables.prompt_name(word)


def _is_quoted(text: str, start: int, end: int) -> bool:
    return start > 0 and text[start - 1] in "\"'" and text[end : end + 1] == text[start - 1]


def _is_call(text: str, start: int, owners: Mapping[str, bool], is_body: bool) -> bool:
    """Whether a name stands behind one of the owners that make it a call with a prompt ("": any)."""
    if "" in owners and (is_body or not owners[""]):
        return True
    owner = _OWNER.search(text, max(0, start - 120), start)
    return owner is not None and owner[1] in owners and (is_body or not owners[owner[1]])


def imported(language: Language, text: str) -> tuple[str, ...]:
    """The modules that a text imports, as it names them."""
    pattern = _PYTHON_IMPORT if language == "python" else _TYPESCRIPT_IMPORT
    return tuple(sorted({name.strip() for match in pattern.finditer(text) for name in match[1].split(",")}))


@lru_cache(4096)
def _names(language: Language, modules: tuple[str, ...]) -> Mapping[str, Mapping[str, bool]]:
    """The last names of calls and decorators that may count in a module which imports these.

    Each with what stands in front of it ("": anything), and whether a body must show that it is a request.
    """
    packages = {"", *(part for module in modules for part in _packages(module))}
    found: dict[str, dict[str, bool]] = {}
    for package in packages & _rows(language).keys():
        for name, needs_body in _rows(language)[package]:
            *owners, last = name.split(".")
            found.setdefault(last, {})[owners[-1] if owners else ""] = needs_body
    return found


def _packages(module: str) -> Iterator[str]:
    """A module and the packages that it lies in."""
    yield module
    for match in re.finditer(r"[./]", module):
        if match.start():
            yield module[: match.start()]


@cache
def _rows(language: Language) -> Mapping[str, list[tuple[str, bool]]]:
    """A package ("": none is needed) -> the names of calls that count where it is imported."""
    found: dict[str, list[tuple[str, bool]]] = {}
    for row in (*flow_tables.prompt_calls(language), *flow_tables.decorators(language)):
        for package in row.imports or ("",):
            found.setdefault(package, []).extend((name, row.evidence) for name in row.names)
    return found


def _long_texts(text: str, words: Mapping[str, list[int]]) -> Iterator[int]:
    """Where long texts of instructions stand, and where their names are used."""
    names: dict[str, None] = {}
    for match in _LONG.finditer(text):
        place = match.start()
        if _DOCSTRING.search(text, max(0, place - 200), place) or not is_prose(match[0], _LEAST):
            continue
        yield place
        given = _NAME_OF_TEXT.search(text, max(0, place - 400), place)
        if given is None and (bracket := text.rfind("[", max(0, place - 20_000), place)) >= 0:
            given = _NAME_OF_LIST.search(text, max(0, bracket - 400), place)
        if given is not None:
            names[given[1]] = None
    for name in names:
        yield from words.get(name, ())
