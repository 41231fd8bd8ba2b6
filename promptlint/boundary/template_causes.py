"""What a template does to equal requests: it drops, moves or adds text, reads the clock, opens the answer otherwise."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from promptlint import facts
from promptlint.boundary.divergence import Divergence, shared_chars
from promptlint.boundary.pairing import Pairing, counterpart, entry_of
from promptlint.boundary.sections import thinking_ranges
from promptlint.boundary.shown import Shown, level_at, next_value, origins_in, printed_in, shown, shows, spot_of
from promptlint.boundary.texts import name_text
from promptlint.prompt import AtomKind, CharIndex, Json, Origin, Path, Rendered, Spot
from promptlint.read.descend import descend

_CLOCK = r"""strftime_now\(\s*(?:format\s*=\s*)?["']([^"']*)["']\s*\)"""
_WITHIN_A_DAY = frozenset("HIpMSfsXcTRrklzZ")  # directives of strftime that change within a day
_RESHAPED = "the same text as a string and as parts, which the template prints in one prompt only"
_FIXED_TIME = "Give the template a time of its own that stays for the session, such as date_string, where it takes one."
_REVIEW = "Change the template so that it prints the same history again, or expect this loss at each such turn."
_REPEATED = frozenset(("reasoning-dropped", "template-moves-text", "template-asymmetry"))


class Hunk(NamedTuple):
    """Characters `a0:a1` of prompt A stand as `b0:b1` in prompt B; the text around is equal."""

    a0: int
    a1: int
    b0: int
    b1: int

    @property
    def is_pure(self) -> bool:
        """Whether something was only put in, or only taken out."""
        return self.a0 == self.a1 or self.b0 == self.b1


def by_template(hunk: Hunk, raw: Hunk, a: Shown, b: Shown, pairing: Pairing) -> Iterator[Divergence]:
    """A difference that no difference of the requests explains; `raw`: as it was aligned, before it was moved on."""
    printed_a, printed_b = printed_in(a.prompt, hunk.a0, hunk.a1), printed_in(b.prompt, hunk.b0, hunk.b1)
    if (clock := _clock(hunk, a, b)) is not None:
        yield _called(hunk, a, b, clock)
    elif (shaped := _shape(hunk, a, b, printed_a, printed_b, pairing)) is not None:
        yield shaped
    elif printed_a and not printed_b:
        yield from _gone(hunk, a, b, _in_entry(printed_a, pairing.items_a), pairing)
    elif hunk.a0 == len(a.text):
        yield _at(hunk, a, b, "turn-appended", "the second prompt goes on where the first ends")
    elif hunk.a0 >= a.last:
        message = "what the template prints to start the answer is not what it prints for that turn as history"
        yield _at(hunk, a, b, "template-asymmetry", message)
    elif printed_b and not printed_a:
        yield from _come(hunk, a, b, _in_entry(printed_b, pairing.items_b), pairing)
    elif _is_empty_thinking(a.text[raw.a0 : raw.a1], b.text[raw.b0 : raw.b1]):
        message = "the template prints an empty block of reasoning in one prompt only"
        yield _at(hunk, a, b, "reasoning-dropped", message)
    elif not printed_a or counterpart(printed_a[0].path or (), pairing.items_a, pairing.to_b) is not None:
        yield other_text(hunk, a, b)


def _shape(
    hunk: Hunk, a: Shown, b: Shown, printed_a: list[Origin], printed_b: list[Origin], pairing: Pairing
) -> Divergence | None:
    """A text that one prompt alone shows, because the other request gives it in another shape."""
    if bool(printed_a) == bool(printed_b):
        return None
    if printed_a:
        first = _in_entry(printed_a, pairing.items_a)
        other = _reshaped(first, a, b, pairing.items_a, pairing.to_b)
    else:
        first = _in_entry(printed_b, pairing.items_b)
        other = _reshaped(first, b, a, pairing.items_b, pairing.to_a)
    if other is None:
        return None
    return _value_at(hunk, a, b, first, other, "content-shape", _RESHAPED, of_b=not printed_a)


def _reshaped(first: Origin, side: Shown, other: Shown, items: frozenset[Path], ways: dict[Path, Path]) -> Path | None:
    """The field in the other request, if it holds there the same text in another shape: a string, or parts."""
    path = first.path or ()
    entry = entry_of(path, items)
    field = path[: len(entry) + 1] if entry is not None else ()
    there = counterpart(field, items, ways)
    if there is None or type(value_of(side.prompt, field)) is type(value_of(other.prompt, there)):
        return None
    return there


def _in_entry(printed: list[Origin], items: frozenset[Path]) -> Origin:
    """The first value of an entry; a list of them begins with a bracket that is none's."""
    return next((origin for origin in printed if entry_of(origin.path or (), items) is not None), printed[0])


