"""A value in the order in which a model would read it: texts, changes and cache markers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from promptlint.facts import flow_tables
from promptlint.lint.flow.values import (
    At,
    Change,
    Changing,
    Either,
    Fields,
    Plain,
    Several,
    Thing,
    Unknown,
    Value,
    Written,
)

MARKERS = ("cache_control", "cachePoint", "cache_point", "cacheControl", "prompt_cache_breakpoint")
_CONTENT = frozenset({"content", "parts", "tool_calls"})
_OF_MESSAGE = frozenset(
    {"role", "name", "refusal", "thinking", "reasoning", "reasoning_content", "tool_call_id", "toolCallId", "toolCalls"}
    | {"function_call", "toolInvocations", *_CONTENT}
)
"""What a model reads of a message; applications keep more in one: ids, times, figures."""
_LONGEST, _DEEPEST, _MOST_VALUES = 20_000, 30, 20_000


class Piece(NamedTuple):
    """One piece of a prompt."""

    kind: Literal["text", "change", "open", "marker"]  # "open": a value of which nothing is known
    text: str = ""
    change: Change | None = None


def stream(*values: Value) -> list[Piece]:
    """The pieces of values, in order; of very long ones only the beginning."""
    pieces: list[Piece] = []
    for piece in _pieces(Written(values), 0, _Walk()):
        pieces.append(piece)
        if len(pieces) >= _LONGEST:
            break
    return pieces


@dataclass(slots=True)
class _Walk:
    """A walk through values, which may hold the same ones many times over."""

    told: set[At] = field(default_factory=set)  # where orders come from that were told
    left: int = _MOST_VALUES


def _pieces(value: Value, depth: int, walk: _Walk) -> Iterator[Piece]:
    walk.left -= 1
    if depth > _DEEPEST or walk.left < 0:
        return
    match value:
        case Plain(text):
            if text:
                yield Piece("text", text)
        case Changing(change):
            yield from _told(change, walk)
        case Written(parts):
            for part in parts:
                yield from _pieces(part, depth + 1, walk)
        case Several():
            if value.order is not None:
                yield from _told(value.order, walk)
            for item in value.items:
                yield from _pieces(item.value, depth + 1, walk)
        case Fields():
            if value.order is not None:
                yield from _told(value.order, walk)
            is_message = ("role" in value.entries or bool(value.others)) and not _CONTENT.isdisjoint(value.entries)
            for key, each in value.entries.items():
                if key in _OF_MESSAGE if is_message else key not in MARKERS:
                    yield from _pieces(each, depth + 1, walk)
            for each in value.others:
                yield from _pieces(each, depth + 1, walk)
            if any(key in MARKERS for key in value.entries):
                yield Piece("marker")
        case Thing():
            if "content" in value.fields:  # a message
                yield from _pieces(value.fields["content"], depth + 1, walk)
            else:
                yield Piece("open")
        case Either(options):
            is_fallback = any(isinstance(option, Unknown) for option in options)
            for number, option in enumerate(options):
                for piece in _pieces(option, depth + 1, walk):
                    if number == 0 or piece.kind == "change":
                        yield _weaker(piece) if is_fallback else piece
        case Unknown():
            yield Piece("open")
        case _:
            pass


def _weaker(piece: Piece) -> Piece:
    """An id that is only made where none is given: `id or uuid4()`."""
    if piece.change is None or piece.change.kind != "identifier":
        return piece
    return piece._replace(change=piece.change._replace(weak=True))


def _told(change: Change, walk: _Walk) -> Iterator[Piece]:
    """An order is told once, where it enters the text; the list itself comes right behind."""
    if change.kind in flow_tables.ORDER_KINDS or change.kind in ("query", "unsorted_keys"):
        if change.origin in walk.told:
            return
        walk.told.add(change.origin)
    yield Piece("change", change=change)


def is_prose(text: str, least: int = 60) -> bool:
    """Whether a text reads like instructions: at least so many words, in sentences, neither markup nor code."""
    words = text.split()
    if len(words) < least:
        return False
    head = text[:6000]
    plain = sum(1 for word in words[:1200] if word.strip(".,;:!?()\"'*-").isalpha())
    odd = sum(head.count(sign) for sign in "<>{};=\\|_()[]")
    ends = sum(head.count(end) for end in (". ", ".\n", "? ", "! ", ".", ":\n"))
    return plain >= 0.75 * min(len(words), 1200) and odd <= len(head) / 35 and ends >= 3
