"""A template that is being read: what it prints so far, and the loops and conditions that are open."""

import re
from dataclasses import dataclass, field

from promptlint.load.delimited.languages import Language
from promptlint.load.delimited.scan import Fault, Piece
from promptlint.load.delimited.values import NOTHING, Value
from promptlint.load.jinja.regions import combined
from promptlint.template import (
    BREAKPOINT,
    Breakpoint,
    Call,
    Condition,
    Filler,
    Hole,
    Loop,
    SourceRange,
    Template,
    TemplateFile,
    Text,
    Turn,
    When,
)

_LONGEST = 200  # characters of a name
_DEEPEST = 200  # regions in one another


@dataclass
class Region:
    """A loop, a condition, or another region that ends with a tag of its own."""

    word: str  # what closes it
    at: SourceRange  # the expression
    value: Value
    when: When  # that of the parts in it
    first: int
    loop: bool = False
    ordered: bool = True
    asked: list[tuple[SourceRange, Value, int]] = field(default_factory=list)  # conditions, with the parts ahead
    scope: dict[str, Value] = field(default_factory=dict)  # names that have a value in it
    context: Value | None = None  # in which plain names are looked up
    start: int = 0  # where its tag begins


class Making:
    """Gathers what a template prints."""

    def __init__(self, path: str, text: str, language: Language) -> None:
        self.path, self.text, self.language = path, text, language
        self.parts: list[Text | Hole] = []
        self.loops: list[Loop] = []
        self.conditions: list[Condition] = []
        self.breakpoints: list[Breakpoint] = []
        self.comments: list[SourceRange] = []
        self.tags: list[SourceRange] = []
        self.turns: list[Turn] = []
        self.notes: dict[str, None] = {}
        self.arguments: dict[str, None] = {}
        self.regions: list[Region] = []
        self.set: dict[str, Value] = {}  # names that the template itself gives a value

    def range(self, start: int, end: int) -> SourceRange:
        """Characters of the file, without white space at both ends."""
        written = self.text[start:end]
        start += len(written) - len(written.lstrip())
        return SourceRange(0, start, max(start, end - len(written) + len(written.rstrip())))

    @property
    def when(self) -> When:
        """That of what is printed next."""
        return self.regions[-1].when if self.regions else "always"

    def literal(self, start: int, end: int, printed: str) -> None:
        """Literal text."""
        self.parts.append(Text(SourceRange(0, start, end), printed.replace("\r\n", "\n"), self.when))

    def hole(
        self, piece: Piece, value: Value, expression: SourceRange | None = None, filler: Filler | None = None
    ) -> None:
        """A value that is printed; a constant is a text."""
        whole = SourceRange(0, piece.start, piece.end)
        if value.constant is not None and value.at is not None:
            self.parts.append(Text(value.at, value.constant, self.when, whole))
            return
        kind: Filler = filler or ("call" if value.calls else value.filler)
        inside = expression or self.range(piece.inner, piece.stop)
        self.parts.append(Hole(whole, inside, kind, value.names, value.calls, self.when))

    def tag(self, piece: Piece) -> None:
        """A tag that prints nothing."""
        self.tags.append(SourceRange(0, piece.start, piece.end))

    def comment(self, piece: Piece) -> None:
        """A comment, or a breakpoint in one."""
        where = SourceRange(0, piece.start, piece.end)
        self.comments.append(where)
        if not re.compile(r"\s*promptlint:\s*breakpoint\b").match(self.text, piece.inner, piece.stop):
            return
        found = re.compile(BREAKPOINT).fullmatch(self.text, piece.inner, piece.stop)
        if found is None:
            self.note(piece, "this comment is no breakpoint: write `promptlint: breakpoint` or `… ttl=1h`")
        else:
            self.breakpoints.append(Breakpoint(where, found[1], len(self.parts)))

    def argument(self, name: str) -> Value:
        """What the caller gives under a (dotted) name."""
        name = name[:_LONGEST]
        self.arguments.setdefault(name.split(".")[0])
        return Value((name,))

    def note(self, piece: Piece, text: str) -> None:
        """Say what was not followed."""
        line = self.text.count("\n", 0, piece.start) + 1 if len(self.notes) < 20 else 0
        if line:
            self.notes.setdefault(f"{self.path}:{line}: {text}")

    def open(self, piece: Piece, word: str, value: Value, at: SourceRange, when: When) -> Region:
        """Begin a region, in which names mean what they mean around it. Raises Fault where too many are open."""
        if len(self.regions) >= _DEEPEST:
            raise Fault(piece.start, f"nested more than {_DEEPEST} levels deep")
        region = Region(word, at, value, combined(self.when, when), len(self.parts), start=piece.start)
        region.loop = when == "repeated"
        region.context = self.regions[-1].context if self.regions else None
        if when == "maybe" and (value.names or value.calls):
            region.asked.append((at, value, len(self.parts)))
        self.regions.append(region)
        return region

    def branch(self, value: Value = NOTHING, at: SourceRange | None = None) -> None:
        """Go on with another branch of the innermost region; that of a loop is printed where the loop has no turn."""
        if not self.regions:
            return
        region = self.regions[-1]
        if region.loop:
            self._looped(region)
            region.loop = False
            outer = self.regions[-2].when if len(self.regions) > 1 else "always"
            region.when = combined(outer, "maybe")
            region.asked.append((region.at, region.value, len(self.parts)))
        if at is not None:
            region.asked.append((at, value, len(self.parts)))

    def close(self) -> Region | None:
        """End the innermost region."""
        if not self.regions:
            return None
        region = self.regions.pop()
        if region.loop:
            self._looped(region)
        for at, value, first in region.asked:
            if first < len(self.parts):
                self.conditions.append(Condition(at, value.names, value.calls, first, len(self.parts)))
        return region

    def _looped(self, region: Region) -> None:
        if region.first < len(self.parts):
            over = self.text[region.at.start : region.at.end]
            last, value = len(self.parts), region.value
            self.loops.append(Loop(region.at, over, value.names, region.ordered, region.first, last, value.calls))

    def finish(self, name: str) -> Template:
        """The template. Raises Fault for a region that is not closed."""
        if self.regions:
            raise Fault(self.regions[-1].start, f"{self.regions[-1].word} is not closed")
        return Template(
            name=name,
            language=self.language.name,
            files=(TemplateFile(self.path, self.text),),
            parts=tuple(self.parts),
            loops=tuple(sorted(self.loops, key=lambda loop: (loop.first, -loop.last))),
            breakpoints=tuple(self.breakpoints),
            arguments=tuple(self.arguments),
            is_chat=False,
            notes=tuple(self.notes),
            conditions=tuple(sorted(self.conditions, key=lambda one: (one.first, -one.last))),
            comments=tuple(self.comments),
            tags=tuple(self.tags),
            turns=tuple(self.turns),
        )


def formatted(call: Call, form: str | None) -> Call:
    """A call whose answer is printed as a strftime format says, if one is known."""
    return call if form is None or call.format is not None else call._replace(format=form)
