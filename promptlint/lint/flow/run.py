"""One walk through the code of a project: what is known so far, and how names are looked up."""

from collections.abc import Callable
from typing import Any

from promptlint.lint.flow.code import Expression, Imported, Language, Module, Span, Statement
from promptlint.lint.flow.flow import Flow
from promptlint.lint.flow.project import Project
from promptlint.lint.flow.scope import Frame, Globals, Scope
from promptlint.lint.flow.signs import Signs, signs
from promptlint.lint.flow.values import (
    At,
    Change,
    Class,
    Code,
    Kind,
    Outside,
    Package,
    Thing,
    Unknown,
    Value,
    either,
    is_endless,
    shortened,
)

EXPRESSIONS: dict[type, Callable[["Run", Any, Frame], Value]] = {}
STATEMENTS: dict[type, Callable[["Run", Any, Frame], bool]] = {}
"""How each kind of node is worked out; a statement answers whether the block ends there."""

_SHORT, _LONG = (4_000, 3), (10_000, 25)
"""Expressions that are worked out for one file: so many, and one more for each so many characters of it; the smaller
of the two. What calls and branches more is not followed to its end."""


class Run:
    """State of one walk; code that is nested too deeply raises RecursionError."""

    def __init__(self, project: Project, told: Signs) -> None:
        self.project = project
        self.told = {0: told}
        self.flows: list[Flow] = []
        self.judged: set[tuple[At, At]] = set()  # changes that were seen in a request, harmful or not
        self.objects: dict[tuple[int, Span], Thing] = {}  # of each class one that was made elsewhere
        self.making: set[tuple[int, Span]] = set()  # classes of which an object is being made
        self.inner: dict[tuple[int, Span], Code | Class] = {}  # functions and classes that functions have made
        self.entered: set[tuple[int, Span]] = set()  # functions that have run
        self.steps = 0
        self.saw_prompt = told.deals_with_prompts
        self.is_cut_off = False
        size = len(project.modules[0].text)
        self._most = min(steps + size // characters for steps, characters in (_SHORT, _LONG))
        self.loops = 0
        self.orders: dict[int, Change] = {}  # a loop -> why the order of its rounds differs
        self.short: set[int] = set()  # loops over a few things that are written out
        self.given_anew: dict[tuple[int, str], Value] = {}  # variables of modules, by functions that have run
        self.memos: dict[tuple[int, Span], bool] = {}  # functions -> whether they answer with what they have kept
        self.seeded: set[str] = set()  # modules whose random numbers begin anew with each request, in one sequence
        self.retries: set[int] = set()  # loops whose rounds send the same request again
        self._globals: dict[int, Globals] = {}
        self._imports: dict[int, tuple[str, ...]] = {}

    @property
    def gave_up(self) -> bool:
        """Whether there is a prompt, and not all that may reach it was followed."""
        return self.saw_prompt and (self.is_cut_off or self.steps > self._most)

    def module(self, number: int) -> Module:
        """A module of the project."""
        return self.project.modules[number]

    def language(self, frame: Frame) -> Language:
        """The language of the code that runs."""
        return self.module(frame.scope.module).language

    def value(self, node: Expression | None, frame: Frame) -> Value:
        """What an expression stands for."""
        self.steps += 1
        if node is None or self.steps > self._most:
            return Unknown()
        value = EXPRESSIONS[type(node)](self, node, frame)
        if is_endless(value):
            self.is_cut_off = True
            return shortened(value)
        return value

    def block(self, body: tuple[Statement, ...], frame: Frame) -> bool:
        """Run statements; whether they end the function or the round of a loop."""
        for statement in body:
            if self.steps > self._most:
                return True
            handler = STATEMENTS.get(type(statement))
            if handler is not None and handler(self, statement, frame):
                return True
        return False

    def at(self, node: Any, frame: Frame) -> At:
        """Where a node stands."""
        return At(frame.scope.module, node.span)

    def text(self, at: At) -> str:
        """The source at a place."""
        module = self.project.modules[at.module]
        start, end = module.chars(at.span)
        return module.text[start:end]

    def change(self, kind: Kind, name: str, at: At, frame: Frame, *, weak: bool = False) -> Change:
        """A change that is made here and now."""
        from promptlint.lint.flow.values import LASTING

        return Change(kind, name, at, at, (), frame.loops, frame.frozen and kind not in LASTING, weak)

    def loop(self) -> int:
        """A number for a loop."""
        self.loops += 1
        return self.loops

    # Names.

    def lookup(self, name: str, frame: Frame) -> Value:
        """The value of a name: of the function, those around it, the module, or from elsewhere."""
        scope: Scope | None = frame.scope
        while scope is not None:
            if scope.outer is None and (scope.module, name) in self.given_anew:
                return self.given_anew[scope.module, name]
            if name in scope.names:
                return scope.names[name]
            if scope.outer is None:
                found = self.of_module(scope.module, name)
                return Outside(name) if found is None else found
            scope = scope.outer
        return Outside(name)

    def globals_of(self, number: int) -> Globals:
        """The names of a module."""
        if number not in self._globals:
            self._globals[number] = Globals(number, self.module(number))
        return self._globals[number]

    def of_module(self, number: int, name: str) -> Value | None:
        """A name of a module, worked out if need be; None: it has none."""
        known = self.globals_of(number)
        if name in known.scope.names:
            return known.scope.names[name]
        if name in known.pending:
            return Unknown(name)
        if name in known.makers:
            known.pending.add(name)
            self.block(tuple(known.makers[name]), Frame(known.scope, frozen=True, is_script=True, depth=1))
            made = known.scope.names.setdefault(name, Unknown(name))
            if name in known.imports:  # `try: import name`, `except: name = None`
                known.scope.names[name] = either(self.imported(number, known.imports[name]), made)
            return known.scope.names[name]
        if name in known.imports:
            known.pending.add(name)
            known.scope.names[name] = self.imported(number, known.imports[name])
            return known.scope.names[name]
        for star in known.stars:
            package = self.project.find(number, star)
            if package is not None and package != number and (found := self.of_module(package, name)) is not None:
                return found
        return None

    def imported(self, number: int, wanted: Imported) -> Value:
        """What an import of a module gives."""
        package = self.project.find(number, wanted)
        wanted = wanted._replace(module=wanted.module.removeprefix("node:"))
        if wanted.name == "default":
            wanted = wanted._replace(name=None) if package is None else wanted
        if wanted.name is None:
            return Outside(wanted.module) if package is None else Package(package)
        if package is None:
            # `from . import clock`: the package may have no file of its own.
            dot = "" if wanted.module.endswith(".") else "."
            within = wanted._replace(module=f"{wanted.module}{dot}{wanted.name}")
            inner = self.project.find(number, within) if self.module(number).language == "python" else None
            if inner is not None:
                return Package(inner)
            return Outside(f"{wanted.module}.{wanted.name}")
        found = self.of_module(package, wanted.name)
        if found is None:
            inner = self.project.submodule(package, wanted.name)
            return Unknown(wanted.name) if inner is None else Package(inner)
        return found

    def told_by(self, number: int) -> Signs:
        """What the words of a module tell."""
        if number not in self.told:
            module = self.module(number)
            self.told[number] = signs(module.language, module.text)
        return self.told[number]

    def imports(self, number: int) -> tuple[str, ...]:
        """The full names of what a module imports."""
        if number in self._imports:
            return self._imports[number]
        known = self.globals_of(number)
        named = (*known.imports.values(), *known.stars)
        self._imports[number] = tuple(
            dict.fromkeys(
                full
                for one in named
                for full in (one.module, *([f"{one.module}.{one.name}"] if one.name not in (None, "*") else []))
            )
        )
        return self._imports[number]
