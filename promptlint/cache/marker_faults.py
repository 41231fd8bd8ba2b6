"""Markers that no longer reach the old entry, that do not follow the growth, or that merely moved."""

from collections.abc import Iterator, Sequence

from promptlint.cache.markers import distance, lifetime
from promptlint.cache.message_ends import wish
from promptlint.cache.positions import Position
from promptlint.cache.refusals import MarkerFault, name, refusals
from promptlint.cache.reuse import Reuse
from promptlint.facts.providers import Provider
from promptlint.prompt import Rendered, Request

_TAIL = 4096  # characters behind the last marker (about 1,000 tokens) from which a marker that stays behind matters


def out_of_reach(reuse: Reuse, provider: Provider, shared: int) -> MarkerFault | None:
    """Equal text up to an old entry, but the second request does not look where it ends."""
    entry = _last_entry(reuse, shared)
    if reuse.usable >= reuse.readable or entry is None or entry.end <= reuse.usable:
        return None
    new = next((position for position in reuse.new if position.end == entry.end), None)
    if new is None:  # the block goes on: its text is another
        return None
    message = f"the text is equal up to the old entry, but {_why_unseen(reuse, provider, entry)}"
    fix = f"Keep a marker at {name(entry.path)}, where the old one stood, or set one more inside long turns."
    found = MarkerFault("marker-out-of-reach", message, entry.path, new.path, fix)
    return found._replace(severity="warning", certainty="possible") if reuse.possible else found


def _why_unseen(reuse: Reuse, provider: Provider, entry: Position) -> str:
    if reuse.unit == "message":
        if reuse.possible:
            return "so many message ends lie behind it that the second request may not look there"
        return "the second request looks for entries at its breakpoints and message ends, and has none of them there"
    far = distance(reuse.new, entry.end)
    if far is None:
        return "the second request sets no marker at or behind it"
    reach = f"which finds entries up to {provider.lookback - 1} positions back"
    return f"it lies {far} positions before the next marker, {reach}"


def _last_entry(reuse: Reuse, shared: int) -> Position | None:
    ends = {end for end in reuse.written if end <= shared}
    return next((position for position in reversed(reuse.old) if position.end in ends), None)


def unfit_lifetime(b: Rendered, provider: Provider) -> MarkerFault | None:
    """Twelve hours asked for in Chat, or a retention. Source: the Python package openai 3.57.0."""
    retention, asked = (*b.request.path, "prompt_cache_retention"), wish(b, provider).lifetime
    if b.request.settings.get(retention) is not None:
        message = "prompt_cache_retention is deprecated for this model, which takes prompt_cache_options.ttl"
        fault = MarkerFault("marker-ttl-order", message, None, retention, "Ask with prompt_cache_options.ttl.")
        return fault._replace(severity="warning", affects="nothing", certainty="possible")
    if b.request.format != "openai-chat" or asked != "12h" or not b.items:
        return None
    message = "a lifetime of 12h can be asked for in Responses only: Chat may refuse the request"
    path = (*b.request.path, "prompt_cache_options", "ttl")
    fault = MarkerFault("marker-ttl-order", message, None, path, "Ask for 30m, or use Responses.")
    return fault._replace(severity="warning", affects="nothing", certainty="possible")


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
    fault = MarkerFault("marker-not-advancing", message, marker.path, marker.path, fix)
    return fault._replace(severity="warning", affects="suffix")


def moved(reuse: Reuse, provider: Provider) -> Iterator[MarkerFault]:
    """Other markers on the same text, and the old entry is still read: nothing to report."""
    old, new = ([position for position in side if position.marker] for side in (reuse.old, reuse.new))
    if not old or not new or reuse.usable < reuse.readable or not reuse.readable:
        return
    before = {position.end: position for position in old}
    for position in new:
        was = before.get(position.end)
        if was is not None and lifetime(was, provider) != lifetime(position, provider):
            change = f"the marker's lifetime changed: {lifetime(was, provider)} became {lifetime(position, provider)}"
            yield _harmless("request-only-setting", f"{change}; the entry is still read", was, position)
    if new[-1].end > old[-1].end:
        yield _harmless("marker-moved-forward", "the last marker moved forward with the conversation", old[-1], new[-1])
    elif before.keys() != {position.end for position in new}:
        message = "other blocks carry markers; what was cached is still read"
        yield _harmless("request-only-setting", message, old[-1], new[-1])


def _harmless(cause: str, message: str, old: Position, new: Position) -> MarkerFault:
    return MarkerFault(cause, message, old.path, new.path, severity="info", affects="nothing")


def refused_before(old: Sequence[Position], request: Request, provider: Provider) -> Iterator[MarkerFault]:
    """What made the provider reject the first request, so that it cached nothing."""
    for fault in refusals(old, request, provider):
        what = fault.message.removesuffix(": the request is refused").removesuffix(" is refused")
        message = f"the first request was refused and cached nothing ({what})"
        yield fault._replace(
            message=message, old=fault.new, new=None, refused=False, severity="warning", affects="nothing"
        )
