"""The same two requests before and after the change, and how they compare."""

from collections.abc import Sequence
from typing import NamedTuple

from promptlint.cache.rule import has_markers
from promptlint.commands.check.causes import differs_anew, new_costly
from promptlint.commands.check.measure import Asked, Compared, shared_length
from promptlint.finding import Certainty, Change
from promptlint.gate.lost import SLACK


class Before(NamedTuple):
    """Two requests as they were, as far as that is known."""

    prompt_tokens: int | None  # of the second
    usable_tokens: int | None  # that it could reuse of the first
    was_refused: bool
    is_sure: bool  # no rule that is not published decided
    is_marked: bool
    found: Compared | None  # None: a lock has kept no more than figures


class Both(NamedTuple):
    """The same two requests before and after the change."""

    before: Before | None  # None: they were not there
    after: Compared
    asked: Asked
    lost: int | None  # tokens of text that is still sent and can be reused no more; None where nothing tells
    won: int = 0


def before_of(found: Compared) -> Before:
    """What is known of two requests that were compared."""
    diff, prompt = found.diff, found.first.prompt
    return Before(
        diff.b.prompt_tokens,
        diff.boundary.usable_tokens,
        diff.verdict == "refused",
        diff.verdict != "unknown",
        prompt is not None and has_markers(prompt),
        found,
    )


def weighed(both: Sequence[Both]) -> list[Both]:
    """What may follow one request is one matter: a marker that moves from the question to the text loses a little with
    the next turn, and wins much with another question."""
    lost, won = sum(one.lost or 0 for one in both), sum(one.won for one in both)
    if won <= lost or any(one.asked.how not in ("question", "turn") for one in both):
        return list(both)
    return [one._replace(lost=0 if one.lost else one.lost) for one in both]


class Once(NamedTuple):
    """A request before the change, and the same one after it."""

    found: Compared | None  # None: they are of two formats, or a lock has kept no text
    lost: int | None
    segment: int | None = None  # of the request after the change: the first that differs from what a lock has kept


def drops_markers(one: Both) -> bool:
    """Whether requests were marked before, and who serves them caches nothing without."""
    rule, prompt = one.after.rule, one.after.first.prompt
    if one.before is None or rule is None or not rule.by_entries or prompt is None:
        return False
    return one.before.is_marked and not has_markers(prompt) and not one.after.diff.boundary.usable_tokens


def why_refused(one: Both) -> str:
    """Why the provider takes no such request, if it took it before; else nothing."""
    diff = one.after.diff
    if diff.verdict != "refused" or (one.before is not None and one.before.was_refused):
        return ""
    first = next((change for change in diff.changes if change.severity == "error"), None)
    return first.message if first is not None else diff.boundary.why


def doubt(one: Both) -> str:
    """What may be lost, if a rule that is not published or a length that is about decides."""
    short = too_short(one)
    if short is not None and short.certainty != "certain":
        return short.message
    if unknown := _unknown_length(one):
        return unknown
    if one.before is None or one.after.diff.verdict != "unknown" or not one.before.is_sure:
        return ""
    first = next((change for change in news(one) if change.certainty != "certain"), None)
    return first.message if first is not None else one.after.diff.boundary.why


def _unknown_length(one: Both) -> str:
    """Why a model that is not known may have cached what requests shared, although nothing says that it did."""
    before, rule = one.before, one.after.rule
    if before is None or before.found is None or before.usable_tokens or rule is None or rule.minimum.known:
        return ""
    was, now = shared_length(before.found), shared_length(one.after)
    if was - now <= SLACK:
        return ""
    return f"requests shared {was:,} tokens and share {now:,}: whether these were cached is not known for this model"


def news(one: Both) -> list[Change]:
    """The costly changes between the two requests that were not there before the change."""
    return new_costly(one.after, None if one.before is None else one.before.found)


class Short(NamedTuple):
    """What requests share is too short to be cached, or may be."""

    message: str
    certainty: Certainty


def too_short(one: Both) -> Short | None:
    """None where it was so before, and where a rule says nothing of lengths."""
    before, after = one.before, one.after
    if before is None or after.rule is None or not before.usable_tokens:
        return None
    least = after.rule.minimum
    tokens = after.diff.boundary.usable_tokens or shared_length(after)
    if least.size(tokens) == "above" or least.size(before.usable_tokens) != "above":
        return None
    if before.found is not None and differs_anew(after, before.found):
        return None
    about = "" if least.exact else "about "
    length = f"what requests share has {about}{tokens:,} tokens"
    if least.size(tokens) == "below":
        return Short(f"{length}, the minimum of this model is {least.tokens:,}", "certain")
    return Short(f"{length}, and {least.doubt(tokens)}", "possible")
