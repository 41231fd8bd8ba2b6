"""Where two texts or byte strings stop being equal."""

from typing import AnyStr, NamedTuple

_FIRST_STEP = 1 << 12
_LAST_STEP = 1 << 18  # the copied slice still lies in the processor's cache


def common_prefix(a: AnyStr, b: AnyStr, at_a: int = 0, at_b: int = 0) -> int:
    """The number of bytes or characters that `a` from `at_a` on and `b` from `at_b` on share.

    `startswith` compares in place, so each step copies one slice at most; steps grow while they are equal, and the
    step that differs is halved until one byte is left.
    """
    most = min(len(a) - at_a, len(b) - at_b)
    done, step = 0, _FIRST_STEP
    while done < most and a.startswith(b[at_b + done : at_b + min(done + step, most)], at_a + done):
        done = min(done + step, most)
        step = min(2 * step, _LAST_STEP)
    low, high = done, min(done + step, most)
    while low < high:
        middle = (low + high + 1) // 2
        if a.startswith(b[at_b + low : at_b + middle], at_a + low):
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(a: AnyStr, b: AnyStr, limit: int) -> int:
    """The number of trailing bytes or characters that `a` and `b` share, `limit` at most."""
    limit = min(limit, len(a), len(b))
    done, step = 0, _FIRST_STEP
    while done < limit and a.endswith(_ending(b, done, min(done + step, limit)), 0, len(a) - done):
        done = min(done + step, limit)
        step = min(2 * step, _LAST_STEP)
    low, high = done, min(done + step, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if a.endswith(_ending(b, low, middle), 0, len(a) - low):
            low = middle
        else:
            high = middle - 1
    return low


def _ending(text: AnyStr, low: int, high: int) -> AnyStr:
    """What stands between `high` and `low` places before the end."""
    return text[len(text) - high : len(text) - low]


class Decoded(NamedTuple):
    """A text, and where in it (characters) and in its bytes the part begins that only it has, and where that ends."""

    text: str
    anchors: tuple[tuple[int, int], tuple[int, int]]


def decode_pair(a: bytes, b: bytes) -> tuple[Decoded, Decoded]:
    """Both texts, from UTF-8, and what they share at the start and at the end. Raises UnicodeDecodeError."""
    head = common_prefix(a, b)
    while head and (_inside(a, head) or _inside(b, head)):
        head -= 1
    tail = common_suffix(a, b, min(len(a), len(b)) - head)
    while tail and _inside(a, len(a) - tail):
        tail -= 1
    old, new = a.decode(), b.decode()
    head_chars, tail_chars = _split(old, a, head, len(a) - tail)
    return (
        Decoded(old, ((head_chars, head), (len(old) - tail_chars, len(a) - tail))),
        Decoded(new, ((head_chars, head), (len(new) - tail_chars, len(b) - tail))),
    )


def _inside(data: bytes, place: int) -> bool:
    """Whether the byte at `place` continues a character."""
    return place < len(data) and data[place] & 0xC0 == 0x80


def _split(text: str, data: bytes, head: int, tail: int) -> tuple[int, int]:
    """Characters of the first `head` bytes, and of those from byte `tail` on; the longest part is not decoded again."""
    sizes = [head, tail - head, len(data) - tail]
    longest = sizes.index(max(sizes))
    parts = (data[:head], data[head:tail], data[tail:])
    chars = [0 if i == longest else len(part.decode()) for i, part in enumerate(parts)]
    chars[longest] = len(text) - sum(chars)
    return chars[0], chars[2]
