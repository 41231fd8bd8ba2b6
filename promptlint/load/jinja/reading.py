"""A template's text -> its parts."""

from promptlint.load.jinja import calls, expressions, others, statements
from promptlint.load.jinja.regions import nothing_printed
from promptlint.load.jinja.syntax import parse
from promptlint.load.jinja.tokens import Tokens, failure
from promptlint.load.jinja.values import NOTHING, Scope
from promptlint.load.jinja.visit import EXPRESSIONS, STATEMENTS, Context, Findings
from promptlint.template import SourceRange, Template, TemplateFile

EXPRESSIONS.update(expressions.HANDLERS | calls.HANDLERS)
STATEMENTS.update(statements.HANDLERS | others.HANDLERS)


def read(name: str, text: str, roots: tuple[str, ...], chat: bool) -> Template:
    """The parts of a template; `chat`: its tags take white space away as in chat templates."""
    path = name.replace("\\", "/")
    syntax = parse(0, path, text, chat)
    found = Findings(chat, roots, [TemplateFile(path, text)], [syntax.tokens])
    found.keeps_state = others.keeps_state(text)
    printed, scope = nothing_printed(), Scope()
    context = Context(found, syntax.tokens, scope, scope, printed, "always", NOTHING)
    try:
        others.walk_file(context, syntax)
    except RecursionError:
        raise failure(syntax.tokens, 1, "it is nested too deeply") from None
    return Template(
        name=name,
        language="jinja",
        files=tuple(found.files),
        parts=tuple(printed.parts),
        loops=tuple(sorted(printed.loops, key=lambda loop: (loop.first, -loop.last))),
        breakpoints=tuple(printed.breakpoints),
        arguments=tuple(found.arguments),
        is_chat=found.over_messages and found.reads_messages,
        notes=tuple(found.notes.values()),
        conditions=tuple(sorted(printed.conditions, key=lambda one: (one.first, -one.last))),
        comments=tuple(comment for tokens in found.tokens for comment in tokens.comments),
        tags=tuple(tag for tokens in found.tokens for tag in _tags(tokens)),
        missing=tuple(name for name, loaded in found.loaded.items() if loaded is None),
    )


def _tags(tokens: Tokens) -> list[SourceRange]:
    firsts = [first for first in tokens.tags if tokens.kinds[first] != "variable_begin"]
    return [tokens.range(first, tokens.closes[first]) for first in firsts]
