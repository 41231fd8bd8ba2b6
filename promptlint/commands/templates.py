"""Prompts that a template makes: a request through a chat template, an application template with its variables."""

import os
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.boundary import text_divergences
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.rendered import printed_spot, rendered_divergences
from promptlint.cache.meaning import Meaning
from promptlint.commands.changes import Found
from promptlint.commands.options import Options
from promptlint.facts.causes import cause
from promptlint.finding import Diff
from promptlint.prompt import Rendered, Request, TemplateSource
from promptlint.render import render

if TYPE_CHECKING:
    from promptlint.load.variables import Variables
    from promptlint.render.chat_template import ChatTemplates


class TemplateOptions(NamedTuple):
    """What the user says about templates, as on the command line; `_b`: for the second input, else as for the first."""

    chat_template: str | None = None
    chat_template_b: str | None = None
    kwargs: Mapping[str, Any] = {}
    variables: str | None = None  # a file
    variables_b: str | None = None
    now: datetime | None = None
    now_b: datetime | None = None


class Side(NamedTuple):
    """How the requests of one side are rendered."""

    templates: "ChatTemplates"
    variables: Mapping[str, Any] = {}  # --template-kwargs
    now: datetime | None = None  # the clock that the template sees; None: the real one


def through_template(request: Request, side: Side) -> Rendered:
    """The prompt that the model's chat template makes of a request."""
    from promptlint.render.chat import Aside, render_chat

    return render_chat(request, side.templates, Aside(side.variables, side.now))


def divergences(a: Rendered, b: Rendered) -> tuple[list[Divergence], list[Divergence]]:
    """The differences of two prompts, and those of the requests that neither prompt shows."""
    if a.request.format == "template":
        return _of_texts(a, b), []
    form_a = render(a.request)
    form_b = render(b.request, like=form_a)
    return rendered_divergences(a, b, text_divergences(form_a, form_b), form_a, form_b)


def _of_texts(a: Rendered, b: Rendered) -> list[Divergence]:
    """Two texts of application templates: named as texts, placed where the templates' text or the values stand."""
    found = text_divergences(_as_text(a), _as_text(b))
    return [d._replace(a=printed_spot(a, d.a_start, d.a_end), b=printed_spot(b, d.b_start, d.b_end)) for d in found]


def _as_text(rendered: Rendered) -> Rendered:
    from promptlint.load.text import load

    body = load(rendered.text, ())
    return render(rendered.request._replace(format="text", items=body.items))


def unseen(divergence: Divergence, a: Rendered, b: Rendered) -> Found:
    """A difference of the requests that the template prints on neither side."""
    row = cause(divergence.cause)
    message = divergence.message or "the requests differ"
    if not row.benign:
        message += "; the template prints it on neither side"
    at_end = divergence._replace(a_start=len(a.text), a_end=len(a.text), b_start=len(b.text), b_end=len(b.text))
    return Found(at_end, Meaning(row.label, "certain", "nothing", "info", message, row.fix))


def sides_of(options: TemplateOptions) -> tuple[Side | None, Side | None]:
    """The chat templates of both inputs; None where there are none."""
    from promptlint.errors import PromptlintError
    from promptlint.render.chat_template import open_chat_template

    spec_a = options.chat_template
    if spec_a is None:
        if options.chat_template_b is not None or options.kwargs:
            raise PromptlintError("there is no chat template", "give one with --chat-template")
        return None, None
    if options.variables is not None or options.variables_b is not None:
        raise PromptlintError(
            "--chat-template renders requests, and --vars templates", "give one of the two, or --template-kwargs"
        )
    templates = open_chat_template(spec_a)
    other = templates if options.chat_template_b is None else open_chat_template(options.chat_template_b)
    now_b = options.now if options.now_b is None else options.now_b
    return Side(templates, options.kwargs, options.now), Side(other, options.kwargs, now_b)


def beside(options: TemplateOptions) -> str | None:
    """The vocabulary that stands beside the chat template, or in the same file."""
    path = (options.chat_template or "").partition("#")[0]
    if path.endswith(".gguf"):
        return path
    vocabulary = os.path.join(path if os.path.isdir(path) else os.path.dirname(path), "tokenizer.json")
    return vocabulary if path and os.path.isfile(vocabulary) else None


def template_pair(a: str, b: str, options: TemplateOptions, how: Options) -> tuple[Diff, tuple[str, ...]]:
    """The difference of what two templates render with their variables."""
    from promptlint.commands.compare import compare_prompts, provider_of_pair
    from promptlint.load.variables import read_variables

    variables_a = read_variables(options.variables or options.variables_b or "")
    variables_b = read_variables(options.variables_b or options.variables or "")
    now_b = options.now if options.now_b is None else options.now_b
    one = _application(a, variables_a, options.now)
    two = _application(b, variables_b, now_b)
    provider = provider_of_pair(one.request, two.request, how)
    found = compare_prompts(one, two, provider, how)
    sides = [
        side._replace(path=p.template.document.path, revision=p.template.document.revision)
        for side, p in ((found.a, one), (found.b, two))
        if p.template is not None
    ]
    return found._replace(a=sides[0], b=sides[1]), (*one.notes, *two.notes)


def _application(argument: str, variables: "Variables", now: datetime | None) -> Rendered:
    from promptlint.load.variables import plain
    from promptlint.read.sources import read
    from promptlint.render.chat import rendered
    from promptlint.render.template import Template, render_all

    document = read(argument)
    held = variables.value
    request = Request(variables.document, (), held, "template", "unknown", None, ())
    roots = () if document.revision is not None or document.path == "-" else (os.path.dirname(document.path) or ".",)
    template = Template(document.path, document.text, "application", roots)
    found = render_all(template, [{name: plain(value) for name, value in held.items()}], now=now)[0]
    return rendered(request, TemplateSource(document, (), None, document.text), found, {name: (name,) for name in held})
