"""Markers on blocks that cannot carry one: refused by some providers, passed over by others."""

from collections.abc import Iterator

from promptlint.cache.positions import blocks, can_carry
from promptlint.lint.hit import Hit, Place
from promptlint.lint.markers import faults
from promptlint.lint.subject import RequestSubject
from promptlint.load.blocks import marker

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
