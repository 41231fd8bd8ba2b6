"""Calls that take prompts, and what differs each time: prompt_calls.yaml and changing_values.yaml as typed rows."""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from promptlint import facts

Language = Literal["python", "typescript"]  # the latter is JavaScript as well
Slot = Literal["tools", "system", "messages", "tail", "cache_key", "body", "options"]
Kind = Literal[
    "clock",
    "date",
    "identifier",
    "random_choice",
    "shuffle",
    "environment",
    "unordered",
    "arrival_order",
    "unspecified_order",
    "counter",
]
How = Literal["call", "new", "attribute", "object", "method", "member"]
Into = Literal["result", "argument", "receiver"]
ORDER_KINDS: frozenset[Kind] = frozenset({"shuffle", "unordered", "arrival_order", "unspecified_order"})
"""Kinds of which only the order of items differs: sorting ends it."""

FIELDS: Mapping[str, How] = {
    "calls": "call",
    "new": "new",
    "attributes": "attribute",
    "objects": "object",
    "methods": "method",
    "members": "member",
}
"""The lists of names of a row of changing_values.yaml, and how what they name is used."""


class PromptCall(NamedTuple):
    """One row of `calls` or `decorators` in data/prompt_calls.yaml. What each field says stands at the top of it."""

    row: str
    library: str
    names: tuple[str, ...]
    imports: tuple[str, ...]
    takes: Mapping[str, Slot]
    positional: tuple[Slot | None, ...]
    result: Slot | None  # of decorators: which part of the prompt the decorated function answers with
    evidence: bool  # a body counts only if `is_request` says so
    source: str
    checked: str  # ISO date


class Changing(NamedTuple):
    """One name of data/changing_values.yaml."""

    kind: Kind
    name: str
    how: How
    at_most: int | None  # None: with any number of arguments
    into: Into
    source: str
    checked: str  # ISO date


class ToDate(NamedTuple):
    """What leaves only the day of a moment."""

    functions: frozenset[str]
    methods: frozenset[str]
    attributes: frozenset[str]
    floors: frozenset[str]  # methods that do so if their first argument is one of `units`
    units: frozenset[str]
    slices: frozenset[str]  # methods that do so as `slice(0, length)`
    length: int  # characters of a day, as in 2026-11-30
    separators: frozenset[str]  # what stands in front of them is the day
    format_methods: frozenset[str]  # with a format as their first argument: see `format_is_date`
    format_functions: Mapping[str, int]  # full name -> which argument is the format


class Passing(NamedTuple):
    """What becomes of a value that changes. Functions have full names, methods and attributes belong to anything."""

    cleans: frozenset[str]
    clean_methods: frozenset[str]
    cleans_order: frozenset[str]
    carries: frozenset[str]
    carry_new: frozenset[str]  # TypeScript: made with `new`
    carry_methods: frozenset[str]
    freezes: frozenset[str]  # decorators and functions: the answer is made once and kept
    seeds: frozenset[str]  # functions that make random numbers come in the same sequence in each process
    environment_readers: frozenset[str]
    command_runners: frozenset[str]
    to_date: ToDate


class Bodies(NamedTuple):
    """How a request that is sent as JSON is told, and read."""

    takes: Mapping[str, Slot]
    model_fields: frozenset[str]
    prompt_fields: frozenset[str]
    addresses: tuple[str, ...]


@cache
def prompt_calls(language: Language) -> tuple[PromptCall, ...]:
    """The calls of a language, and what makes objects of classes that take prompts."""
    return _prompt_rows("calls", language)


@cache
def decorators(language: Language) -> tuple[PromptCall, ...]:
    """Decorators of functions that answer with a part of a prompt."""
    return _prompt_rows("decorators", language)


def call_named(language: Language, name: str, modules: Iterable[str]) -> PromptCall | None:
    """The row of what is called `name` (as written, or as imports resolve it), in a module that imports `modules`.

    The longest end of the name decides; among equal ones, the package that the name itself begins with.
    """
    return _named(_by_last(language, "calls"), name, tuple(modules))


def decorator_named(language: Language, name: str, modules: Iterable[str]) -> PromptCall | None:
    """The same for a decorator, without its arguments."""
    return _named(_by_last(language, "decorators"), name, tuple(modules))


