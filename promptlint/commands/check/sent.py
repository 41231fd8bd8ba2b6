"""One prompt in one state of the project -> what is sent: requests, each as the model reads it."""

import os
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.commands.check.found import Source
from promptlint.commands.check.parts import closure, roots_of
from promptlint.commands.check.trees import Tree, document
from promptlint.commands.check.wrap import Printed
from promptlint.commands.options import Options, served
from promptlint.config import beside, leads_out
from promptlint.config.prompts import Markers, PromptEntry
from promptlint.errors import PromptlintError
from promptlint.gate.lock import fingerprint
from promptlint.load import load
from promptlint.prompt import Document, Rendered, Rendering, Request
from promptlint.read.names import shown
from promptlint.render import render
from promptlint.render.template import Profile, Template
from promptlint.render.template.process import Renderer
from promptlint.tokens import open_tokenizer

if TYPE_CHECKING:
    from promptlint.commands.templates import Side
    from promptlint.facts.own import Overrides


Memos = dict[str, dict[str, int]]
"""The name of a vocabulary -> tokens of the parts of prompts: most parts are in several."""


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
    memos: Memos
    keys: Mapping[str, str] = {}  # label -> what tells the request apart, of those that have no variables
    clocks: frozenset[str] = frozenset()  # names of a template that stand for the clock
    sides: "tuple[Side, Side] | None" = None
    template: str | None = None  # of an application: its file, from the top


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
    new: Callable[[str], str]  # and back
    renderer: "Counting"
    own: "Overrides"
    markers: Markers | None  # of templates, where the entry does not say
    memos: Memos


def as_it_is(path: str) -> str:
    """The name that a file has in the other state, where there is no other."""
    return path


def prompt_of(source: Source, setting: Setting) -> Prompt:
    """Raises PromptlintError for what cannot be read or rendered."""
    options = options_of(source, setting)
    if source.entry.kind in ("template", "promptfoo"):
        from promptlint.commands.check.templated import templated

        return templated(source, setting, options)
    return _requested(source, setting, options)


def options_of(source: Source, setting: Setting) -> Options:
    """Who serves the prompt, and with which vocabulary: a name, or a file or folder of the project."""
    entry = source.entry
    provider, block = served(entry.engine, None, entry.provider)
    spec = vocabulary_of(source)
    if spec is not None and (files := _below(setting.tree, from_top(source, spec))):
        setting.tree.fetch(files)
        spec = setting.tree.path(from_top(source, spec))
    elif spec is not None and any(sign in spec for sign in ("/", "\\")):
        spec = _beside(source, spec)
    return Options(open_tokenizer(spec), False, provider, block, spec is not None, own=setting.own)


def vocabulary_of(source: Source) -> str | None:
    """What the entry says of the vocabulary, else the configuration, of what templates are meant for."""
    spec = source.entry.tokenizer
    return source.config.tokenizer if spec is None and source.entry.kind in ("template", "promptfoo") else spec


def _beside(source: Source, path: str) -> str:
    """A file or folder that is not kept in the repository, where the configuration sees it. Raises PromptlintError for
    one outside of the project: what a configuration names ends up in a report."""
    found = beside(source.config, path)
    if os.path.isabs(path) or leads_out(from_top(source, path)):
        raise PromptlintError(f"{shown(path)} lies outside of the project", "put it, or a link to it, into the project")
    return found


def _below(tree: Tree, path: str) -> list[str]:
    """A file of a state, or the files of a folder."""
    begin = f"{path}/"
    return [path] if path in tree.there else [each for each in tree.paths if each.startswith(begin)]


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
        found |= dict.fromkeys(_model_files(tree, from_top(source, entry.chat_template)))
    if (spec := vocabulary_of(source)) is not None:
        found |= dict.fromkeys(_below(tree, from_top(source, spec)))
    found |= dict.fromkeys(variables)
    tree.fetch(tuple(found))
    return tuple(found)


def _model_files(tree: Tree, path: str) -> Iterator[str]:
    """A chat template's file, or what a model's folder says of it."""
    for each in _below(tree, path.partition("#")[0]):
        if each == path.partition("#")[0] or "token" in each or "template" in each:
            yield each


def from_top(source: Source, path: str) -> str:
    """A path of a configuration as the top sees it."""
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
        return made(requests[label], label, at_moment(sides, now), setting.renderer)

    keys = {label: fingerprint(request.document.text) for label, request in requests.items()}
    return Prompt(source, options, files, tuple(requests), at, setting.memos, keys, sides=sides)


def counterparts(before: Prompt, after: Prompt) -> dict[str, str]:
    """Label after the change -> label before it, of the same request: the one that is equal, else the one at its place.

    Variables have the same labels in both states.
    """
    if not after.keys:
        return {label: label for label in after.labels if label in before.labels}
    equal = {key: label for label, key in before.keys.items()}
    found = {label: equal[key] for label, key in after.keys.items() if key in equal}
    left = {*before.labels} - {*found.values()}
    for new, old in zip(after.labels, before.labels, strict=False):
        if new not in found and old in left:
            found[new] = old
    return found


def made(request: Request, label: str, sides: "tuple[Side, Side] | None", renderer: Counting) -> Sent:
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


def at_moment(sides: "tuple[Side, Side] | None", now: datetime) -> "tuple[Side, Side] | None":
    """The chat templates with another clock."""
    if sides is None:
        return None
    side = sides[0]._replace(aside=sides[0].aside._replace(now=now))
    return side, side


def _with_chat_template(source: Source, setting: Setting, options: Options) -> "tuple[tuple[Side, Side], Options]":
    from promptlint.commands.templates import TemplateOptions, sides_of

    spec = str(source.entry.chat_template)
    path, sign, name = spec.partition("#")
    there = setting.tree.path(from_top(source, path))
    if not _below(setting.tree, from_top(source, path)):
        there = _beside(source, path)
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
            yield f"output {number}", named(request, entry)
        return
    if entry.kind == "request":
        yield source.path, named(_sent_as_it_is(document(tree, source.path)), entry)
        return
    from promptlint.load.several import requests

    for path in source.paths:
        for number, found in enumerate(requests(document(tree, path))):
            if isinstance(found, PromptlintError):
                raise found
            yield f"{path}#{number}", named(found, entry)


def _sent_as_it_is(held: Document) -> Request:
    """The request in a file. What should be JSON and is not even that, such as the pointer to a large file, is none."""
    found = load(held)
    if found.format == "text" and held.path.endswith(".json"):
        raise PromptlintError(f"{shown(held.path)}: not JSON", "is it a pointer of Git LFS, or a failed merge?")
    return found


def named(request: Request, entry: PromptEntry) -> Request:
    """With the model of the entry, where the request names none."""
    return request if request.model or not entry.model else request._replace(model=entry.model)
