"""Markers that no longer reach the old entry, that do not follow the growth, or that merely moved."""

from collections.abc import Iterator, Sequence

from promptlint.cache.markers import Position, distance
from promptlint.cache.refusals import MarkerFault, lifetime, name, refusals
from promptlint.cache.reuse import Reuse
from promptlint.facts.providers import Provider

_TAIL = 4096  # characters behind the last marker (about 1,000 tokens) from which a marker that stays behind matters


def out_of_reach(reuse: Reuse, provider: Provider, shared: int) -> MarkerFault | None:
    """Equal text up to an old entry, but no new marker is near enough to find it."""
    entry = _last_entry(reuse, shared)
    if reuse.usable >= reuse.readable or entry is None or entry.end <= reuse.usable:
        return None
    if all(position.end != entry.end for position in reuse.new):  # the block goes on: its text is another
        return None
    far = distance(reuse.new, entry.end)
    if far is None:
        message = "the text is equal up to the old entry, but the second request sets no marker at or behind it"
    else:
        message = (
            f"the text is equal up to the old entry, but it lies {far} positions before the next marker, "
            f"which finds entries up to {provider.lookback - 1} positions back"
        )
    fix = f"Keep a marker at {name(entry.path)}, where the old one stood, or set one more inside long turns."
    new = next(position.path for position in reuse.new if position.end == entry.end)
    return MarkerFault("marker-out-of-reach", message, entry.path, new, fix)


def _last_entry(reuse: Reuse, shared: int) -> Position | None:
    entries = [position for position in reuse.old if position.marker is not None and position.end <= shared]
    return entries[-1] if entries else None


def standing_still(reuse: Reuse, size_old: int, size_new: int, shared: int) -> MarkerFault | None:
    """The marked entry is read, but the last marker stays while the conversation grows behind it."""
    last_old = max((position.end for position in reuse.old if position.marker), default=0)
    last_new = max((position.end for position in reuse.new if position.marker), default=0)
    grown = shared >= size_old - 1 and size_new > size_old
    if not (grown and last_old == last_new == reuse.usable > 0) or size_old - last_old < _TAIL:
        return None
    behind = [position for position in reuse.new if position.end > last_new]
    marker = next(position for position in reuse.new if position.end == last_new)
    message = f"the last marker stays where it was; {len(behind)} blocks behind it are computed anew by each request"
    fix = f"One marker after the stable part ({name(marker.path)}), one on the last block ({name(behind[-1].path)})."
    return MarkerFault("marker-not-advancing", message, marker.path, marker.path, fix)


def moved(reuse: Reuse, provider: Provider) -> Iterator[MarkerFault]:
    """Other markers on the same text, and the old entry is still read: nothing to report."""
    old, new = ([position for position in side if position.marker] for side in (reuse.old, reuse.new))
    if not old or not new or reuse.usable < reuse.readable:
        return
    before = {position.end: position for position in old}
    for position in new:
        was = before.get(position.end)
        if was is not None and lifetime(was, provider) != lifetime(position, provider):
            change = f"the marker's lifetime changed: {lifetime(was, provider)} became {lifetime(position, provider)}"
            yield MarkerFault("request-only-setting", f"{change}; the entry is still read", was.path, position.path)
    if new[-1].end > old[-1].end:
        message = "the last marker moved forward with the conversation"
        yield MarkerFault("marker-moved-forward", message, old[-1].path, new[-1].path)
    elif before.keys() != {position.end for position in new}:
        message = "other blocks carry markers; what was cached is still read"
        yield MarkerFault("request-only-setting", message, old[-1].path, new[-1].path)


def refused_before(old: Sequence[Position], provider: Provider) -> Iterator[MarkerFault]:
    """What made the provider reject the first request, so that it cached nothing."""
    for fault in refusals(old, provider):
        what = fault.message.removesuffix(": the request is refused").removesuffix(" is refused")
        message = f"the first request was refused and cached nothing ({what})"
        yield fault._replace(message=message, old=fault.new, new=None, refused=False)
