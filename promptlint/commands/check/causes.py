"""What moves or shortens the cached prefix of a prompt: named, placed in the lines that changed."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from promptlint.check_facts import CheckCause, Often
from promptlint.commands.check.changed import Lines, Placed
from promptlint.commands.check.changed import Spot as Line
from promptlint.commands.check.measure import Compared
from promptlint.commands.check.segments import Cut, cuts
from promptlint.commands.check.sent import Prompt, Sent
from promptlint.commands.check.wrap import lines_of
from promptlint.config.selection import stability_of
from promptlint.facts.causes import cause
from promptlint.finding import Certainty, Change, Place
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
    text: Callable[[str], str]  # of a file, from the top

    def cause(
        self, change: Change, sent: Sent, often: Often, lost: int | None, beside: CheckCause | None = None
    ) -> CheckCause:
        """A change as a cause, at the changed lines that brought it. `beside`: a cause that has been placed already."""
        label, message = self._named(change, sent, often)
        placed = self.lines.placed(self._spots(change, sent), self.files)
        if is_of_markers(change):
            placed = self._of_markers("+") or (placed if beside is None else _placed_as(beside))
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
            change.lost_tokens if lost is None else lost,
            fix,
            placed.hunk,
        )

    def dropped_marker(self, lost: int) -> CheckCause:
        """Nothing is marked any more: at the lines that took the marker away."""
        placed = self._of_markers("-") or self.lines.placed((), self.files)
        return self._apart("marker-missing", "the marker is gone, so nothing is cached", "certain", lost, placed)

    def marker_ahead(self, lost: int) -> CheckCause:
        """The text shares as much as before, and less of it is marked."""
        placed = self._of_markers("-") or self._of_markers("+") or self.lines.placed((), self.files)
        message = "the marker stands further ahead: fixed text behind it is not cached any more"
        return self._apart("marker-missing", message, "certain", lost, placed)

    def marker_moved(self, lost: int) -> CheckCause:
        """The text is as it was, and what was cached ends elsewhere."""
        placed = self._of_markers("+") or self._of_markers("-") or self.lines.placed((), self.files)
        message = "the text is as it was, and the marker is not: what was cached ends elsewhere"
        return self._apart("marker-out-of-reach", message, "certain", lost, placed)._replace(often="once")

    def too_short(self, message: str, certainty: Certainty, lost: int | None) -> CheckCause:
        """What requests share has become shorter than the minimum of the model, or may have."""
        return self._apart("below-minimum", message, certainty, lost, self.lines.placed((), self.files))

    def _apart(self, label: str, message: str, certainty: Certainty, lost: int | None, placed: Placed) -> CheckCause:
        row = cause(label)
        return CheckCause(
            label,
            message,
            "request",
            certainty,
            placed.path,
            placed.line,
            placed.column,
            placed.pointer,
            lost,
            row.fix,
            placed.hunk,
        )

    def _of_markers(self, sign: str) -> Placed | None:
        """The first changed lines that set a marker ("+"), or took one away ("-")."""
        names = (*marker_names(), "promptlint:")
        for path in self.files:
            for hunk in self.lines.of(path):
                if any(line.startswith(sign) and any(name in line for name in names) for line in hunk.lines):
                    return self.lines.placed((Line(path, max(hunk.new_start, 1)),), (path,))
        return None

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

    def is_by_clock(self, change: Change, sent: Sent) -> bool:
        """Whether a change between two requests of one state is one of the clock."""
        origin = self._origin(change, sent)
        if origin is not None:
            return self._is_clock(origin)
        return self.prompt.sides is not None and change.cause in ("clock", "date-rollover")

    def often(self, change: Change, sent: Sent) -> Often:
        """Who pays for a change between two requests of one state that is none of the clock."""
        origin = self._origin(change, sent)
        name = _variable(origin) if origin is not None else None
        if name is None:
            return "day" if change.cause == "date-rollover" else "request"
        declared = stability_of(name, self.prompt.source.config.variables)
        return "session" if declared == "per-session" else "request"

    def _named(self, change: Change, sent: Sent, often: Often) -> tuple[str, str]:
        """Label and message: between requests of one state nothing was edited, so a text that differs varies."""
        if often == "once" or is_of_markers(change):
            return change.cause, change.message
        origin = self._origin(change, sent)
        name = _variable(origin) if origin is not None and not self._is_clock(origin) else None
        if name is None:
            if change.cause != "text-edited":
                return change.cause, change.message
            return "per-turn-context", f"this text differs between requests: {change.message}"
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
        if sent.printed is None or is_of_markers(change):
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
            yield Line(path, line, self._column(path, line, origin, char))

    def _column(self, path: str, line: int, origin: Origin, char: int) -> int:
        """The column of the expression that prints a value, or of a character of a text; 1 where it is not known."""
        written = self.text(path).split("\n")[line - 1 : line]
        if origin.kind == "template":
            plain = origin.column is not None and origin.line == line and "breakpoint" not in "".join(written)
            return (origin.column or 1) + char - origin.start if plain else 1
        name = origin.name or str((origin.path or ("",))[0])
        found = (match.start() for match in re.finditer(r"\{\{.*?\}\}", "".join(written)) if name in match[0])
        return next(found, 0) + 1

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


def in_order(changes: Sequence[Change], before: Compared | None, *, asked: bool) -> list[Change]:
    """What is new first: a text that varied before is no news, but what made it matter is.

    `asked`: the second request has another question, which is of our making.
    """
    known = set() if before is None else {_words(one) for one in before.diff.changes}
    new = [one for one in changes if not is_of_markers(one) and _words(one) not in known]
    markers = [one for one in changes if is_of_markers(one)]
    rest = [one for one in changes if one not in new and one not in markers]
    return [*new, *markers, *([] if asked and (new or markers) else rest)]


def differs_anew(after: Compared, before: Compared) -> bool:
    """Whether a text ahead of what was cached differs between requests that did not before."""
    return bool(in_order([one for one in costly(after) if not is_of_markers(one)], before, asked=True))


def _words(change: Change) -> tuple[str | None, ...]:
    """What differs, wherever it stands."""
    return tuple(None if place.excerpt is None else place.excerpt[slice(*place.mark)] for place in (change.a, change.b))


def is_of_markers(change: Change) -> bool:
    """Whether a change is about markers or lengths, not about a text."""
    return change.cause in _STANDING or change.cause.startswith("marker-")


def _placed_as(other: CheckCause) -> Placed:
    return Placed(other.path, other.line, other.column, other.pointer, other.hunk)
