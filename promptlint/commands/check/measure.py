"""How much two requests of one state share, and what a request of the new state finds of the old one's."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import NamedTuple

from promptlint.boundary import text_divergences
from promptlint.boundary.divergence import Divergence, shared_chars
from promptlint.boundary.texts import stretches as differing
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
from promptlint.gate.verdict import Pair
from promptlint.prompt import Document, Json, Rendered, Request

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
    pair: Pair | None  # None: who serves them does not say how much is cached
    rule: Rule | None  # None: they are token ids
    options: Options
    second_prompt_tokens: int


class Asked(NamedTuple):
    """Which requests of a prompt are compared: numbers of its labels, and whether the clock moves between them."""

    first: int
    second: int
    how: str  # "variables", "clock", "question", "turn", "record"


def pairs_of(prompt: Prompt) -> list[Asked]:
    """Sets of variables and records one after the other; of a single request, what may follow it."""
    count, kind = len(prompt.labels), prompt.source.entry.kind
    if count > 1:
        how = "variables" if kind in ("template", "promptfoo") else "record"
        return [Asked(number, number + 1, how) for number in range(count - 1)]
    if kind in ("template", "promptfoo"):
        return [Asked(0, 0, "clock")]
    return [Asked(0, 0, "question"), Asked(0, 0, "turn")]


def followed(prompt: Prompt, asked: Asked, now: datetime, renderer: Counting, *, after: timedelta = LATER) -> Compared:
    """A pair of requests of one state; the clock moves on between them."""
    labels = prompt.labels
    first = prompt.at(labels[min(asked.first, len(labels) - 1)], now)
    second = prompt.at(labels[min(asked.second, len(labels) - 1)], now + after)
    if asked.how in ("question", "turn"):
        second = _next(prompt, second, asked.how, renderer, now + after)
    return compared(first, second, prompt.options, prompt.memos)


def _next(prompt: Prompt, sent: Sent, how: str, renderer: Counting, now: datetime) -> Sent:
    """The request with another newest question, or with an answer and the next turn; itself, if there is no such."""
    changed = next(_varied(sent.request, how), None)
    if changed is None:
        return sent
    return made(changed, sent.label, prompt.options, at_moment(prompt.sides, now), renderer)


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
        return Compared(first, second, diff, _pair_of_ids(diff, options), None, options, diff.b.prompt_tokens or 0)
    a, b = first.prompt, second.prompt
    diff = compare_prompts(a, b, provider, options, memos.setdefault(options.tokenizer.name, {}))
    rule = rule_for(a, b, new.model or old.model, provider, options)
    usable, tokens = diff.boundary.usable_tokens, diff.b.prompt_tokens
    if usable is None or tokens is None:
        return Compared(first, second, diff, None, rule, options, tokens or 0)
    unit = options.block_size or (1 if rule.by_entries else rule.step)
    return Compared(first, second, diff, Pair(tokens, usable, *_varying(a, b, options), unit), rule, options, tokens)


class OtherFormat(PromptlintError):
    """The requests are of two formats: nothing of one is in the other."""


def _varying(a: Rendered, b: Rendered, options: Options) -> tuple[int, int]:
    """Tokens of the second prompt that the first has not, and the stretches in which they stand."""
    if a.text == b.text:
        return 0, 0
    if a.template is not None:
        from promptlint.commands.templates import divergences

        found = divergences(a, b)[0]
    else:
        found = text_divergences(a, b)
    tokens = end = stretches = 0
    for low, high in sorted(part for each in found for part in _parts(a.text, b.text, each)):
        start = max(low, end)
        if high > start:
            tokens += options.tokenizer.count(b.text[start:high])
            stretches, end = stretches + 1, high
    return tokens, stretches


def _parts(old: str, new: str, found: Divergence) -> Iterator[tuple[int, int]]:
    """The characters of the second prompt that differ: one divergence may span text that both have."""
    begin = found.b_start
    for part in differing(old[found.a_start : found.a_end], new[begin : found.b_end]):
        yield begin + part.b0, begin + part.b1


def _pair_of_ids(diff: Diff, options: Options) -> Pair | None:
    """Of token ids nothing tells what is fixed behind the first difference: all of it may vary."""
    limits, tokens = diff.boundary, diff.b.prompt_tokens
    if limits.usable_tokens is None or limits.shared_tokens is None or tokens is None:
        return None
    return Pair(tokens, limits.usable_tokens, tokens - limits.shared_tokens, 1, options.block_size or 1)


def price(tokens: int, found: Compared, options: Options) -> Loss:
    """What it costs the second request that so many tokens are not read."""
    if found.rule is None or found.second.prompt is None:
        return Loss(None, "no price: token ids name no model")
    prompt = found.second.prompt
    markers = looked_up(prompt, found.rule)[0] if found.rule.by_entries else ()
    exact = is_exact(prompt, found.options)
    return price_of(
        tokens, found.rule, markers, found.second.request, found.second_prompt_tokens, options.own, exact=exact
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
