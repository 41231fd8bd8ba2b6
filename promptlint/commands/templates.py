"""Prompts that a template makes: a request through a chat template, an application template with its variables."""

import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.boundary import text_divergences
from promptlint.boundary.divergence import Divergence, origin_at
from promptlint.boundary.rendered import rendered_divergences
from promptlint.boundary.shown import is_printed
from promptlint.boundary.template_causes import clocks
from promptlint.boundary.template_texts import template_text_divergences
from promptlint.cache.meaning import Meaning
from promptlint.commands.changes import Found
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.facts.causes import cause
from promptlint.finding import Diff
from promptlint.prompt import Document, Path, Rendered, Request, TemplateSource
from promptlint.read.names import shown
from promptlint.read.places import pointer
from promptlint.read.plain import plain
from promptlint.render import render

if TYPE_CHECKING:
    from promptlint.load.variables import Variables
    from promptlint.render.chat import Aside
    from promptlint.render.chat_template import ChatTemplates, NativeChat
    from promptlint.render.template import Profile
    from promptlint.render.template.process import Renderer


class TemplateOptions(NamedTuple):
    """What the user says about templates, as on the command line; `_b`: for the second input, else as for the first."""

    chat_template: str | None = None
    chat_template_b: str | None = None
    kwargs: Mapping[str, Any] = {}
    variables: str | None = None  # a file
    variables_b: str | None = None
    now: datetime | None = None
    now_b: datetime | None = None


def name_of(document: Document) -> str:
    """The document as a user would name it again."""
    path = document.path if document.revision is None else f"{document.revision}:{document.path}"
    number = document.entry if document.record is None else document.record
    return shown(path) if number is None else f"{shown(path)}#{number}"


class Side(NamedTuple):
    """How the requests of one side are rendered."""

    templates: "ChatTemplates | NativeChat"
    aside: "Aside"


def through_templates(old: Request, new: Request, sides: tuple[Side, Side]) -> tuple[Rendered, Rendered]:
    """The prompts that the model's chat template makes of two requests."""
    from promptlint.render.template.process import Renderer

    with Renderer() as renderer:
        return through_template(old, sides[0], renderer), through_template(new, sides[1], renderer)


def through_template(request: Request, side: Side, renderer: "Renderer") -> Rendered:
    """The prompt that the model's chat template makes of one request."""
    from promptlint.render.chat import render_chat

    try:
        return render_chat(request, *side, renderer)
    except PromptlintError as error:
        raise PromptlintError(f"{name_of(request.document)}: {error.message}", error.hint) from None


def spelled_tokens(prompt: Rendered, options: Options) -> Iterator[str]:
    """Control tokens of the template that a text of the request spells: the model takes them for the real ones."""
    names = [name for name in options.tokenizer.added_tokens if any(map(str.isalnum, name))] if options.chosen else []
    if not names or prompt.tokens is not None:
        return
    own: set[str] = set()
    sent: dict[str, Path] = {}
    for match in re.finditer("|".join(map(re.escape, sorted(names, key=len, reverse=True))), prompt.text):
        origin = prompt.origins[origin_at(prompt, match.start())]
        if origin.kind == "template":
            own.add(match[0])
        elif is_printed(origin) and match.end() <= origin.end:
            sent.setdefault(match[0], origin.path or ())
    for name, path in sent.items():
        if name in own:
            yield f"the text at {pointer(path)} spells {name}, which the model reads as the control token"


_IN_PROMPT = ("chat_template_kwargs", "documents")
_IF_READ = ("reasoning_effort", "reasoning", "thinking")  # servers hand them to the template


def through_prompt(divergence: Divergence, meaning: Meaning, template: TemplateSource) -> Meaning:
    """A field that acts through the prompt alone, which is known, does nothing else."""
    name = divergence.field.split(".")[0]
    unread = name in _IF_READ and (not template.source or name not in template.source)
    if meaning.affects == "nothing" and meaning.certainty == "certain":
        return meaning
    if name not in _IN_PROMPT and not unread:
        return meaning
    message = f"{divergence.message}; it acts through the prompt alone, and what it changes there is told as text"
    row = cause("request-only-setting")
    return Meaning(row.label, "certain", "nothing", "info", message, row.fix)


def divergences(a: Rendered, b: Rendered) -> tuple[list[Divergence], list[Divergence]]:
    """The differences of two prompts, and those of the requests that neither prompt shows."""
    if a.request.format == "template":
        return template_text_divergences(a, b), []
    form_a = render(a.request)
    form_b = render(b.request, like=form_a)
    return rendered_divergences(a, b, text_divergences(form_a, form_b), form_a, form_b)


