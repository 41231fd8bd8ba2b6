"""What an application's template makes of each set of its variables, as the request that carries it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.commands.check.found import Source
from promptlint.commands.check.parts import roots_of, text_of
from promptlint.commands.check.sent import Prompt, Sent, Setting, files_of, named, variable_files
from promptlint.commands.check.trees import Tree
from promptlint.commands.check.wrap import Printed, has_breakpoints, marks_of, with_signs, without_signs, wrapped
from promptlint.commands.options import Options
from promptlint.config.prompts import Markers
from promptlint.config.selection import stability_of
from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.load.text import like_json
from promptlint.prompt import Document, Rendering, SourceByte
from promptlint.read.plain import plain
from promptlint.read.sources import read
from promptlint.render import render
from promptlint.render.template import Template

if TYPE_CHECKING:
    from promptlint.facts.providers import Provider
    from promptlint.lint.rendering.expressions import Use

_TAGS = re.compile(r"\{[{%](.*?)[%}]\}", re.DOTALL)


class _Text(NamedTuple):
    """A template's text."""

    path: str  # of its file, from the top
    text: str


def templated(source: Source, setting: Setting, options: Options) -> Prompt:
    """What an application's template makes of each set of variables."""
    tree, entry = setting.tree, source.entry
    template, sets, variables = _text_and_sets(source, setting)
    files = files_of(source, tree, variables)
    signed, lifetimes = with_signs(template.text)
    roots = tuple(tree.path(root) for root in roots_of(template.path, source.folder))
    of_jinja = Template(tree.shown(template.path), signed, "application", roots)
    clocks = _clocks(tree, files, template.text, sets)
    markers: Markers = entry.markers or setting.markers or "end"
    known: dict[tuple[str, datetime], Sent] = {}

    def at(label: str, now: datetime) -> Sent:
        if (label, now) not in known:
            values = {**sets[label], **{name: clock(now) for name, clock in clocks.items()}}
            found = _rendered(of_jinja, values, now, setting)
            printed = without_signs(found.text, found.origins, lifetimes)
            known[label, now] = _as_sent(label, printed, markers, source, options, found.notes, tree)
        return known[label, now]

    found = Prompt(source, options, files, tuple(sets), at, setting.memos, frozenset(clocks))
    return found._replace(template=template.path)


def _rendered(template: Template, values: dict[str, Any], now: datetime, setting: Setting) -> Rendering:
    try:
        return setting.renderer.render(template, values, now=now)
    except PromptlintError as error:
        hint = "give it a value in each file of `vars`" if "--vars" in error.hint else error.hint
        raise PromptlintError(error.message, hint) from None


def _text_and_sets(source: Source, setting: Setting) -> tuple[_Text, dict[str, dict[str, Any]], tuple[str, ...]]:
    """The template, the sets of variables by their label, and the files of these in this state."""
    tree = setting.tree
    if source.entry.kind == "promptfoo":
        from promptlint.commands.check.promptfoo import plain_values, prompts_of, tests_of

        asked = prompts_of(tree, source.path)[source.part or 0]
        tests = tests_of(tree, source.path)
        return (
            _Text(asked.file or source.path, asked.text),
            {f"{test.name} ({number})": plain_values(test) for number, test in enumerate(tests)},
            (),
        )
    tree.fetch((source.path,))
    text = read(tree.path(source.path)).text
    sets: dict[str, dict[str, Any]] = {}
    used = []
    there = frozenset(tree.paths)
    newest = setting.other if setting.other is not tree else tree
    names = variable_files(source, newest) or variable_files(source, tree)
    for name in names:
        holder, path = (tree, setting.old(name)) if setting.old(name) in there else (setting.other, name)
        holder.fetch((path,))
        used += [path] if holder is tree else []
        sets |= _sets(holder, path, name)
    return _Text(source.path, text), _without_stable(sets or {"no variables": {}}, source), tuple(used)


def _sets(tree: Tree, path: str, name: str) -> Iterator[tuple[str, dict[str, Any]]] | dict[str, dict[str, Any]]:
    """The sets of one file: a mapping, or a list of mappings."""
    from promptlint.load.variables import load_variables

    document = read(tree.path(path))._replace(path=tree.shown(path))
    try:
        return {name: plain(load_variables(document).value)}
    except PromptlintError:
        found = {}
        for number in range(_length(document)):
            found[f"{name}#{number}"] = plain(load_variables(document._replace(entry=number)).value)
        if not found:
            raise
        return found


