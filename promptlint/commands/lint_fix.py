"""`--fix`: edits that put findings right, each proved by reading and comparing the file anew."""

import difflib
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from promptlint.commands.lint_files import How, Subject, subjects
from promptlint.errors import PromptlintError
from promptlint.lint.edits import Edit, applied, splices
from promptlint.lint.rule import Rule, fix_of
from promptlint.lint.run import hits
from promptlint.lint.subject import RequestSubject
from promptlint.lint_facts import FixFacts
from promptlint.prompt import Document, SourceByte
from promptlint.read.sources import read
from promptlint.read.syntax import syntax_of

_ROUNDS = 10  # a fix may leave, or make room for, another


class Fixed(NamedTuple):
    """A file with its findings put right: its new bytes, and what to say about it."""

    data: bytes
    facts: FixFacts


def fixed(path: str, how: How, *, unsafe: bool) -> Fixed | None:
    """The file as it could be; None where nothing is to be done. `unsafe`: the prompt may change, too.

    Raises PromptlintError if the file cannot be read.
    """
    document = read(path)
    if (
        document.path == "-"
        or document.revision is not None
        or (document.syntax != "json" and document.record is not None)
    ):
        return None
    before = document
    used: list[str] = []
    for _ in range(_ROUNDS):
        document, rules = _round(document, how, unsafe=unsafe)
        if not rules:
            break
        used += rules
    if document.data == before.data:
        return None
    same = _same_prompts(before, document, how)
    safe = all(rule.fixable == "safe" for rule in how.rules if rule.id in used)
    if safe and not same:
        raise PromptlintError(f"{path}: the fix would change the prompt and was not made", "report it, with the file")
    left = sum(1 for rule, _ in _told(document, how) if rule.id in used)
    facts = FixFacts(path, tuple(sorted(set(used))), safe, _proof(same, left), _diff(before, document), False)
    return Fixed(_file(before, document), facts)


def _round(document: Document, how: How, *, unsafe: bool) -> tuple[Document, list[str]]:
    """One pass over the file, and the rules whose findings it has put right."""
    changes: list[tuple[int, int, bytes]] = []
    used: list[str] = []
    for one in subjects(document, how):
        edits: list[Edit] = []
        for rule, hit in hits(how.rules, one.subject):
            fix = fix_of(rule)
            made = list(fix(one.subject, hit)) if fix and (unsafe or rule.fixable == "safe") else []
            edits += made
            used += [rule.id] * bool(made)
        held = one.document
        text, _ = applied(held.text, splices(held, edits))
        if text != held.text:
            start = held.start - document.start
            changes.append((start, start + len(held.data), text.encode(held.encoding)))
    if not changes:
        return document, []
    data = document.data
    for start, end, new in sorted(set(changes), reverse=True):
        data = data[:start] + new + data[end:]
    if data == document.data:
        return document, []
    text = data.decode(document.encoding)
    return document._replace(data=data, text=text, syntax=syntax_of(document.path, text)), used


def _told(document: Document, how: How) -> Iterator[tuple[Rule, object]]:
    for one in subjects(document, how):
        yield from hits(how.rules, one.subject)


def _same_prompts(before: Document, after: Document, how: How) -> bool:
    """Whether both hold the same prompts, byte for byte."""
    pairs = zip_longest(subjects(before, how), subjects(after, how))
    return all(old is not None and new is not None and _prompt(old) == _prompt(new) for old, new in pairs)


def _prompt(one: Subject) -> str:
    return one.subject.prompt.text if isinstance(one.subject, RequestSubject) else one.document.text


def _proof(same: bool, left: int) -> str:
    prompts = "the prompt is the same, byte for byte" if same else "the prompt changes: what was cached is lost once"
    rest = "nothing of it is found any more" if not left else f"{left} findings of these rules are left"
    return f"read again: {prompts}; {rest}"


def _diff(before: Document, after: Document) -> str:
    old, new = (document.text.splitlines(keepends=True) for document in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{before.path}", f"b/{before.path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _file(before: Document, after: Document) -> bytes:
    """The bytes of the whole file: a byte order mark stays."""
    if not before.start:
        return after.data
    with open(before.path, "rb") as file:
        return file.read(SourceByte(before.start)) + after.data