@cache
def bodies() -> Bodies:
    """How bodies of requests are told and read."""
    row = facts.table("prompt_calls")["bodies"]
    return Bodies(
        takes=row["takes"],
        model_fields=frozenset(row["model_fields"]),
        prompt_fields=frozenset(row["prompt_fields"]),
        addresses=tuple(row["addresses"]),
    )


def is_request(fields: Collection[str], address: str = "") -> bool:
    """Whether a body with these fields, sent to this address (what is known of it), is one for a model."""
    known = bodies()
    if any(part in address for part in known.addresses):
        return True
    return not known.model_fields.isdisjoint(fields) and not known.prompt_fields.isdisjoint(fields)


def imports_any(modules: Iterable[str], packages: Collection[str]) -> bool:
    """Whether one of `modules` ("google.genai.types", "ai/rsc") is one of `packages`, or lies below one."""
    return any(_below(module, package) for module in modules for package in packages)


def imports_sdk(language: Language, modules: Iterable[str]) -> bool:
    """Whether a module imports a library of language models."""
    return imports_any(modules, facts.table("prompt_calls")["packages"][language])


def deals_with_prompts(language: Language, modules: Iterable[str], names: Iterable[str], text: str) -> bool:
    """Whether a module shows that it deals with language models.

    `modules`: what it imports; `names`: identifiers in it; `text`: all of its text, comments included.
    """
    if imports_sdk(language, modules):
        return True
    rows = facts.table("prompt_calls")["names"]
    lowered = text.lower()
    if any(phrase in lowered for phrase in rows["phrases"]):
        return True
    padded = "_" + "__".join({"_".join(words_of(name)) for name in names}) + "_"
    if any(f"_{word}_" in padded for word in rows["words"]):
        return True
    return all(any(f"_{word}_" in padded for word in rows[group]) for group in ("speakers", "turns"))


def prompt_name(name: str) -> Literal["strong", "weak"] | None:
    """Whether a name, in any spelling, is one of system prompts: `strong` is enough alone, `weak` needs evidence."""
    return _prompt_name("_".join(words_of(name.rpartition(".")[2])))


@lru_cache(1 << 15)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: `buildSystemPrompt` -> build, system, prompt."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return tuple(word for word in re.split(r"[\W_]+", parted.lower()) if word)


@cache
def changing(language: Language) -> Mapping[tuple[How, str], Changing]:
    """How a name is used, and the name -> its row."""
    rows = facts.table("changing_values")[language]["changing"].values()
    return {
        (how, name): Changing(
            row["kind"], name, how, row.get("at_most"), row.get("into", "result"), row["source"], row["checked"]
        )
        for row in rows
        for field, how in FIELDS.items()
        for name in row.get(field, ())
    }


def change_of(language: Language, how: How, name: str, arguments: int = 0) -> Changing | None:
    """What differs if `name` is used in this way with so many arguments.

    `name` is as imports resolve it; of methods and members it is the last part alone.
    """
    found = changing(language).get((how, name))
    if found is None or (found.at_most is not None and arguments > found.at_most):
        return None
    return found


@cache
def passing(language: Language) -> Passing:
    """What becomes of values that change."""
    row = facts.table("changing_values")[language]
    carries = row["carries"]
    return Passing(
        cleans=frozenset(row["cleans"]["functions"]),
        clean_methods=frozenset(row["cleans"]["methods"]),
        cleans_order=frozenset(row["cleans_order"]["functions"]),
        carries=frozenset(carries["functions"]),
        carry_new=frozenset(carries.get("new", ())),
        carry_methods=frozenset(carries["methods"]),
        freezes=frozenset(row["freezes"]),
        seeds=frozenset(row["seeds"]),
        environment_readers=frozenset(row["environment_readers"]),
        command_runners=frozenset(row["command_runners"]),
        to_date=_to_date(row["clock_to_date"]),
    )


@cache
def environment_variables() -> frozenset[str]:
    """Variables that differ between machines, users, processes or runs; others are constants of a deployment."""
    return frozenset(facts.table("changing_values")["environment_variables"])


def command_kind(command: str) -> Kind | None:
    """What differs in the output of a command: `git status --short` -> environment; None if that is not known.

    `command`: a line, or the name or path of a program.
    """
    words = (word for word in command.split() if "=" not in word and word != "sudo")
    program = next(words, "").rpartition("/")[2]
    kinds: Mapping[Kind, list[str]] = facts.table("changing_values")["commands"]
    return next((kind for kind, programs in kinds.items() if program in programs), None)


