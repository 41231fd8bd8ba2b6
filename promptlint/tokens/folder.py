"""The vocabulary in the folder of a model."""

import os
import re

from promptlint.errors import PromptlintError

# The first that a folder has is taken; of several of one kind, none.
_KINDS = (
    r"tokenizer\.json",
    r"tekken\.json",
    r"tekken.*\.json",
    r"tokenizer\.model.*",
    r".*\.tiktoken",
    r".*-00001-of-\d{5}\.gguf",
    r".*\.gguf",
)


def vocabulary_in(folder: str) -> str:
    """The path of the file that holds the vocabulary. PromptlintError if there is none, or no telling which."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise PromptlintError(f"{folder}: {error.strerror}", _HINT) from None
    for kind in _KINDS:
        found = [name for name in names if re.fullmatch(kind, name)]
        if len(found) > 1:
            raise PromptlintError(f"{folder}: {len(found)} vocabularies, such as {found[0]}", "give one by its path")
        if found:
            return os.path.join(folder, found[0])
    raise PromptlintError(f"{folder}: no vocabulary in this folder", _HINT)


_HINT = "a tokenizer.json, tekken.json, tokenizer.model, *.tiktoken or *.gguf holds one"