def _clock(hunk: Hunk, a: Shown, b: Shown) -> str | None:
    """The function of the template whose answer differs first."""
    for side, start, end in ((a, hunk.a0, hunk.a1), (b, hunk.b0, hunk.b1)):
        first = origins_in(side.prompt, start, end)[:1]
        if first and first[0].kind == "call":
            return first[0].name
    return None


def _is_empty_thinking(old: str, new: str) -> bool:
    longer, shorter = (old, new) if len(old) > len(new) else (new, old)
    ranges = thinking_ranges(longer)
    rest = longer
    for start, end in reversed(ranges):
        rest = rest[:start] + rest[end:]
    return bool(ranges) and rest.split() == shorter.split()


def _called(hunk: Hunk, a: Shown, b: Shown, name: str) -> Divergence:
    """A clock that the template reads itself."""
    line_a, line_b = lines_of(a.text, hunk.a0, hunk.a1), lines_of(b.text, hunk.b0, hunk.b1)
    named = name_text(line_a, line_b, "text-edited") if line_a != line_b else []
    label, said = (named[0].cause, named[0].message) if named else ("text-edited", "")
    found = _at(hunk, a, b, label, f"{said}; " * bool(said) + f"the template itself prints {name}()")
    return found._replace(fix=_FIXED_TIME)


def lines_of(text: str, start: int, end: int) -> str:
    """The whole lines of a range: a date is recognised by all of its parts."""
    stop = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : len(text) if stop < 0 else stop]


def _gone(hunk: Hunk, a: Shown, b: Shown, first: Origin, pairing: Pairing) -> Iterator[Divergence]:
    """A value that stands in both requests is not printed here any more."""
    other = counterpart(first.path or (), pairing.items_a, pairing.to_b)
    if other is None:
        return  # its entry was removed: a difference of the requests
    if shows(b, other, first):
        yield from _moved(hunk, a, b, first, other, pairing, of_b=False)
    elif _is_reasoning(first, a.prompt):
        message = "the template prints this reasoning in the first prompt only"
        yield _value_at(hunk, a, b, first, other, "reasoning-dropped", message)
    else:
        message = "the template prints this in the first prompt only"
        yield _value_at(hunk, a, b, first, other, _widest(a, first.start), message)._replace(fix=_REVIEW)


def _come(hunk: Hunk, a: Shown, b: Shown, first: Origin, pairing: Pairing) -> Iterator[Divergence]:
    """A value that stands in both requests is printed here in the second prompt alone."""
    other = counterpart(first.path or (), pairing.items_b, pairing.to_a)
    if other is None:
        return
    if shows(a, other, first):
        yield from _moved(hunk, a, b, first, other, pairing, of_b=True)
    else:
        message = "the template prints this in the second prompt only"
        label = "reasoning-dropped" if _is_reasoning(first, b.prompt) else _widest(b, first.start)
        yield _value_at(hunk, a, b, first, other, label, message, of_b=True)._replace(fix=_REVIEW)


def _moved(
    hunk: Hunk, a: Shown, b: Shown, first: Origin, other: Path, pairing: Pairing, *, of_b: bool
) -> Iterator[Divergence]:
    level = level_at(b if of_b else a, first.start)
    if level in pairing.reordered:
        return  # the authors moved it
    what = {"tools": "the tools", "system": "the system text"}.get(level, "text")
    message = f"the template prints {what} at a place that moves with the conversation"
    yield _value_at(hunk, a, b, first, other, "template-moves-text", message, of_b=of_b)


