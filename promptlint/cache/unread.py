"""Markers that can never be read, and markers that are missing."""

from promptlint.cache.minimum import Size
from promptlint.cache.positions import Position, can_carry
from promptlint.cache.refusals import MarkerFault, fewer, name
from promptlint.cache.reuse import Count, Left, Reuse, looked_up, size_of, written
from promptlint.cache.rule import Rule
from promptlint.finding import Certainty
from promptlint.prompt import Path, Rendered

_LONG = 1024  # tokens: from here on a part is worth a marker where the model's minimum is not known

STANDING = frozenset(("below-minimum", "marker-missing", "marker-limit"))  # a pair can have these and be equal


def too_short(b: Rendered, rule: Rule, count: Count, *, differs: bool) -> MarkerFault | None:
    """What the request marks, or all of it where no marker is needed, is shorter than the model's minimum.

    `differs`: it differs from the other request, so that a reader asks what the difference costs.
    """
    found = looked_up(b, rule)[0] if rule.by_entries else []
    marked = [position for position in found if position.marker is not None]
    if not marked and (rule.kind == "markers" or not differs):
        return None
    end, path = (marked[-1].end, marked[-1].path) if marked else (len(b.text), _last_path(b))
    size = size_of(end, rule, count)
    if size == "above" or path is None:
        return None
    what = "the marked part" if marked else "the prompt"
    tokens = count(end)
    length = f"{what} has {'' if rule.minimum.exact else 'about '}{tokens:,} tokens"
    message = f"{length}, the minimum of this model is {rule.minimum.tokens:,}: nothing is cached"
    if size == "near":
        message = f"{length}, and {rule.minimum.doubt(tokens)}"
    fault = MarkerFault("below-minimum", message, None, path, affects="nothing", severity="info")
    if size == "near":
        return fault._replace(certainty="possible")
    return fault._replace(severity="warning") if marked else fault


def _last_path(b: Rendered) -> Path | None:
    segments = [segment for item in b.items[-1:] for segment in item.item.segments]
    return segments[-1].path if segments else None


def missing(found: Reuse, rule: Rule, count: Count, shared: int) -> MarkerFault | None:
    """Nothing is cached because neither request has a marker, though a long part of both is equal."""
    if not rule.by_entries or found.written or any(p.marker for p in (*found.old, *found.new)):
        return None
    place = _best_place(found.new, shared, rule)
    if place is None or _length(place.end, rule, count) != "above":
        return None
    message = "a long part of both requests is equal, and no marker lets it be cached"
    fix = f"Set a marker at {name(place.path)}, the end of the equal part."
    fault = MarkerFault("marker-missing", message, None, place.path, fix, affects="suffix", severity="warning")
    return fault._replace(severity="info", certainty="possible") if rule.provider.implicit else fault


def after_volatile(old: Left, found: Reuse, count: Count, shared: int) -> MarkerFault | None:
    """A long part is equal, but what was cached ends behind the first difference, so nothing of it can be read."""
    ends = [entry.end for entry in old.entries]
    if not ends or ends[0] <= shared or _length(shared, old.rule, count) != "above":
        return None
    place = _best_place(found.new, shared, old.rule)
    message = "a long part in front is equal, but no marker ends there: it is never shared"
    if place is not None and _length(place.end, old.rule, count) == "above":
        fix = f"Set a marker at {name(place.path)}."
    else:
        fix = "Give the equal part a block of its own, with a marker."
    first = next(position for position in old.blocks if position.end == ends[0])
    new = next((position.path for position in found.new if position.marker), first.path)
    fault = MarkerFault("marker-after-volatile", message, first.path, new, fix)
    return fault._replace(severity="warning", certainty="possible")


def _best_place(found: tuple[Position, ...], shared: int, rule: Rule) -> Position | None:
    """The last block of the equal part that can carry a marker."""
    fit = [p for p in found if p.end <= shared and can_carry(p, rule.provider)]
    return fit[-1] if fit else None


def _length(end: int, rule: Rule, count: Count) -> Size:
    least = rule.minimum if rule.minimum.known and rule.minimum.tokens else rule.minimum._replace(tokens=_LONG)
    return size_of(end, rule._replace(minimum=least), count)


def ignored(b: Rendered, rule: Rule) -> MarkerFault | None:
    """More markers than the provider takes, where it does not refuse them: at the earliest nothing is written."""
    if not rule.by_entries or rule.provider.refuses:
        return None
    found, kept, _ = written(b, rule)
    ends = {entry.end for entry in kept}
    marked = [position for position in found if position.marker is not None]
    spare = [position.path for position in marked if position.end not in ends]
    if not spare:
        return None
    paths = tuple(position.path for position in marked)
    message = f"{len(paths)} markers, {len(paths) - len(spare)} of them are taken: the earliest count for nothing"
    fault = MarkerFault("marker-limit", message, None, spare[0], fewer(paths), extra=paths)
    certainty: Certainty = "certain" if rule.kind == "message-ends" else "possible"
    return fault._replace(severity="warning", affects="nothing", certainty=certainty)
