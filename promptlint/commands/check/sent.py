"""One prompt in one state of the project -> what is sent: requests, each as the model reads it."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.commands.check.found import Source
from promptlint.commands.check.parts import closure, roots_of
from promptlint.commands.check.trees import Tree
from promptlint.commands.check.wrap import Printed
from promptlint.commands.options import Options, served
from promptlint.config import beside
from promptlint.config.prompts import Markers, PromptEntry
from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.prompt import Rendered, Rendering, Request
from promptlint.read.names import shown
from promptlint.read.sources import read
from promptlint.render import render
from promptlint.render.template import Profile, Template
from promptlint.render.template.process import Renderer
from promptlint.tokens import open_tokenizer

if TYPE_CHECKING:
    from promptlint.commands.templates import Side
    from promptlint.facts.own import Overrides

_TAGS = re.compile(r"\{[{%](.*?)[%}]\}", re.DOTALL)


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
    markers: Markers | None  # of templates, where the entry does not say
    memos: Memos


def prompt_of(source: Source, setting: Setting) -> Prompt:
    """Raises PromptlintError for what cannot be read or rendered."""
    options = options_of(source, setting.own)
    if source.entry.kind in ("template", "promptfoo"):
        from promptlint.commands.check.templated import templated

        return templated(source, setting, options)
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
        return made(requests[label], label, options, at_moment(sides, now), setting.renderer)

    return Prompt(source, options, files, tuple(requests), at, setting.memos, sides=sides)


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


def at_moment(sides: "tuple[Side, Side] | None", now: datetime) -> "tuple[Side, Side] | None":
    """The chat templates with another clock."""
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
            yield f"output {number}", named(request, entry)
        return
    if entry.kind == "request":
        yield source.path, named(_renamed(load(read(tree.path(source.path))), tree, source.path), entry)
        return
    from promptlint.load.several import requests

    for path in source.paths:
        for number, found in enumerate(requests(read(tree.path(path)))):
            if isinstance(found, PromptlintError):
                raise found
            yield f"{path}#{number}", named(_renamed(found, tree, path), entry)


def _renamed(request: Request, tree: Tree, path: str) -> Request:
    """The document as the user knows it, wherever it was written to."""
    return request._replace(document=request.document._replace(path=tree.shown(path)))


def named(request: Request, entry: PromptEntry) -> Request:
    """With the model of the entry, where the request names none."""
    return request if request.model or not entry.model else request._replace(model=entry.model)
