"""What is lost when a place of a template moves: the text behind it, or all of it up to the next breakpoint."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from promptlint.lint.subject import TemplateSubject
from promptlint.lint.variables import guess
from promptlint.template import Call, Hole, SourceRange, Template, Text

FEW = 24  # tokens of fixed text behind a place; with fewer, the place is the tail of the prompt

_CONVERSATION = "the whole conversation"
_INSTRUCTING = ("system", "developer")  # roles of the messages in front of a conversation


class Behind(NamedTuple):
    """What is lost when one part of a template moves."""

    tokens: int  # of fixed text that each rendering prints
    other: str  # what else would stay from request to request, in words, or ""
    marked: bool  # it is all that an entry at a breakpoint holds; else what stands behind the part

    @property
    def matters(self) -> bool:
        """Whether it is more than a tail."""
        return self.tokens >= FEW or bool(self.other)

    @property
    def is_conversation(self) -> bool:
        """Whether a conversation stands behind it, of which nobody knows the length."""
        return self.other == _CONVERSATION

    @property
    def lost(self) -> int | None:
        """Tokens that are lost; None where more is lost than can be counted here, or nothing."""
        return None if self.is_conversation else self.tokens or None

    @property
    def fixed(self) -> str:
        """The fixed text alone, as the subject of a sentence."""
        return f"{_tokens(self.tokens)} behind it"

    @property
    def words(self) -> str:
        """As the subject of a sentence."""
        fixed = [_tokens(self.tokens)] if self.tokens or not self.other else []
        told = " and ".join([*fixed, *([self.other] if self.other else [])])
        return f"{told} up to the breakpoint" if self.marked else f"{told} behind it"


class Printing(NamedTuple):
    """A call whose answer is printed, or decides what is; and the first part that it moves."""

    call: Call
    at: SourceRange  # of the hole, or of the condition
    hole: Hole | None  # None: a condition
    part: int


def losses(subject: TemplateSubject) -> Callable[[int], Behind]:
    """What a change of each part costs.

    Without breakpoints: what stands behind it. An entry at a breakpoint is read as a whole or not at all, so with them
    all that stands between the breakpoint in front of the part and the last one.
    """
    end = end_of_prefix(subject)
    marks = [mark.part for mark in subject.template.breakpoints]
    fixed = subject.fixed_tokens()
    others = _others(subject, end)

    def behind(part: int) -> Behind:
        passed = bisect_right(marks, part)
        start = part + 1 if not marks else marks[passed - 1] if passed else 0
        start = min(start, end)
        return Behind(max(fixed[end] - fixed[start], 0), others[start], bool(marks))

    return behind


def end_of_prefix(subject: TemplateSubject) -> int:
    """Parts ahead of the last breakpoint; all of them where there is none."""
    breakpoints = subject.template.breakpoints
    return breakpoints[-1].part if breakpoints else len(subject.template.parts)


def calls_that_print(subject: TemplateSubject) -> Iterator[Printing]:
    """Each call that is printed or decides ahead of the last breakpoint, once, with the first part that it moves."""
    end = end_of_prefix(subject)
    template = subject.template
    found = [
        Printing(call, part.range, part, number)
        for number, part in enumerate(template.parts[:end])
        if isinstance(part, Hole)
        for call in part.calls
    ]
    decide = [one for one in template.conditions if one.first < end and one.calls]
    found += [Printing(call, one.range, None, one.first) for one in decide for call in one.calls]
    known = set()
    for one in sorted(found, key=lambda one: (one.part, one.hole is None)):
        if one.call.range not in known:
            known.add(one.call.range)
            yield one


def _others(subject: TemplateSubject, end: int) -> list[str]:
    """What else would stay at and behind each part: the messages of a chat, and what is not known to change.

    One last value of an unknown name is more often the question than not, so it does not count by itself.
    """
    template = subject.template
    found = [""] * (end + 1)
    some, names = "", set[str]()
    for number in range(end - 1, -1, -1):
        part = template.parts[number]
        if isinstance(part, Text):
            if part.when == "maybe" and len(part.text) >= FEW and subject.count(part.text) >= FEW:
                some = "text that is printed in some renderings"
        elif part.filler == "block" and not part.names and not part.calls and template.language != "jinja":
            some = "what it includes"
        elif part.names and not part.calls and not any(_changes(subject, name) for name in part.names):
            names.add(part.names[0].split(".")[0])
            if len(names) > 1 or part.when == "repeated" or template.breakpoints:
                some = f"the value of {part.names[0]}"
        found[number] = some
    if template.is_chat:
        over = [loop for loop in template.loops if "messages" in loop.names and loop.first < end]
        last = min(max((loop.last for loop in over), default=0), end)
        found[:last] = [_CONVERSATION] * last
    last = _end_of_instructions(template)
    if last <= end - bool(template.breakpoints):  # else the conversation is not in the cached part
        found[:last] = [_CONVERSATION] * last
    return found


def _end_of_instructions(template: Template) -> int:
    """Parts ahead of the first message that is no instruction, where a template writes its messages out."""
    turns = template.turns
    if not turns or turns[0].role not in _INSTRUCTING:
        return 0
    return next((turn.part for turn in turns if turn.role not in _INSTRUCTING), len(template.parts))


def _tokens(count: int) -> str:
    return f"{count:,} token{'' if count == 1 else 's'} of fixed text"


def _changes(subject: TemplateSubject, name: str) -> bool:
    """Whether a variable is known to change, or is a text of its request: a short name is the question more often."""
    found = guess(name, subject.variables)
    return found is not None and found.often != "stable"
