"""One prompt in one state of the project -> what is sent: requests, each as the model reads it."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.commands.check.found import Source
from promptlint.commands.check.parts import closure, roots_of, text_of
from promptlint.commands.check.trees import Tree
from promptlint.commands.check.wrap import Printed, has_breakpoints, marks_of, with_signs, without_signs, wrapped
from promptlint.commands.options import Options, served
from promptlint.config import beside
from promptlint.config.prompts import Markers, PromptEntry
from promptlint.config.selection import stability_of
from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.load.text import like_json
from promptlint.prompt import Document, Rendered, Rendering, Request
from promptlint.read.names import shown
from promptlint.read.plain import plain
from promptlint.read.sources import read
from promptlint.render import render
from promptlint.render.template import Profile, Template
from promptlint.render.template.process import Renderer
from promptlint.tokens import open_tokenizer

if TYPE_CHECKING:
    from promptlint.commands.templates import Side
    from promptlint.facts.own import Overrides
    from promptlint.facts.providers import Provider
    from promptlint.lint.rendering.expressions import Use

_TAGS = re.compile(r"\{[{%](.*?)[%}]\}", re.DOTALL)


class Sent(NamedTuple):
    """One request of a prompt."""

    label: str  # of its variables, its record
    request: Request
    prompt: Rendered | None  # None: token ids
    printed: Printed | None = None  # by a template
    parts: Mapping[str, int] | None = None  # see Wrapped; None: the text of the template is the request itself
    notes: tuple[str, ...] = ()


class Prompt(NamedTuple):
    """A prompt of which requests can be made."""

    source: Source
    options: Options
    files: tuple[str, ...]  # all that it is made of, from the top
    labels: tuple[str, ...]
    at: Callable[[str, datetime], Sent]  # label and clock
    clocks: frozenset[str] = frozenset()  # names of a template that stand for the clock
    sides: "tuple[Side, Side] | None" = None
    template: str | None = None  # of an application: its file, from the top

    @property
    def has_clock(self) -> bool:
        """Whether another moment may make another text."""
        return bool(self.clocks) or self.sides is not None


class Counting(Renderer):
    """Renders, and counts how many prompts were made, by a template or without one."""

    count = 0

    def render(
        self, template: Template, variables: Mapping[str, Any], *, now: datetime, profile: Profile = "transformers"
    ) -> Rendering:
        self.count += 1
        return super().render(template, variables, now=now, profile=profile)


class Setting(NamedTuple):
    """In which prompts are rendered: of one state of the project."""

    tree: Tree
    other: Tree  # has the variables that this state lacks
    old: Callable[[str], str]  # path after -> path in this state
    renderer: "Counting"
    own: "Overrides"
    markers: Markers | None = None  # of templates, where the entry does not say


def prompt_of(source: Source, setting: Setting) -> Prompt:
    """Raises PromptlintError for what cannot be read or rendered."""
    options = options_of(source, setting.own)
    if source.entry.kind in ("template", "promptfoo"):
        return _templated(source, setting, options)
    return _requested(source, setting, options)


def options_of(source: Source, own: "Overrides") -> Options:
    """Who serves the prompt, and with which vocabulary."""
    entry, config = source.entry, source.config
    provider, block = served(entry.engine, None, entry.provider)
    spec = entry.tokenizer
    if spec is None and entry.kind in ("template", "promptfoo"):
        spec = config.tokenizer
    if spec is not None:
        import os

        near = beside(config, spec)
        spec = near if os.path.exists(near) else spec
    return Options(open_tokenizer(spec), False, provider, block, spec is not None, own=own)


def files_of(source: Source, tree: Tree, variables: Sequence[str] = ()) -> tuple[str, ...]:
    """All files of a state that a prompt is made of; fetched."""
    found: dict[str, None] = dict.fromkeys(source.paths)
    entry = source.entry
    if entry.kind == "template":
        found |= dict.fromkeys(closure(tree, source.path, roots_of(source.path, source.folder)))
    elif entry.kind == "promptfoo":
        from promptlint.commands.check.promptfoo import prompts_of

        tree.fetch(source.paths)
        files = (asked.file for asked in prompts_of(tree, source.path))
        found |= dict.fromkeys(file for file in files if file is not None)
    if entry.chat_template is not None:
        found |= dict.fromkeys(_model_files(tree, _from_top(source, entry.chat_template)))
    found |= dict.fromkeys(variables)
    tree.fetch(tuple(found))
    return tuple(found)


def variable_files(source: Source, tree: Tree) -> tuple[str, ...]:
    """The files with the variables of a template."""
    from promptlint.read.trees import matching

    named = (matching(tree.paths, pattern, source.folder) for pattern in source.entry.vars)
    return tuple(dict.fromkeys(path for paths in named for path in paths))


def _model_files(tree: Tree, path: str) -> Iterator[str]:
    """A chat template's file, or what a model's folder says of it."""
    name = path.partition("#")[0]
    begin = f"{name}/"
    for each in tree.paths:
        if each == name or (each.startswith(begin) and ("token" in each or "template" in each)):
            yield each


def _from_top(source: Source, path: str) -> str:
    return posixpath.normpath(posixpath.join(source.folder, path))


def _requested(source: Source, setting: Setting, options: Options) -> Prompt:
    """Requests as they stand in files, or as a command prints them; through a chat template if there is one."""
    tree, entry = setting.tree, source.entry
    files = files_of(source, tree)
    sides: tuple[Side, Side] | None = None
    if entry.chat_template is not None:
        sides, options = _with_chat_template(source, setting, options)
    requests = dict(_labelled(source, tree))
    if not requests:
        raise PromptlintError(f"{shown(source.name)}: no request in it", "see what `promptlint diff` reads")

    def at(label: str, now: datetime) -> Sent:
        return made(requests[label], label, options, _at(sides, now), setting.renderer)

    return Prompt(source, options, files, tuple(requests), at, sides=sides)


def made(request: Request, label: str, options: Options, sides: "tuple[Side, Side] | None", renderer: Counting) -> Sent:
    """A request with its prompt."""
    if request.token_ids is not None:
        return Sent(label, request, None, notes=request.notes)
    if sides is None:
        renderer.count += 1
        prompt = render(request)
    else:
        from promptlint.commands.templates import through_template

        prompt = through_template(request, sides[0], renderer)
    return Sent(label, request, prompt, notes=(*request.notes, *prompt.notes))


def _at(sides: "tuple[Side, Side] | None", now: datetime) -> "tuple[Side, Side] | None":
    if sides is None:
        return None
    side = sides[0]._replace(aside=sides[0].aside._replace(now=now))
    return side, side


def _with_chat_template(source: Source, setting: Setting, options: Options) -> "tuple[tuple[Side, Side], Options]":
    import os

    from promptlint.commands.templates import TemplateOptions, sides_of

    spec = str(source.entry.chat_template)
    path, sign, name = spec.partition("#")
    there = setting.tree.path(_from_top(source, path))
    if not os.path.exists(there):  # it is not kept in the repository
        there = beside(source.config, path)
    given = TemplateOptions(f"{there}{sign}{name}", kwargs=source.entry.template_kwargs)
    sides = sides_of(given, options.provider, source.entry.tokenizer)
    assert sides is not None
    vocabulary = sides[0].templates.vocabulary
    if not options.chosen and vocabulary is not None:
        options = options._replace(tokenizer=open_tokenizer(vocabulary), chosen=True)
    return sides, options._replace(sides=sides)


def _labelled(source: Source, tree: Tree) -> Iterator[tuple[str, Request]]:
    """The requests in the files of a prompt."""
    entry = source.entry
    if entry.kind == "command":
        from promptlint.commands.check.commands import printed_requests

        for number, request in enumerate(printed_requests(source, tree)):
            yield f"output {number}", _named(request, entry)
        return
    if entry.kind == "request":
        yield source.path, _named(_renamed(load(read(tree.path(source.path))), tree, source.path), entry)
        return
    from promptlint.load.several import requests

    for path in source.paths:
        for number, found in enumerate(requests(read(tree.path(path)))):
            if isinstance(found, PromptlintError):
                raise found
            yield f"{path}#{number}", _named(_renamed(found, tree, path), entry)


def _renamed(request: Request, tree: Tree, path: str) -> Request:
    """The document as the user knows it, wherever it was written to."""
    return request._replace(document=request.document._replace(path=tree.shown(path)))


def _named(request: Request, entry: PromptEntry) -> Request:
    """With the model of the entry, where the request names none."""
    return request if request.model or not entry.model else request._replace(model=entry.model)


class _Text(NamedTuple):
    """A template's text."""

    path: str  # of its file, from the top
    text: str


