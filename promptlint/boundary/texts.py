"""Two texts that differ: the differing stretches, each with the narrowest label that its evidence allows."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.align import gaps
from promptlint.boundary.forms import Form, text_form
from promptlint.boundary.shapes import list_lines, shape
from promptlint.boundary.stretch import Stretch
from promptlint.read.raw import common_prefix, common_suffix

_TOKEN = r"\w+|\s+|[^\w\s]"
_LINE = r"[^\n]*\n|[^\n]+\Z"
_NAMED = 500  # stretches of one text that are looked at one by one
_ALIKE = 0.5  # share of equal characters below which two lines are not compared word by word


class Named(NamedTuple):
    """`old[a0:a1]` became `new[b0:b1]`, with its label; `was` and `now` are the words to show."""

    cause: str
    message: str
    a0: int
    a1: int
    b0: int
    b1: int
    was: str
    now: str


def name_text(old: str, new: str, fallback: str) -> list[Named]:
    """The differences of two unequal texts, first to last; what no narrower label explains is `fallback`."""
    head = common_prefix(old, new)
    tail = common_suffix(old, new, min(len(old), len(new)) - head)
    a1, b1 = len(old) - tail, len(new) - tail
    if form := text_form(old, new) or _embedded_form(old, new, head, tail):
        return [Named(form.cause, form.message, head, a1, head, b1, old[head:a1], new[head:b1])]
    if (moved := _moved_lines(old, new)) is not None:
        return [moved]
    found = list(stretches(old, new))
    named = [_name(stretch, fallback) for stretch in found[:_NAMED]]
    named += [Named(fallback, "", s.a0, s.a1, s.b0, s.b1, "", "") for s in found[_NAMED:]]
    return _join(named, fallback)


def _embedded_form(old: str, new: str, head: int, tail: int) -> Form | None:
    """The form label of JSON that stands on the lines that differ, with equal text around it."""
    low = old.rfind("\n", 0, head) + 1
    first = [at for at in (old.find("{", low, head), old.find("[", low, head)) if at >= 0]
    if not first:
        return None
    start, end = min(first), _line_end(old, len(old) - tail)
    stop = max(old.rfind("}", start, end), old.rfind("]", start, end)) + 1
    if stop < len(old) - tail:
        return None
    return text_form(old[start:stop], new[start : len(new) - len(old) + stop])


def _moved_lines(old: str, new: str) -> Named | None:
    """The same lines in another order."""
    low, lines_a, lines_b = _different_lines(old, new)
    x, y = [line.rstrip("\n") for line in lines_a], [line.rstrip("\n") for line in lines_b]
    if x == y or sorted(x) != sorted(y):
        return None
    head = common_prefix(old, new)
    message = f"the same {len(x)} lines in another order"
    ends = low + sum(map(len, lines_a)), low + sum(map(len, lines_b))
    return Named("list-order", message, head, ends[0], head, ends[1], old[head : ends[0]], new[head : ends[1]])


def _different_lines(old: str, new: str) -> tuple[int, list[str], list[str]]:
    """Where the lines that are equal on both sides end, and the lines from there to those equal at the end."""
    head = common_prefix(old, new)
    tail = common_suffix(old, new, min(len(old), len(new)) - head)
    low = old.rfind("\n", 0, head) + 1
    tail = min(tail, len(old) - _line_end(old, len(old) - tail))
    return low, re.findall(_LINE, old[low : len(old) - tail]), re.findall(_LINE, new[low : len(new) - tail])


def stretches(old: str, new: str) -> Iterator[Stretch]:
    """Where two texts differ: lines first, words inside lines that are alike, then characters."""
    low, lines_a, lines_b = _different_lines(old, new)
    for a0, a1, b0, b1 in _regions(lines_a, lines_b, low):
        yield from _in_region(old, a0, a1, new, b0, b1)


def _line_end(text: str, at: int) -> int:
    """Where the line that holds `at` ends, behind its line feed; `at` itself if a line starts there."""
    if at == 0 or text[at - 1] == "\n":
        return at
    stop = text.find("\n", at)
    return len(text) if stop < 0 else stop + 1


def _regions(a: list[str], b: list[str], start: int) -> Iterator[tuple[int, int, int, int]]:
    """Character ranges of the lines that differ; equally many lines are taken one by one."""
    at_a, at_b = _offsets(a, start), _offsets(b, start)
    for gap in gaps(a, b):
        if gap.a1 - gap.a0 == gap.b1 - gap.b0:
            for i, j in zip(range(gap.a0, gap.a1), range(gap.b0, gap.b1), strict=True):
                yield at_a[i], at_a[i + 1], at_b[j], at_b[j + 1]
        else:
            yield at_a[gap.a0], at_a[gap.a1], at_b[gap.b0], at_b[gap.b1]


def _offsets(parts: list[str], start: int) -> list[int]:
    offsets = [start]
    for part in parts:
        offsets.append(offsets[-1] + len(part))
    return offsets


def _in_region(old: str, a0: int, a1: int, new: str, b0: int, b1: int) -> Iterator[Stretch]:
    size = max(a1 - a0, b1 - b0)
    x, y = old[a0:a1], new[b0:b1]
    head = _word_start(x, common_prefix(x, y))
    tail = common_suffix(x, y, min(len(x), len(y)) - head)
    tail = len(x) - _word_stop(x, len(x) - tail)
    words_a, words_b = re.findall(_TOKEN, x[head : len(x) - tail]), re.findall(_TOKEN, y[head : len(y) - tail])
    at_a, at_b = _offsets(words_a, a0 + head), _offsets(words_b, b0 + head)
    found = gaps(words_a, words_b)
    changed = max(
        sum(at_a[gap.a1] - at_a[gap.a0] for gap in found),
        sum(at_b[gap.b1] - at_b[gap.b0] for gap in found),
    )
    if changed > (1 - _ALIKE) * size:
        yield from _trim(old, a0, a1, new, b0, b1)
        return
    for gap in found:
        yield from _trim(old, at_a[gap.a0], at_a[gap.a1], new, at_b[gap.b0], at_b[gap.b1])


def _word_start(text: str, at: int) -> int:
    while at and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at -= 1
    return at


def _word_stop(text: str, at: int) -> int:
    while at < len(text) and (text[at].isalnum() or text[at] == "_"):
        at += 1
    return at


def _trim(old: str, a0: int, a1: int, new: str, b0: int, b1: int) -> Iterator[Stretch]:
    """Without the characters that are equal at both ends."""
    x, y = old[a0:a1], new[b0:b1]
    head = common_prefix(x, y)
    tail = common_suffix(x, y, min(len(x), len(y)) - head)
    if x != y:
        yield Stretch(old, a0 + head, a1 - tail, new, b0 + head, b1 - tail)


def _name(s: Stretch, fallback: str) -> Named:
    whole = _to_line_start(s)
    # A word put in front of one that starts alike differs behind the letters that both share.
    by = common_prefix(s.old, s.new, s.a0, s.b0)
    place = s.a0 + by, min(s.a1 + by, len(s.old)), s.b0 + by, min(s.b1 + by, len(s.new))
    if found := shape(whole) or (shape(s) if whole != s else None):
        return Named(found.cause, found.message, *place, found.old, found.new)
    label = _stretch_form(s) or _entries(whole) or (fallback, "")
    return Named(*label, *place, s.old[s.a0 : s.a1], s.new[s.b0 : s.b1])


def _stretch_form(s: Stretch) -> tuple[str, str] | None:
    """A form label of this stretch alone, judged with its neighbours so that one lost space is still seen."""
    low, high = max(0, s.a0 - 1), 1
    form = text_form(s.old[low : s.a1 + high], s.new[max(0, s.b0 - 1) : s.b1 + high])
    return (form.cause, form.message) if form else None


def _to_line_start(s: Stretch) -> Stretch:
    """A pure insertion or removal of whole lines, slid back so that it starts where a line starts."""
    if (s.a0 == s.a1) == (s.b0 == s.b1):
        return s
    text, start, end = (s.new, s.b0, s.b1) if s.a0 == s.a1 else (s.old, s.a0, s.a1)
    by = start - (text.rfind("\n", 0, start) + 1)
    if by == 0 or text[start - by : start] != text[end - by : end]:
        return s
    return Stretch(s.old, s.a0 - by, s.a1 - by, s.new, s.b0 - by, s.b1 - by)


def _entries(s: Stretch) -> tuple[str, str] | None:
    """Lines of a list in another order, or entries that came and went."""
    was, now = list_lines(s.old[s.a0 : s.a1]), list_lines(s.new[s.b0 : s.b1])
    at_start = (s.a0 == 0 or s.old[s.a0 - 1] == "\n") and (s.b0 == 0 or s.new[s.b0 - 1] == "\n")
    if not at_start:
        return None
    if len(was) > 1 and was != now and sorted(was) == sorted(now):
        return "list-order", f"the same {len(was)} entries in another order"
    if (now and s.a0 == s.a1) or (was and s.b0 == s.b1):
        count, verb = len(now) or len(was), "added" if now else "removed"
        return "items-changed", f"{count} list {'entry was' if count == 1 else 'entries were'} {verb}"
    return None


def _join(named: list[Named], fallback: str) -> list[Named]:
    """One entry for the parts of one moment, and one for all that only the fallback explains."""
    joined: list[Named] = []
    rest: list[Named] = []
    for entry in named:
        last = joined[-1] if joined else None
        if entry.cause == fallback:
            rest.append(entry)
        elif (
            last
            and entry[0] == last.cause
            and (entry.was, entry.now) == (last.was, last.now)
            and entry.a0 - last.a1 < 80
        ):
            joined[-1] = last._replace(a1=entry.a1, b1=entry.b1)
        else:
            joined.append(entry)
    if rest:
        first, last = rest[0], rest[-1]
        more = f"the text differs at {len(rest)} places" if len(rest) > 1 else ""
        joined.append(first._replace(message=more, a1=last.a1, b1=last.b1))
    return sorted(joined, key=lambda entry: (entry.a0, entry.b0))
