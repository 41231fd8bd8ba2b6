"""A comparison of a request with a variation of it -> one row."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from promptlint.boundary.align import common_head
from promptlint.cache.minimum import Minimum
from promptlint.cache.reuse import written
from promptlint.cache.rule import has_markers, rule_of
from promptlint.cache.steps import whole_units
from promptlint.cache.unread import STANDING
from promptlint.commands.figures import is_exact, side
from promptlint.commands.single import Single, counted, encoded
from promptlint.errors import PromptlintError
from promptlint.finding import Boundary, Certainty, Change, Diff
from promptlint.tokens import Tokenizer
from promptlint.vary import Variation
from promptlint.vary_facts import FirstUnit, Outcome, Row, VaryFacts

Said = tuple[str, str]
"""Cause and message of a change."""
NOTHING: frozenset[Said] = frozenset()
_MORE = "possibly"  # what a provider's row says of levels that may be lost besides
_ORDER: tuple[Outcome, ...] = ("hit", "partial", "miss", "refused")


def facts_of(first: Single, rows: Sequence[Row], engine: str | None, memo: dict[str, int]) -> VaryFacts:
    """All rows, what reads most in front."""
    again = next(one for one in rows if one.name == "sent-again")
    # An engine computes the last token of a prompt again: a longer prompt may read more than the same one.
    readable = max((again.usable_tokens or 0) + (again.lost_tokens or 0), *(one.usable_tokens or 0 for one in rows))
    exact = first.prompt is None or is_exact(first.prompt, first.options)
    size = None if first.prompt is None else first.prompt.size
    total = len(first.request.token_ids or ()) if first.prompt is None else _total(first, memo)
    vocabulary = first.options.tokenizer.name if first.prompt is not None or first.options.chosen else "ids as given"
    return VaryFacts(
        side=side(first.request, first.provider, vocabulary, size, total, exact=exact),
        engine=engine,
        block_tokens=first.options.block_size,
        readable_tokens=readable,
        nothing="" if readable else again.message if again.outcome == "refused" else again.why,
        rows=tuple(sorted(rows, key=lambda one: (_ORDER.index(one.outcome), -(one.usable_tokens or 0)))),
    )


def _total(first: Single, memo: dict[str, int]) -> int:
    assert first.prompt is not None
    return counted(first.prompt, first.options.tokenizer, memo).total_a


def counts_note(first: Single) -> Iterator[str]:
    """How exact the counts are."""
    if first.prompt is not None and not is_exact(first.prompt, first.options):
        how = "counted with the vocabulary that you chose" if first.options.chosen else first.provider.counts
        yield f"counts: {first.options.tokenizer.name}, an estimate: {how}"


class RuleOf(NamedTuple):
    """What the rule of a provider says of one request."""

    ends: Sequence[int] = ()  # tokens up to the end of each entry that it writes; empty: any prefix can be read
    minimum: Minimum = Minimum()
    best_effort: bool = False  # a hit is not promised

    def long_enough(self, boundary: Boundary) -> bool:
        """Whether what is read is certainly not too short to be cached."""
        return self.minimum.size(boundary.usable_tokens or 0) == "above"


def rule_for(first: Single, memo: dict[str, int]) -> RuleOf:
    """Of the request itself."""
    if first.prompt is None:
        return RuleOf()
    options, model = first.options, first.request.model
    exact = is_exact(first.prompt, options)
    rule = rule_of(first.provider, model, marked=has_markers(first.prompt), exact=exact, own=options.own)
    if not rule.by_entries or first.prompt.template is not None:
        return RuleOf((), rule.minimum, rule.kind == "objects")
    count = counted(first.prompt, options.tokenizer, memo).in_a
    return RuleOf([count(entry.end) for entry in written(first.prompt, rule)[1]], rule.minimum)


def row(variation: Variation, found: Diff, first: Single, rule: RuleOf, standing: frozenset[Said] = NOTHING) -> Row:
    """What a variation reads, and why not all. `standing`: what is said of the request anyway, however it is varied."""
    limits = found.boundary
    usable, lost = limits.usable_tokens, limits.lost_tokens
    differences = [change for change in found.changes if (change.cause, change.message) not in standing]
    outcome = _outcome(found)
    change = found.changes[0] if outcome == "refused" else _first(differences)
    return Row(
        name=variation.name,
        group=variation.group,
        does=variation.does,
        outcome=outcome,
        certainty=_certainty(found, change, outcome, rule),
        shared_tokens=limits.shared_tokens,
        usable_tokens=0 if outcome == "refused" else usable,
        lost_tokens=lost,
        lost_usd=limits.lost_usd,
        first=None if outcome == "hit" else _first_unit(found, first, rule.ends),
        why=limits.why,
        cause="" if change is None else change.cause,
        message="" if change is None else change.message,
    )


def said_of(found: Diff) -> frozenset[Said]:
    """What a comparison of a request with itself says."""
    return frozenset((change.cause, change.message) for change in found.changes if change.cause not in STANDING)


def _certainty(found: Diff, change: Change | None, outcome: Outcome, rule: RuleOf) -> Certainty:
    """Of the outcome, and of how much is read."""
    if found.verdict == "unknown":
        return change.certainty if change is not None and change.certainty != "certain" else "possible"
    if outcome == "hit" and any(each.certainty != "certain" for each in found.changes):
        return "possible"  # such as a form of the same text of which it is not known whether it is rendered alike
    if outcome == "partial" and change is not None and _MORE in change.message:
        return "possible"
    doubtful = rule.best_effort or (outcome in ("hit", "partial") and not rule.long_enough(found.boundary))
    return "possible" if doubtful and outcome in ("hit", "partial") else "certain"


def _outcome(found: Diff) -> Outcome:
    usable, lost = found.boundary.usable_tokens or 0, found.boundary.lost_tokens
    if found.verdict == "refused":
        return "refused"
    if lost == 0 and usable:
        return "hit"
    return "partial" if usable else "miss"


def _first(changes: Sequence[Change]) -> Change | None:
    """What costs most of what is cached; else the first difference; else what is true of the request anyway."""
    costly = [change for change in changes if change.affects in ("prefix", "key") and change.severity != "info"]
    if costly:
        return min(costly, key=lambda change: change.alone_tokens or 0)
    return next((change for change in changes if change.cause not in STANDING), next(iter(changes), None))


def _first_unit(found: Diff, first: Single, entries: Sequence[int]) -> FirstUnit:
    """The first entry or block that is not read."""
    usable, size = found.boundary.usable_tokens or 0, first.options.block_size
    if found.verdict == "refused":
        usable = 0
    if entries:
        index = next((number for number, end in enumerate(entries) if end > usable), len(entries))
        return FirstUnit("entry", index, entries[index - 1] if index else 0)
    if size is not None and size > 1:
        return FirstUnit("block", usable // size, usable)
    return FirstUnit("token", usable, usable)


def refused(variation: Variation, why: str) -> Row:
    """A variation that the chat template does not render."""
    return Row(
        name=variation.name,
        group=variation.group,
        does=variation.does,
        outcome="refused",
        certainty="certain",
        shared_tokens=0,
        usable_tokens=0,
        lost_tokens=None,
        lost_usd=None,
        first=None,
        why=why,
        cause="",
        message=why,
    )


def other_vocabulary(first: Single, tokenizer: Tokenizer) -> Row:
    """The same prompt in the ids of another vocabulary, as a router or a new version of the model may have it."""
    if first.prompt is None:
        raise PromptlintError("token ids are given, and --tokenizer-b encodes text", "leave it out")
    old = encoded(first.prompt, first.options.tokenizer).ids
    new = encoded(first.prompt._replace(tokens=None), tokenizer).ids
    size = first.options.block_size or 1
    shared = common_head(old, new)
    same = shared == len(old) == len(new)
    usable = whole_units(shared, len(new), size)
    most = whole_units(len(old), len(old), size)
    lost = max(most - usable, 0)
    outcome: Outcome = "hit" if not lost else "partial" if usable else "miss"
    where = FirstUnit("block" if size > 1 else "token", usable // size, usable)
    certainty: Certainty = "certain" if first.options.chosen else "possible"
    return Row(
        name="tokenizer",
        group="engine",
        does=f"the same text in the ids of {tokenizer.name}",
        outcome=outcome,
        certainty=certainty,
        shared_tokens=shared,
        usable_tokens=usable,
        lost_tokens=lost,
        lost_usd=None,
        first=None if outcome == "hit" else where,
        why="the ids that are equal at the start are reused",
        cause="" if same else "retokenised",
        message="both vocabularies make the same ids" if same else f"{len(old):,} ids became {len(new):,}",
    )
