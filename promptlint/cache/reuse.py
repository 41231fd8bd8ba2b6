"""How much of a cached prompt the next request can use, by the kind of cache. Lengths are characters of the prompt."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from promptlint.cache import entries as cached
from promptlint.cache import markers, message_ends, objects
from promptlint.cache.entries import Entry, Lookups
from promptlint.cache.minimum import Size
from promptlint.cache.positions import Position, last_before
from promptlint.cache.refusals import name, refusals
from promptlint.cache.rule import Rule
from promptlint.cache.traits import other_tools
from promptlint.finding import Unit
from promptlint.prompt import Level, Rendered

Count = Callable[[int], int]
"""Tokens of the first so many characters of a prompt."""

_MARGIN = 1.2  # of a step: our counts may differ by a fifth from the model's
SPARSE = 16  # characters a token: more than any text has, so longer is above a minimum, or a step, without a count


class Left(NamedTuple):
    """What a request leaves in the cache."""

    rule: Rule
    prompt: Rendered
    readable: int  # up to the last entry; all of it where any prefix can be read
    sure: int  # as far as something was certainly cached
    blocks: tuple[Position, ...] = ()  # where entries decide
    entries: tuple[Entry, ...] = ()
    nothing: str = ""  # why it leaves nothing that is known
    unknown: bool = False  # it may leave something for all that
    question: bool = False  # its newest message is left out, which no other request shares


class Reuse(NamedTuple):
    """What the first request left readable, and of that what the second can use."""

    readable: int
    usable: int
    unit: Unit
    why: str
    sure: int = 0  # characters of the first prompt in which a change certainly loses something
    old: tuple[Position, ...] = ()  # blocks of both prompts, where entries decide
    new: tuple[Position, ...] = ()
    reachable: tuple[int, ...] = ()  # ends of the entries that the second request finds where the text is equal
    written: tuple[int, ...] = ()  # ends of all entries of the first request
    possible: bool = False  # it may find more: how far it looks is not certain


def left(a: Rendered, rule: Rule, count: Count) -> Left:
    """What the request of `a` caches. `count` is asked only where the length may decide."""
    if rule.by_entries:
        return _left_entries(a, rule, count)
    size = size_of(len(a.text), rule, count)
    if size == "below":
        return Left(rule, a, 0, 0, nothing=_too_short("the first prompt", len(a.text), rule, count))
    sure = 0 if rule.kind == "objects" or size == "near" else len(a.text)
    return Left(rule, a, len(a.text), _before_a_step(a, rule, count) if sure and rule.shifted else sure)


def _before_a_step(a: Rendered, rule: Rule, count: Count) -> int:
    """Characters behind which a step certainly ends, wherever the first one begins: a whole step and a margin."""
    target = count(len(a.text)) - round(rule.step * _MARGIN)
    return bisect_right(range(len(a.text)), target, key=count) if target > 0 else 0


def _left_entries(a: Rendered, rule: Rule, count: Count) -> Left:
    found, all_written, nothing = written(a, rule)
    sizes = [size_of(entry.end, rule, count) for entry in all_written]
    kept = tuple(
        entry._replace(certain=size == "above")
        for entry, size in zip(all_written, sizes, strict=True)
        if size != "below"
    )
    if all_written and not kept:
        part = "the marked part of the first prompt" if rule.kind == "markers" else "the first prompt"
        nothing = _too_short(part, all_written[-1].end, rule, count)
    readable = max((entry.end for entry in kept), default=0)
    sure = max((entry.end for entry in kept if entry.certain), default=0)
    unknown = not all_written and rule.provider.implicit and size_of(len(a.text), rule, count) != "below"
    return Left(rule, a, readable, sure, tuple(found), kept, nothing, unknown)


def written(a: Rendered, rule: Rule) -> tuple[list[Position], list[Entry], str]:
    """The blocks of a prompt, the entries that it writes whatever their length, and why it writes none."""
    if rule.kind == "message-ends":
        asked = message_ends.wish(a, rule.provider)
        found = message_ends.positions(a, rule.provider)
        ends = message_ends.entries(found, rule.provider, asked)
        return found, ends, "" if ends else "the first request asks for breakpoints only, and sets none"
    found = markers.positions(a, rule.provider)
    if next(refusals(found, a.request, rule.provider), None) is not None:
        return found, [], "the first request was refused"
    ends = markers.entries(found, rule.provider)
    return found, ends, "" if ends else "the first request carries no cache marker"


def looked_up(b: Rendered, rule: Rule) -> tuple[list[Position], Lookups]:
    """The blocks of a prompt, and where its request looks for entries."""
    if rule.kind == "message-ends":
        found = message_ends.positions(b, rule.provider)
        return found, message_ends.lookups(found, message_ends.wish(b, rule.provider))
    found = markers.positions(b, rule.provider)
    return found, markers.lookups(found, rule.provider)


def reuse(old: Left, b: Rendered, shared: int, count: Count, lost_level: Level | None = None) -> Reuse:
    """What `b` can reuse of what `old` left, if both prompts are equal up to `shared` characters.

    `lost_level`: a setting that keys the cache changed, so nothing from the start of this level on is found.
    """
    limit = shared if lost_level is None else min(shared, level_start(b, lost_level))
    found = _of_entries(old, b, limit) if old.rule.by_entries else _of_prefix(old, b, limit, shared, count)
    if found.usable and old.rule.provider.tools_whole and other_tools(old.prompt, b):
        return found._replace(usable=0, possible=False, why="the tools are not the same, so nothing can be read")
    if lost_level is None or limit == shared:
        return found
    if old.rule.kind == "objects" and objects.gone(old.prompt.request, b.request):
        return found
    rest = "nothing" if limit == 0 else f"nothing from the {lost_level} on"
    return found._replace(why=f"a field that keys the cache changed, so {rest} can be read")


def _of_prefix(old: Left, b: Rendered, limit: int, shared: int, count: Count) -> Reuse:
    rule = old.rule
    if old.nothing:
        return Reuse(0, 0, rule.unit, f"{old.nothing}, so it left nothing to read")
    readable = len(b.text) if shared == len(b.text) else old.readable
    usable, why = limit, _why_prefix(old, b, limit, readable)
    if limit > 0 and (length := size_of(limit, rule, count)) != "above":
        if length == "below":
            usable, why = 0, f"{_too_short('the equal part', limit, rule, count)}, so nothing can be read"
        else:
            why = f"{why}; the equal part {rule.minimum.doubt(count(limit))}"
    return Reuse(readable, usable, rule.unit, why, min(old.sure, readable))


def _why_prefix(old: Left, b: Rendered, limit: int, readable: int) -> str:
    provider, step = old.rule.provider, old.rule.step
    said = "the longest equal prefix is reused"
    if old.rule.kind == "objects":
        return objects.why(objects.handle(old.prompt.request), objects.handle(b.request))
    if provider.assumed:
        said = "no provider is known, so the longest equal prefix is taken to be reused"
    if step > 1:
        said += f" in steps of {step:,} tokens{' (as observed)' if old.rule.observed else ''}"
    if old.rule.shifted:
        said += ", counted from a hidden start: the figures are approximate"
    if limit < readable:
        return said
    if old.question:
        return f"{said}: all but the newest message, which differs"
    return f"{said}: all of it{', and the answer if it is sent back as it came' if provider.answers else ''}"


def _of_entries(old: Left, b: Rendered, limit: int) -> Reuse:
    found, lookups = looked_up(b, old.rule)
    ends = [entry.end for entry in old.entries]
    # A second prompt that is a start of the first asks for no more than it holds.
    readable = last_before(ends, limit if limit == len(b.text) else len(old.prompt.text))
    equal = [entry for entry in old.entries if entry.end <= limit]
    answer = cached.reuse(equal, lookups, old.rule.provider)
    reachable = tuple(end for end in ends if lookups.get(end) == "certain")
    usable = last_before(reachable, limit)
    possible = answer.usable > usable
    why = _why_entries(old, found, limit, readable, usable)
    if possible:
        why += f"; possibly the one at {_named(old.blocks, answer.usable)}: sources disagree on how far a request looks"
    return Reuse(
        readable=readable,
        usable=usable,
        unit=old.rule.unit,
        why=why,
        sure=min(old.sure, readable),
        old=old.blocks,
        new=tuple(found),
        reachable=reachable,
        written=tuple(ends),
        possible=possible,
    )


def _why_entries(old: Left, new: Sequence[Position], limit: int, readable: int, usable: int) -> str:
    if old.nothing:
        if old.unknown:
            return "no cache marker is seen in the first request, and what it left readable is not known"
        return f"{old.nothing}, so it left nothing to read"
    if usable >= readable:
        last = (
            "the last entry in front of the newest message"
            if old.question
            else "the last entry that the first request wrote"
        )
        return f"{last} can be read" if readable else "no entry lies in the second"
    read = f"only the entry at {_named(old.blocks, usable)} can be read" if usable else "no entry can be read"
    equal, written = [position for position in old.blocks if position.end <= limit], {e.end for e in old.entries}
    if equal and equal[-1].end > usable and equal[-1].marker is None and equal[-1].end not in written:
        place = name(equal[-1].path)
        return f"{read}: the equal part goes on to {place}, but no {_END[old.rule.unit]} there"
    return read


_END: dict[Unit, str] = {"marker": "marker ends", "message": "entry was written"}


def _named(found: Sequence[Position], end: int) -> str:
    return next((name(position.path) for position in found if position.end == end), "its end")


def size_of(end: int, rule: Rule, count: Count) -> Size:
    """Whether a prefix of so many characters is long enough to be cached."""
    least = rule.minimum.tokens
    return "above" if end >= least * SPARSE else rule.minimum.size(count(end))


def _too_short(what: str, end: int, rule: Rule, count: Count) -> str:
    about = "" if rule.minimum.exact else "about "
    return f"{what} has {about}{count(end):,} tokens, and this model caches none of fewer than {rule.minimum.tokens:,}"


def guarded(found: Reuse) -> int:
    """Characters of the first prompt that must stay as they are; one more where the last block that is cached goes on.

    An entry ends with a block: if the second request puts something behind the same text inside that block, the
    entry is as lost as if a character had changed.
    """
    if not found.old or found.readable == 0:
        return found.readable
    return found.readable + (found.readable not in {position.end for position in found.new})


def level_start(rendered: Rendered, level: Level) -> int:
    """Characters of the prompt in front of a level; the levels behind it are lost with it."""
    before = {"tools": (), "system": ("tools",), "messages": ("tools", "system")}[level]
    ends = [item.char + len(item.text) for item in rendered.items if item.item.level in before]
    return max(ends, default=0)
