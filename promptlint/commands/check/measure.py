"""How much two requests of one state share, and what a request of the new state finds of the old one's."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from promptlint.boundary.divergence import shared_chars
from promptlint.cache.reuse import looked_up, written
from promptlint.cache.rule import Rule
from promptlint.commands.check.sent import Counting, Memos, Prompt, Sent, at_moment, made
from promptlint.commands.compare import (
    compare_prompts,
    provider_of_pair,
    rule_for,
    with_blocks,
    with_vocabulary,
)
from promptlint.commands.figures import is_exact
from promptlint.commands.loss import Loss, price_of
from promptlint.commands.options import Options
from promptlint.commands.single import counted
from promptlint.errors import PromptlintError
from promptlint.finding import Diff
from promptlint.prompt import Document, Json, Request

LATER = timedelta(days=1, hours=1, seconds=61)
"""How far the clock is moved: another day, another hour, another minute."""
CLOCKS: tuple[tuple[timedelta, int | None], ...] = (
    (timedelta(seconds=1), None),
    (timedelta(seconds=61), 1440),
    (timedelta(hours=1, seconds=61), 24),
)
"""Steps of a clock, and how often a day it makes another text at most if such a step is what it takes; a longer one
makes it once a day. None: with every request."""
_ANOTHER_QUESTION = "And one more thing, before we go on: which of these would you pick?"


class Compared(NamedTuple):
    """Two requests, the second of which follows the first."""

    first: Sent
    second: Sent
    diff: Diff
    rule: Rule | None  # None: they are token ids
    options: Options
    unit_tokens: int  # of steps or blocks: what is read is a multiple of it


class Asked(NamedTuple):
    """Which requests of a prompt are compared, by their labels."""

    first: str
    second: str
    how: str  # "variables", "clock", "question", "turn", "record"


def pairs_of(prompt: Prompt) -> list[Asked]:
    """Sets of variables and records one after the other; of a single request, what may follow it."""
    labels, kind = prompt.labels, prompt.source.entry.kind
    if len(labels) > 1:
        how = "variables" if kind in ("template", "promptfoo") else "record"
        return [Asked(one, two, how) for one, two in pairwise(labels)]
    (only,) = labels
    if kind in ("template", "promptfoo"):
        return [Asked(only, only, "clock")]
    return [Asked(only, only, "question"), Asked(only, only, "turn")]


def followed(prompt: Prompt, asked: Asked, now: datetime, renderer: Counting, *, after: timedelta = LATER) -> Compared:
    """A pair of requests of one state; the clock moves on between them."""
    first = prompt.at(asked.first, now)
    second = prompt.at(asked.second, now + after)
    if asked.how in ("question", "turn"):
        second = _next(prompt, second, asked.how, renderer, now + after)
    return compared(first, second, prompt.options, prompt.memos)


def _next(prompt: Prompt, sent: Sent, how: str, renderer: Counting, now: datetime) -> Sent:
    """The request with another newest question, or with an answer and the next turn; itself, if there is no such."""
    changed = next(_varied(sent.request, how), None)
    if changed is None:
        return sent
    return made(changed, sent.label, at_moment(prompt.sides, now), renderer)


def _varied(request: Request, how: str) -> Iterator[Request]:
    from promptlint.commands.vary_files import document_of
    from promptlint.load import load, value_of
    from promptlint.vary.edit import put
    from promptlint.vary.messages import variations
    from promptlint.vary.variation import Source, Variation, texts

    if request.token_ids is not None or request.format == "text":
        return
    value = value_of(request)
    made_of: list[Variation] = []
    if how == "turn":
        source = Source(request, value, date.min, request.provider, False)
        made_of = [one for one in variations(source) if one.name == "turn-appended"]
    else:
        last = request.items[-1:]
        spoken = [text for item in last if item.level == "messages" for text in texts(item)]
        if spoken:
            text: Json = _ANOTHER_QUESTION
            made_of = [Variation("question", "messages", "another question", put(value, spoken[-1].path, text))]
    for variation in made_of:
        document: Document = document_of(request, value, variation)
        try:
            found = load(document)
        except PromptlintError:  # a request that its name or its place told: it cannot be varied
            return
        if found.format == request.format:
            yield found if found.model else found._replace(model=request.model)


def compared(first: Sent, second: Sent, options: Options, memos: Memos) -> Compared:
    """What the second request can reuse of what the first has left."""
    old, new = first.request, second.request
    if old.format != new.format:
        raise OtherFormat(f"{old.format} became {new.format}", "")
    provider = provider_of_pair(old, new, options)
    options, _ = with_vocabulary(old, new, options)
    options, _ = with_blocks(provider, options)
    if first.prompt is None or second.prompt is None:
        from promptlint.commands.compare_ids import compare_ids

        diff = compare_ids(old, new, provider, options)
        return Compared(first, second, diff, None, options, options.block_size or 1)
    a, b = first.prompt, second.prompt
    diff = compare_prompts(a, b, provider, options, memos.setdefault(options.tokenizer.name, {}))
    rule = rule_for(a, b, new.model or old.model, provider, options)
    unit = options.block_size or (1 if rule.by_entries else rule.step)
    return Compared(first, second, diff, rule, options, unit)


class OtherFormat(PromptlintError):
    """The requests are of two formats: nothing of one is in the other."""


def price(tokens: int, found: Compared) -> Loss:
    """What it costs the second request that so many tokens are not read."""
    if found.rule is None or found.second.prompt is None:
        return Loss(None, "no price: token ids name no model")
    prompt, own = found.second.prompt, found.options.own
    markers = looked_up(prompt, found.rule)[0] if found.rule.by_entries else ()
    exact = is_exact(prompt, found.options)
    return price_of(
        tokens, found.rule, markers, found.second.request, found.diff.b.prompt_tokens or 0, own, exact=exact
    )


def shared_length(found: Compared) -> int:
    """Tokens of the longest prefix of the second request that could be read, were it long enough: up to the last
    marker ahead of the first difference where markers decide, else up to the difference itself."""
    rule, (a, b) = found.rule, (found.first.prompt, found.second.prompt)
    shared = found.diff.boundary.shared_tokens or 0
    if rule is None or not rule.by_entries or a is None or b is None:
        return shared
    equal = shared_chars(a, b)
    ends = [entry.end for entry in written(a, rule)[1] if entry.end <= equal]
    return counted(a, found.options.tokenizer).in_a(max(ends)) if ends else shared