def other_text(hunk: Hunk, a: Shown, b: Shown) -> Divergence:
    """Other text of the template, or the same values in another form."""
    old, new = a.text[hunk.a0 : hunk.a1], b.text[hunk.b0 : hunk.b1]
    widest = _widest(a, hunk.a0)
    label = name_text(old, new, widest)[0].cause if old and new else widest
    sources = {side.prompt.template.source for side in (a, b) if side.prompt.template is not None}
    if len(sources) > 1:
        found = _at(hunk, a, b, label, "the two templates print other text here")
        return found._replace(fix="Keep to one template; a new one costs every cached prefix once.")
    return _at(hunk, a, b, label, "the template prints other text here")._replace(fix=_REVIEW)


def _at(hunk: Hunk, a: Shown, b: Shown, label: str, message: str) -> Divergence:
    """A difference that stands in the template's own text."""
    return Divergence(
        cause=label,
        level=level_at(a, hunk.a0),
        a_start=hunk.a0,
        a_end=hunk.a1,
        b_start=hunk.b0,
        b_end=hunk.b1,
        within=next_value(b, hunk.b0),
        message=message,
        a=spot_of(a.prompt, hunk.a0),
        b=spot_of(b.prompt, hunk.b0),
        a_present=hunk.a0 < len(a.text),
        b_present=hunk.b0 < len(b.text),
        rendered=True,
    )


def _value_at(
    hunk: Hunk, a: Shown, b: Shown, first: Origin, other: Path, label: str, message: str, *, of_b: bool = False
) -> Divergence:
    """A difference that stands at a value of the request which one prompt shows, in B if `of_b`.

    `other`: the place of that value in the other request.
    """
    side = b if of_b else a
    char = CharIndex(first.char or 0)
    atom: AtomKind = "key" if first.kind == "key" else "value"
    here = Spot(first.path or (), atom, char, CharIndex(char + first.end - first.start))
    there = Spot(other, atom, CharIndex(0), CharIndex(0))
    return _at(hunk, a, b, label, message)._replace(
        level=level_at(side, first.start),
        within=here.path if of_b else there.path,
        a=there if of_b else here,
        b=here if of_b else there,
        a_present=not of_b,
        b_present=of_b,
    )


def _is_reasoning(origin: Origin, prompt: Rendered) -> bool:
    """A field that carries reasoning, or characters between thinking tags of a text."""
    path = origin.path or ()
    if any(step in facts.table("formats")["reasoning"]["names"] for step in path):
        return True
    value = value_of(prompt, path)
    if not isinstance(value, str) or origin.char is None:
        return False
    return any(start <= origin.char < end for start, end in thinking_ranges(value))


def value_of(prompt: Rendered, path: Path) -> Json:
    """The value at a place of the request, or the last one on the way."""
    return descend(prompt.request.body, path[len(prompt.request.path) :])


def _widest(side: Shown, char: int) -> str:
    """The label that needs no further evidence."""
    return "history-rewritten" if level_at(side, char) == "messages" else "text-edited"


def clocks(a: Rendered, b: Rendered) -> Iterator[tuple[Divergence, str]]:
    """Where both prompts show the same time that the template itself reads, and the expression that reads it.

    The cause is `clock` if it prints more than a day, else `date-rollover`; nothing differs yet.
    """
    equal = shared_chars(a, b)
    one, two = shown(a), shown(b)
    for origin in a.origins:
        if origin.start >= equal or a.template is None:
            return
        if origin.kind != "call" or origin.line is None:
            continue
        expression = re.search(_CLOCK, a.template.source.split("\n")[origin.line - 1])
        if expression is None:
            continue
        finer = any(code in _WITHIN_A_DAY for code in re.findall(r"%[-#_0^]?(\w)", expression[1]))
        hunk = Hunk(origin.start, origin.start, origin.start, origin.start)
        yield _at(hunk, one, two, "clock" if finer else "date-rollover", ""), expression[0]


def once(found: Iterable[Divergence]) -> list[Divergence]:
    """What the template does at many places alike is one difference, told at the first.

    So is what moved: it is gone at one place and has come at another.
    """
    done: list[Divergence] = []
    first: dict[tuple[str, str], int] = {}
    for divergence in found:
        same = divergence.cause, divergence.message
        if divergence.cause not in _REPEATED or same not in first:
            first.setdefault(same, len(done))
            done.append(divergence)
        elif divergence.cause != "template-moves-text":
            known = done[first[same]]
            done[first[same]] = known._replace(repeats=(*known.repeats, divergence))
    return done
