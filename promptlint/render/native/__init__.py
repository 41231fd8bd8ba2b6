"""Chat renderings that are code instead of a template: mistral-common (Mistral) and openai-harmony (gpt-oss).

Both answer token ids. A control token is an id that no user's text can give, so the ids, not the text, are the prompt.
"""

from promptlint.render.native.harmony import render_harmony
from promptlint.render.native.mistral import render_mistral
from promptlint.render.native.prompt import NativePrompt

__all__ = ["NativePrompt", "render_harmony", "render_mistral"]
