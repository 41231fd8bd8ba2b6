"""Divergences with their meaning -> the changes of a report."""

from collections.abc import Iterable
from typing import NamedTuple

from promptlint.boundary.counts import affordable, shared_tokens
from promptlint.boundary.divergence import Divergence, byte_at
from promptlint.cache.meaning import Meaning
from promptlint.cache.refusals import MarkerFault
from promptlint.cache.reuse import level_start
from promptlint.commands.figures import Compared, readable_tokens, usable_tokens
from promptlint.commands.places import in_prompts, places, printed_value, setting_value, template_line, text_value
from promptlint.facts.causes import cause
from promptlint.finding import Change, Place, Verdict
from promptlint.prompt import CharIndex, Level, Path, Rendered, Spot
from promptlint.read.places import pointer


class Found(NamedTuple):
    """A divergence and what it means; a marker fault is a divergence without differing text."""

    divergence: Divergence
    meaning: Meaning
    is_fault: bool = False  # of markers
    refused: bool = False
    extra: tuple[Path, ...] = ()


class Shared(NamedTuple):
    """What is shared before one change, as if it were the only one."""

    chars: int
    tokens: int | None


def fault_found(fault: MarkerFault, a: Rendered, b: Rendered) -> Found:
    """A marker fault as a change that stands at the marked block."""
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
    fix = fault.fix or cause(fault.cause).fix
    meaning = Meaning(fault.cause, fault.certainty, fault.affects, fault.severity, fault.message, fix)
    return Found(divergence, meaning, True, fault.refused, fault.extra)


def _segment_start(rendered: Rendered, path: Path | None) -> int:
    """The first value of a block, as a place in the prompt (characters)."""
    for item in rendered.items:
        if path is not None and any(segment.path == path for segment in item.item.segments):
            start = item.char
            for piece in item.pieces:
                if piece.atom == "value" and piece.path[: len(path)] == path:
                    return start
                start += len(piece.text) + len(rendered.separator)
            return item.char
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
    message = "the files differ, the requests do not: field order, white space, escapes, or fields that say nothing"
    divergence = Divergence(row.label, "settings", 0, 0, 0, 0, b.request.path, message, at_a, at_b, False, False)
    return Found(divergence, Meaning(row.label, "certain", "nothing", "info", message, row.fix))


def changes(entries: list[Found], c: Compared) -> tuple[Change, ...]:
    """Every entry, ready to print. With `first` nothing is counted."""
    a, b = c.counts.a, c.counts.b
    shared = [_shared(entry, i, c) for i, entry in enumerate(entries)]
    spots_a, spots_b = [e.divergence.a for e in entries], [e.divergence.b for e in entries]
    places_a = places(a.request, spots_a, [_value(e, a, old=True) for e in entries], a.template)
    places_b = places(b.request, spots_b, [_value(e, b, old=False) for e in entries], b.template)
    after = _after_fix([known.tokens for known in shared], c)
    return tuple(map(_change, entries, shared, places_a, places_b, after, [c] * len(entries)))


def _chars(entry: Found, a: Rendered) -> int:
    """Characters of prompt A that stay shared if this entry were the only change."""
    if entry.divergence.level == "settings" and entry.meaning.lost_level is not None:
        return level_start(a, entry.meaning.lost_level)
    return entry.divergence.a_start if _is_text(entry) and entry.meaning.affects != "nothing" else len(a.text)


def _is_text(entry: Found) -> bool:
    return entry.divergence.level != "settings" and not entry.is_fault


def _shared(entry: Found, number: int, c: Compared) -> Shared:
    chars = _chars(entry, c.counts.a)
    if not c.options.counts:
        return Shared(chars, None)
    if not _is_text(entry) or entry.meaning.affects == "nothing":
        return Shared(chars, c.counts.in_a(chars))
    if not affordable(c.counts, number):
        return Shared(chars, None)
    return Shared(chars, shared_tokens(c.counts, chars, entry.divergence.b_start))


def _value(entry: Found, rendered: Rendered, *, old: bool) -> str | None:
    divergence = entry.divergence
    if not (divergence.a_present if old else divergence.b_present):
        return None
    spot = divergence.a if old else divergence.b
    if divergence.level == "settings":
        return setting_value(rendered.request, spot.path)
    if rendered.template is not None:
        return printed_value(rendered, spot)
    return text_value(rendered, divergence.a_start if old else divergence.b_start)


