"""Markers on blocks that cannot carry one: refused by some providers, passed over by others."""

from collections.abc import Iterator

from promptlint.cache.positions import Position, blocks, can_carry
from promptlint.lint.edits import Edit, Remove
from promptlint.lint.hit import Hit, Place
from promptlint.lint.marker_edits import marked, moved
from promptlint.lint.markers import faults, positions
from promptlint.lint.subject import RequestSubject
from promptlint.load.blocks import marker
from promptlint.prompt import Path
from promptlint.read.descend import descend

_NAMES = {"tool": "a tool", "tool_call": "a tool call", "thinking": "a thinking block", "schema": "a schema"}


def check(subject: RequestSubject) -> Iterator[Hit]:
    """Each block that carries a marker and must not."""
    yield from faults(subject, "marker-illegal-block")
    if subject.provider.refuses:
        yield from _inside_results(subject)
    elif subject.rule.by_entries:
        yield from _passed_over(subject)


def _passed_over(subject: RequestSubject) -> Iterator[Hit]:
    for position in blocks(subject.prompt):
        if position.marker is not None and not can_carry(position, subject.provider):
            values = {"what": position.unfit or _NAMES.get(position.kind, "this block"), "result": "counts for nothing"}
            yield Hit(Place(position.path), values, severity="warning", confidence="possible")


def _inside_results(subject: RequestSubject) -> Iterator[Hit]:
    """On the last block inside a tool result a marker counts for the result; on another one it is refused.

    Source: platform.claude.com/docs/en/release-notes/overview, 2026-08-21.
    """
    for item in subject.prompt.items:
        for segment in item.item.segments:
            held = segment.content.get("content") if isinstance(segment.content, dict) else None
            if segment.kind not in ("tool_result", "document") or not isinstance(held, list):
                continue
            for number, entry in enumerate(held[:-1]):
                if marker(entry, ()) is not None:
                    values = {"what": "a block inside another one, ahead of its last", "result": "is refused"}
                    yield Hit(Place((*segment.path, "content", number)), values, confidence="possible")


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """The marker goes to the last block in front of its own that may carry one, or away, where that has one already."""
    assert isinstance(hit.at, Place)
    found, automatic = blocks(subject.prompt), subject.request.automatic
    if automatic is not None and any(isinstance(p, Place) and p.path == automatic.path for p in hit.related):
        if all(position.marker is None for position in found if position.path == hit.at.path):
            yield from marked(subject, hit.at.path, automatic.ttl)
        yield Remove(automatic.path)
        return
    for number, position in enumerate(found):
        if position.path == hit.at.path and position.marker is not None:
            if "later" in position.unfit:
                return  # which of both is meant, the marker or the late loading, only the author knows
            yield from moved(subject, position.marker, found[:number], room=_has_room(subject, found, number))
            return
        if position.path == hit.at.path[:-2]:
            yield from _out_of_result(subject, hit.at.path, position, room=_has_room(subject, found, number))
            return


def _out_of_result(subject: RequestSubject, path: Path, result: Position, *, room: bool) -> Iterator[Edit]:
    """From a block inside a result to the result itself."""
    inner = marker(descend(subject.request.body, path[len(subject.request.path) :]), path)
    if inner is not None:
        yield from moved(subject, inner, [result], room=room)


def _has_room(subject: RequestSubject, found: list[Position], number: int) -> bool:
    """Whether a marker more is taken, and one for each misplaced one in front, which may move as well."""
    limit = subject.provider.marker_limit
    legal = sum(p.marker is not None and can_carry(p, subject.provider) for p in positions(subject))
    waiting = sum(p.marker is not None and not can_carry(p, subject.provider) for p in found[:number])
    return not limit or legal + waiting < limit