def format_is_date(pattern: str) -> bool:
    """Whether a moment in this format shows its day only: `%d %B %Y`, `YYYY-MM-DD`, `dd.MM.yyyy`."""
    rows = facts.table("changing_values")
    if "%" in pattern:
        used = re.findall(r"%[-#^_0EO]?(.)", pattern.replace("%%", ""))
        return bool(used) and not any(one in rows["clock_directives"] for one in used)
    if pattern in rows["whole_clock_formats"]:
        return False
    letters = set(re.findall(r"[A-Za-z]", re.sub(r"\[[^\]]*\]|'[^']*'", "", pattern)))
    return bool(letters) and letters <= set(rows["day_letters"])


def options_are_date(fields: Collection[str]) -> bool:
    """Whether a moment with these fields of options (`toLocaleString`, `Intl.DateTimeFormat`) shows its day only."""
    rows = facts.table("changing_values")
    return any(one in rows["day_options"] for one in fields) and not any(one in rows["clock_options"] for one in fields)


def _prompt_rows(section: str, language: Language) -> tuple[PromptCall, ...]:
    rows = facts.table("prompt_calls")[section].items()
    return tuple(_prompt_row(name, row, language) for name, row in rows if language in row["languages"])


def _prompt_row(name: str, row: dict[str, Any], language: Language) -> PromptCall:
    positional: Iterable[Slot | None] = row.get("positional", ["options"])
    if language == "python":  # options are keywords there
        positional = [None if slot == "options" else slot for slot in positional]
    return PromptCall(
        row=name,
        library=row["library"],
        names=tuple(row["names"]),
        imports=tuple(row.get("imports", ())),
        takes=row.get("takes", {}),
        positional=tuple(positional),
        result=row.get("result"),
        evidence=row.get("evidence", False),
        source=row["source"],
        checked=row["checked"],
    )


_Rows = Mapping[str, list[tuple[tuple[str, ...], PromptCall]]]


@cache
def _by_last(language: Language, section: Literal["calls", "decorators"]) -> _Rows:
    """Last part of a name -> that name in parts and its row, the longest names first."""
    found: dict[str, list[tuple[tuple[str, ...], PromptCall]]] = {}
    for row in prompt_calls(language) if section == "calls" else decorators(language):
        for name in row.names:
            parts = tuple(name.split("."))
            found.setdefault(parts[-1], []).append((parts, row))
    return {last: sorted(rows, key=lambda row: -len(row[0])) for last, rows in found.items()}


def _named(rows: _Rows, name: str, modules: tuple[str, ...]) -> PromptCall | None:
    parts = tuple(name.split("."))
    fitting = [
        (len(end), row)
        for end, row in rows.get(parts[-1], ())
        if parts[-len(end) :] == end and (not row.imports or imports_any((*modules, name), row.imports))
    ]
    if not fitting:
        return None
    longest = [row for length, row in fitting if length == fitting[0][0]]
    return next((row for row in longest if imports_any((name,), row.imports)), longest[0])


def _below(module: str, package: str) -> bool:
    return module.startswith(package) and module[len(package) : len(package) + 1] in ("", ".", "/")


@cache
def _prompt_name(name: str) -> Literal["strong", "weak"] | None:
    strong, weak = _patterns()
    if strong.fullmatch(name):
        return "strong"
    return "weak" if weak.fullmatch(name) else None


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    rows = facts.table("prompt_calls")["names"]
    strong, weak, verbs, behind, barred = (
        "|".join(rows[key]) for key in ("strong", "weak", "verbs", "behind", "not_before")
    )
    rest = f"(?:_(?:{behind}))*"
    return (
        re.compile(f"(?:(?!(?:{barred})_)[a-z0-9]+_)*?(?:{strong}){rest}"),
        re.compile(f"(?:(?:{verbs})_)*(?:{weak}){rest}"),
    )


def _to_date(row: dict[str, Any]) -> ToDate:
    rows = facts.table("changing_values")
    return ToDate(
        functions=frozenset(row["functions"]),
        methods=frozenset(row["methods"]),
        attributes=frozenset(row["attributes"]),
        floors=frozenset(row["floors"]),
        units=frozenset(rows["day_units"]),
        slices=frozenset(row["slices"]),
        length=rows["day_length"],
        separators=frozenset(rows["day_separators"]),
        format_methods=frozenset(row["format_methods"]),
        format_functions=row["format_functions"],
    )
