"""What reading a chat template says of its clock, held against what its text does when the clock is moved."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptlint.lint.calls import clock_of
from promptlint.lint.hit import Hit
from promptlint.lint.stranded import calls_that_print, losses
from promptlint.lint.subject import TemplateSubject
from promptlint.template import Hole, SourceRange

if TYPE_CHECKING:
    from promptlint.lint.rendering.clock import Moved

_CLOCK = "strftime_now"  # the function of chat templates that renderings move


def confirmed(subject: TemplateSubject, label: str, hits: Iterator[Hit]) -> Iterator[Hit]:
    """The hits of a rule for a cause, "clock" or "date-rollover", after the clock was moved.

    One at a place that moves less often is left to the other rule, one that is printed always and does not move is
    dropped, and what reading has not seen is added. A template that is not rendered to the end keeps its hits.
    """
    found = list(hits)
    moved = _moved(subject)
    if moved is None:
        yield from found
        return
    for hit in found:
        near = [each for each in moved if _touch(each.at, hit)]
        told = next((each for each in near if each.cause == label), None)
        if told is not None and told.every == "hour":
            yield hit._replace(values={**hit.values, "often": "every hour"})
        elif told is not None or (not near and (moved or not _is_always_printed(subject, hit.at))):
            yield hit
    yield from _unseen(subject, [each for each in moved if each.cause == label], found)


def _moved(subject: TemplateSubject) -> "tuple[Moved, ...] | None":
    """None where renderings say nothing about a clock."""
    if not subject.template.is_chat or _CLOCK not in subject.template.files[0].text:
        return None
    shown = subject.rendered()
    if shown is None or not shown.is_chat or shown.failure or shown.refusal or shown.untried:
        return None
    return shown.moved


def _unseen(subject: TemplateSubject, moved: "list[Moved]", found: list[Hit]) -> Iterator[Hit]:
    """What moves at no place of a hit; of a text that is only computed, if reading has seen no clock at all."""
    template = subject.template
    is_seen = any(clock_of(template, one.call) for one in calls_that_print(subject))
    for each in moved:
        if any(_touch(each.at, hit) for hit in found) or (is_seen and not each.printed):
            continue
        parts = (number for number, part in enumerate(template.parts) if _overlap(part.range, each.at))
        rest = losses(subject)(next(parts, 0))
        if rest.matters:
            often = f"every {each.every}" if each.cause == "clock" else ""
            values = {
                "call": f"{each.name}()",
                "does": "prints",
                "unless": "",
                "often": often,
                "behind": rest.words,
            }
            yield Hit(each.at, values, lost_tokens=rest.lost)


def _is_always_printed(subject: TemplateSubject, at: object) -> bool:
    """Whether the answer of a call is printed in holes alone that no condition decides on."""
    holes = [part for part in subject.template.parts if isinstance(part, Hole)]
    printing = [hole for hole in holes if any(call.range == at for call in hole.calls)]
    return bool(printing) and all(hole.when == "always" for hole in printing)


def _touch(at: SourceRange, hit: Hit) -> bool:
    return any(isinstance(place, SourceRange) and _overlap(place, at) for place in (hit.at, *hit.related))


def _overlap(one: SourceRange, other: SourceRange) -> bool:
    return one.file == other.file and one.start < other.end and other.start < one.end
