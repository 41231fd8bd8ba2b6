"""Findings of before that are known: a file of fingerprints, in which a fix never makes room for a new fault.

A fingerprint is made of rule, path and the text at the finding, but not of its line. Equal ones in a file are counted
through, so one more of them is new.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from promptlint import config
from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Path
from promptlint.read.descend import descend
from promptlint.read.names import shown

SCHEMA_VERSION = 1
NAME = "promptlint-baseline.json"

_HINT = "delete it, and write it anew with promptlint baseline write"
_CONTENT = 32  # hexadecimal digits


class Known(NamedTuple):
    """One finding as the baseline keeps it; no text of a prompt is in it."""

    path: str  # relative to the folder of the baseline, with `/`
    rule: str
    fingerprint: str  # 32 hexadecimal digits


class Spotted(NamedTuple):
    """What a fingerprint needs of a finding."""

    rule: str
    path: str  # relative to the folder of the baseline: see `relative`
    text: str  # the line at which it is, or its `content`
    line: int = 0  # only orders equal ones


class Compared(NamedTuple):
    """Findings against a baseline."""

    known: tuple[bool, ...]  # for each finding
    stale: tuple[Known, ...]  # entries whose finding is gone; a file that was renamed has stale ones and new findings


def relative(path: str, baseline: str) -> str:
    """The path of a file as a baseline keeps it; `-` stays. Bytes that are no UTF-8 are written as escapes."""
    if path == "-":
        return path
    found = config.relative(path, os.path.dirname(baseline) or os.curdir)
    return found.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def content(value: Json, path: Path) -> str:
    """What stands for a place whose value is no text, such as a marker or a setting, wherever it moves.

    The keys that lead to it without the numbers of lists, and a hash of the innermost entry of a list around it.
    """
    entry = path[: max((number for number, step in enumerate(path, 1) if isinstance(step, int)), default=0)]
    keys = "/".join("-" if isinstance(step, int) else str(step) for step in path)
    held = repr(descend(value, entry if entry else path))
    return f"{keys} {hashlib.sha256(held.encode('utf-8', 'surrogatepass')).hexdigest()[:_CONTENT]}"


def entries_of(findings: Sequence[Spotted]) -> tuple[Known, ...]:
    """Each finding as a baseline keeps it, in the order given. White space in its text is of no account."""
    order = sorted(range(len(findings)), key=lambda index: (findings[index].line, index))
    seen: Counter[tuple[str, str, str]] = Counter()
    found: dict[int, Known] = {}
    for index in order:
        rule, path, text = findings[index][:3]
        same = (rule, path, " ".join(text.split()))
        parts = (*same, str(seen[same]))
        seen[same] += 1
        packed = "".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass")
        found[index] = Known(path, rule, hashlib.sha256(packed).hexdigest()[:_CONTENT])
    return tuple(found[index] for index in range(len(findings)))


def compared(
    baseline: Collection[Known], current: Sequence[Known], looked_at: Collection[str], ran: Collection[str]
) -> Compared:
    """Which of the current entries the baseline knows, and which of its own are stale.

    Stale is only what could have been found: its rule `ran`, and its file was `looked_at` (or is gone: put it in, too).
    """
    known, there = frozenset(baseline), frozenset(current)
    stale = (one for one in known - there if one.path in looked_at and one.rule in ran)
    return Compared(tuple(one in known for one in current), tuple(sorted(stale)))


def renewed(
    baseline: Collection[Known], current: Sequence[Known], looked_at: Collection[str], ran: Collection[str]
) -> tuple[Known, ...]:
    """What `baseline write` writes: the current entries, and those of before that were not looked for."""
    stale = compared(baseline, current, looked_at, ran).stale
    return tuple(sorted({*baseline, *current} - {*stale}))


def pruned(
    baseline: Collection[Known], current: Sequence[Known], looked_at: Collection[str], ran: Collection[str]
) -> tuple[Known, ...]:
    """What `baseline prune` writes: the baseline without its stale entries. Nothing is ever added."""
    stale = compared(baseline, current, looked_at, ran).stale
    return tuple(sorted({*baseline} - {*stale}))


def as_text(entries: Iterable[Known]) -> str:
    """The file: sorted, a line for each entry, so that a merge of two branches rarely conflicts."""
    import json

    lines = (json.dumps(one._asdict()) for one in sorted({*entries}))
    body = ",\n".join(lines)
    return f'{{"schema_version": {SCHEMA_VERSION}, "known": [\n{body}\n]}}\n' if body else _EMPTY


_EMPTY = f'{{"schema_version": {SCHEMA_VERSION}, "known": []}}\n'


def read_baseline(path: str) -> tuple[Known, ...]:
    """The entries of a baseline, none if there is no such file yet.

    Raises PromptlintError for a file that is none, or of another version, and for marks of a failed merge.
    """
    from promptlint.read.json_text import parse
    from promptlint.read.sources import read

    if not os.path.lexists(path):
        return ()
    document = read(path)
    if any(mark in f"\n{document.text}" for mark in ("\n<<<<<<< ", "\n>>>>>>> ")):
        raise PromptlintError(f"{shown(path)}: marks of a failed merge", f"keep the lines of both sides, or {_HINT}")
    value, _ = parse(document)
    held = value.get("known") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(held, list):
        raise PromptlintError(f"{shown(path)}: not a baseline", _HINT)
    version = value.get("schema_version")
    if getattr(version, "text", None) != str(SCHEMA_VERSION):
        raise PromptlintError(f"{shown(path)}: a baseline of another version of promptlint", _HINT)
    found = []
    for index, row in enumerate(held):
        texts = [cell for cell in row.values() if isinstance(cell, str)] if isinstance(row, dict) else []
        if not isinstance(row, dict) or row.keys() != {*Known._fields} or len(texts) != len(row):
            raise PromptlintError(f"{shown(path)}: known.{index} is no entry", _HINT)
        found.append(Known(**row))  # type: ignore[arg-type]
    return tuple(sorted({*found}))


def write_baseline(path: str, entries: Iterable[Known]) -> None:
    """Write a baseline as a whole or not at all. Raises PromptlintError."""
    from promptlint.files import replace_file

    try:
        replace_file(path, as_text(entries).encode())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PromptlintError(f"{shown(path)}: {reason}", "name a file that can be written") from None
