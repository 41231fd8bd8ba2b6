"""What a module of TypeScript or JavaScript takes from others and gives to them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptlint.lint.flow.code import (
    Assign,
    Binding,
    Constant,
    Define,
    Entry,
    Expression,
    Import,
    Imported,
    Mapping,
    Member,
    Name,
    Span,
    Statement,
)
from promptlint.lint.flow.typescript.functions import class_type, function
from promptlint.lint.flow.typescript.nodes import expression, field, inner, key_text, quoted, source, write, writes

if TYPE_CHECKING:
    from tree_sitter import Node

_Module = tuple[str, str | None]
"""A module and the name in it; None: the module itself."""


@writes("import_statement")
def _import(node: "Node", into: list[Statement]) -> None:
    if _is_type(node, 1):
        return
    names = list[Imported]()
    for child in node.children:
        if child.type == "import_require_clause" and (local := inner(child)) is not None:
            names.append(Imported(source(local), _module(child), None))
        elif child.type == "import_clause":
            names += _clause(child, _module(node))
    if names:
        into.append(Import(node.byte_range, tuple(names)))


def _clause(node: "Node", module: str) -> Iterator[Imported]:
    for child in node.children:
        if child.type == "identifier":
            yield Imported(source(child), module, "default")
        elif child.type == "namespace_import" and (local := inner(child)) is not None:
            yield Imported(source(local), module, None)
        elif child.type == "named_imports":
            yield from (Imported(local, module, name) for name, local in _specifiers(child))


def _specifiers(node: "Node") -> Iterator[tuple[str, str]]:
    """Each name in the braces of an import or export, and the name after `as`."""
    for child in node.children:
        if child.type not in ("import_specifier", "export_specifier") or _is_type(child, 0):
            continue
        name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
        if name is not None:
            yield key_text(name) or "", key_text(alias or name) or ""


def _is_type(node: "Node", place: int) -> bool:
    """Whether an import or export, or one name of it, is marked as a type."""
    if node.child_count <= place:
        return False
    mark = node.children[place]
    return mark.type in ("type", "typeof") or (mark.is_error and mark.text == b"type")  # `export type *` is too new


def _module(node: "Node") -> str:
    named = node.child_by_field_name("source")
    return "" if named is None else quoted(named)


@writes("import_alias")
def _alias(node: "Node", into: list[Statement]) -> None:
    """`import a = b.c`."""
    parts = [child for child in node.children if child.is_named]
    if len(parts) == 2:
        into.append(Assign(node.byte_range, expression(parts[0]), expression(parts[1])))


@writes("export_statement")
def _export(node: "Node", into: list[Statement]) -> None:
    if _is_type(node, 1):
        return
    signs = {child.type for child in node.children if not child.is_named}
    if node.child_by_field_name("source") is not None:
        names = tuple(_passed_on(node))
        if names:
            into.append(Import(node.byte_range, names))
    elif (declared := node.child_by_field_name("declaration")) is not None:
        _declared(node, declared, "default" in signs, into)
    elif (value := node.child_by_field_name("value") or (inner(node) if "=" in signs else None)) is not None:
        into.append(_default(node, value))
    else:
        clauses = (child for child in node.children if child.type == "export_clause")
        renamed = (pair for clause in clauses for pair in _specifiers(clause) if pair[0] != pair[1])
        span = node.byte_range
        into += [Assign(span, Name(span, alias), Name(span, name)) for name, alias in renamed]


def _passed_on(node: "Node") -> Iterator[Imported]:
    """`export … from`."""
    module, everything = _module(node), True
    for child in node.children:
        if child.type == "export_clause":
            everything = False
            yield from (Imported(local, module, name) for name, local in _specifiers(child))
        elif child.type == "namespace_export" and (local := inner(child)) is not None:
            everything = False
            yield Imported(key_text(local) or "", module, None)
    if everything:
        yield Imported("*", module, "*")


def _declared(node: "Node", declared: "Node", is_default: bool, into: list[Statement]) -> None:
    decorators = tuple(expression(child) for child in node.children if child.type == "decorator")
    if declared.type in ("class_declaration", "abstract_class_declaration"):
        into.append(class_type(declared, decorators=decorators))
    else:
        write(declared, into)
    name = declared.child_by_field_name("name")
    if is_default and name is not None and declared.type != "interface_declaration":
        span = name.byte_range
        into.append(Assign(node.byte_range, Name(span, "default"), Name(span, source(name))))


def _default(node: "Node", value: "Node") -> Statement:
    """`export default …` of what has no name; "default" is one."""
    if value.type in ("function_expression", "generator_function"):
        return Define(node.byte_range, function(value, "default"))
    if value.type == "class":
        return class_type(value, "default")
    return Assign(node.byte_range, Name(node.byte_range, "default"), expression(value))


def required(target: "Node", value: "Node", span: Span) -> Import | None:
    """`const a = require("m")`, `const {a, b: c} = await import("m")`; None of anything else."""
    found = _source(value)
    if found is None:
        return None
    module, name = found
    if target.type == "identifier":
        return Import(span, (Imported(source(target), module, name),))
    if target.type != "object_pattern" or name not in (None, "default"):
        return None
    names = []
    for child in target.children:
        if child.type == "shorthand_property_identifier_pattern":
            names.append(Imported(source(child), module, source(child)))
        elif child.type == "pair_pattern":
            key, local = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or local is None or local.type != "identifier":
                return None
            names.append(Imported(source(local), module, key_text(key) or ""))
        elif child.is_named and child.type != "comment":
            return None
    return Import(span, tuple(names))


def _source(node: "Node | None") -> _Module | None:
    """The module that `require("m")`, `await import("m")`, `require("m").a` or a compiler's wrapper around it names."""
    name: str | None = None
    while node is not None:
        if node.type == "member_expression" and name is None:
            known = node.child_by_field_name("property")
            name, node = "" if known is None else source(known), node.child_by_field_name("object")
        elif node.type in ("await_expression", "parenthesized_expression", "as_expression", "non_null_expression"):
            node = inner(node)
        elif node.type == "call_expression":
            callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            first = None if given is None else inner(given)
            if callee is None or first is None:
                return None
            if callee.type == "import" or callee.text == b"require":
                return (quoted(first), name) if first.type == "string" else None
            node = first if source(callee).rpartition(".")[2].startswith("__import") else None
        else:
            return None
    return None


