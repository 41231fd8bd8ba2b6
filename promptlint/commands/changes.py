"""Divergences with their meaning -> the changes of a report."""

from typing import NamedTuple

from promptlint.boundary.counts import Counts, affordable, shared_tokens, token_difference
from promptlint.boundary.divergence import Divergence, byte_at
from promptlint.cache.marker_faults import MarkerFault
from promptlint.cache.markers import reach
from promptlint.cache.meaning import Meaning
from promptlint.cache.reuse import Reuse, level_start
from promptlint.commands.places import places, setting_value, text_value
from promptlint.facts.causes import cause
from promptlint.facts.providers import Provider
from promptlint.finding import Affects, Change, Place, Severity
from promptlint.prompt import CharIndex, Level, Path, Rendered, Spot
from promptlint.read.places import pointer


class Found(NamedTuple):
    """A divergence and what it means; a marker fault is a divergence without differing text."""

    divergence: Divergence
    meaning: Meaning
    refused: bool = False
    extra: tuple[Path, ...] = ()


class Shared(NamedTuple):
    """What is shared before one change, as if it were the only one."""

    chars: int
    tokens: int | None


def fault_found(fault: MarkerFault, a: Rendered, b: Rendered) -> Found:
    """A marker fault as a change that stands at the marked block."""
    row = cause(fault.cause)
    severity: Severity = "error" if fault.refused or fault.cause == "marker-out-of-reach" else "warning"
    affects: Affects = "suffix" if fault.cause == "marker-not-advancing" else "prefix"
    if row.benign:
        severity, affects = "info", "nothing"
    at_a, at_b = _segment_start(a, fault.old), _segment_start(b, fault.new)
    divergence = Divergence(
        cause=fault.cause,
        level=_level(b, fault.new) if fault.new else _level(a, fault.old),
        a_start=at_a,
        a_end=at_a,
        b_start=at_b,
        b_end=at_b,
        within=fault.new or fault.old or (),
        message=fault.message,
        a=Spot(fault.old or a.request.path, "value", CharIndex(0), CharIndex(0)),
        b=Spot(fault.new or b.request.path, "value", CharIndex(0), CharIndex(0)),
        a_present=fault.old is not None,
        b_present=fault.new is not None,
    )
    meaning = Meaning(fault.cause, "certain", affects, severity, fault.message, fault.fix or row.fix)
    return Found(divergence, meaning, fault.refused, fault.extra)


def _segment_start(rendered: Rendered, path: Path | None) -> int:
    for item in rendered.items:
        starts = (0, *item.segment_ends)
        for segment, start in zip(item.item.segments, starts, strict=False):
            if segment.path == path:
                return item.char + start
    return 0


def _level(rendered: Rendered, path: Path | None) -> Level:
    for item in rendered.items:
        if any(segment.path == path for segment in item.item.segments):
            return item.item.level
    return "messages"


def benign_form(a: Rendered, b: Rendered) -> Found:
    """Different files, equal prompt and key."""
    row = cause("body-form-only")
    at_a, at_b = (
        Spot(a.request.path, "value", CharIndex(0), CharIndex(0)),
        Spot(b.request.path, "value", CharIndex(0), CharIndex(0)),
    )
    message = "the files differ only in the form of the body: field order, white space or escapes"
    divergence = Divergence(row.label, "settings", 0, 0, 0, 0, b.request.path, message, at_a, at_b, False, False)
    return Found(divergence, Meaning(row.label, "certain", "nothing", "info", message, row.fix))


def changes(entries: list[Found], counts: Counts, found: Reuse, provider: Provider, first: bool) -> tuple[Change, ...]:
    """Every change, ready to print; key changes first, then the text in prompt order, then markers.

    With `first` nothing is counted.
    """
    shared = [Shared(_chars(entry, counts), None) for entry in entries]
    if not first:
        shared = [_shared(entry, counts, i) for i, entry in enumerate(entries)]
    sides = _sides(entries, counts)
    return tuple(_change(entry, i, shared, sides, counts, found, provider, first) for i, entry in enumerate(entries))


