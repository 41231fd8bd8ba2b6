"""Files that are gone and files that came: which are the same under another name."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

_LARGEST = 1 << 20  # bytes of a file that is compared with others
_MOST_READ = 64 << 20  # bytes
_MOST_CAME, _MOST_PAIRS, _MOST_PIECES = 1000, 20_000, 5_000_000
_ALIKE = 0.5  # of the larger file, as git has it by default
_PIECES = re.compile(rb"[^\n,]*[\n,]?")


class Changed(NamedTuple):
    """A file that differs; not both are None."""

    old: str | None  # path; None: it was added
    new: str | None  # None: it was deleted; another one than `old`: it was renamed


class Print(NamedTuple):
    """What is kept of a content in order to compare it."""

    size: int  # bytes, each line break counted as one
    digest: bytes
    pieces: Counter[int] | None  # lines, and clauses of long ones, by hash: bytes; None if it is too large


def in_order(found: Iterable[Changed | None]) -> list[Changed]:
    """Sorted by the path after the change, or before it where it is gone; without None."""
    kept = [each for each in found if each is not None]
    return sorted(kept, key=lambda each: (each.new or each.old or "", each.old or ""))


def print_of(data: bytes) -> Print:
    """The print of a content; how its lines end is of no account."""
    import hashlib

    data = data.replace(b"\r\n", b"\n")
    digest = hashlib.blake2b(data, digest_size=16).digest()
    if len(data) > _LARGEST:
        return Print(len(data), digest, None)
    pieces: Counter[int] = Counter()
    for piece in _PIECES.findall(data):
        pieces[hash(piece)] += len(piece)
    return Print(len(data), digest, pieces)


def candidates(gone: Mapping[str, Print], came: Mapping[str, int]) -> Iterator[str]:
    """Which new files are worth reading; `came` has bytes. The most promising first, and not too many."""
    sizes = [each.size for each in gone.values() if each.size]
    names = {_name(path) for path in gone}
    endings = {_ending(path) for path in gone}
    if not sizes:
        return
    least, most = min(sizes) * _ALIKE, max(sizes) / _ALIKE
    fit = [path for path, size in came.items() if least <= size <= most]
    fit.sort(key=lambda path: (_name(path) not in names, _ending(path) not in endings, path))
    left = _MOST_READ
    for path in fit[:_MOST_CAME]:
        left -= came[path]
        if left < 0:
            return
        yield path


def renamed(gone: Mapping[str, Print], came: Mapping[str, Print]) -> dict[str, str]:
    """Old path -> new path: of equal content first, then the most alike, of which at least half is the same.

    Empty files are nobody's. Where very much is to be compared, only files of the same name are, and not all of them.
    """
    found = _equal(gone, came)
    taken = set(found.values())
    old_left = sorted(path for path in gone.keys() - found.keys() if gone[path].size)
    new_left = sorted(path for path in came.keys() - taken if came[path].size)
    for old, new in _most_alike(gone, came, _pairs(old_left, new_left)):
        if old not in found and new not in taken:
            found[old] = new
            taken.add(new)
    return found


def _equal(gone: Mapping[str, Print], came: Mapping[str, Print]) -> dict[str, str]:
    """Files of equal content: those of equal name first."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in (_name, _no_name):
        places: dict[tuple[bytes, str], list[str]] = {}
        for path in sorted(came.keys() - taken, reverse=True):
            if came[path].size:
                places.setdefault((came[path].digest, name(path)), []).append(path)
        for old in sorted(gone.keys() - found.keys()):
            if there := places.get((gone[old].digest, name(old))):
                found[old] = there.pop()
                taken.add(found[old])
    return found


def _pairs(gone: Sequence[str], came: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is compared."""
    if len(gone) * len(came) <= _MOST_PAIRS:
        yield from product(gone, came)
        return
    by_name: dict[str, list[str]] = {}
    for path in came:
        by_name.setdefault(_name(path), []).append(path)
    yield from islice(((old, new) for old in gone for new in by_name.get(_name(old), ())), _MOST_PAIRS)


def _most_alike(
    gone: Mapping[str, Print], came: Mapping[str, Print], pairs: Iterable[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The pairs that are alike enough, the most alike first."""
    scored = []
    left = _MOST_PIECES
    for old, new in pairs:
        a, b = gone[old], came[new]
        larger = max(a.size, b.size)
        if a.pieces is None or b.pieces is None or min(a.size, b.size) < larger * _ALIKE:
            continue
        left -= len(a.pieces)
        if left < 0:
            break
        likeness = sum(min(count, b.pieces[piece]) for piece, count in a.pieces.items()) / larger
        if likeness >= _ALIKE:
            scored.append((-likeness, _name(old) != _name(new), old, new))
    return [(old, new) for *_, old, new in sorted(scored)]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _no_name(path: str) -> str:
    return ""


def _ending(path: str) -> str:
    return _name(path).rpartition(".")[2]
