"""What moves or shortens the cached prefix of a prompt: named, placed in the lines that changed."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from promptlint.cache.rule import has_markers
from promptlint.check_facts import CheckCause, Often
from promptlint.commands.check.changed import Lines
from promptlint.commands.check.changed import Spot as Line
from promptlint.commands.check.measure import Compared
from promptlint.commands.check.segments import Cut, cuts
from promptlint.commands.check.sent import Prompt, Sent
from promptlint.commands.check.wrap import lines_of
from promptlint.config.selection import stability_of
from promptlint.facts.causes import cause
from promptlint.finding import Change, Place
from promptlint.load.blocks import marker_names
from promptlint.prompt import CharIndex, Origin, Spot
from promptlint.read.places import pointer, resolve

_STANDING = frozenset(("marker-missing", "below-minimum", "marker-limit"))
_GENERAL = frozenset(("text-edited", "history-rewritten", "item-edited", "items-changed", "per-turn-context"))
"""Causes that say no more than that a text differs: which variable differs says more."""


class Teller(NamedTuple):
    """What is known of a prompt after the change, to place and name what is found."""

    prompt: Prompt
    files: tuple[str, ...]  # that may have brought it, from the top
    lines: Lines
    top: Callable[[str], str | None]  # a path as the user knows it -> from the top

    def cause(self, change: Change, sent: Sent, often: Often, lost: int | None) -> CheckCause:
        """A change as a cause, at the changed lines that brought it."""
        placed = self.lines.placed(self._spots(change, sent), self.files)
        label, message = self._named(change, sent)
        fix = change.fix if label == change.cause else cause(label).fix
        return CheckCause(
            label,
            message,
            often,
            change.certainty,
            placed.path,
            placed.line,
            placed.column,
            placed.pointer,
            lost if change.lost_tokens is None else change.lost_tokens,
            fix,
            placed.hunk,
        )

    def dropped_marker(self, lost: int) -> CheckCause:
        """Nothing is marked any more: at the lines that took the marker away."""
        signs = (*marker_names(), "promptlint:")
        brought = (
            Line(path, max(hunk.new_start, 1))
            for path in self.files
            for hunk in self.lines.of(path)
            if any(line.startswith("-") and any(sign in line for sign in signs) for line in hunk.lines)
        )
        placed = self.lines.placed(list(brought)[:1], self.files)
        row = cause("marker-missing")
        return CheckCause(
            row.label,
            "the marker is gone, so nothing is cached",
            "request",
            "certain",
            placed.path,
            placed.line,
            placed.column,
            placed.pointer,
            lost,
            row.fix,
            placed.hunk,
        )

    def place_of(self, cut: Cut, sent: Sent) -> tuple[int, int, str]:
        """Line and column, from 1, of a segment in what renders the prompt, and its pointer if that is a request."""
        if sent.printed is None:
            spot = Spot(cut.path, "value", CharIndex(0), CharIndex(0))
            (place,) = resolve(sent.request.document, [spot], sent.request.ends)
            found = pointer(cut.path)
            return place.line, place.column, found if isinstance(found, str) else found[0]
        begin = 0
        if sent.parts is not None and sent.prompt is not None:
            held = pointer(cut.path)
            base = next((at for part, at in sent.parts.items() if part == held or part.startswith(f"{held}/")), 0)
            start = min((each.char for each in cuts(sent.prompt) if each.path == cut.path), default=cut.char)
            begin = base + cut.char - start
        lines = (line for line, _ in lines_of(sent.printed, begin))
        return next((line for line in lines if line is not None), 1), 1, ""

    def often(self, change: Change, sent: Sent, soon: Callable[[], bool]) -> Often:
        """Who pays for a change between two requests of one state. `soon`: whether a minute makes the difference."""
        origin = self._origin(change, sent)
        if origin is None:
            return "request" if change.cause not in ("date-rollover",) else "day"
        if self._is_clock(origin):
            return "request" if soon() else "day"
        name = _variable(origin)
        declared = stability_of(name, self.prompt.source.config.variables) if name else None
        return "session" if declared == "per-session" else "request"

    def _named(self, change: Change, sent: Sent) -> tuple[str, str]:
        origin = self._origin(change, sent)
        name = _variable(origin) if origin is not None and not self._is_clock(origin) else None
        if name is None:
            return change.cause, change.message
        label = change.cause
        if label in _GENERAL:
            from promptlint.lint.variables import guess

            known = guess(name, self.prompt.source.config.variables)
            label = known.cause if known is not None else "per-turn-context"
        return label, f"{name} differs between requests and is printed here: {change.message}"

    def _is_clock(self, origin: Origin) -> bool:
        if origin.kind == "call" and not origin.path:
            return True
        return any(str(step) in self.prompt.clocks for step in (origin.path or ())[:1])

    def _origin(self, change: Change, sent: Sent) -> Origin | None:
        """Where the differing text comes from, in a template; None for other prompts and for faults of markers."""
        if sent.printed is None or change.cause in _STANDING or change.cause.startswith("marker-"):
            return None
        char = _char(change.b, sent)
        return next((origin for _, origin in lines_of(sent.printed, char)), None) if char is not None else None

    def _spots(self, change: Change, sent: Sent) -> Iterator[Line]:
        if sent.printed is not None:
            yield from self._printed(change.b, sent)
            return
        line = change.template_b
        if line is not None and (path := self.top(line.path)) is not None:
            yield Line(path, line.line, line.column or 1)
        for place in (change.b, *self._related(change)):
            if (path := self.top(place.path)) is not None:
                yield Line(path, place.line, place.column, place.pointer)

    def _related(self, change: Change) -> Sequence[Place]:
        return (change.a,) if change.b.excerpt is None else ()

    def _printed(self, place: Place, sent: Sent) -> Iterator[Line]:
        char = _char(place, sent)
        if sent.printed is None or char is None:
            return
        main = self.prompt.template or self.prompt.source.path
        for line, origin in lines_of(sent.printed, char):
            if line is None or origin is None:
                continue
            path = main
            if origin.kind == "template" and origin.name:
                path = self._included(main, origin.name)
            yield Line(path, line)

    def _included(self, main: str, name: str) -> str:
        """The file of a template that another one includes by this name."""
        end = name.replace(os.sep, "/")
        return next((path for path in self.prompt.files if path == end or path.endswith(f"/{end}")), main)


def _variable(origin: Origin) -> str | None:
    if origin.kind in ("value", "key", "changed", "serialised") and origin.path:
        steps = [str(step) for step in origin.path if isinstance(step, str)]
        return ".".join(steps) or None
    return None


def _char(place: Place, sent: Sent) -> int | None:
    """The character of a template's text at a place of the request that it makes."""
    assert sent.printed is not None
    if sent.parts is None:
        return len(sent.printed.text.encode("utf-8", "surrogatepass")[: place.start].decode("utf-8", "replace"))
    pointer = place.pointer if isinstance(place.pointer, str) else place.pointer[0]
    if pointer in sent.parts:
        return sent.parts[pointer] + place.char
    return next((begin for part, begin in sent.parts.items() if part.startswith(f"{pointer}/")), None)


def drops_markers(after: Compared, before: Compared) -> bool:
    """Whether requests were marked before, and who serves them caches nothing without."""
    rule, sides = after.rule, (before.first.prompt, after.first.prompt)
    if rule is None or not rule.by_entries or None in sides:
        return False
    marked = [has_markers(prompt) for prompt in sides if prompt is not None]
    return marked == [True, False] and not after.diff.boundary.usable_tokens


def costly(found: Compared) -> list[Change]:
    """The changes between two requests that cost something, or that say why nothing is cached."""
    return [
        change
        for change in found.diff.changes
        if change.severity != "info" and (change.affects in ("prefix", "key") or change.cause in _STANDING)
    ]


def new_costly(after: Compared, before: Compared | None) -> list[Change]:
    """Those that the same two requests of the state before did not have."""
    known = set() if before is None else {_said(change) for change in costly(before)}
    return [change for change in costly(after) if _said(change) not in known] or costly(after)


def _said(change: Change) -> tuple[str, str, str]:
    return change.cause, change.affects, change.message
