"""The newest question: what only the last message of each request holds was never to be shared by both."""

from collections.abc import Sequence

from promptlint.boundary.divergence import Divergence
from promptlint.cache.meaning import harmless
from promptlint.cache.reuse import Left, Reuse
from promptlint.prompt import Rendered

_LITTLE = 256  # characters (about 64 tokens): equal text behind a difference from which it is worth to be put in front


def start_of_question(a: Rendered, b: Rendered, text: Sequence[Divergence]) -> int | None:
    """Where the last message of A begins, if both requests differ there only, in a message of the user.

    None if they differ elsewhere, too, or if much of the message is equal behind the first difference: this could be
    shared, if it stood in front.
    """
    costly = [divergence for divergence in text if not harmless(divergence)]
    if not costly or a.template is not None or not a.items or not b.items:
        return None
    last_a, last_b = a.items[-1], b.items[-1]
    if any(item.item.level != "messages" or item.item.role != "user" for item in (last_a, last_b)):
        return None
    if any(d.a_start < last_a.char or d.b_start < last_b.char for d in costly):
        return None
    spans = sorted((one.a_start, one.a_end) for d in costly for one in (d, *d.repeats))
    behind, equal = spans[0][0], 0
    if last_a.char == 0 and behind < len(a.text) // 2:  # nothing stands in front, and little of it is equal
        return None
    for start, end in (*spans, (len(a.text), len(a.text))):
        equal += max(start - behind, 0)
        behind = max(behind, end)
    return last_a.char if equal < _LITTLE else None


def without_question(old: Left, found: Reuse, question: int, shared: int) -> Left | None:
    """What the first request left, less its question; None if the second cannot use all that is equal."""
    if found.usable == 0:
        return None
    if not old.rule.by_entries:
        return old._replace(readable=min(old.readable, shared), sure=min(old.sure, shared), question=True)
    if found.usable < question or found.possible or shared - found.usable >= _LITTLE:
        return None
    kept = tuple(entry for entry in old.entries if entry.end <= shared)
    sure = max((entry.end for entry in kept if entry.certain), default=0)
    return old._replace(entries=kept, readable=found.usable, sure=sure, question=True)
