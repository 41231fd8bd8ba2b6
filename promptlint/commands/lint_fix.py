"""`--fix`: edits that put findings right, each proved by reading and comparing the file anew."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import NamedTuple

from promptlint.commands.line_diff import unified
from promptlint.commands.lint_files import How, Subject, subjects
from promptlint.commands.lint_findings import in_document, in_files
from promptlint.errors import PromptlintError
from promptlint.files import replace_file
from promptlint.finding import Finding
from promptlint.lint.edits import Edit, applied, splices
from promptlint.lint.hit import Hit
from promptlint.lint.rule import Rule, fix_of
from promptlint.lint.run import hits
from promptlint.lint.subject import RequestSubject
from promptlint.lint_facts import FixFacts
from promptlint.prompt import Document, Json
from promptlint.read.names import shown
from promptlint.read.sources import read
from promptlint.read.syntax import syntax_of

_ROUNDS = 20  # a fix may leave, or make room for, another
_MARKERS = frozenset({"cache_control", "cachePoint", "prompt_cache_breakpoint"})  # what a safe fix may change
_CACHE_FIELDS = _MARKERS | {
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
}  # at the top, these too

Spared = Callable[[Finding], bool]
"""Whether the author has answered a finding, so that it stays as it is."""


class Fixed(NamedTuple):
    """A file with its findings put right; nothing is written yet."""

    facts: FixFacts
    old: bytes  # the file as it was read
    new: bytes


class _Group(NamedTuple):
    """What puts one finding right."""

    rule: Rule
    edits: tuple[Edit, ...]


class _Safely(NamedTuple):
    """A file with what can be put right while its prompts stay the same."""

    document: Document
    used: tuple[str, ...]
    barred: str
    failed: tuple[Rule, ...] = ()  # whose fixes do not pass their proof, and are not made


class _Round(NamedTuple):
    """One pass over a file."""

    document: Document
    used: tuple[str, ...] = ()  # rules whose findings were put right
    barred: str = ""  # why a finding was not, though its rule knows how


def fixed(path: str, how: How, *, unsafe: bool, spared: Spared | None = None) -> Fixed | str | None:
    """The file as it could be; None where nothing is to be done, a note where something is and is not done.

    `unsafe`: also where the prompt changes. Raises PromptlintError if the file cannot be read.
    """
    before = read(path)
    safely = _safely(before, how, spared)
    after, used, barred = safely.document, safely.used, safely.barred
    if unsafe:
        rules = tuple(rule for rule in how.rules if rule not in safely.failed)
        after, more, barred = _settled(after, how, rules, spared)
        used = (*used, *more)
    failed = f"the fix of {', '.join(rule.id for rule in safely.failed)} would change the prompt and is not made"
    if after.data == before.data:
        if safely.failed:
            return f"{shown(path)}: {failed}"
        return f"{shown(path)}: {barred} is not edited, and something in it could be put right" if barred else None
    old = _bytes(before.path)
    if old[before.start :] != before.data:
        raise _changed(path)
    names = tuple(sorted({*used}))
    safe = all(rule.fixable == "safe" for rule in how.rules if rule.id in names)
    diff = unified(_whole(before, old), _whole(after, old), before.path)
    proof = _proof(before, after, how, names) + (f"; {failed}" if safely.failed else "")
    facts = FixFacts(before.path, names, safe, proof, diff, False)
    return Fixed(facts, old, old[: before.start] + after.data)


def write(one: Fixed) -> FixFacts:
    """Put the file in place of the old one. Raises PromptlintError, with nothing written, if that is another by now."""
    path = one.facts.path
    try:
        mode = os.stat(path).st_mode
        if _bytes(path) != one.old:
            raise _changed(path)
        if not mode & 0o222 or not os.access(path, os.W_OK):
            raise PromptlintError(f"{shown(path)} is read-only: nothing was written", "make it writable first")
        replace_file(path, one.new)
    except OSError as error:
        raise PromptlintError(
            f"{shown(path)} cannot be written ({error.strerror})", "check its folder and permissions"
        ) from None
    return one.facts._replace(written=True)


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise PromptlintError(f"{shown(path)} cannot be read ({error.strerror})", "check the file") from None


def _changed(path: str) -> PromptlintError:
    return PromptlintError(f"{shown(path)} was changed in between: nothing was written", "run it again")


def _safely(before: Document, how: How, spared: Spared | None) -> _Safely:
    """What can be put right with the prompt as it is: all of it, or if that fails its proof, what passes by itself."""
    rules = tuple(rule for rule in how.rules if rule.fixable == "safe")
    document, used, barred = _settled(before, how, rules, spared)
    if not used or _same(before, document, how):
        return _Safely(document, used, barred)
    document, done, failed = before, [], []
    for rule in (rule for rule in rules if rule.id in used):
        after, mine, _ = _settled(document, how, (rule,), spared)
        if not mine:
            continue
        if _same(before, after, how):
            document = after
            done.append(rule.id)
        else:
            failed.append(rule)
    return _Safely(document, tuple(done), barred, tuple(failed))


def _settled(
    document: Document, how: How, rules: Sequence[Rule], spared: Spared | None
) -> tuple[Document, tuple[str, ...], str]:
    """The file after as many passes as it takes, the rules that have changed it, and why others could not."""
    if not any(rule.fixable for rule in rules):
        return document, (), ""
    used: list[str] = []
    seen = {document.data}
    for _ in range(_ROUNDS):
        done = _round(document, how, rules, spared)
        if not done.used:
            return document, tuple(dict.fromkeys(used)), done.barred
        if done.document.data in seen:
            raise PromptlintError(
                f"{shown(document.path)}: the fixes of {', '.join(done.used)} undo each other; nothing was written",
                "report it, with the file",
            )
        seen.add(done.document.data)
        document = done.document
        used += done.used
    return document, tuple(dict.fromkeys(used)), ""


def _round(document: Document, how: How, rules: Sequence[Rule], spared: Spared | None) -> _Round:
    """One pass. All requests of a file are edited together: their places are places of one text."""
    groups: list[_Group] = []
    barred = ""
    with suppress(PromptlintError):  # nothing known is in it, which is said where it is linted
        for one in subjects(document, how):
            found = list(_groups(one, rules, spared))
            why = _why_not(one, document) if found else ""
            barred = barred or why
            groups += [] if why else found
    changes = splices(document, [group.edits for group in groups])
    if not all(changes):
        barred = barred or "JSON inside a string"
    text, made = applied(document.text, changes)
    if text == document.text:
        return _Round(document, (), barred)
    data = text.encode(document.encoding)
    used = tuple(dict.fromkeys(group.rule.id for group, there in zip(groups, made, strict=True) if there))
    return _Round(
        document._replace(data=data, text=text, syntax=syntax_of(document.path, text), anchors=()), used, barred
    )


def _why_not(one: Subject, document: Document) -> str:
    """What the file is, if such files are not edited."""
    if document.path == "-":
        return "standard input"
    if document.revision is not None:
        return "a file of a revision"
    if one.document.record is not None:
        return "a log"
    if not isinstance(one.subject, RequestSubject) or one.subject.request.format == "text":
        return ""
    return "" if document.syntax == "json" else "YAML"


def _groups(one: Subject, rules: Sequence[Rule], spared: Spared | None) -> Iterator[_Group]:
    told = [(rule, hit) for rule, hit in hits(rules, one.subject) if rule.fixable is not None]
    answered = _answered(one, told, spared) if told and spared is not None else [False] * len(told)
    for (rule, hit), stays in zip(told, answered, strict=True):
        fix = None if stays else fix_of(rule)
        edits = tuple(fix(one.subject, hit)) if fix else ()
        if edits:
            yield _Group(rule, edits)


def _answered(one: Subject, told: Sequence[tuple[Rule, Hit]], spared: Spared) -> list[bool]:
    if isinstance(one.subject, RequestSubject):
        from promptlint.load import value_of

        request = one.subject.request
        return [spared(each) for each in in_document(told, one.document, value_of(request), request.ends)]
    others = tuple(read(file.path) for file in one.subject.template.files[1:])
    return [spared(each) for each in in_files(told, (one.document, *others))]


def _same(before: Document, after: Document, how: How) -> bool:
    """Whether both files hold the same prompts, byte for byte, and the same fields beside them."""
    pairs = zip_longest(subjects(before, how), subjects(after, how))
    try:
        return all(old is not None and new is not None and _kept(old) == _kept(new) for old, new in pairs)
    except PromptlintError:
        return False  # the new one cannot be read


def _kept(one: Subject) -> object:
    """What a safe fix leaves as it is."""
    if not isinstance(one.subject, RequestSubject):
        return one.document.text
    request = one.subject.request
    settings = {path: _plain(held) for path, held in request.settings.items() if path[-1] not in _CACHE_FIELDS}
    return one.subject.prompt.text, request.model, request.format, request.provider, settings


def _plain(value: Json) -> Json:
    """A value without markers, such as a tool that is loaded later."""
    if isinstance(value, dict):
        return {name: _plain(held) for name, held in value.items() if name not in _MARKERS}
    return [_plain(held) for held in value] if isinstance(value, list) else value


def _proof(before: Document, after: Document, how: How, used: Sequence[str]) -> str:
    """One sentence: what reading both texts has shown."""
    was, left = ([rule.id for rule in _told(document, how)] for document in (before, after))
    same = _same_prompts(before, after, how)
    said = ["the prompt is the same, byte for byte" if same else "the prompt changes: what was cached is lost once"]
    rest = sum(1 for name in left if name in used)
    what = "finding of these rules is" if rest == 1 else "findings of these rules are"
    said.append(f"{rest} {what} left" if rest else "nothing of it is found any more")
    if new := sorted({*left} - {*was}):
        said.append(f"found now: {', '.join(new)}")
    return f"read again: {'; '.join(said)}"


def _told(document: Document, how: How) -> Iterator[Rule]:
    for one in subjects(document, how):
        for rule, _ in hits(how.rules, one.subject):
            yield rule


def _same_prompts(before: Document, after: Document, how: How) -> bool:
    pairs = zip_longest(subjects(before, how), subjects(after, how))
    return all(old is not None and new is not None and _prompt(old) == _prompt(new) for old, new in pairs)


def _prompt(one: Subject) -> str:
    return one.subject.prompt.text if isinstance(one.subject, RequestSubject) else one.document.text


def _whole(document: Document, file: bytes) -> str:
    """The text with the byte order mark that the file begins with."""
    return file[: document.start].decode(document.encoding) + document.text
