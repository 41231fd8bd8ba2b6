"""Models that keep the thinking of the last turn only: the next message of the user removes it from the prompt.

Source: platform.claude.com/docs/en/build-with-claude/thinking, copy of 2026-08-21 (models without full preservation).
"""

from collections.abc import Sequence

from promptlint.boundary.divergence import Divergence, spot_at
from promptlint.prompt import Rendered, RenderedItem


def dropped(a: Rendered, b: Rendered, shared: int) -> Divergence | None:
    """The first thinking of A's last turn, if B has it too but a new message of the user behind it; else None.

    The requests hold the same there, the prompts that the model reads do not. `shared`: equal characters at the start.
    """
    turn = _last_turn(a.items)
    for number, item in turn:
        start = item.char + _size_before(item)
        for segment, end in zip(item.item.segments, item.segment_ends, strict=True):
            if segment.kind == "thinking":
                behind = b.items[number + 1 :] if item.char + end <= shared else ()
                return _divergence(a, b, start, item.char + end) if any(map(_is_asked, behind)) else None
            start = item.char + end
    return None


def _last_turn(items: Sequence[RenderedItem]) -> list[tuple[int, RenderedItem]]:
    """The items behind the last message that the user himself wrote, with their numbers."""
    asked = [number for number, item in enumerate(items) if _is_asked(item)]
    return list(enumerate(items))[asked[-1] + 1 if asked else 0 :]


def _is_asked(item: RenderedItem) -> bool:
    """Whether this is a message of the user that holds more than results of tools."""
    return item.item.role == "user" and any(segment.kind != "tool_result" for segment in item.item.segments)


def _size_before(item: RenderedItem) -> int:
    """Characters of an item in front of its first segment: its role."""
    return len(item.pieces[0].text) + 1 if item.item.role is not None else 0


def _divergence(a: Rendered, b: Rendered, start: int, end: int) -> Divergence:
    at_a, at_b = spot_at(a, start, end), spot_at(b, start, end)
    return Divergence(
        cause="reasoning-dropped",
        level="messages",
        a_start=start,
        a_end=end,
        b_start=start,
        b_end=start,
        within=at_b.path,
        message="this model keeps the thinking of the last turn only: the new message of the user removes it",
        a=at_a,
        b=at_b,
    )
