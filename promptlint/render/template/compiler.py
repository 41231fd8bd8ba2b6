"""Jinja compiled so that literals keep their place and printed values their origin."""

from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.parser import Parser

from promptlint.render.template.pieces import at_line
from promptlint.render.template.serialise import representation
from promptlint.render.template.tracked import Tracked, checked, concat, pieces_of


def text_of(value: Any) -> str:
    """`str(value)` with its origins."""
    text = value if type(value) is Tracked else str(value)
    if type(text) is not Tracked and type(value) in (list, dict, tuple):  # made by the template, of parts that it got
        return checked(text, lambda: representation(value))
    return text


def printed(value: Any, line: int) -> str:
    """The text of an expression, and the line of the template that prints it."""
    text = text_of(value)
    before = pieces_of(text)
    after = at_line(before, line)
    return text if after is before else Tracked(text, after)


def beside(values: tuple[Any, ...]) -> str:
    """`a ~ b`."""
    return concat([text_of(value) for value in values])


class TrackingParser(Parser):
    """Two strings side by side are one constant that keeps the places of both."""

    def parse_primary(self, *args: Any, **named: Any) -> nodes.Expr:
        if self.stream.current.type != "string":
            return super().parse_primary(*args, **named)
        line = self.stream.current.lineno
        parts: list[str] = []
        while self.stream.current.type == "string":
            parts.append(next(self.stream).value)
        return nodes.Const(concat(parts), lineno=line)


class TrackingGenerator(CodeGenerator):
    """Writes the name of a tracked literal where Jinja writes the literal, and of `printed` where it writes `str`.

    Where the template turns on escaping, Jinja's own code stays inside that: what it answers is computed.
    """

    _written_at: int | None = None  # line of the call or filter block whose answer is being written

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        if type(node.value) is Tracked and not frame.eval_ctx.volatile:
            self._literal(node.value)
        else:
            super().visit_Const(node, frame)

    def visit_TemplateData(self, node: nodes.TemplateData, frame: Frame) -> None:
        if type(node.data) is Tracked:
            self._literal(node.data)
        else:
            super().visit_TemplateData(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        if _escapes(frame):
            super().visit_Concat(node, frame)
            return
        self.write("environment._beside((")
        for argument in node.nodes:
            self.visit(argument, frame)
            self.write(", ")
        self.write("))")

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        raise nodes.Impossible

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if not isinstance(node, nodes.TemplateData):
            self.write("environment._printed(")
            if _escapes(frame):
                super()._output_child_pre(node, frame, finalize)

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if not isinstance(node, nodes.TemplateData):
            if _escapes(frame):
                super()._output_child_post(node, frame, finalize)
            self.write(f", {self._line(node)})")

    def start_write(self, frame: Frame, node: nodes.Node | None = None) -> None:
        super().start_write(frame, node)
        self._written_at = self._line(node) if isinstance(node, nodes.CallBlock | nodes.FilterBlock) else None
        if self._written_at is not None:
            self.write("environment._printed(")

    def end_write(self, frame: Frame) -> None:
        if self._written_at is not None:
            self.write(f", {self._written_at})")
        super().end_write(frame)

    def _line(self, node: nodes.Node) -> int:
        """The line of a node of the main template, which has no name; 0 in one that it includes."""
        return node.lineno if self.name is None else 0

    def _literal(self, literal: Tracked) -> None:
        literals = self.environment._literals  # type: ignore[attr-defined]
        literals.append(literal)
        self.write(f"environment._literals[{len(literals) - 1}]")


def _escapes(frame: Frame) -> bool:
    return bool(frame.eval_ctx.volatile or frame.eval_ctx.autoescape)
