"""Functions, their parameters, and classes of TypeScript and JavaScript."""

from functools import cache, partial
from typing import TYPE_CHECKING

from promptlint.errors import PromptlintError
from promptlint.lint.flow.code import (
    Assign,
    Define,
    Expression,
    Function,
    Member,
    Name,
    Parameter,
    Return,
    Statement,
    Type,
)
from promptlint.lint.flow.typescript.nodes import block, expression, field, inner, key_text, source
from promptlint.lint.flow.typescript.patterns import target

if TYPE_CHECKING:
    from tree_sitter import Node

TOO_DEEP = "the code is nested too deeply to be read"


def function(node: "Node", name: str | None = None, decorators: tuple[Expression, ...] = ()) -> Function:
    """A function, arrow or method, under its own name unless another is given. A setter `x` is called "set x"."""
    named, given = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    signs = {child.type for child in node.children if not child.is_named}
    if name is None:
        name = "" if named is None else key_text(named) or source(named)
        if "set" in signs:
            name = f"set {name}"
    parameters = () if given is None else tuple(_parameters(given))
    if (single := node.child_by_field_name("parameter")) is not None:  # `x => x`
        parameters = (Parameter(source(single)),)
    return Function(
        node.byte_range,
        name,
        parameters,
        cache(partial(_body, node)),
        decorators,
        is_async="async" in signs,
        is_static="static" in signs,
        is_getter="get" in signs,
    )


def _body(node: "Node") -> tuple[Statement, ...]:
    body = node.child_by_field_name("body")
    if body is None:
        return ()
    try:
        if body.type == "statement_block":
            return (*_defaults(node), *_kept_parameters(node), *block(body))
        return (*_defaults(node), Return(body.byte_range, expression(body)))
    except RecursionError:
        raise PromptlintError(f"line {body.start_point[0] + 1}: {TOO_DEEP}", "split the expression") from None


def _parameters(node: "Node") -> list[Parameter]:
    found = []
    for child in node.children:
        pattern = child.child_by_field_name("pattern") if child.is_named else None
        if pattern is None or pattern.type == "this":
            continue
        default, written = child.child_by_field_name("value"), child.child_by_field_name("type")
        is_rest = pattern.type == "rest_pattern"
        bound = (inner(pattern) if is_rest else pattern) or pattern
        is_name = bound.type == "identifier"
        found.append(
            Parameter(
                source(bound) if is_name else "",
                None if default is None else expression(default),
                "rest" if is_rest else "one",
                "" if written is None else _type_name(written),
                None if is_name else target(bound)[0],
            )
        )
    return found


def _type_name(node: "Node") -> str:
    """The name of a type, without what stands in its brackets; "" of one without a name."""
    written = inner(node)
    if written is not None and written.type == "generic_type":
        written = written.child_by_field_name("name")
    named = ("type_identifier", "nested_type_identifier", "predefined_type")
    return source(written).rpartition(".")[2] if written is not None and written.type in named else ""


def _defaults(node: "Node") -> list[Statement]:
    """What destructured parameters give to names that got nothing: `{limit = 10}`."""
    given, found = node.child_by_field_name("parameters"), list[Statement]()
    for child in () if given is None else given.children:
        pattern = child.child_by_field_name("pattern") if child.is_named else None
        if pattern is not None and pattern.type in ("object_pattern", "array_pattern"):
            found += target(pattern)[1]
    return found


def _kept_parameters(node: "Node") -> list[Statement]:
    """`this.clock = clock` for each `constructor(private clock: Clock)`."""
    name, given = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    if node.type != "method_definition" or name is None or given is None or name.text != b"constructor":
        return []
    found: list[Statement] = []
    for child in given.children:
        kept = any(part.type in ("accessibility_modifier", "readonly", "override_modifier") for part in child.children)
        if kept and (pattern := child.child_by_field_name("pattern")) is not None:
            span = pattern.byte_range
            place = Member(span, Name(span, "this"), source(pattern))
            found.append(Assign(child.byte_range, place, Name(span, source(pattern))))
    return found


def class_type(node: "Node", name: str | None = None, decorators: tuple[Expression, ...] = ()) -> Type:
    """A class, under its own name unless another is given; the bodies of its methods are not read yet."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    bases, own = list[Expression](), list(decorators)
    for child in node.children:
        if child.type == "decorator":
            own.append(expression(child))
        elif child.type == "class_heritage":
            bases += [field(part, "value") for part in child.children if part.type == "extends_clause"]
    written = "" if named is None else source(named)
    members = () if body is None else _members(body)
    return Type(node.byte_range, name if name is not None else written, tuple(bases), tuple(own), members)


def _members(node: "Node") -> tuple[Statement, ...]:
    found, decorators = list[Statement](), list[Expression]()
    for child in node.children:
        if child.type == "decorator":
            decorators.append(expression(child))
        elif child.type == "method_definition":
            found.append(Define(child.byte_range, function(child, decorators=tuple(decorators))))
            decorators = []
        elif child.type == "public_field_definition":
            found += _field(child)
            decorators = []
        elif child.type == "class_static_block":
            found += block(child.child_by_field_name("body"))
    return tuple(found)


def _field(node: "Node") -> list[Statement]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return []
    place = Name(name.byte_range, key_text(name) or source(name))
    return [Assign(node.byte_range, place, None if value is None else expression(value))]
