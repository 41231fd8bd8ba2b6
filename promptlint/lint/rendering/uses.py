"""How a template uses what it is given: an own walk over its syntax, so that values can be made up that fit."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from promptlint.lint.rendering.expressions import Expressions, Scope, Use, note

if TYPE_CHECKING:
    from jinja2 import nodes

LONGEST = 64 * 1024  # characters inside tags that are still parsed: the rest of a template may be any length


def uses(texts: Iterable[str]) -> dict[str, Use]:
    """The arguments of a template of several files, in the order of their first use.

    Raises ValueError for one that does not parse, RecursionError for one that is nested too deeply.
    """
    from jinja2 import TemplateSyntaxError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    parser = ImmutableSandboxedEnvironment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
    try:
        parsed = [parser.parse(text) for text in texts]
        walk = _Walk(parsed)
        for tree in parsed:
            walk.statements(tree.body, {})
    except TemplateSyntaxError as error:
        raise ValueError(" ".join(str(error.message).split())) from None
    return walk.expressions.roots


class _Walk:
    """Goes over statements."""

    def __init__(self, parsed: Iterable["nodes.Template"]) -> None:
        from jinja2 import nodes

        self.nodes = nodes
        self.expressions = Expressions(parsed, self.statements)
        self.value = self.expressions.value

    def statements(self, body: Iterable["nodes.Node"], scope: Scope) -> None:
        for node in body:
            self._statement(node, scope)

    def _statement(self, node: "nodes.Node", scope: Scope) -> None:
        n = self.nodes
        if isinstance(node, n.Output):
            for part in node.nodes:
                note(self.value(part, scope), "printed")
        elif isinstance(node, n.For):
            self._loop(node, scope)
        elif isinstance(node, n.If):
            self.value(node.test, scope)
            for body in (node.body, *([each] for each in node.elif_), node.else_):
                self.statements(body, scope)
        elif isinstance(node, n.Assign):
            self._bind(node.target, self.value(node.node, scope), scope)
        elif isinstance(node, n.With):
            inner = dict(scope)
            for target, value in zip(node.targets, node.values, strict=True):
                self._bind(target, self.value(value, scope), inner)
            self.statements(node.body, inner)
        elif isinstance(node, n.Macro | n.CallBlock):
            self._body(node, scope)
        elif isinstance(node, n.Import | n.FromImport):
            names = [node.target] if isinstance(node, n.Import) else node.names
            scope.update({name if isinstance(name, str) else name[1]: None for name in names})
        else:
            self._others(node, scope)

    def _others(self, node: "nodes.Node", scope: Scope) -> None:
        if isinstance(node, self.nodes.AssignBlock):
            self.statements(node.body, scope)
            self._bind(node.target, None, scope)
            return
        for child in node.iter_child_nodes():
            if isinstance(child, self.nodes.Expr):
                self.value(child, scope)
            else:
                self._statement(child, scope)

    def _body(self, node: Any, scope: Scope) -> None:
        """A macro without arguments of its own, or what is handed to one."""
        inner = {**scope, **{argument.name: None for argument in node.args}}
        if isinstance(node, self.nodes.CallBlock):
            self.value(node.call, scope)
        else:
            scope[node.name] = None
        self.statements(node.body, inner)

    def _loop(self, node: "nodes.For", scope: Scope) -> None:
        over = self.value(node.iter, scope)
        inner = {**scope, "loop": None}
        targets = node.target.items if isinstance(node.target, self.nodes.Tuple) else [node.target]
        view = self.expressions.view(node.iter)
        for number, target in enumerate(targets):
            if over is None or view == "keys":
                self._bind(target, None, inner)
            elif view is not None:
                self._bind(target, over.members() if view == "values" or number == 1 else None, inner)
            elif len(targets) > 1:
                self._bind(target, over.items().attribute(str(number)), inner)
            else:
                self._bind(target, over.items(), inner)
        self.value(node.test, inner)
        self.statements(node.body, inner)
        self.statements(node.else_, scope)

    def _bind(self, target: "nodes.Node", use: Use | None, scope: Scope) -> None:
        if isinstance(target, self.nodes.Name):
            scope[target.name] = use
        elif isinstance(target, self.nodes.Tuple):
            for each in target.items:
                self._bind(each, None, scope)
