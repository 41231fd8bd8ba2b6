"""Short texts that stand where a long one stood: `[output removed]`."""

import re

from promptlint.read.json_text import parse_string

_WORDS = (
    r"(?i)"
    r"\b(?:removed|omitted|truncated|trimmed|cleared|elided|redacted|pruned|stripped|hidden|dropped|evicted|compacted|"
    r"collapsed|expired|placeholder|no longer|not shown|snipped|replaced|archived|offloaded|discarded|deleted)\b"
)
_BRACKETS = r"(?s)\s*(?:\[[^\[\]]*\]|<[^<>]*/?>|\([^()]*\)|\{[^{}]*\}|…|\.\.\.)\s*\Z"
_LONGEST = 400  # characters
_SHARE = 0.5  # of the old text


def is_placeholder(old_size: int, new: str, *, spoken: bool) -> bool:
    """Whether a text of `old_size` characters gave way to a much shorter one of placeholder form.

    In what somebody said (`spoken`) a word such as "removed" proves nothing; in a result it does.
    """
    if len(new) > _LONGEST or len(new) >= old_size * _SHARE or not new.strip():
        return False
    if re.search(_WORDS, new) and not spoken:
        return True
    return re.match(_BRACKETS, new) is not None and not _is_json(new)


def _is_json(text: str) -> bool:
    """A short result is no placeholder."""
    try:
        parse_string(text)
    except ValueError:
        return False
    return True