def _change(entry: Found, shared: Shared, a: Place, b: Place, after_fix: int | None, c: Compared) -> Change:
    lost = _lost(entry, shared, c)
    if c.in_units:
        entry = behind_last_block(entry, lost)
    figures = Figures(byte_at(c.counts.a, shared.chars), shared.tokens, after_fix, lost)
    done = ready(entry, a, b, figures)
    if c.counts.a.template is None or not _is_text(entry):
        return done
    divergence = entry.divergence
    at = (divergence.a_start, divergence.a_end), (divergence.b_start, divergence.b_end)
    a, b = in_prompts(a, b, (c.counts.a, c.counts.b), at)
    return done._replace(
        a=a,
        b=b,
        template_a=template_line(c.counts.a, divergence.a_start),
        template_b=template_line(c.counts.b, divergence.b_start),
    )


def behind_last_block(entry: Found, lost: int | None) -> Found:
    """A change of text that costs no full block, or no full step, is behind all that was cached."""
    if entry.meaning.affects != "prefix" or lost != 0:
        return entry
    return entry._replace(meaning=entry.meaning._replace(affects="suffix", severity="info"))


class Figures(NamedTuple):
    """What stays shared, and what is lost, if one change were the only one."""

    shared_bytes: int | None
    alone_tokens: int | None
    after_fix_tokens: int | None
    lost_tokens: int | None


def ready(entry: Found, a: Place, b: Place, figures: Figures) -> Change:
    """An entry with its places and figures as a change."""
    divergence, meaning = entry.divergence, entry.meaning
    repeats = divergence.repeats
    more = f" (and at {len(repeats)} more place{'s' if len(repeats) > 1 else ''})" if repeats else ""
    return Change(
        cause=meaning.cause,
        message=meaning.message + more,
        level=divergence.level,
        certainty=meaning.certainty,
        affects=meaning.affects,
        severity=meaning.severity,
        a=a,
        b=b,
        within=pointer(divergence.within),
        also=tuple(dict.fromkeys(pointer(path) for path in (*(repeat.b.path for repeat in repeats), *entry.extra))),
        shared_bytes=figures.shared_bytes,
        shared_tokens=figures.alone_tokens,
        alone_tokens=figures.alone_tokens,
        after_fix_tokens=figures.after_fix_tokens,
        fix=meaning.fix,
        lost_tokens=figures.lost_tokens,
    )


def _after_fix(alone: list[int | None], c: Compared) -> list[int | None]:
    """Shared tokens once an entry and all earlier ones are undone: up to the nearest of the later ones."""
    if None in alone:
        return [None] * len(alone)
    after: list[int | None] = []
    nearest = c.counts.total_a
    for tokens in reversed(alone):
        after.append(nearest)
        nearest = min(nearest, tokens or 0)
    return after[::-1]


def _lost(entry: Found, shared: Shared, c: Compared) -> int | None:
    """Tokens of what the first request cached that this change alone makes unreadable; None if not counted."""
    meaning = entry.meaning
    if not c.options.counts or (meaning.affects == "key" and c.object_gone):
        return None
    if meaning.affects in ("nothing", "suffix") or meaning.cause == "marker-after-volatile":
        return 0  # of the latter: the text that varies loses it
    if (meaning.affects == "key" and meaning.lost_level is None) or shared.tokens is None:
        return None
    if _is_text(entry) and entry.divergence.level == "tools" and c.tools_lose_all:
        return readable_tokens(c)
    return max(readable_tokens(c) - usable_tokens(c, shared.chars, shared.tokens), 0)


def judged(found: Iterable[Meaning | Change], lost: bool, same: bool) -> Verdict:
    """The verdict of two requests that are not refused: a loss is certain if one of its causes is."""
    found = list(found)
    costs = [one for one in found if one.affects in ("prefix", "key")]
    if lost and any(one.certainty == "certain" for one in costs):
        return "bust"
    if lost or costs or any(one.certainty == "unknown" for one in found):
        return "unknown"
    return "same" if same else "kept"
