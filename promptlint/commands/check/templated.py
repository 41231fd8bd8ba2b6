"""What an application's template makes of each set of its variables, as the request that carries it."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from promptlint.commands.check.clocks import clocks
from promptlint.commands.check.found import Source
from promptlint.commands.check.parts import roots_of, text_of
from promptlint.commands.check.sent import Prompt, Sent, Setting, files_of, named
from promptlint.commands.check.trees import Tree, document
from promptlint.commands.check.variables import Sets, Values, as_before, sets_in, variable_files, without_stable
from promptlint.commands.check.wrap import (
    Printed,
    as_document,
    has_breakpoints,
    marks_of,
    with_signs,
    without_signs,
    wrapped,
)
from promptlint.commands.options import Options
from promptlint.config.prompts import Markers
from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.load.text import like_json
from promptlint.prompt import Rendering
from promptlint.read.names import shown
from promptlint.render import render
from promptlint.render.template import Template

if TYPE_CHECKING:
    from promptlint.facts.providers import Provider


def templated(source: Source, setting: Setting, options: Options) -> Prompt:
    """What an application's template makes of each set of variables."""
    tree, entry = setting.tree, source.entry
    path, text, sets, variables = _text_and_sets(source, setting)
    files = files_of(source, tree, variables)
    signed = with_signs(text)
    roots = tuple(tree.path(root) for root in roots_of(path, source.folder))
    of_jinja = Template(tree.shown(path), signed.text, "application", roots)
    texts = [text, *(text_of(tree, each) for each in files[1:])]
    moving = clocks(texts, {name for values in sets.values() for name in values})
    markers: Markers = entry.markers or setting.markers or "end"
    unseen = _breakpoints_apart(texts[1:])
    known: dict[tuple[str, datetime], Sent] = {}

    def at(label: str, now: datetime) -> Sent:
        if (label, now) not in known:
            values = {**sets[label], **{name: answer(now) for name, answer in moving.items()}}
            found = _rendered(of_jinja, values, now, setting)
            printed = without_signs(found.text, found.origins, signed)
            notes = (*found.notes, *unseen)
            known[label, now] = _as_sent(label, printed, markers, source, options, notes, tree)
        return known[label, now]

    found = Prompt(source, options, files, tuple(sets), at, setting.memos, clocks=frozenset(moving))
    return found._replace(template=path)


def _breakpoints_apart(texts: Sequence[str]) -> tuple[str, ...]:
    """A note on breakpoints that are not seen."""
    if not any(map(has_breakpoints, texts)):
        return ()
    return ("a breakpoint in an included file is not seen: set it in the template itself",)


def _rendered(template: Template, values: Values, now: datetime, setting: Setting) -> Rendering:
    try:
        return setting.renderer.render(template, values, now=now)
    except PromptlintError as error:
        message = error.message
        for tree in (setting.tree, setting.other):
            message = message.replace(f"{tree.folder}/", "")
        hint = "give it a value in each file of `vars`" if "--vars" in error.hint else error.hint
        raise PromptlintError(message, hint) from None


def _text_and_sets(source: Source, setting: Setting) -> tuple[str, str, Sets, tuple[str, ...]]:
    """The path of the template, its text, the sets of variables, and the files of these in this state."""
    tree, newest = setting.tree, setting.other
    if source.entry.kind == "promptfoo":
        return _of_promptfoo(source, setting)
    names = variable_files(source, newest) or variable_files(source, tree)
    held = {name: setting.old(name) for name in names if setting.old(name) in tree.there}
    sets = sets_in(tree, held)
    if newest is not tree:
        sets = as_before(sets, sets_in(newest, {name: name for name in names if name in newest.there}))
    sets = without_stable(sets or {"no variables": {}}, source)
    return source.path, document(tree, source.path).text, sets, tuple(held.values())


def _of_promptfoo(source: Source, setting: Setting) -> tuple[str, str, Sets, tuple[str, ...]]:
    from promptlint.commands.check.promptfoo import prompts_of, tests_of

    asked = prompts_of(setting.tree, source.path)
    if (source.part or 0) >= len(asked):
        raise PromptlintError(
            f"{shown(source.name)}: none of its prompts is a text", "promptfoo's programs are not run"
        )
    one = asked[source.part or 0]
    sets = tests_of(setting.tree, source.path)
    newest = setting.new(source.path)
    if setting.other is not setting.tree and newest in setting.other.there:
        sets = as_before(sets, tests_of(setting.other, newest))
    return one.file or source.path, one.text, sets, ()


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
            request = load(as_document(path, printed.text))
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
    request = load(as_document(sent.request.document.path, sent.printed.text), input_format="text")
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


def says_breakpoints(source: Source, tree: Tree) -> bool:
    """Whether a template says in a comment where the cached part ends."""
    if source.entry.kind != "template":
        return False
    return has_breakpoints(text_of(tree, source.path))
