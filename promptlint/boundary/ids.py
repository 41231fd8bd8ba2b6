"""Two lists of token ids."""

from collections.abc import Callable, Iterator, Sequence

from promptlint.boundary.align import common_head, gaps
from promptlint.boundary.divergence import Divergence
from promptlint.prompt import CharIndex, Path, Spot

Decode = Callable[[Sequence[int]], bytes]
_LEADING = 2  # special tokens that a tokenizer may put in front


def id_differences(
    a: Sequence[int], b: Sequence[int], path_a: Path, path_b: Path, decode: Decode | None
) -> Iterator[Divergence]:
    """Every difference of two lists of token ids; `decode` gives the bytes of ids where a vocabulary is known.

    In these divergences positions count tokens, not characters.
    """
    if shift := _shift(a, b):
        yield _one(
            "bos-mismatch",
            f"{_count(abs(shift), 'leading token')} on one side only",
            a,
            b,
            (0, 0, 0, 0),
            path_a,
            path_b,
        )
        return
    for gap in gaps(a, b):
        if gap.a0 == gap.a1 == len(a):
            yield _one("turn-appended", f"{_count(gap.b1 - gap.b0)} appended", a, b, gap, path_a, path_b)
        elif gap.b0 == gap.b1 == len(b) and common_head(a, b) == len(b):
            message = f"the second list is the first without its last {_count(gap.a1 - gap.a0)}"
            yield _one("turn-appended", message, a, b, gap, path_a, path_b)
        elif decode and decode(a[gap.a0 : gap.a1]) == decode(b[gap.b0 : gap.b1]):
            yield _one("retokenised", "the same text in other tokens", a, b, gap, path_a, path_b)
        else:
            message = f"{_count(gap.a1 - gap.a0)} became {gap.b1 - gap.b0}"
            yield _one("text-edited", message, a, b, gap, path_a, path_b)


def _count(tokens: int, what: str = "token") -> str:
    return f"{tokens:,} {what}" + ("s" if tokens != 1 else "")


def _shift(a: Sequence[int], b: Sequence[int]) -> int:
    """How many leading tokens one list has that the other lacks, everything behind being equal (one may go on)."""
    for extra in range(1, _LEADING + 1):
        for longer, shorter, sign in ((a, b, 1), (b, a, -1)):
            body = min(len(longer) - extra, len(shorter))
            if body >= 2 and longer[:extra] != shorter[:extra] and longer[extra : extra + body] == shorter[:body]:
                return sign * extra
    return 0


def _one(
    cause: str, message: str, a: Sequence[int], b: Sequence[int], at: Sequence[int], path_a: Path, path_b: Path
) -> Divergence:
    a0, a1, b0, b1 = at
    return Divergence(
        cause=cause,
        level="messages",
        a_start=a0,
        a_end=a1,
        b_start=b0,
        b_end=b1,
        within=path_b,
        message=message,
        a=_spot(path_a, a0, len(a)),
        b=_spot(path_b, b0, len(b)),
        a_present=a0 < len(a),
        b_present=b0 < len(b),
    )


def _spot(path: Path, i: int, size: int) -> Spot:
    if i >= size:
        return Spot((*path, "-"), "value", CharIndex(0), CharIndex(0))
    return Spot((*path, i), "value", CharIndex(0), CharIndex(1 << 30))
