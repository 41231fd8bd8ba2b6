"""What stands behind a place of a template, up to its breakpoint: the text that is lost when the place moves."""

from collections.abc import Iterator
from typing import NamedTuple

from promptlint.lint.subject import TemplateSubject
from promptlint.lint.variables import guess
from promptlint.template import Call, Hole, Text

FEW = 24  # tokens of fixed text behind a place; with fewer, the place is the tail of the prompt


class Behind(NamedTuple):
    """What is printed behind one part of a template."""

    tokens: int  # of fixed text that each rendering prints
    other: str  # what else would stay from request to request, in words, or ""

    @property
    def matters(self) -> bool:
        """Whether more than a tail stands there."""
        return self.tokens >= FEW or bool(self.other)

    @property
    def words(self) -> str:
        """As the end of a sentence."""
        fixed = f"{self.tokens:,} tokens of fixed text"
        return f"{fixed} and {self.other}" if self.other else fixed


class Printed(NamedTuple):
    """A call whose answer is printed, and the first part that prints it."""

    call: Call
    hole: Hole
    part: int


def behind(subject: TemplateSubject, part: int) -> Behind:
    """What stands behind a part and ahead of the last breakpoint."""
    end = end_of_prefix(subject)
    tokens = max(subject.fixed_tokens()[end] - subject.fixed_tokens()[min(part + 1, end)], 0)
    return Behind(tokens, _other(subject, part + 1, end))


def end_of_prefix(subject: TemplateSubject) -> int:
    """Parts ahead of the last breakpoint; all of them where there is none."""
    breakpoints = subject.template.breakpoints
    return breakpoints[-1].part if breakpoints else len(subject.template.parts)


def printed_calls(subject: TemplateSubject) -> Iterator[Printed]:
    """Each call whose answer is printed ahead of the last breakpoint, once, with the first hole that prints it."""
    known = set()
    for number, part in enumerate(subject.template.parts[: end_of_prefix(subject)]):
        if isinstance(part, Text):
            continue
        for call in part.calls:
            if call.range not in known:
                known.add(call.range)
                yield Printed(call, part, number)


def _other(subject: TemplateSubject, start: int, end: int) -> str:
    """The messages of a chat, and what the caller gives that is not known to change with each request."""
    template = subject.template
    if template.is_chat and any(
        "messages" in loop.names and loop.first < end and loop.last > start for loop in template.loops
    ):
        return "the whole conversation"
    for part in template.parts[start:end]:
        if isinstance(part, Text):
            if part.when == "maybe" and subject.count(part.text) >= FEW:
                return "text that is printed in some renderings"
        elif part.names and not part.calls and not any(_changes(subject, name) for name in part.names):
            return f"{part.names[0]}"
    return ""


def _changes(subject: TemplateSubject, name: str) -> bool:
    """Whether a variable is known to change, or is a text of its request: a short name is the question more often."""
    found = guess(name, subject.variables)
    return found is not None and found.often != "stable"
