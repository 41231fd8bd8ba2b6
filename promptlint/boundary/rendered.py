"""Two prompts that templates made: where their texts part, and whether the request or the template is the reason."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from promptlint import facts
from promptlint.boundary.align import gaps
from promptlint.boundary.divergence import Divergence, origin_at
from promptlint.boundary.sections import thinking_ranges
from promptlint.boundary.texts import name_text, stretches
from promptlint.finding import ChangeLevel
from promptlint.prompt import AtomKind, CharIndex, Origin, Path, Rendered, Spot
from promptlint.read.descend import descend

_PRINTED = frozenset(("value", "key", "changed", "serialised"))  # origins that lead into the request


class Hunk(NamedTuple):
    """Characters `a0:a1` of prompt A stand as `b0:b1` in prompt B; the text around is equal."""

    a0: int
    a1: int
    b0: int
    b1: int


class Sent(NamedTuple):
    """A difference of what the authors sent, and the places on both sides that it covers."""

    divergence: Divergence
    paths_a: frozenset[Path]
    paths_b: frozenset[Path]


def rendered_divergences(
    a: Rendered, b: Rendered, sent: list[Divergence], form_a: Rendered, form_b: Rendered
) -> tuple[list[Divergence], list[Divergence]]:
    """The differences of two rendered prompts in prompt order, and those of `sent` that neither prompt shows.

    `sent`: the differences of the requests in their documented forms `form_a` and `form_b`. What they explain bears
    their name; the rest is the template's doing.
    """
    waiting = [Sent(d, _paths(form_a, d.a_start, d.a_end), _paths(form_b, d.b_start, d.b_end)) for d in sent]
    told: set[int] = set()
    found: list[Divergence] = []
    for hunk in hunks(a, b):
        printed_a, printed_b = _printed(a, hunk.a0, hunk.a1), _printed(b, hunk.b0, hunk.b1)
        reasons = [(i, s) for i, s in enumerate(waiting) if _explains(s, printed_a, printed_b)]
        for i, reason in reasons:
            if i not in told:
                found.append(_placed(reason.divergence, hunk, a, b))
                told.add(i)
        if not reasons:
            found += _by_template(hunk, a, b, printed_a, printed_b)
    unseen = [s.divergence for i, s in enumerate(waiting) if i not in told]
    return _once(found), unseen


def hunks(a: Rendered, b: Rendered) -> Iterator[Hunk]:
    """Where two rendered texts differ, first to last."""
    for gap in gaps([item.text for item in a.items], [item.text for item in b.items]):
        start_a, end_a = _bounds(a, gap.a0, gap.a1)
        start_b, end_b = _bounds(b, gap.b0, gap.b1)
        old, new = a.text[start_a:end_a], b.text[start_b:end_b]
        if not old or not new:
            yield Hunk(start_a, end_a, start_b, end_b)
            continue
        for s in stretches(old, new):
            yield Hunk(start_a + s.a0, start_a + s.a1, start_b + s.b0, start_b + s.b1)


def _bounds(rendered: Rendered, first: int, last: int) -> tuple[int, int]:
    """Characters of the items `first:last`."""
    ends = [*(item.char for item in rendered.items), len(rendered.text)]
    return ends[first], ends[last]


def _paths(form: Rendered, start: int, end: int) -> frozenset[Path]:
    """The atoms of a documented form that stand in a range of it."""
    found: set[Path] = set()
    first = max(bisect_right(form.items, start, key=lambda item: item.char) - 1, 0)
    for item in form.items[first:]:
        if item.char >= end:
            break
        at = item.char
        for piece in item.pieces:
            if at < end and at + len(piece.text) + len(form.separator) > start:
                found.add(piece.path)
            at += len(piece.text) + len(form.separator)
    return frozenset(found)


def _range(rendered: Rendered, start: int, end: int) -> tuple[Origin, ...]:
    """The origins of a range of the text."""
    if start >= end:
        return ()
    first = bisect_right(rendered.origins, start, key=lambda origin: origin.start) - 1
    last = bisect_left(rendered.origins, end, key=lambda origin: origin.start)
    return rendered.origins[max(first, 0) : last]


def _printed(rendered: Rendered, start: int, end: int) -> list[Origin]:
    """What of the request is printed in a range of the text, cut to it; characters of values move with the cut."""
    return [
        o if o.start >= start or o.char is None else o._replace(start=start, char=o.char + start - o.start)
        for o in _range(rendered, start, end)
        if o.kind in _PRINTED and o.path is not None
    ]


def _explains(sent: Sent, printed_a: list[Origin], printed_b: list[Origin]) -> bool:
    return _touches(sent.paths_a, printed_a) or _touches(sent.paths_b, printed_b)


def _touches(paths: frozenset[Path], printed: list[Origin]) -> bool:
    """Whether one of the places is printed here, as itself or within a value that is printed as a whole."""
    for origin in printed:
        if origin.path in paths:
            return True
        path = origin.path or ()
        if origin.kind == "serialised" and any(one[: len(path)] == path for one in paths):
            return True
    return False


def _placed(divergence: Divergence, hunk: Hunk, a: Rendered, b: Rendered) -> Divergence:
    """A difference of the requests at the place where the prompts show it."""
    return divergence._replace(
        a_start=_located(a, divergence.a, hunk.a0, hunk.a1),
        a_end=hunk.a1,
        b_start=_located(b, divergence.b, hunk.b0, hunk.b1),
        b_end=hunk.b1,
        repeats=(),
    )


def _located(rendered: Rendered, spot: Spot, start: int, end: int) -> int:
    """The character of the prompt, within a range, that prints the begin of a spot; else the begin of the range."""
    for origin in _range(rendered, start, end):
        if origin.path == spot.path and origin.kind in ("value", "key") and origin.char is not None:
            at = origin.start + spot.char - origin.char
            if max(origin.start, start) <= at < min(origin.end, end):
                return at
    return start


def _by_template(
    hunk: Hunk, a: Rendered, b: Rendered, printed_a: list[Origin], printed_b: list[Origin]
) -> Iterator[Divergence]:
    """A difference that no difference of the requests explains."""
    calls = [o for o in (*_range(a, hunk.a0, hunk.a1), *_range(b, hunk.b0, hunk.b1)) if o.kind == "call"]
    if calls:
        yield _called(hunk, a, b, calls[0].name)
    elif printed_a and not printed_b:
        yield _gone(hunk, a, b, printed_a[0])
    elif printed_b and not printed_a:
        yield _come(hunk, a, b, printed_b[0])
    elif hunk.a0 == len(a.text):
        yield _at(hunk, a, b, "turn-appended", "the second prompt goes on where the first ends")
    elif hunk.a0 >= _last_value(a):
        message = "what the template prints to start the answer is not what it prints for that turn as history"
        yield _at(hunk, a, b, "template-asymmetry", message)
    else:
        yield _other_text(hunk, a, b)


def _called(hunk: Hunk, a: Rendered, b: Rendered, name: str) -> Divergence:
    """A clock that the template reads itself."""
    named = name_text(a.text[: hunk.a1], b.text[: hunk.b1], "text-edited")
    last = named[-1] if named else None
    cause, said = (last.cause, last.message) if last else ("text-edited", "")
    return _at(hunk, a, b, cause, f"{said}; " * bool(said) + f"the template itself prints {name}()")


def _gone(hunk: Hunk, a: Rendered, b: Rendered, first: Origin) -> Divergence:
    """A value that stands in both requests is not printed here any more."""
    if _is_printed(b, _other(first.path or (), a, b), first):
        return _moved(hunk, a, b, first, a)
    if _is_reasoning(first, a):
        return _value_at(
            hunk, a, b, first, "reasoning-dropped", "the template prints this reasoning in the first prompt only"
        )
    return _value_at(hunk, a, b, first, _fallback(first, a), "the template prints this value in the first prompt only")


def _come(hunk: Hunk, a: Rendered, b: Rendered, first: Origin) -> Divergence:
    """A value that stands in both requests is printed here in the second prompt alone."""
    if _is_printed(a, _other(first.path or (), b, a), first):
        return _moved(hunk, a, b, first, b)
    found = _value_at(
        hunk, a, b, first, _fallback(first, b), "the template prints this value in the second prompt only", of_b=True
    )
    return found


def _moved(hunk: Hunk, a: Rendered, b: Rendered, first: Origin, side: Rendered) -> Divergence:
    what = {"tools": "the tools", "system": "the system text"}.get(_level(side, first.start), "text")
    message = f"the template prints {what} at a place that moves with the conversation"
    return _value_at(hunk, a, b, first, "template-moves-text", message, of_b=side is b)


def _other_text(hunk: Hunk, a: Rendered, b: Rendered) -> Divergence:
    """Other text of the template, or the same values in another form."""
    old, new = a.text[hunk.a0 : hunk.a1], b.text[hunk.b0 : hunk.b1]
    fallback = "history-rewritten" if _level(a, hunk.a0) == "messages" else "text-edited"
    label = name_text(old, new, fallback)[0].cause if old and new else fallback
    templates = {side.template.source for side in (a, b) if side.template is not None}
    if len(templates) > 1:
        return _at(hunk, a, b, label, "the two templates print other text here")
    return _at(hunk, a, b, label, "the requests are equal here, but the template prints other text")


def _at(hunk: Hunk, a: Rendered, b: Rendered, cause: str, message: str) -> Divergence:
    """A difference that stands in the template's own text."""
    level: ChangeLevel = _level(a, hunk.a0)
    return Divergence(
        cause=cause,
        level=level,
        a_start=hunk.a0,
        a_end=hunk.a1,
        b_start=hunk.b0,
        b_end=hunk.b1,
        within=_next_value(b, hunk.b0),
        message=message,
        a=template_spot(a, hunk.a0),
        b=template_spot(b, hunk.b0),
        a_present=hunk.a0 < len(a.text),
        b_present=hunk.b0 < len(b.text),
    )


