"""What a self-hosted engine reuses of earlier prompts, as long as nothing is evicted."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from promptlint.cache.paged import Group, Medium, PagedCache, block_keys
from promptlint.cache.steps import whole_units
from promptlint.errors import PromptlintError
from promptlint.facts.engines import Engine
from promptlint.finding import Certainty


class Prompt(NamedTuple):
    """Token ids, and all else that an engine compares."""

    tokens: Sequence[int]
    namespace: Hashable = None  # adapter, salt: prompts of different ones share nothing
    media: tuple[Medium, ...] = ()  # in order; their tokens are placeholders


class PrefixHit(NamedTuple):
    """What one prompt reuses: `reused_tokens <= shared_tokens <= prompt_tokens`."""

    prompt_tokens: int
    shared_tokens: int  # with the earlier prompt that shares most
    reused_tokens: int
    why: str
    certainty: Certainty


def reuse(
    engine: Engine,
    earlier: Sequence[Prompt],
    prompt: Prompt,
    *,
    unit_tokens: int | None = None,
    groups: Sequence[Group] = (Group(),),
) -> PrefixHit:
    """What `prompt` reuses of `earlier` ones that an engine has served, in this order, and still holds.

    `unit_tokens`: its block or page, if it is not the default. `groups`: how the layers of the model attend; windows
    are known for paged engines only. Raises PromptlintError for a unit below one token.
    """
    unit = engine.unit_tokens if unit_tokens is None else unit_tokens
    if unit < 1:
        raise PromptlintError(f"a {engine.unit} of {unit} tokens is not possible", "take 1 or more")
    length = len(prompt.tokens)
    shared = max((shared_tokens(other, prompt) for other in earlier), default=0)
    reused = whole_units(shared, length, unit)
    why = _why(shared, length, reused, unit, engine)
    windowed = any(group.window is not None for group in groups)
    if windowed and engine.cache == "paged":
        reused, why = _replayed(engine, earlier, prompt, unit, groups)
    certainty: Certainty = "possible" if windowed and engine.cache != "paged" else engine.certainty
    if engine.cache == "slot" and shared and not _surely_chosen(engine, earlier[-1], prompt, shared):
        certainty = "possible"
        why += "; another slot may be chosen, which holds less of it"
    return PrefixHit(length, shared, reused, why, certainty)


def shared_tokens(a: Prompt, b: Prompt) -> int:
    """Tokens at the start of both prompts for which an engine computes the same; 0 in different namespaces."""
    if a.namespace != b.namespace:
        return 0
    shared = common_length(tuple(a.tokens), tuple(b.tokens))
    for one, other in ((a, b), (b, a)):
        strange = [medium.start for medium in one.media if medium not in other.media]
        shared = min([shared, *strange])
    return shared


def common_length(a: tuple[int, ...], b: tuple[int, ...], start: int = 0) -> int:
    """Number of leading tokens of `a` that stand in `b` from `start` on."""
    low, high = 0, min(len(a), len(b) - start)
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[start + low : start + middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _why(shared: int, length: int, reused: int, unit: int, engine: Engine) -> str:
    if shared == 0:
        return "no earlier prompt begins with the same token in the same namespace"
    if shared == length > reused:
        again = f"the {engine.unit} that it ends" if unit > 1 else "it"
        return f"the prompt is known, but its last token is always computed, and so is {again}"
    if shared > reused:
        return f"{shared:,} tokens are shared, and only whole {engine.unit}s of {unit} tokens are reused"
    return f"the {shared:,} tokens that are shared are reused"


def _replayed(
    engine: Engine, earlier: Sequence[Prompt], prompt: Prompt, unit: int, groups: Sequence[Group]
) -> tuple[int, str]:
    """With sliding windows it depends on where earlier prompts ended, so they are served one after the other."""
    blocks = 1 + len(groups) * sum(len(other.tokens) // unit + 1 for other in (*earlier, prompt))
    cache = PagedCache(blocks, unit, groups, retention=engine.retention, unhashed_first=engine.unhashed_first)
    hit = 0
    for other in (*earlier, prompt):
        admitted = cache.start("", block_keys(other.tokens, unit, other.namespace, other.media), len(other.tokens))
        assert admitted is not None, "the pool holds all blocks of all prompts"
        cache.free("")
        hit = admitted.reused_tokens
    place = "everywhere" if engine.retention is None else "in front of where earlier prompts ended or were left"
    return hit, f"layers with a sliding window keep what they need {place}: {hit:,} tokens can be reused"


def _surely_chosen(engine: Engine, last: Prompt, prompt: Prompt, shared: int) -> bool:
    """Whether the slot of the last prompt is chosen, and none holds more.

    A slot is chosen for its prefix only if that is a large enough part of the prompt; and what an idle slot held may
    have been moved to a store that does not give everything back.
    """
    return shared_tokens(last, prompt) == shared > engine.slot_similarity * len(prompt.tokens)
