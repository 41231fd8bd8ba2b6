"""Renderings of one prompt, two at a time: requests of a log that follow each other, the files of a folder."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from promptlint.commands.compare import compare_prompts, provider_of_pair, with_vocabulary
from promptlint.commands.findings import location, share
from promptlint.commands.lint_files import How, Linted
from promptlint.commands.lint_follow import Followed, Kin
from promptlint.commands.lint_told import Told, flat, joined
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.finding import Change, Diff, Finding
from promptlint.lint.hit import Hit
from promptlint.lint.rule import Rule
from promptlint.lint.run import hits
from promptlint.lint.subject import PairChange, PairSubject
from promptlint.prompt import Rendered, Request
from promptlint.read.names import shown
from promptlint.read.places import pointer
from promptlint.render import render

Progress = Callable[[int, int], None]
Memos = dict[str, dict[str, int]]
"""The name of a vocabulary -> tokens of the parts of prompts."""

# What a text can be called only if it is known to be meant as the other: of two conversations it is not.
_WIDE = frozenset(
    ("text-edited", "item-edited", "items-changed", "per-turn-context", "rebuilt-request", "role-changed")
)

_SELDOM = 5  # pairs for each time that history is summed up


class Sent(NamedTuple):
    """A request and its prompt; None: it was given as token ids."""

    request: Request
    prompt: Rendered | None


class Pairs:
    """Compares each request of a document with the one that it follows."""

    def __init__(self, how: How) -> None:
        self._how = how
        self._memos: Memos = {}
        self._followed: dict[tuple[str, str], Followed] = {}
        self._sent: dict[int, Sent] = {}
        self._number = 0
        self._told: list[Told] = []
        self._pairs = 0

    def add(self, request: Request, prompt: Rendered | None) -> None:
        """The next request of the document; one without a text (token ids) follows none."""
        if prompt is None or _is_answered(prompt) or not any(rule.scope == "pair" for rule in self._how.rules):
            return
        followed = self._followed.setdefault((request.format, request.provider), Followed())
        found, gone = followed.add(self._number, prompt)
        sent = self._sent[self._number] = Sent(request, prompt)
        if found is not None:
            self._pairs += 1
            self._told += told(self._sent[found.number], sent, self._how, self._memos, found.kin)
        for number in gone:
            del self._sent[number]
        self._number += 1

    def findings(self) -> list[Finding]:
        """What was found, each cause at each place once."""
        found = joined(self._told, self._pairs, "pairs")
        return [one._replace(severity="info") if _is_expected(one, self._told, self._pairs) else one for one in found]


def _is_answered(prompt: Rendered) -> bool:
    """Whether the model has the last word: an example for training, say, which nobody has sent."""
    return bool(prompt.items) and prompt.items[-1].item.role in ("assistant", "model", "gpt")


def _is_expected(finding: Finding, found: Sequence[Told], pairs: int) -> bool:
    """Whether a conversation does this once in a while: history that got too long is summed up."""
    if finding.rule != "history-compacted":
        return False
    times = sum(one.key[0] == finding.rule for one in found)
    return times == 1 < pairs or times * _SELDOM <= pairs


def lint_renderings(folder: str, how: How, progress: Progress | None = None) -> Linted:
    """The findings of a folder whose files are renderings of one prompt: each is compared with the one before it.

    `progress` is told how many of how many files are done. Raises PromptlintError if the folder cannot be read.
    """
    paths = rendering_files(folder)
    notes: list[str] = []
    found: list[Told] = []
    memos: Memos = {}
    before: Sent | None = None
    pairs = 0
    for done, path in enumerate(paths):
        if progress is not None:
            progress(done, len(paths))
        for request in _requests(path, notes):
            sent = Sent(request, None if request.token_ids is not None else render(request))
            if before is not None and (why := _unlike(before.request, request)):
                notes.append(why)
            elif before is not None:
                pairs += 1
                found += told(before, sent, how, memos)
            before = sent
    if progress is not None:
        progress(len(paths), len(paths))
    if not pairs:
        notes.append(f"{folder}: no two renderings to compare")
    return Linted(
        folder.replace(os.sep, "/"), f"{len(paths)} renderings", tuple(joined(found, pairs, "pairs")), tuple(notes)
    )


def told(old: Sent, new: Sent, how: How, memos: Memos, kin: Kin = "conversation") -> Iterator[Told]:
    """What the rules say of two renderings of one prompt, or of two conversations that begin alike."""
    diff = _compared(old, new, how, memos)
    costly = [change for change in diff.changes if change.severity != "info"]
    if kin == "beginning":
        costly = [change for change in costly if change.level in ("tools", "system")]
        if any(change.cause in _WIDE for change in costly):
            return
    elif old.prompt is not None and new.prompt is not None:
        costly = _without_questions(costly, old.prompt, new.prompt)
    made = [(change, PairChange(change.cause, _hit(change))) for change in costly]
    by_hit = {id(pair.hit): change for change, pair in made}
    before: dict[tuple[str, str], int] = {}
    for rule, hit in hits(how.rules, PairSubject(tuple(pair for _, pair in made))):
        change = by_hit[id(hit)]
        place = rule.id, _general(change, new.request)
        before[place] = before.get(place, 0) + 1
        yield Told((*place, before[place]), _finding(rule, hit, change, diff))


def _compared(old: Sent, new: Sent, how: How, memos: Memos) -> Diff:
    provider = provider_of_pair(old.request, new.request, how.options)
    options, _ = with_vocabulary(old.request, new.request, how.options)
    if old.prompt is None or new.prompt is None:
        from promptlint.commands.compare_ids import compare_ids

        return compare_ids(old.request, new.request, provider, _reading_ids(old.request, new.request, options))
    memo = memos.setdefault(options.tokenizer.name, {})
    return compare_prompts(old.prompt, new.prompt, provider, options, memo)


def _reading_ids(old: Request, new: Request, options: Options) -> Options:
    """The vocabulary at hand is taken as chosen if by it one list of ids goes on with the text of the other."""
    if options.chosen:
        return options
    try:
        texts = [options.tokenizer.decode(request.token_ids or ()) for request in (old, new)]
    except PromptlintError:  # an id that the vocabulary does not have
        return options
    short, long = sorted(texts, key=len)
    return options._replace(chosen=long.startswith(short))


def _without_questions(costly: list[Change], a: Rendered, b: Rendered) -> list[Change]:
    """The changes but that the newest messages of the user differ, where more than these differ."""
    last_a, last_b = a.items[-1:], b.items[-1:]
    if any(item.item.level != "messages" or item.item.role != "user" for item in (*last_a, *last_b)):
        return costly
    ends = [flat(pointer(item.item.path)) for item in (*last_a, *last_b)]

    def is_question(change: Change) -> bool:
        return change.cause == "history-rewritten" and all(
            f"{flat(place.pointer)}/".startswith(f"{end}/")
            for place, end in zip((change.a, change.b), ends, strict=True)
        )

    kept = [change for change in costly if not is_question(change)]
    return kept or costly


def _hit(change: Change) -> Hit:
    return Hit(
        at=location(change.b),
        related=(location(change.a),),
        lost_tokens=change.lost_tokens,
        message=change.message,
        fix=change.fix,
        severity=change.severity,
        confidence=change.certainty,
        cause=change.cause,
    )


def _finding(rule: Rule, hit: Hit, change: Change, diff: Diff) -> Finding:
    excerpt, mark = _line(change)
    return Finding(
        rule=rule.id,
        severity=hit.severity or rule.severity,
        confidence=hit.confidence or rule.confidence,
        message=hit.message or rule.message,
        location=location(change.b),
        pointer=change.b.pointer,
        related=(location(change.a),),
        lost_tokens=hit.lost_tokens,
        lost_usd=share(diff, change),
        fix=hit.fix or rule.fix,
        cause=hit.cause or rule.cause,
        excerpt=excerpt,
        mark=mark,
    )


def _line(change: Change) -> tuple[str | None, tuple[int, int]]:
    """The line of the excerpt in which the change begins, and the changed characters in it."""
    excerpt, (start, end) = change.b.excerpt, change.b.mark
    if excerpt is None:
        return None, (0, 0)
    low = excerpt.rfind("\n", 0, start) + 1
    stop = excerpt.find("\n", start)
    stop = len(excerpt) if stop < 0 else stop
    return excerpt[low:stop], (start - low, max(min(end, stop), start) - low)


def _general(change: Change, request: Request) -> str:
    """A place in a request, wherever in a document that stands; one message of the history is as good as another."""
    inside = flat(change.b.pointer).removeprefix(flat(pointer(request.path)))
    if change.level != "messages":
        return inside
    return "/".join(takewhile(lambda step: not step.isdigit() and step != "-", inside.split("/")))


def rendering_files(folder: str) -> list[str]:
    """The files of a folder in the order of their names; what is hidden is left out."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_file() and not entry.name.startswith(".")]
    except NotADirectoryError:
        raise PromptlintError(f"{shown(folder)}: not a folder", "--renderings takes a folder of files") from None
    except OSError as error:
        raise PromptlintError(f"{shown(folder)}: {error.strerror}", "--renderings takes a folder of files") from None
    return [os.path.join(folder, name).replace(os.sep, "/") for name in sorted(names)]


def _requests(path: str, notes: list[str]) -> Iterable[Request]:
    """The requests of a file; why there are none becomes a note."""
    from promptlint.load.several import requests
    from promptlint.read.sources import read

    try:
        for request in requests(read(path)):
            if isinstance(request, PromptlintError):
                notes.append(f"left out: {request}")
            else:
                yield request
    except PromptlintError as error:
        notes.append(f"left out: {error}")


def _unlike(old: Request, new: Request) -> str:
    """Why two renderings are not compared; nothing if they are."""
    if old.format == new.format:
        return ""
    formats = f"{old.format} and {new.format}"
    return f"not compared: {old.document.path} and {new.document.path} are of two formats, {formats}"
