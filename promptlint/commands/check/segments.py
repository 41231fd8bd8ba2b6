"""A prompt cut into segments, as a lock keeps it: each block of the request, and each paragraph of a long text."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from promptlint.boundary.settings import json_text
from promptlint.cache.reuse import written
from promptlint.commands.check.measure import Compared
from promptlint.commands.check.sent import Sent
from promptlint.commands.single import counted
from promptlint.gate.lock import LockedRendering, LockedSegment, fingerprint
from promptlint.prompt import Path, Rendered, RenderedItem, Request
from promptlint.read.places import pointer

_PARAGRAPH, _LINE, _SENTENCE = r"\n[ \t]*\n\s*", r"\n", r"[.!?:;]\s"
_LONG = 400  # characters: a longer paragraph is cut into lines, a longer line into sentences
_IDS = 64  # token ids in a segment


class Cut(NamedTuple):
    """A segment of a prompt."""

    name: str  # a pointer into the request, and the number of the paragraph
    path: Path
    char: int  # where it begins, in the prompt
    end: int


def cuts(prompt: Rendered) -> list[Cut]:
    """The segments, which cover the prompt."""
    return [cut for item in prompt.items for cut in _of_item(item, prompt)] or [Cut("", (), 0, len(prompt.text))]


def _of_item(item: RenderedItem, prompt: Rendered) -> Iterator[Cut]:
    begin = 0
    segments = item.item.segments
    ends = [*item.segment_ends[:-1], len(item.text)] if segments else [len(item.text)]
    for number, end in enumerate(ends):
        path = segments[number].path if segments else item.item.path
        stops = _stops(item.text, begin, end)
        for index, (low, high) in enumerate(zip([begin, *stops], [*stops, end], strict=True), 1):
            name = _name(path, prompt) + (f" part {index}" if stops else "")
            yield Cut(name, path, item.char + low, item.char + high)
        begin = end


def _stops(text: str, begin: int, end: int) -> list[int]:
    """Where a text is cut: at paragraphs, in a long paragraph at lines, in a long line at sentences."""
    places = [begin, end]
    for pattern in (_PARAGRAPH, _LINE, _SENTENCE):
        more = [
            low + found.end()
            for low, high in pairwise(places)
            if pattern == _PARAGRAPH or high - low > _LONG
            for found in re.finditer(pattern, text[low:high])
        ]
        places = sorted({*places, *more})
    return places[1:-1]


def _name(path: Path, prompt: Rendered) -> str:
    inside = path[len(prompt.request.path) :] if prompt.template is None else path
    found = pointer(inside)
    return (found if isinstance(found, str) else " ".join(found)) or "text"


def locked(variant: str, sent: Sent, found: Compared) -> LockedRendering:
    """A request as the lock keeps it. `found`: a comparison that it is part of."""
    usable = found.diff.boundary.usable_tokens or 0
    if sent.prompt is None:
        return _of_ids(variant, sent.request, usable)
    prompt, rule = sent.prompt, found.rule
    count = counted(prompt, found.options.tokenizer).in_a
    parts = cuts(prompt)
    segments = tuple(
        LockedSegment(cut.name, fingerprint(prompt.text[cut.char : cut.end]), count(cut.end) - count(cut.char))
        for cut in parts
    )
    boundaries, minimum = None, 0
    if rule is not None:
        minimum = round(rule.minimum.tokens / rule.minimum.factor)
        if rule.by_entries:
            ends = [cut.end for cut in parts]
            boundaries = tuple(sorted({bisect_left(ends, entry.end) for entry in written(prompt, rule)[1]}))
    return LockedRendering(variant, count(len(prompt.text)), usable, segments, boundaries, minimum)


def _of_ids(variant: str, request: Request, usable: int) -> LockedRendering:
    ids = request.token_ids or ()
    blocks = [ids[start : start + _IDS] for start in range(0, len(ids), _IDS)]
    segments = tuple(
        LockedSegment(f"ids {number * _IDS}", fingerprint(" ".join(map(str, block))), len(block))
        for number, block in enumerate(blocks)
    )
    return LockedRendering(variant, len(ids), usable, segments, None, 0)


def key_of(found: Compared) -> str:
    """What keys the cache beside the text: who serves it, the model, settings."""
    request, provider = found.first.request, found.diff.b.provider
    settings = sorted((pointer(path), json_text(held)) for path, held in request.settings.items())
    return fingerprint(provider, request.model or "", *(str(each) for pair in settings for each in pair))
