"""Names, literals, calls, objects, patterns and JSX of TypeScript and JavaScript."""

from typing import TYPE_CHECKING

from promptlint.lint.flow.code import (
    Argument,
    Awaited,
    Call,
    Constant,
    Entry,
    Expression,
    Item,
    Lambda,
    Listing,
    Mapping,
    Member,
    Name,
    Operation,
    Span,
    Text,
)
from promptlint.lint.flow.typescript.functions import function
from promptlint.lint.flow.typescript.nodes import (
    cooked,
    expression,
    field,
    inner,
    key_of,
    quoted,
    reads,
    source,
    unknown,
)

if TYPE_CHECKING:
    from tree_sitter import Node

# Tags whose answer is the text itself, but for white space.
_PLAIN_TAGS = {"dedent", "outdent", "endent", "redent", "stripIndent", "stripIndents", "stripMargin", "oneLine"}


@reads(
    "identifier",
    "this",
    "super",
    "import",
    "meta_property",
    "type_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
)
def _name(node: "Node") -> Expression:
    name = cooked(source(node))
    return Name(node.byte_range, name) if name else unknown(node)  # the parser may add what is missing


@reads("number", "true", "false", "regex")
def _value(node: "Node") -> Expression:
    return Constant(node.byte_range, None)


@reads("null", "undefined")
def _nothing(node: "Node") -> Expression:
    return Constant(node.byte_range, None, is_none=True)


@reads("string")
def _string(node: "Node") -> Expression:
    return Constant(node.byte_range, quoted(node))


@reads("template_string")
def _template(node: "Node") -> Expression:
    return _pieces(node, raw=False)


def _pieces(node: "Node", raw: bool) -> Expression:
    """A template literal; without expressions it is a constant."""
    text, start, end = node.text or b"", node.start_byte, node.end_byte
    at, parts = start + 1, list[Expression]()

    def literal(until: int) -> None:
        if at < until:
            written = text[at - start : until - start].decode("utf-8", "replace").replace("\r\n", "\n")
            parts.append(Constant((at, until), written if raw else cooked(written)))

    for child in node.children:
        if child.type == "template_substitution":
            literal(child.start_byte)
            value = inner(child)
            if value is not None:
                parts.append(expression(value))
            at = child.end_byte
    if at == start + 1:
        written = text[1:-1].decode("utf-8", "replace").replace("\r\n", "\n")
        return Constant((start, end), written if raw else cooked(written))
    literal(end - 1)
    return Text((start, end), tuple(parts))


@reads(
    "parenthesized_expression",
    "as_expression",
    "satisfies_expression",
    "non_null_expression",
    "instantiation_expression",
    "computed_property_name",
    "rest_pattern",
    "spread_element",
    "type_assertion",
    "decorator",
    "else_clause",
)
def _transparent(node: "Node") -> Expression:
    child = inner(node)
    return unknown(node) if child is None else expression(child)


@reads("await_expression")
def _awaited(node: "Node") -> Expression:
    return Awaited(node.byte_range, _transparent(node))


@reads("member_expression")
def _member(node: "Node") -> Expression:
    name = node.child_by_field_name("property")
    return Member(node.byte_range, field(node, "object"), "" if name is None else cooked(source(name)))


@reads("nested_identifier")
def _nested(node: "Node") -> Expression:
    return _member(node)


@reads("subscript_expression")
def _item(node: "Node") -> Expression:
    return Item(node.byte_range, field(node, "object"), field(node, "index"))


@reads("call_expression")
def _call(node: "Node") -> Expression:
    callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or given is None:
        return unknown(node)
    if given.type != "template_string":
        return Call(node.byte_range, expression(callee), arguments(given))
    tag = source(callee)
    if tag == "String.raw" or tag.rpartition(".")[2] in _PLAIN_TAGS:
        return _pieces(given, raw=tag == "String.raw")._replace(span=node.byte_range)
    return Call(node.byte_range, expression(callee), (Argument(None, expression(given)),))


@reads("new_expression")
def _new(node: "Node") -> Expression:
    given = node.child_by_field_name("arguments")
    made = () if given is None else arguments(given)
    return Call(node.byte_range, field(node, "constructor"), made, is_new=True)


def arguments(node: "Node") -> tuple[Argument, ...]:
    """The values in the brackets of a call or of an array."""
    return tuple(
        Argument(None, expression(child), spread=child.type == "spread_element")
        for child in node.children
        if child.is_named and child.type not in ("comment", "ERROR")
    )


@reads("array")
def _array(node: "Node") -> Expression:
    return Listing(node.byte_range, arguments(node), "list")


@reads("object")
def _object(node: "Node") -> Expression:
    entries = (entry(child) for child in node.children if child.is_named)
    return Mapping(node.byte_range, tuple(each for each in entries if each))


def entry(node: "Node") -> Entry | None:
    """One entry of an object literal; None of comments, setters and what is broken."""
    if node.type == "pair":
        key = node.child_by_field_name("key")
        return None if key is None else Entry(key_of(key), field(node, "value"))
    if node.type == "shorthand_property_identifier":
        return Entry(key_of(node), expression(node))
    if node.type == "spread_element":
        return Entry(None, expression(node))
    if node.type == "method_definition":
        key, method = node.child_by_field_name("name"), function(node)
        if key is not None and not method.name.startswith("set "):
            return Entry(key_of(key), Lambda(node.byte_range, method))
    return None


@reads("arrow_function", "function_expression", "generator_function")
def _lambda(node: "Node") -> Expression:
    return Lambda(node.byte_range, function(node))


@reads("jsx_element", "jsx_self_closing_element")
def _jsx(node: "Node") -> Expression:
    """An element: the expressions of its attributes and of what it holds."""
    span: Span = node.byte_range
    values, waiting = list[Expression](), list(reversed(node.children))
    while waiting:
        child = waiting.pop()
        if child.type in ("jsx_opening_element", "jsx_attribute"):
            waiting += reversed(child.children)
        elif child.type in ("jsx_element", "jsx_self_closing_element"):
            values.append(expression(child))
        elif child.type == "jsx_expression" and (value := inner(child)) is not None:
            values.append(expression(value))
    return Operation(span, tuple(values), keeps=False)
