"""Words that are made at random: UUIDs, hashes, prefixed ids, base64."""

import re
from itertools import pairwise

from promptlint.boundary.stretch import Shape, Stretch, both
from promptlint.read.raw import common_prefix

_UUID = r"(?i)(?<![0-9a-f])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?![0-9a-f])"
_ULID = r"(?i)(?<![0-9a-z])[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])"
_NARROW = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_WIDE = _NARROW | frozenset("+/=")
_HEX = r"(?i)[0-9a-f]{6,}\Z"
_ID_WORD = (
    r"(?i)(?:\b|_)(?:id|ids|uuid|guid|run|session|request|req|trace|span|nonce|seed|job|ticket|conversation|thread|"
    r"build|process|pid|token|key|hash|digest|etag|ref|salt|call|task|instance)[\"'`]?\s?(?:is|[:=#(\[])?\s?[\"'`]?$"
)
_LONGEST = 200  # characters to each side of a stretch that its word may reach
_APART = 0.6  # share of characters that differ behind the equal start of two random parts
_LONG_HEX = 12  # digits from which one differing digit is enough


def identifier(s: Stretch) -> Shape | None:
    """The label of two words that are ids of one kind."""
    for pattern in (_UUID, _ULID):
        if (found := both(pattern, s)) and any(c.isdigit() for c in found[0][0]):
            return _anew(found[0][0], found[1][0])
    for letters in (_NARROW, _WIDE):
        a0, a1 = _word(letters, s.old, s.a0, s.a1)
        b0, b1 = _word(letters, s.new, s.b0, s.b1)
        old, new = s.old[a0:a1], s.new[b0:b1]
        front = s.old[max(0, a0 - 24) : a0]
        if letters.issuperset(old + new) and _made_at_random(old, new, front):
            return _anew(old, new)
    return None


def _anew(old: str, new: str) -> Shape:
    return Shape("identifier", "an id was made anew", old, new)


def _word(letters: frozenset[str], text: str, start: int, end: int) -> tuple[int, int]:
    """`start:end` widened to a whole word."""
    low, high = max(0, start - _LONGEST), min(len(text), end + _LONGEST)
    while start > low and text[start - 1] in letters:
        start -= 1
    while end < high and text[end] in letters:
        end += 1
    return start, end


def _made_at_random(old: str, new: str, front: str) -> bool:
    """Both words have an equal start, then one random part or several."""
    if old == new or (front.endswith("#") and len(old) in (6, 8)):  # a colour
        return False
    named = re.search(_ID_WORD, front) is not None
    if _random_pair(old, new, named):
        return True
    head = common_prefix(old, new)
    cut = max(old.rfind("_", 0, head), old.rfind("-", 0, head)) + 1
    named = named or re.search(_ID_WORD, old[:cut].rstrip("_-")) is not None
    if _random_pair(old[cut:], new[cut:], named):
        return True
    parts = list(zip(re.split("[_-]", old[cut:]), re.split("[_-]", new[cut:]), strict=False))
    moved = [pair for pair in parts if pair[0] != pair[1]]
    return (
        old.count("-") + old.count("_") == new.count("-") + new.count("_")
        and any(_random_pair(x, y, named) for x, y in moved)
        and all(len(x) == len(y) and (_random_pair(x, y, named) or 4 <= len(x) <= 6) for x, y in moved)
    )


def _random_pair(x: str, y: str, named: bool) -> bool:
    if x.startswith("0x") and y.startswith("0x"):
        x, y = x[2:], y[2:]
    if re.match(_HEX, x) and re.match(_HEX, y) and len(x) == len(y):
        return _hex_pair(x, y, named)
    if abs(len(x) - len(y)) > 2 or not _mixed(x) or not _mixed(y):
        return False
    head = common_prefix(x, y)
    shorter = min(len(x), len(y)) - head
    apart = sum(p != q for p, q in zip(x[head:], y[head:], strict=False))
    return apart >= max(3, _APART * shorter)


def _hex_pair(x: str, y: str, named: bool) -> bool:
    """Hexadecimal words; numbers and words such as `defaced` need a name in front to be ids."""
    digits = [any(c.isdigit() for c in word) for word in (x, y)]
    letters = [any(c.isalpha() for c in word) for word in (x, y)]
    apart = sum(p != q for p, q in zip(x, y, strict=True))
    if not (all(digits) and any(letters)) and not (named and any(digits)):
        return False
    return apart >= _APART * len(x) or (len(x) >= _LONG_HEX and any(letters))


def _mixed(word: str) -> bool:
    """Letters and digits, or both cases and digits, in no order that a name would have."""
    core = word.rstrip("=")
    digits = sum(c.isdigit() for c in core)
    letters = sum(c.isalpha() for c in core)
    both_cases = any(c.islower() for c in core) and any(c.isupper() for c in core)
    if len(core) < 8 or letters < 2 or (digits < 2 and not (both_cases and core != word)):
        return False
    if not both_cases and ("-" in core or "_" in core):  # words in a row, such as a model's name
        return False
    turns = sum(p.isdigit() != q.isdigit() for p, q in pairwise(core))
    if both_cases:
        return core != word or turns >= 2 or (turns >= 1 and _humps(core) * 4 > len(core))
    return turns >= 4 or (turns >= 3 and len(core) >= 10)


def _humps(word: str) -> int:
    return sum(p.isupper() != q.isupper() for p, q in pairwise(word))
