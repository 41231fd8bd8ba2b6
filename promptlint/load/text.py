"""Plain text, Markdown, a rendered prompt: the text itself, and the test whether a file is meant to be JSON."""

import re

from promptlint.load.blocks import Body, wrong
from promptlint.prompt import Item, Json, Path, Segment

_ENDS = r"\]\s*(?:[,\]]|\Z)"
_NUMBER = rf"-?\d[\d.eE+-]*\s*(?:,|\Z|{_ENDS})"
_ARRAY = rf"""\[[\s\[]*(?:[{{"]|\Z|{_ENDS}|{_NUMBER})"""


def like_json(text: str) -> bool:
    """Whether the text starts as a JSON object or array, broken or not.

    Other texts open with a bracket too: `{{ name }}`, `{% if %}`, `{name}`, `[INST]`, `[a link](…)`, `[1] a footnote`.
    """
    head = text.lstrip()
    if head.startswith("{"):
        return head[1:200].lstrip()[:1] in ("", '"', "'", "}")
    return head.startswith("[") and re.match(_ARRAY, head) is not None


def load(value: Json, path: Path) -> Body:
    """A text as one item of one segment."""
    if not isinstance(value, str):
        raise wrong(path, value, "a text")
    return Body((Item("system", None, None, path, (Segment("text", path, value),)),), frozenset())