def _templated(source: Source, setting: Setting, options: Options) -> Prompt:
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
            found = setting.renderer.render(of_jinja, values, now=now)
            printed = without_signs(found.text, found.origins, lifetimes)
            known[label, now] = _as_sent(label, printed, markers, source, options, found.notes, tree)
        return known[label, now]

    return Prompt(source, options, files, tuple(sets), at, frozenset(clocks), template=template.path)


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
            sent = _named(request, entry)
            return Sent(label, sent, render(sent), printed, None, (*notes, *request.notes))
    provider = _provider(options, model)
    marks = marks_of(printed, markers, entry.ttl)
    carried = wrapped(printed.text, marks, provider, model, path)
    request = load(carried.document, input_format=carried.input_format)
    if model and not request.model:
        request = request._replace(model=model)
    return Sent(label, request, render(request), printed, carried.parts, tuple(notes))


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
    from promptlint.prompt import SourceByte

    return Document(path, None, None, text.encode("utf-8", "surrogatepass"), text, "utf-8", SourceByte(0), 1)


def says_breakpoints(source: Source, tree: Tree) -> bool:
    """Whether a template says in a comment where the cached part ends."""
    if source.entry.kind != "template":
        return False
    tree.fetch((source.path,))
    return has_breakpoints(text_of(tree, source.path))
