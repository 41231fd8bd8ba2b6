"""The longest equal prefix, in steps of some tokens: OpenAI up to GPT-5.5, DeepSeek, xAI, Moonshot, Mistral and others.

One rule for all; the step, the minimum and what is held back are rows of data. A step of one token is the plain longest
prefix, of providers and engines of which no more is known.
"""


def floor(shared: int, prompt: int, step: int = 1, held_back: int = 0) -> int:
    """Tokens that a prompt of `prompt` tokens reads, `shared` of which it has in common with an earlier prompt.

    `held_back`: steps that are always computed again, as Mistral does with the last one; then the last token of a
    prompt does not count either.
    """
    full = (min(shared, prompt - 1) if held_back else shared) // step * step
    return max(full - held_back * step, 0)


def whole_units(shared: int, prompt_tokens: int, unit: int) -> int:
    """Tokens that an engine reuses of `shared` ones in whole blocks or pages: it always computes the last token.

    Source: vllm/v1/core/kv_cache_manager.py (a hit covers prompt - 1 tokens at most).
    """
    return max(min(shared, prompt_tokens - 1), 0) // unit * unit