def _value_at(
    hunk: Hunk, a: Rendered, b: Rendered, first: Origin, cause: str, message: str, *, of_b: bool = False
) -> Divergence:
    """A difference that stands at a value of the request which one prompt shows."""
    side, other = (b, a) if of_b else (a, b)
    path = first.path or ()
    char = CharIndex(first.char or 0)
    atom: AtomKind = "key" if first.kind == "key" else "value"
    here = Spot(path, atom, char, CharIndex(char + first.end - first.start))
    there = Spot(_other(path, side, other), atom, CharIndex(0), CharIndex(0))
    return _at(hunk, a, b, cause, message)._replace(
        level=_level(side, first.start),
        within=there.path if not of_b else here.path,
        a=there if of_b else here,
        b=here if of_b else there,
        a_present=not of_b,
        b_present=of_b,
    )


def template_spot(rendered: Rendered, char: int) -> Spot:
    """The place in the template whose text, or whose expression, prints a character of the prompt."""
    template = rendered.template
    if template is None or not rendered.origins:
        return Spot((), "value", CharIndex(0), CharIndex(0), in_template=True)
    origin = rendered.origins[origin_at(rendered, char)]
    at = _template_char(template.source, origin, char)
    return Spot(template.path, "value", CharIndex(at), CharIndex(at), in_template=True)


