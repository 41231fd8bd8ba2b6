"""Completions: a prompt that is sent as it stands, as text or as token ids (OpenAI, vLLM, llama.cpp)."""

from promptlint.errors import PromptlintError
from promptlint.load import token_ids
from promptlint.load.blocks import Body, pointer, text_or_none, wrong
from promptlint.prompt import Item, Json, Number, Path, Segment


def load(value: Json, path: Path) -> Body:
    """A completions request with one prompt."""
    if not isinstance(value, dict):
        raise wrong(path, value, "a completions request (an object)")
    model, consumed = text_or_none(value.get("model")), frozenset({"prompt", "suffix", "model"})
    prompt, at = value.get("prompt"), (*path, "prompt")
    if isinstance(prompt, list) and prompt and all(isinstance(entry, Number) for entry in prompt):
        return token_ids.load(prompt, at)._replace(consumed=consumed, model=model)
    if isinstance(prompt, list) and len(prompt) == 1:
        prompt, at = prompt[0], (*at, 0)
    if isinstance(prompt, list) and len(prompt) > 1:
        raise PromptlintError(f"{pointer(at)} holds {len(prompt)} prompts", "give --request-path to one of them")
    if not isinstance(prompt, str):
        raise wrong(at, prompt, "a text or an array of token ids")
    items = [Item("messages", None, None, at, (Segment("text", at, prompt),))]
    suffix = value.get("suffix")
    if isinstance(suffix, str) and suffix:
        behind = (*path, "suffix")
        items.append(Item("messages", None, None, behind, (Segment("text", behind, suffix),)))
    return Body(tuple(items), consumed, model)
