"""Two texts that templates of an application made of their variables: which value, or which text of the template."""

from collections.abc import Iterator

from promptlint.boundary.divergence import Divergence
from promptlint.boundary.pairing import Pairing
from promptlint.boundary.rendered import hunks
from promptlint.boundary.shown import Shown, printed_in, shown, shows, value_spot
from promptlint.boundary.template_causes import Hunk, lines_of
from promptlint.boundary.texts import name_text
from promptlint.prompt import Origin, Path, Rendered
from promptlint.read.descend import descend

_NO_ENTRIES = Pairing({}, {}, frozenset(), frozenset())
_WIDEST = "text-edited"


def template_text_divergences(a: Rendered, b: Rendered) -> list[Divergence]:
    """The differences of two rendered texts, in their order; what is only printed in another order is one of them."""
    one, two = shown(a), shown(b)
    found: list[Divergence] = []
    for difference in hunks(one, two, _NO_ENTRIES):
        found += [d for d in _named(difference.hunk, one, two) if not any(_same_move(d, known) for known in found)]
    return found


def _same_move(divergence: Divergence, known: Divergence) -> bool:
    """What is gone at one place and has come at another is told once."""
    orders = ("key-order", "list-order")
    return divergence.cause in orders and (divergence.cause, divergence.message) == (known.cause, known.message)


def _named(hunk: Hunk, a: Shown, b: Shown) -> Iterator[Divergence]:
    old, new = printed_in(a.prompt, hunk.a0, hunk.a1), printed_in(b.prompt, hunk.b0, hunk.b1)
    edited = {x.path: (x, y) for x in old for y in new if _there(x, a, b) == y.path and _value(x, a) != _value(y, b)}
    for x, y in edited.values():
        yield _edit(x, y, hunk, a, b)
    if moved := [o for o in old if _is_moved(o, a, b)] + [o for o in new if _is_moved(o, b, a)]:
        yield _divergence(hunk, a, b, *_order(moved[0]))
    if edited or moved:
        return
    lines = lines_of(a.text, hunk.a0, hunk.a1), lines_of(b.text, hunk.b0, hunk.b1)
    named = name_text(*lines, _WIDEST) if lines[0] != lines[1] else []
    label, message = (named[0].cause, named[0].message) if len(named) == 1 else (_WIDEST, "")
    yield _divergence(hunk, a, b, label, message)


def _edit(x: Origin, y: Origin, hunk: Hunk, a: Shown, b: Shown) -> Divergence:
    """One variable with two values."""
    at = Hunk(max(x.start, hunk.a0), min(x.end, hunk.a1), max(y.start, hunk.b0), min(y.end, hunk.b1))
    old, new = _value(x, a), _value(y, b)
    if isinstance(old, str) and isinstance(new, str):
        first = name_text(old, new, _WIDEST)[0]
        return _divergence(at, a, b, first.cause, first.message)
    return _divergence(at, a, b, _WIDEST, "")


def _is_moved(origin: Origin, side: Shown, other: Shown) -> bool:
    """Whether the other text prints the same value, at another place."""
    there = _there(origin, side, other)
    return shows(other, there, origin) and _value(origin, side) == _value(origin._replace(path=there), other)


def _order(origin: Origin) -> tuple[str, str]:
    if any(isinstance(step, int) for step in origin.path or ()):
        return "list-order", "the same values are printed in another order"
    return "key-order", "the same values are printed in another order"


def _there(origin: Origin, side: Shown, other: Shown) -> Path:
    return (*other.prompt.request.path, *(origin.path or ())[len(side.prompt.request.path) :])


def _value(origin: Origin, side: Shown) -> object:
    request = side.prompt.request
    return descend(request.body, (origin.path or ())[len(request.path) :]) if origin.kind != "key" else None


def _divergence(hunk: Hunk, a: Shown, b: Shown, cause: str, message: str) -> Divergence:
    spot_a, spot_b = value_spot(a.prompt, hunk.a0, hunk.a1), value_spot(b.prompt, hunk.b0, hunk.b1)
    return Divergence(
        cause=cause,
        level="system",
        a_start=hunk.a0,
        a_end=hunk.a1,
        b_start=hunk.b0,
        b_end=hunk.b1,
        within=spot_b.path,
        message=message,
        a=spot_a,
        b=spot_b,
        a_present=hunk.a0 < len(a.text),
        b_present=hunk.b0 < len(b.text),
        rendered=True,
    )