def commonjs(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements of a module in which `exports.a = …` is `a = …`, and `module.exports = …` is "default"."""
    return tuple(each for statement in body for each in _exported(statement))


def _exported(statement: Statement) -> Iterator[Statement]:
    name = _export_name(statement.target) if isinstance(statement, Assign) else None
    if name is None or not isinstance(statement, Assign):
        yield statement
        return
    span, value = statement.span, statement.value
    while isinstance(value, Binding) and (_is_exports(value.target) or _export_name(value.target)):
        value = value.value
    if isinstance(value, Constant) and value.is_none:  # compilers declare exports before they give them values
        return
    if not (isinstance(value, Name) and value.name == name):
        yield statement._replace(target=Name(statement.target.span, name), value=value)
    if name == "default" and isinstance(value, Mapping):
        for key, part in value.entries:
            if isinstance(key, Constant) and key.text and not (isinstance(part, Name) and part.name == key.text):
                yield Assign(span, Name(key.span, key.text), Member(key.span, Name(key.span, "default"), key.text))


def _is_exports(node: Expression) -> bool:
    return isinstance(node, Name) and node.name == "exports"


def _export_name(target: Expression) -> str | None:
    if not isinstance(target, Member):
        return None
    if _is_exports(target.of):
        return target.name
    if isinstance(target.of, Name):
        return "default" if (target.of.name, target.name) == ("module", "exports") else None
    return target.name if _export_name(target.of) == "default" and isinstance(target.of, Member) else None


@writes("class_declaration", "abstract_class_declaration")
def _class(node: "Node", into: list[Statement]) -> None:
    into.append(class_type(node))


@writes("function_declaration", "generator_function_declaration")
def _function(node: "Node", into: list[Statement]) -> None:
    into.append(Define(node.byte_range, function(node)))


@writes("enum_declaration")
def _enum(node: "Node", into: list[Statement]) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return
    entries = []
    for child in body.children:
        key = child.child_by_field_name("name") if child.type == "enum_assignment" else child
        if key is None or key.type not in ("property_identifier", "string"):
            continue
        value = Constant(child.byte_range, None) if key is child else field(child, "value")
        entries.append(Entry(Constant(key.byte_range, key_text(key)), value))
    into.append(Assign(node.byte_range, expression(name), Mapping(body.byte_range, tuple(entries))))