def passing_times(a: Rendered, b: Rendered) -> list[Found]:
    """The times that the template itself prints: equal in both prompts, and not for long."""
    done = []
    for divergence, expression in list(clocks(a, b))[:1]:
        row = cause(divergence.cause)
        if divergence.cause == "clock":
            message = (
                f"the template prints the time of day, {expression}: requests share what follows for a moment only"
            )
            meaning = Meaning(row.label, "possible", "prefix", "warning", message, row.fix)
        else:
            message = (
                f"the template prints the date, {expression}: from the next day on, requests share what precedes it"
            )
            meaning = Meaning(row.label, "certain", "nothing", "info", message, row.fix)
        done.append(Found(divergence._replace(message=message), meaning))
    return done


def unseen(divergence: Divergence, a: Rendered, b: Rendered) -> Found:
    """A difference of the requests that the template prints on neither side."""
    row = cause(divergence.cause)
    message = divergence.message or "the requests differ"
    if not row.benign:
        message += "; the template prints it on neither side"
    at_end = divergence._replace(a_start=len(a.text), a_end=len(a.text), b_start=len(b.text), b_end=len(b.text))
    return Found(at_end, Meaning(row.label, "certain", "nothing", "info", message, row.fix))


def sides_of(options: TemplateOptions, provider: str | None, tokenizer: str | None) -> tuple[Side, Side] | None:
    """The chat templates of both inputs, as the provider calls them; None if there are none.

    `tokenizer`: the vocabulary that the user names.
    """
    from promptlint.render.chat import Aside
    from promptlint.render.chat_template import NativeChat, open_chat_template
    from promptlint.tokens.harmony import official_ranks

    spec_a = options.chat_template
    if spec_a is None:
        if options.chat_template_b is not None or options.kwargs:
            raise PromptlintError("there is no chat template", "give one with --chat-template")
        if options.variables is None and options.variables_b is None:
            raise PromptlintError("--now is the clock of a template, and there is none", "give one, or leave it out")
        return None
    if options.variables is not None or options.variables_b is not None:
        raise PromptlintError(
            "--chat-template renders requests, and --vars templates", "give one of the two, or --template-kwargs"
        )
    templates = open_chat_template(spec_a)
    other = templates if options.chat_template_b is None else open_chat_template(options.chat_template_b)
    if isinstance(templates, NativeChat) or isinstance(other, NativeChat):
        if tokenizer is not None:
            raise PromptlintError("the library that renders this model has its own vocabulary", "leave out --tokenizer")
        if templates != other:
            raise PromptlintError("prompts of two vocabularies share no tokens", "leave out --chat-template-b")
    now, now_b = _clocks(options)
    aside = Aside(now, official_ranks, options.kwargs, _profile(provider))
    return Side(templates, aside), Side(other, aside._replace(now=now_b))


def _profile(provider: str | None) -> "Profile":
    """Who calls the templates."""
    return "vllm" if provider == "vllm" else "llama-cpp" if provider == "llama-cpp" else "transformers"


def _clocks(options: TemplateOptions) -> tuple[datetime, datetime]:
    """The clocks of both sides: one moment, unless the user says otherwise."""
    now = options.now or datetime.now()
    return now, options.now_b or now


def template_pair(a: str, b: str, options: TemplateOptions, how: Options) -> tuple[Diff, tuple[str, ...]]:
    """The difference of what two templates render with their variables."""
    from promptlint.commands.compare import compare_prompts, provider_of_pair
    from promptlint.load.variables import load_variables
    from promptlint.read.sources import read
    from promptlint.render.template.process import Renderer

    if options.variables is None:
        raise PromptlintError("--vars-b gives other variables for B, and there are none for A", "give --vars")
    named = options.variables, options.variables_b or options.variables
    with Renderer() as renderer:
        one, two = (
            _application(read(template), load_variables(read(variables)), now, renderer)
            for template, variables, now in zip((a, b), named, _clocks(options), strict=True)
        )
    provider = provider_of_pair(one.request, two.request, how)
    found = compare_prompts(one, two, provider, how)
    sides = [
        side._replace(path=p.template.document.path, revision=p.template.document.revision)
        for side, p in ((found.a, one), (found.b, two))
        if p.template is not None
    ]
    return found._replace(a=sides[0], b=sides[1]), (*one.notes, *two.notes)


def _application(document: Document, variables: "Variables", now: datetime, renderer: "Renderer") -> Rendered:
    """The text that an application's template makes of its variables."""
    from promptlint.render.chat import rendered
    from promptlint.render.template import Template

    request = Request(variables.document, variables.path, variables.value, "template", "unknown", None, ())
    roots = () if document.revision is not None or document.path == "-" else (os.path.dirname(document.path) or ".",)
    template = Template(document.path, document.text, "application", roots)
    found = renderer.render(template, plain(variables.value), now=now)
    found = found._replace(notes=(*variables.notes, *found.notes))
    return rendered(request, TemplateSource(document, (), None, document.text), found, {(): variables.path})
