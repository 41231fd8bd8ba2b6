"""Plain text, Markdown, a rendered prompt: the text itself, and the test whether a file is meant to be JSON."""

import re

from promptlint import facts
from promptlint.load.blocks import Body, wrong
from promptlint.prompt import Item, Json, Path, Segment

_HEAD = 20_000  # characters in which a template shows that it is one
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
    item = Item("system", None, None, path, (Segment("text", path, value),))
    return Body((item,), frozenset(), notes=_makes_prompts(value))


def _makes_prompts(text: str) -> tuple[str, ...]:
    """A note if the text looks like one that makes prompts: a template, or program text."""
    head = text[:_HEAD]
    for row in facts.table("formats")["sources_of_prompts"]:
        if row["sign"] in head and re.search(row["pattern"], head, re.MULTILINE):
            return (f"this looks like {row['is']}: {row['do']}",)
    return ()
