"""Short texts that stand where a long one stood: `[output removed]`."""

import re

_WORDS = (
    r"(?i)"
    r"\b(?:removed|omitted|truncated|trimmed|cleared|elided|redacted|pruned|stripped|hidden|dropped|evicted|compacted|"
    r"collapsed|expired|placeholder|no longer|not shown|snipped|replaced|archived|offloaded|discarded|deleted)\b"
)
_BRACKETS = r"(?s)\s*(?:\[[^\[\]]*\]|<[^<>]*/?>|\([^()]*\)|\{[^{}]*\}|…|\.\.\.)\s*\Z"
_LONGEST = 400  # characters
_SHARE = 0.5  # of the old text


def is_placeholder(old_size: int, new: str) -> bool:
    """Whether a text of `old_size` characters gave way to a much shorter one of placeholder form."""
    if len(new) > _LONGEST or len(new) >= old_size * _SHARE:
        return False
    return bool(re.search(_WORDS, new)) or (bool(new.strip()) and re.match(_BRACKETS, new) is not None)