def _chars(entry: Found, counts: Counts) -> int:
    """Characters of prompt A that stay shared if this entry were the only change."""
    divergence = entry.divergence
    if divergence.level == "settings":
        level = entry.meaning.lost_level
        return len(counts.a.text) if level is None else level_start(counts.a, level)
    if entry.divergence.cause.startswith("marker-"):
        return len(counts.a.text)
    return divergence.a_start


def _shared(entry: Found, counts: Counts, number: int) -> Shared:
    chars = _chars(entry, counts)
    if entry.divergence.level == "settings" or entry.divergence.cause.startswith("marker-"):
        return Shared(chars, counts.in_a(chars))
    if not affordable(counts.tokenizer, number):
        return Shared(chars, None)
    around = token_difference(counts, chars, entry.divergence.b_start)
    return Shared(chars, shared_tokens(counts, around))


def _sides(entries: list[Found], counts: Counts) -> tuple[list[Place], list[Place]]:
    a, b = counts.a, counts.b
    return (
        places(a.request, [e.divergence.a for e in entries], [_value(e, a, old=True) for e in entries]),
        places(b.request, [e.divergence.b for e in entries], [_value(e, b, old=False) for e in entries]),
    )


def _value(entry: Found, rendered: Rendered, *, old: bool) -> str | None:
    divergence = entry.divergence
    if not (divergence.a_present if old else divergence.b_present):
        return None
    spot = divergence.a if old else divergence.b
    if divergence.level == "settings":
        return setting_value(rendered.request, spot.path)
    return text_value(rendered, divergence.a_start if old else divergence.b_start)


def _change(
    entry: Found,
    i: int,
    shared: list[Shared],
    sides: tuple[list[Place], list[Place]],
    counts: Counts,
    found: Reuse,
    provider: Provider,
    first: bool,
) -> Change:
    divergence, meaning = entry.divergence, entry.meaning
    repeats = divergence.repeats
    more = f" (and at {len(repeats)} more place{'s' if len(repeats) > 1 else ''})" if repeats else ""
    also = tuple(pointer(repeat.b.path) for repeat in repeats) + tuple(pointer(path) for path in entry.extra)
    return Change(
        cause=meaning.cause,
        message=meaning.message + more,
        level=divergence.level,
        certainty=meaning.certainty,
        affects=meaning.affects,
        severity=meaning.severity,
        a=sides[0][i],
        b=sides[1][i],
        within=pointer(divergence.within),
        also=tuple(one if isinstance(one, str) else "".join(one) for one in also),
        shared_bytes=byte_at(counts.a, shared[i].chars),
        shared_tokens=shared[i].tokens,
        alone_tokens=shared[i].tokens,
        after_fix_tokens=None if first else _after_fix(i, shared, counts),
        fix=meaning.fix,
        lost_tokens=None if first else _lost(meaning, shared[i], counts, found, provider),
    )


def _after_fix(i: int, shared: list[Shared], counts: Counts) -> int | None:
    """Shared tokens once this and all earlier entries are undone: up to the nearest of the later ones."""
    later = [entry.tokens for entry in shared[i + 1 :]]
    if any(tokens is None for tokens in later):
        return None
    return min([tokens for tokens in later if tokens is not None], default=counts.total_a)


def _lost(meaning: Meaning, shared: Shared, counts: Counts, found: Reuse, provider: Provider) -> int | None:
    """Tokens of what the first request cached that this change alone makes unreadable."""
    if meaning.affects == "nothing" or meaning.affects == "suffix":
        return 0
    if meaning.affects == "key" and meaning.lost_level is None:
        return None
    readable = counts.in_a(found.readable)
    if provider.cache != "markers":
        return None if shared.tokens is None else max(readable - shared.tokens, 0)
    if meaning.cause == "marker-out-of-reach":
        return readable - counts.in_a(found.usable)
    return max(readable - counts.in_a(reach(list(found.old), list(found.new), shared.chars, provider).usable), 0)
