"""One entry a request, at the end of a message, and more at explicit breakpoints: OpenAI from GPT-5.6 on.

Sources: developers.openai.com/api/docs/guides/prompt-caching, after 2026-09-10 (below: the guide); type definitions of
the Python package openai 3.57.0 (the package). They disagree on how far back a request looks: that is certain where
both say so, possible where one does.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from promptlint.cache.entries import Entry, Lookups
from promptlint.cache.positions import Position, blocks, can_carry, numbered
from promptlint.facts.providers import Provider
from promptlint.finding import Certainty
from promptlint.prompt import Json, Rendered

_FIRST, _LATEST = 2, 50  # explicit breakpoints that a request tests, by the guide
_EARLIER = 20  # message ends before the latest one that a request tests, by the guide
_BREAKPOINTS = 80  # the latest breakpoints that a request tests, by the package


class Wish(NamedTuple):
    """How a request asks to be cached: its `prompt_cache_options`."""

    explicit: bool = False  # no entry but at its breakpoints
    lifetime: str = ""


def wish(rendered: Rendered, provider: Provider) -> Wish:
    """What the request says, or the defaults."""
    said = rendered.request.settings.get((*rendered.request.path, "prompt_cache_options"))
    options: dict[str, Json] = said if isinstance(said, dict) else {}
    asked = options.get("ttl")
    return Wish(options.get("mode") == "explicit", asked if isinstance(asked, str) else provider.default_lifetime)


def positions(rendered: Rendered, provider: Provider) -> list[Position]:
    """Every block of the prompt; a breakpoint on a block that cannot carry one is none."""
    found = blocks(rendered)
    return numbered([p if can_carry(p, provider) else p._replace(marker=None) for p in found], provider)


def entries(found: Sequence[Position], provider: Provider, asked: Wish) -> list[Entry]:
    """What a request writes: at the latest message end, unless it is explicit only, and at the latest breakpoints."""
    ends = [] if asked.explicit else [position.end for position in message_ends(found)[-1:]]
    marked = [position for position in found if position.marker is not None and position.end not in ends]
    latest = marked[len(ends) - provider.marker_limit :]
    own = [Entry(p.end, (p.marker.ttl if p.marker else None) or asked.lifetime) for p in latest]
    return sorted([*own, *(Entry(end, asked.lifetime) for end in ends)], key=lambda entry: entry.end)


def lookups(found: Sequence[Position], asked: Wish) -> Lookups:
    """Where a request looks for entries."""
    marked = [position.end for position in found if position.marker is not None]
    ends = [] if asked.explicit else [position.end for position in message_ends(found)]
    first = [] if asked.explicit else [position.end for position in _first_developer_end(found)]
    guide = {*marked[:_FIRST], *marked[-_LATEST:], *ends[-_EARLIER - 1 :], *first}
    package = set(sorted({*marked, *ends})[-_BREAKPOINTS:])
    certainty: dict[bool, Certainty] = {True: "certain", False: "possible"}
    return {end: certainty[end in guide and end in package] for end in sorted(guide | package)}


def message_ends(found: Sequence[Position]) -> list[Position]:
    """Where the provider itself may end an entry: behind the first developer messages, each user message, and the
    last of several tool results in a row. The end of an answer, or of a later developer message, is no such place.
    """
    lasts = [position for position in found if position.last]
    following = [*lasts[1:], None][: len(lasts)]
    results = {
        position.end
        for position, then in zip(lasts, following, strict=True)
        if position.kind == "tool_result" and (then is None or then.kind != "tool_result")
    }
    first = {position.end for position in _first_developer_end(found)}
    return [p for p in lasts if p.level != "tools" and (p.role == "user" or p.end in results or p.end in first)]


def _first_developer_end(found: Iterable[Position]) -> list[Position]:
    """The end of the developer messages (or instructions) at the front."""
    return [position for position in found if position.level == "system"][-1:]
