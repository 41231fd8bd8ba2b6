"""A greedy continuation with and without reuse, beside two runs without reuse that are split otherwise."""

from typing import TYPE_CHECKING

from promptlint.confirm_facts import Generated
from promptlint.errors import PromptlintError

if TYPE_CHECKING:
    from promptlint.confirm.implementation import Checked


def generated(model: "Checked", ids: list[int], reused: int, tokens: int, most: int | None) -> Generated:
    """Continue a prompt whose first `reused` tokens come from a cache, and twice without one.

    The noise is that of the prompt computed whole against the same computed in two halves, both anew. `most`: tokens
    that the model takes. Raises PromptlintError if the prompt and its continuation are longer.
    """
    if most is not None and len(ids) + tokens > most:
        raise PromptlintError(
            f"the model takes {most:,} tokens, and the prompt has {len(ids):,} of them", "give --generate less"
        )
    whole = _continued(model, ids, 0, tokens)
    half = max(len(ids) // 2, 1) if len(ids) > 1 else 0
    if half == reused:  # the noise must be split otherwise
        half = max(half - 1, 0)
    return Generated(
        tokens,
        _first(whole, _continued(model, ids, reused, tokens)),
        _first(whole, _continued(model, ids, half, tokens)),
    )


def _continued(model: "Checked", ids: list[int], split: int, tokens: int) -> list[int]:
    """The most likely tokens behind a prompt that is computed in two parts, in one if the first is empty."""
    logits, cache = model.prefill(ids[:split] or ids)
    if split:
        logits, cache = model.append(cache, ids[split:])
    told = [int(logits[-1].argmax())]
    while len(told) < tokens:
        logits, cache = model.append(cache, told[-1:])
        told.append(int(logits[-1].argmax()))
    return told


def _first(a: list[int], b: list[int]) -> int | None:
    """The number, from 1, of the first token that differs."""
    return next((number for number, (x, y) in enumerate(zip(a, b, strict=True), 1) if x != y), None)