def _template_char(source: str, origin: Origin, char: int) -> int:
    """The character of a template's source where an origin stands, or where its line begins."""
    if origin.line is None:
        return 0
    at = 0
    for _ in range(origin.line - 1):
        at = source.find("\n", at) + 1 or at
    if origin.kind != "template" or origin.column is None:
        return at + len(source[at:]) - len(source[at:].lstrip(" \t"))
    at += origin.column - 1
    ahead = char - origin.start  # a literal stands as it is, an escape is one place
    literal = source[at : at + origin.end - origin.start]
    return at + ahead if 0 < ahead < len(literal) else at


def _other(path: Path, side: Rendered, other: Rendered) -> Path:
    """A place of one request in the other one."""
    return (*other.request.path, *path[len(side.request.path) :])


def _is_printed(rendered: Rendered, path: Path, wanted: Origin) -> bool:
    """Whether a prompt shows these characters of the value at a place."""
    size = wanted.end - wanted.start
    for origin in rendered.origins:
        if origin.path != path or origin.kind not in _PRINTED:
            continue
        if origin.char is None or wanted.char is None:
            return True
        if origin.char < wanted.char + size and wanted.char < origin.char + origin.end - origin.start:
            return True
    return False


def _is_reasoning(origin: Origin, rendered: Rendered) -> bool:
    """A field that carries reasoning, or characters between thinking tags of a text."""
    path = origin.path or ()
    if any(step in facts.table("formats")["reasoning"]["names"] for step in path):
        return True
    value = descend(rendered.request.body, path[len(rendered.request.path) :])
    if not isinstance(value, str) or origin.char is None:
        return False
    return any(start <= origin.char < end for start, end in thinking_ranges(value))


def _fallback(origin: Origin, rendered: Rendered) -> str:
    return "history-rewritten" if _level(rendered, origin.start) == "messages" else "text-edited"


def _level(rendered: Rendered, char: int) -> ChangeLevel:
    index = bisect_right(rendered.items, char, key=lambda item: item.char) - 1
    return rendered.items[max(index, 0)].item.level if rendered.items else "messages"


def _last_value(rendered: Rendered) -> int:
    """Where the last text of the request ends in the prompt."""
    return max((o.end for o in rendered.origins if o.kind in _PRINTED and o.path is not None), default=0)


def _next_value(rendered: Rendered, char: int) -> Path:
    """The value of the request that is printed next, else the last one."""
    paths = [(o.end, o.path) for o in rendered.origins if o.kind in _PRINTED and o.path is not None]
    if not paths:
        return rendered.request.path
    return next((path for end, path in paths if end > char), paths[-1][1])


def _once(found: Iterable[Divergence]) -> list[Divergence]:
    """What moved is gone at one place and has come at another: one difference, told at the first."""
    done: list[Divergence] = []
    moved: set[ChangeLevel] = set()
    for divergence in found:
        if divergence.cause == "template-moves-text":
            if divergence.level in moved:
                continue
            moved.add(divergence.level)
        done.append(divergence)
    return done


def printed_spot(rendered: Rendered, char: int, end: int) -> Spot:
    """The place in the variables whose value prints characters of the prompt, or the place in the template."""
    if not rendered.origins or char >= len(rendered.text):
        return template_spot(rendered, char)
    origin = rendered.origins[origin_at(rendered, char)]
    if origin.kind not in _PRINTED or origin.path is None:
        return template_spot(rendered, char)
    start = 0 if origin.char is None else origin.char + char - origin.start
    stop = start + max(min(end, origin.end) - char, 0)
    return Spot(origin.path, "key" if origin.kind == "key" else "value", CharIndex(start), CharIndex(stop))
