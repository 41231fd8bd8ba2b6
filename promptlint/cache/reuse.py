"""How much of a cached prompt the next request can use."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from promptlint.cache.markers import Position, last_before, positions, reachable
from promptlint.cache.refusals import name, refusals
from promptlint.facts.providers import Provider
from promptlint.finding import Unit
from promptlint.prompt import Level, Rendered


class Reuse(NamedTuple):
    """Characters of the prompt that the first request left readable, and of those the ones that the second can use."""

    readable: int
    usable: int
    unit: Unit
    why: str
    old: tuple[Position, ...] = ()  # blocks of both prompts, where markers decide
    new: tuple[Position, ...] = ()
    reachable: tuple[int, ...] = ()  # ends of the entries that the second request finds where the text is equal


def reuse(a: Rendered, b: Rendered, shared: int, provider: Provider, lost_level: Level | None = None) -> Reuse:
    """What `b` can reuse of `a`, if both are equal up to `shared` characters.

    `lost_level`: a setting that keys the cache changed, so nothing from the start of this level on is found.
    """
    limit = shared if lost_level is None else min(shared, level_start(b, lost_level))
    if provider.cache == "markers":
        found = _by_markers(a, b, limit, provider)
    else:
        readable = len(b.text) if shared == len(b.text) else len(a.text)
        found = Reuse(readable, limit, "token", _why_prefix(limit, readable, b.request.model, provider))
    if lost_level is None or limit == shared:
        return found
    rest = "nothing" if limit == 0 else f"nothing from the {lost_level} on"
    return found._replace(why=f"a field that keys the cache changed, so {rest} can be read")


def left_readable(a: Rendered, provider: Provider) -> int:
    """Characters of a prompt up to the end of what is cached of it."""
    if provider.cache == "prefix":
        return len(a.text)
    return max(written_ends(positions(a, provider), provider), default=0)


def guarded(found: Reuse, provider: Provider) -> int:
    """Characters of the first prompt that must stay as they are; one more where the last block that is cached goes on.

    An entry ends with a block: if the second request puts something behind the same text inside that block, the
    entry is as lost as if a character had changed.
    """
    if provider.cache == "prefix" or found.readable == 0:
        return found.readable
    return found.readable + (found.readable not in {position.end for position in found.new})


def sure_up_to(a: Rendered, provider: Provider) -> int:
    """Characters of the first prompt in which a change certainly loses what was cached.

    For the models of `bound_models` explicit breakpoints decide; behind the last one a loss is only possible.
    """
    if not provider.bound_models or not re.match(provider.bound_models, a.request.model or ""):
        return len(a.text)
    marked = [position.end for position in positions(a, provider) if position.marker is not None]
    return marked[-1] if marked else len(a.text)


def written_ends(found: Sequence[Position], provider: Provider) -> set[int]:
    """Where a request writes entries: the ends of its marked positions; nowhere if it is refused."""
    if next(refusals(found, provider), None) is not None:
        return set()
    return {position.end for position in found if position.marker is not None}


def level_start(rendered: Rendered, level: Level) -> int:
    """Characters of the prompt in front of a level; the levels behind it are lost with it."""
    before = {"tools": (), "system": ("tools",), "messages": ("tools", "system")}[level]
    ends = [item.char + len(item.text) for item in rendered.items if item.item.level in before]
    return max(ends, default=0)


def _why_prefix(limit: int, readable: int, model: str | None, provider: Provider) -> str:
    rule = "the longest equal prefix is reused"
    if provider.assumed:
        rule = "no provider is known, so the longest equal prefix is taken to be reused"
    elif provider.bound_models and re.match(provider.bound_models, model or ""):
        rule = "no more than the longest equal prefix is reused; this model may reuse less, from the end of a message"
    return rule if limit < readable else f"{rule}: all of it"


def _by_markers(a: Rendered, b: Rendered, limit: int, provider: Provider) -> Reuse:
    old, new = positions(a, provider), positions(b, provider)
    entries = written_ends(old, provider)
    # A second prompt that is a start of the first asks for no more than it holds.
    written = last_before(sorted(entries), limit if limit == len(b.text) else len(a.text))
    found = reachable(entries, new, provider)
    usable = last_before(found, limit)
    why = _why_markers(old, limit, written, usable, provider)
    return Reuse(written, usable, "marker", why, tuple(old), tuple(new), tuple(found))


def _why_markers(old: list[Position], limit: int, written: int, usable: int, provider: Provider) -> str:
    if not any(position.marker for position in old):
        if provider.implicit:
            return "no cache marker is seen in the first request, and what it left readable is not known"
        return "the first request carries no cache marker, so it left nothing to read"
    if next(refusals(old, provider), None) is not None:
        return "the first request was refused, so it left nothing to read"
    if usable >= written:
        return "the last entry that the first request wrote can be read" if written else "no entry lies in the second"
    equal = [position for position in old if position.end <= limit]
    read = next((f"the entry at {name(p.path)}" for p in old if p.end == usable and p.marker), "no entry")
    why = f"{read} can be read" if usable == 0 else f"only {read} can be read"
    if equal and equal[-1].end > usable and equal[-1].marker is None:
        return f"{why}: the equal part goes on to {name(equal[-1].path)}, but no marker ends there"
    return why


def block_floor(tokens: int, prompt_tokens: int, size: int) -> int:
    """Tokens in full blocks; the last token of a prompt is always computed, so its block is never read whole.

    Source: vllm/v1/core/kv_cache_manager.py (a hit covers prompt - 1 tokens at most).
    """
    return min(tokens, max(prompt_tokens - 1, 0)) // size * size
