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
