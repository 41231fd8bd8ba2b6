"""The same requests before and after the change, and how they compare."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from promptlint.commands.check.causes import differs_anew, new_costly
from promptlint.commands.check.measure import Asked, Compared, OtherFormat, compared, followed, shared_length
from promptlint.commands.check.sent import Prompt
from promptlint.errors import PromptlintError
from promptlint.finding import Certainty
from promptlint.gate.verdict import lost_tokens

if TYPE_CHECKING:
    from promptlint.commands.check.prompt import How


class Both(NamedTuple):
    """The same two requests before and after the change."""

    before: Compared | None
    after: Compared
    asked: Asked
    is_outweighed: bool = False  # by what other requests win

    @property
    def lost(self) -> int | None:
        """Tokens of fixed text; None where nothing tells."""
        lost = self.change[0]
        return 0 if lost and self.is_outweighed else lost

    @property
    def change(self) -> tuple[int | None, int]:
        """Tokens lost, and tokens won."""
        if self.before is None or self.before.pair is None or self.after.pair is None:
            return None, 0
        return lost_tokens(self.before.pair, self.after.pair), lost_tokens(self.after.pair, self.before.pair)


def weighed(both: Sequence[Both]) -> list[Both]:
    """What some requests lose is no loss if others win more by it: a marker moved from the question to the text."""
    lost, won = sum(one.change[0] or 0 for one in both), sum(one.change[1] for one in both)
    return [one._replace(is_outweighed=won > lost) for one in both]


class Once(NamedTuple):
    """A request before the change, and the same one after it."""

    found: Compared | None  # None: they are of two formats
    lost: int | None


def both_states(asked: Asked, prompt: Prompt, before: Prompt | None, how: "How") -> Both:
    after = followed(prompt, asked, how.now, how.renderer)
    if before is None:
        return Both(None, after, asked)
    try:
        return Both(followed(before, asked, how.now, how.renderer), after, asked)
    except PromptlintError:  # variables that the template took then, and that are gone
        return Both(None, after, asked)


def worst_once(prompt: Prompt, before: Prompt, both: Sequence[Both], how: "How") -> Once:
    """What the deploy takes from one cached prefix: of what requests of the old state shared, the new one finds so
    much less."""
    found = []
    for one in both:
        labels = (before.labels[min(one.asked.first, len(before.labels) - 1)], prompt.labels[one.asked.first])
        shared = one.before.pair.usable_tokens if one.before is not None and one.before.pair is not None else None
        try:
            pair = compared(before.at(labels[0], how.now), prompt.at(labels[1], how.now), prompt.options, how.memos)
        except OtherFormat:
            found.append(Once(None, shared))
            continue
        usable = pair.diff.boundary.usable_tokens
        lost = None if shared is None or usable is None else max(shared - usable, 0)
        if lost and pair.pair is not None and lost < pair.pair.unit_tokens:
            lost = 0
        found.append(Once(pair, lost))
    return max(found, key=lambda one: one.lost or 0)


def why_refused(found: Compared) -> str:
    first = next((change for change in found.diff.changes if change.severity == "error"), None)
    return first.message if first is not None else found.diff.boundary.why


def doubt(worst: Both) -> str:
    """What may be lost, if a rule that is not published or a length that is about decides."""
    before, after = worst.before, worst.after
    if (short := too_short(worst)) is not None and short.certainty != "certain":
        return short.message
    if before is None or after.diff.verdict != "unknown" or before.diff.verdict == "unknown":
        return ""
    first = next((change for change in new_costly(after, before) if change.certainty != "certain"), None)
    return first.message if first is not None else after.diff.boundary.why


class Short(NamedTuple):
    """What requests share is too short to be cached, or may be."""

    message: str
    certainty: Certainty


def too_short(worst: Both) -> Short | None:
    """None where it was so before, and where a rule says nothing of lengths."""
    before, after = worst.before, worst.after
    if before is None or before.rule is None or after.rule is None or not before.diff.boundary.usable_tokens:
        return None
    tokens = after.diff.boundary.usable_tokens or shared_length(after)
    size = after.rule.minimum.size(tokens)
    if (
        size == "above"
        or before.rule.minimum.size(before.diff.boundary.usable_tokens) != "above"
        or differs_anew(after, before)
    ):
        return None
    about = "" if after.rule.minimum.exact else "about "
    length = f"what requests share has {about}{tokens:,} tokens"
    if size == "below":
        return Short(f"{length}, the minimum of this model is {after.rule.minimum.tokens:,}", "certain")
    return Short(f"{length}, and {after.rule.minimum.doubt(tokens)}", "possible")
