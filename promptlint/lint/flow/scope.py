"""Where names are looked up, and what is known while a function runs."""

from dataclasses import dataclass, field

from promptlint.lint.flow.code import (
    Assign,
    Binding,
    Branch,
    Call,
    Define,
    Do,
    Expression,
    Import,
    Imported,
    Item,
    Listing,
    Loop,
    Mapping,
    Member,
    Module,
    Name,
    Statement,
    Type,
)
from promptlint.lint.flow.values import Element, Value


@dataclass(slots=True, eq=False)
class Scope:
    """Names of a function, a class or a module, and where to look for others."""

    module: int
    outer: "Scope | None" = None
    names: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Frame:
    """What is known while a function, or the body of a module, runs."""

    scope: Scope
    loops: tuple[int, ...] = ()  # that are running, also those of callers
    frozen: bool = False  # it runs once, not for each request
    depth: int = 0  # calls above it
    alongside: int | None = None  # it runs at the same time as others; the depth at which they were started
    waited: bool = False  # it has waited for something since
    conditions: int = 0  # conditions that it is inside of
    is_script: bool = False  # the body of a module
    constructs: bool = False  # an object is being made
    awaiting: bool = False  # the call that is worked out is waited for
    outer_names: frozenset[str] = frozenset()  # that it declares to be of the module
    enclosing_names: frozenset[str] = frozenset()  # and those of a function around it
    calls: tuple[tuple[int, tuple[int, ...]], ...] = ()  # module and span of the calls above it, the innermost last
    returned: list[Value] = field(default_factory=list)
    yielded: list[Element] = field(default_factory=list)


class Globals:
    """The names of a module: each is worked out when it is first asked for."""

    def __init__(self, number: int, module: Module) -> None:
        self.scope = Scope(number)
        self.imports: dict[str, Imported] = {}
        self.stars: list[Imported] = []
        self.makers: dict[str, list[Statement]] = {}  # the statements that give a name its value, in order
        self.pending: set[str] = set()
        for statement in module.body:
            self._index(statement, statement)

    def _index(self, statement: Statement, whole: Statement) -> None:
        match statement:
            case Import(names=names):
                for one in names:
                    if one.name == "*":
                        self.stars.append(one)
                    else:
                        self.imports.setdefault(one.local, one)
            case Assign(target=target):
                for name in bound(target):
                    self._add(name, whole)
            case Define(function=function):
                self._add(function.name, whole)
            case Type(name=name):
                self._add(name, whole)
            case Do(value=value):
                for name in changed(value):
                    self._add(name, whole)
            case Branch(then=then, otherwise=otherwise):
                for one_statement in (*then, *otherwise):
                    self._index(one_statement, whole)
            case Loop(body=body):
                for one_statement in body:
                    self._index(one_statement, whole)
            case _:
                pass

    def _add(self, name: str, statement: Statement) -> None:
        made = self.makers.setdefault(name, [])
        if not made or made[-1] is not statement:
            made.append(statement)


def bound(target: Expression) -> list[str]:
    """The names that an assignment to a target binds or changes."""
    match target:
        case Name(name=name):
            return [name]
        case Listing(items=items):
            return [name for item in items for name in bound(item.value)]
        case Member(of=of) | Item(of=of):
            return bound(of) if isinstance(of, Name | Member | Item) else []
        case Mapping(entries=entries):
            return [name for entry in entries for name in bound(entry.value)]
        case _:
            return []


def changed(value: Expression) -> list[str]:
    """The names whose value an expression changes as a statement: `names.append(x)`, `(a = b)`."""
    if isinstance(value, Call) and isinstance(value.callee, Member):
        return bound(value.callee.of) if isinstance(value.callee.of, Name | Member) else []
    return bound(value.target) if isinstance(value, Binding) else []
