"""What one template brings in from others: include, import, extends with its blocks."""

from typing import Any

from jinja2 import nodes

from promptlint.errors import PromptlintError
from promptlint.load.jinja.files import LARGEST, Refused, find
from promptlint.load.jinja.regions import nothing_printed
from promptlint.load.jinja.syntax import Syntax, parse
from promptlint.load.jinja.values import Module, Scope, Value
from promptlint.load.jinja.visit import Block, Context, evaluate, walk
from promptlint.template import Hole, TemplateFile

_MOST_FILES = 200


def walk_file(context: Context, syntax: Syntax) -> None:
    """Find what a file prints; one that extends another prints that, with its own blocks."""
    body = syntax.body
    number = next((number for number, node in enumerate(body) if isinstance(node, nodes.Extends)), None)
    parent = None if number is None else _parent(context, body[number])
    if number is None or parent is None:
        walk(context, body)
        return
    name, base = parent
    blocks = dict(context.blocks)
    for block in _blocks(body):
        blocks[block.name] = (*blocks.get(block.name, ()), Block(block.body, context.tokens))
    context.found.blocks.update(blocks)
    quiet = context._replace(quiet=True)
    walk(quiet, body[:number])
    walk(quiet._replace(printed=nothing_printed()), body[number + 1 :])
    walk_file(context._replace(tokens=base.tokens, blocks=blocks, files=(*context.files, name)), base)


def _parent(context: Context, node: nodes.Node) -> tuple[str, Syntax] | None:
    assert isinstance(node, nodes.Extends)
    names = _names(context, node.template)
    if names is None:
        context.note(node.lineno, "which template it extends is known only when it is rendered")
        return None
    return _first(context, node.lineno, names, False)


def _extends(context: Context, node: nodes.Extends) -> None:
    """One that `walk_file` has not followed."""
    if context.level:
        context.note(node.lineno, "a template that is extended only under a condition is not followed")


def _include(context: Context, node: nodes.Include) -> None:
    names = _names(context, node.template)
    if names is None:
        value = evaluate(context, node.template)
        context.note(node.lineno, "which template it includes is known only when it is rendered")
        whole = context.tag(node.lineno)
        context.printed.parts.append(Hole(whole, whole, "block", value.arguments, value.calls, context.when))
        return
    known = _first(context, node.lineno, names, bool(node.ignore_missing))
    if known is not None and context.may_inline():
        name, syntax = known
        scope = Scope(context.scope if node.with_context else None)
        walk_file(_in_file(context, name, syntax, scope), syntax)


def _import(context: Context, node: nodes.Import) -> None:
    scope = _module(context, node)
    if scope is not None:
        context.scope.values[node.target] = Value(thing=Module(scope))


def _from_import(context: Context, node: nodes.FromImport) -> None:
    scope = _module(context, node)
    for entry in node.names:
        name, alias = entry if isinstance(entry, tuple) else (entry, entry)
        context.scope.values[alias] = Value() if scope is None else scope.values.get(name, Value())


def _module(context: Context, node: nodes.Import | nodes.FromImport) -> Scope | None:
    """The names that an imported file sets."""
    names = _names(context, node.template)
    if names is None:
        context.note(node.lineno, "which template it imports is known only when it is rendered")
        return None
    known = _first(context, node.lineno, names, False)
    if known is None or not context.may_inline():
        return None
    name, syntax = known
    scope = Scope(context.scope if node.with_context else None)
    walk_file(_in_file(context, name, syntax, scope)._replace(printed=nothing_printed()), syntax)
    return scope


def _in_file(context: Context, name: str, syntax: Syntax, scope: Scope) -> Context:
    return context._replace(
        tokens=syntax.tokens,
        scope=scope,
        root=scope,
        inlined=context.inlined + 1,
        files=(*context.files, name),
        blocks={},
        above=(),
        quiet=False,
    )


def _block(context: Context, node: nodes.Block) -> None:
    if context.quiet:
        return
    known = context.blocks.get(node.name, ())
    own = Block(node.body, context.tokens)
    chain = known if any(block.body is node.body for block in known) else (*known, own)
    context.found.blocks[node.name] = chain
    if id(chain[0].body) in context.macros:
        return
    body, tokens = chain[0]
    scope = Scope(context.scope if node.scoped else context.root)
    macros = (*context.macros, id(body))
    walk(context._replace(tokens=tokens, scope=scope, above=chain[1:], macros=macros), body)


def _blocks(body: list[nodes.Node]) -> list[nodes.Block]:
    """All blocks in statements, those in others included."""
    found: list[nodes.Block] = []
    rest = list(reversed(body))
    while rest:
        node = rest.pop()
        if isinstance(node, nodes.Block):
            found.append(node)
        for name in ("else_", "elif_", "body"):
            rest.extend(reversed(getattr(node, name, None) or ()))
    return found


def _names(context: Context, node: nodes.Expr) -> list[str] | None:
    """The names that a template gives of another one; None: they are not constant."""
    items = node.items if isinstance(node, nodes.List | nodes.Tuple) else [node]
    names = [evaluate(context, item).constant for item in items]
    known = [name for name in names if name is not None]
    return known if len(known) == len(names) else None


def _first(context: Context, token: int, names: list[str], ignore_missing: bool) -> tuple[str, Syntax] | None:
    """The first of these templates that there is; what is wrong with it becomes a note."""
    for name in names:
        found = _loaded(context, name)
        if isinstance(found, str):
            context.note(token, f"{name!r} is not followed: {found}")
            return None
        if found is not None:
            if name in context.files:
                context.note(token, f"{name!r} brings in itself: that is not followed")
                return None
            return name, found
    if not ignore_missing:
        where = f"in {' or '.join(context.found.roots)}" if context.found.roots else "known: no folder is given"
        context.note(token, f"{' or '.join(map(repr, names))} is not {where}")
    return None


def _loaded(context: Context, name: str) -> Syntax | str | None:
    """The template of this name, why it is not read, or None."""
    found = context.found
    if name not in found.loaded:
        try:
            found.loaded[name] = _parsed(context, name)
        except (Refused, PromptlintError) as error:
            found.loaded[name] = str(error)
    return found.loaded[name]


def _parsed(context: Context, name: str) -> Syntax | None:
    found = context.found
    known = find(name, found.roots)
    if known is None:
        return None
    path, text = known
    if len(found.files) >= _MOST_FILES or sum(len(file.text) for file in found.files) + len(text) > LARGEST:
        raise Refused("it brings in too much")
    syntax = parse(len(found.files), path, text, found.chat)
    found.files.append(TemplateFile(path, text))
    found.tokens.append(syntax.tokens)
    found.keeps_state = found.keeps_state or keeps_state(text)
    return syntax


def keeps_state(text: str) -> bool:
    """Whether a turn of a loop may leave something for the next one."""
    return any(
        word in text for word in ("namespace", ".append", ".extend", ".insert", ".update", ".add", ".setdefault")
    )


HANDLERS: dict[type[nodes.Node], Any] = {
    nodes.Extends: _extends,
    nodes.Include: _include,
    nodes.Import: _import,
    nodes.FromImport: _from_import,
    nodes.Block: _block,
}
