"""Expressions of a template, walked for what they do to the arguments."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from promptlint.lint.rendering import vocabulary as known

if TYPE_CHECKING:
    from jinja2 import nodes

_CALLS = 200  # bodies of macros that are walked with what they are given


class Use:
    """How one value is used; a tree, as deep as the template reaches into it."""

    def __init__(self) -> None:
        self.attributes: dict[str, Use] = {}
        self.item: Use | None = None  # of an array
        self.member: Use | None = None  # of an object whose keys the template does not know
        self.answer: Use | None = None  # of a function
        self.kinds: set[str] = set()  # "text", "number", "few", "clock", "printed", "sized", "mapping", "handed", …
        self.constants: list[Any] = []  # that it is compared with

    def attribute(self, name: str) -> "Use":
        """The use of a member."""
        return self.attributes.setdefault(name, Use())

    def items(self) -> "Use":
        """The use of the entries of an array."""
        self.item = self.item or Use()
        return self.item

    def members(self) -> "Use":
        """The use of the values of an object."""
        self.kinds.add("mapping")
        self.member = self.member or Use()
        return self.member

    def answers(self) -> "Use":
        """The use of what a function answers."""
        self.answer = self.answer or Use()
        return self.answer


Scope = dict[str, "Use | None"]
"""Names that the template binds itself; None for what no argument decides."""


Body = Callable[[Iterable["nodes.Node"], Scope], None]
"""Walks statements."""


class Expressions:
    """Goes over expressions and notes what they do to the arguments, which are collected in `roots`."""

    def __init__(self, parsed: Iterable["nodes.Template"], body: Body) -> None:
        from jinja2 import nodes

        self.nodes = nodes
        self.roots: dict[str, Use] = {}
        self._macros = {macro.name: macro for tree in parsed for macro in tree.find_all(nodes.Macro)}
        self._body = body
        self._inside: list[str] = []
        self._calls = 0

    def value(self, node: "nodes.Node | None", scope: Scope) -> Use | None:
        """The use of the value of an expression; None where it is none of an argument."""
        if node is None:
            return None
        answer: Callable[[Any, Scope], Use | None] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if answer is not None:
            return answer(node, scope)
        for child in node.iter_child_nodes():
            note(self.value(child, scope), "printed")
        return None

    def view(self, node: "nodes.Node | None") -> str | None:
        """What of an object a loop goes over: its "items", "keys" or "values"; None: it goes over an array."""
        while isinstance(node, self.nodes.Filter) and node.name not in known.PAIRS:
            node = node.node
        if isinstance(node, self.nodes.Filter):
            return "items"
        method = node.node if isinstance(node, self.nodes.Call) else None
        name = method.attr if isinstance(method, self.nodes.Getattr) else None
        return name if name in known.VIEWS else None

    def _name(self, node: "nodes.Name", scope: Scope) -> Use | None:
        if node.name in scope:
            return scope[node.name]
        if node.name in known.OWN or node.name in self._macros:
            return None
        return self.roots.setdefault(node.name, Use())

    def _getattr(self, node: "nodes.Getattr", scope: Scope, *, called: bool = False) -> Use | None:
        held = self.value(node.node, scope)
        if held is None:
            return None
        if called and node.attr in known.TEXT_METHODS:
            note(held, "text")
            return None
        if node.attr in known.CLOCK_METHODS:
            held.kinds |= {"clock", node.attr}
            if node.attr == "strftime":
                return None
            note(held.attribute(node.attr), "clock")
        if node.attr in known.VIEWS:
            held.members()
            return held
        return held if node.attr == "get" else held.attribute(node.attr)

    def _getitem(self, node: "nodes.Getitem", scope: Scope) -> Use | None:
        held = self.value(node.node, scope)
        key = node.arg.value if isinstance(node.arg, self.nodes.Const) else None
        if not isinstance(node.arg, self.nodes.Const):
            self.value(node.arg, scope)
        if held is None or isinstance(node.arg, self.nodes.Slice):
            return held
        if isinstance(key, str):
            return held.attribute(key)
        if isinstance(key, int):
            return held.items()
        held.member = held.member or Use()  # of an array or of an object: the key does not tell
        return held.member

    def _call(self, node: "nodes.Call", scope: Scope) -> Use | None:
        given = [self.value(argument, scope) for argument in node.args]
        named = {each.key: self.value(each.value, scope) for each in node.kwargs}
        called = node.node
        macro = getattr(called, "name", None) or getattr(called, "attr", None)  # of this template, or of one it imports
        if macro in self._macros:
            self._expand(str(macro), given, named)
            return None
        if isinstance(called, self.nodes.Name) and called.name == "range":
            for use in given:
                note(use, "few")
            return None
        if isinstance(called, self.nodes.Getattr):
            held, method = self._getattr(called, scope, called=True), called.attr
        else:
            held, method = self.value(called, scope), ""
        if held is None or method in known.VIEWS:
            for use in (*given, *named.values()):
                note(use, "printed")
            return held
        if method != "get":
            for use in (*given, *named.values()):
                note(use, "handed")
            return held.answers()
        key = node.args[0].value if node.args and isinstance(node.args[0], self.nodes.Const) else None
        return held.attribute(key) if isinstance(key, str) else held.members()

    def _expand(self, name: str, given: list[Use | None], named: Mapping[str, Use | None]) -> None:
        """The body of a macro, with what a call gives it."""
        self._calls += 1
        if name in self._inside or self._calls > _CALLS:
            return
        macro = self._macros[name]
        scope: Scope = {argument.name: None for argument in macro.args}
        scope.update(zip(scope, given, strict=False))
        scope.update({key: use for key, use in named.items() if key in scope})
        self._inside.append(name)
        self._body(macro.body, scope)
        self._inside.pop()

    def _filter(self, node: "nodes.Filter", scope: Scope) -> Use | None:
        held = self.value(node.node, scope)
        for argument in (*node.args, *(each.value for each in node.kwargs)):
            self.value(argument, scope)
        if held is None:
            return None
        name = node.name
        if name in known.ATTRIBUTE_FILTERS and (attribute := self._attribute(node)):
            self._reach(held.items(), attribute)
            return held if name in ("sort", "unique", "selectattr", "rejectattr") else None
        if name in known.TEXT_FILTERS or name in known.NUMBER_FILTERS:
            note(held, "text" if name in known.TEXT_FILTERS else "number")
        elif name in ("length", "count"):
            note(held, "sized")
        elif name in known.PAIRS:
            held.members()
            return held
        elif name in known.ITEM_FILTERS:
            return held.items()
        elif name in known.LIST_FILTERS:
            held.items()
        if name in known.SAME_FILTERS:
            return held
        note(held, "printed")
        return None

    def _attribute(self, node: "nodes.Filter") -> str | None:
        named = [each.value for each in node.kwargs if each.key == "attribute"]
        first = node.args[:1] if node.name in ("selectattr", "rejectattr", "groupby") else []
        for each in (*named, *first):
            if isinstance(each, self.nodes.Const) and isinstance(each.value, str):
                return each.value
        return None

    def _reach(self, use: Use, dotted: str) -> None:
        for name in dotted.split("."):
            use = use.attribute(name)

    def _test(self, node: "nodes.Test", scope: Scope) -> Use | None:
        held = self.value(node.node, scope)
        for argument in node.args:
            if node.name in known.EQUAL_TESTS:
                self._compared(held, list(_constants(argument, self.nodes)))
        if node.name in known.NUMBER_TESTS:
            note(held, "number")
        elif node.name == "string":
            note(held, "text")
        elif node.name == "mapping" and held is not None:
            held.members()
        return None

    def _compare(self, node: "nodes.Compare", scope: Scope) -> Use | None:
        sides = [node.expr, *(operand.expr for operand in node.ops)]
        held = [self.value(side, scope) for side in sides]
        constants = [list(_constants(side, self.nodes)) for side in sides]
        for number, operand in enumerate(node.ops):
            left, right = held[number], held[number + 1]
            if operand.op in ("in", "notin"):
                self._compared(left, constants[number + 1])
                if right is not None and constants[number]:
                    self._compared(right.items() if "text" not in right.kinds else None, constants[number])
            else:
                self._compared(left, constants[number + 1])
                self._compared(right, constants[number])
                if operand.op not in ("eq", "ne"):
                    note(left, "number")
                    note(right, "number")
        return None

    def _compared(self, use: Use | None, constants: list[Any]) -> None:
        if use is not None:
            use.constants += [each for each in constants if each is not None and each not in use.constants]

    def _add(self, node: Any, scope: Scope) -> Use | None:
        held = [self.value(side, scope) for side in (node.left, node.right)]
        for use, other in zip(held, (node.right, node.left), strict=True):
            found = list(_constants(other, self.nodes))
            note(use, "number" if found and isinstance(found[0], int | float) else "text")
        return None

    def _arithmetic(self, node: Any, scope: Scope) -> Use | None:
        for side in (node.left, node.right):
            note(self.value(side, scope), "number")
        return None

    _sub = _mul = _div = _floordiv = _pow = _arithmetic

    def _mod(self, node: Any, scope: Scope) -> Use | None:
        if any(isinstance(each, str) for each in _constants(node.left, self.nodes)):
            self.value(node.right, scope)
            return None
        return self._arithmetic(node, scope)

    def _condexpr(self, node: "nodes.CondExpr", scope: Scope) -> Use | None:
        self.value(node.test, scope)
        chosen = [self.value(each, scope) for each in (node.expr1, node.expr2)]
        return next((use for use in chosen if use is not None), None)

    def _or(self, node: Any, scope: Scope) -> Use | None:
        sides = [self.value(each, scope) for each in (node.left, node.right)]
        return next((use for use in sides if use is not None), None)

    def _condition(self, node: "nodes.Node", scope: Scope) -> Use | None:
        for child in node.iter_child_nodes():
            self.value(child, scope)
        return None

    _not = _and = _condition

    def _neg(self, node: Any, scope: Scope) -> Use | None:
        note(self.value(node.node, scope), "number")
        return None


def note(use: Use | None, kind: str) -> None:
    """Notes a kind of use of a value that an argument has."""
    if use is not None:
        use.kinds.add(kind)


def _constants(node: Any, nodes: Any) -> Iterator[Any]:
    """The constants that an expression is, or lists."""
    if isinstance(node, nodes.Const):
        yield node.value
    elif isinstance(node, nodes.List | nodes.Tuple):
        for item in node.items:
            yield from _constants(item, nodes)