def _length(document: Document) -> int:
    """Sets in a list of them; 0 for what is none."""
    from promptlint.load import value_of_document

    try:
        value = value_of_document(document._replace(syntax=document.syntax))
    except PromptlintError:
        return 0
    return len(value) if isinstance(value, list) else 0


def _without_stable(sets: dict[str, dict[str, Any]], source: Source) -> dict[str, dict[str, Any]]:
    """Variables that are declared to be the same in all requests have their first value in all sets."""
    declared = source.config.variables
    if not declared:
        return sets
    first = next(iter(sets.values()))
    stable = {name: held for name, held in first.items() if stability_of(name, declared) == "stable"}
    return {
        label: {**values, **{name: held for name, held in stable.items() if name in values}}
        for label, values in sets.items()
    }


def _clocks(
    tree: Tree, files: Sequence[str], text: str, sets: Mapping[str, dict[str, Any]]
) -> dict[str, Callable[[datetime], Any]]:
    """Functions of a template that no set of variables answers for: they answer otherwise at another moment."""
    texts = [text, *(text_of(tree, path) for path in files[1:])]
    if not any("(" in each for text in texts for each in _TAGS.findall(text)):
        return {}
    from promptlint.lint.rendering.uses import uses

    try:
        found = uses(each for each in texts if "{" in each)
    except (ValueError, RecursionError):  # rendering it says what is wrong
        return {}
    given = {name for values in sets.values() for name in values}
    answers = {name: _answer(name, use) for name, use in found.items() if name not in given}
    return {name: answer for name, answer in answers.items() if answer is not None}


def _answer(name: str, use: "Use") -> Callable[[datetime], Any] | None:
    """What a function answers at a moment, if it reads the clock or makes something new each time; None for others."""
    from promptlint.lint.calls import kind_of_function
    from promptlint.lint.rendering.made_up import Making, made_up

    if _reads_clock(use):
        return lambda now: made_up(use, name, Making(0, now))
    kind = kind_of_function(name) if use.answer is not None else None
    if kind == "random":
        return lambda now: sha256(now.isoformat().encode()).hexdigest()
    if kind is None:
        return None
    return lambda now: now.date().isoformat() if kind == "day" else now.isoformat()


def _reads_clock(use: "Use") -> bool:
    """Whether a name, a member of it or its answer is used as moments are."""
    inner = [*use.attributes.values(), *([use.answer] if use.answer is not None else [])]
    return "clock" in use.kinds or any(map(_reads_clock, inner))


def _as_sent(
    label: str,
    printed: Printed,
    markers: Markers,
    source: Source,
    options: Options,
    notes: Sequence[str],
    tree: Tree,
) -> Sent:
    """The text of a template as a request: the one that it spells, or the one that carries it."""
    entry, path = source.entry, tree.shown(source.path)
    model = _model_of(source, tree)
    if like_json(printed.text):
        try:
            request = load(_as_document(path, printed.text))
        except PromptlintError:
            pass
        else:
            sent = named(request, entry)
            return Sent(label, sent, render(sent), printed, None, (*notes, *request.notes))
    provider = _provider(options, model)
    marks = marks_of(printed, markers, entry.ttl)
    carried = wrapped(printed.text, marks, provider, model, path)
    request = load(carried.document, input_format=carried.input_format)
    if model and not request.model:
        request = request._replace(model=model)
    return Sent(label, request, render(request), printed, carried.parts, tuple(notes))


def unmarked(sent: Sent) -> Sent:
    """The text of a template alone, as one block."""
    assert sent.printed is not None
    request = load(_as_document(sent.request.document.path, sent.printed.text), input_format="text")
    return Sent(sent.label, request, render(request), sent.printed, {"": 0})


def _model_of(source: Source, tree: Tree) -> str | None:
    entry = source.entry
    if entry.model or entry.kind != "promptfoo":
        return entry.model or source.config.model
    from promptlint.commands.check.promptfoo import model_of

    return model_of(tree, source.path) or source.config.model


def _provider(options: Options, model: str | None) -> "Provider":
    """Who serves the text of a template."""
    from promptlint.commands.compare import provider_named

    return provider_named(options.provider, model)


def _as_document(path: str, text: str) -> Document:
    return Document(path, None, None, text.encode("utf-8", "surrogatepass"), text, "utf-8", SourceByte(0), 1)


def says_breakpoints(source: Source, tree: Tree) -> bool:
    """Whether a template says in a comment where the cached part ends."""
    if source.entry.kind != "template":
        return False
    tree.fetch((source.path,))
    return has_breakpoints(text_of(tree, source.path))
