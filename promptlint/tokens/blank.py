"""Runs of white space that are longer than the library's pattern engine can take."""

import re

from promptlint.errors import PromptlintError

_MOST = 500_000  # characters; tiktoken 0.14 gives up, with a panic, at a million


def has_long_blank(text: str) -> bool:
    """Whether a text holds a run of white space that the library must not be given."""
    return len(text) > _MOST and re.search(rf"\s{{{_MOST}}}", text) is not None


def too_blank(name: str) -> PromptlintError:
    """For a text that cannot be tokenized another way."""
    return PromptlintError(f"{name}: a run of more than {_MOST:,} white-space characters", "shorten it")
