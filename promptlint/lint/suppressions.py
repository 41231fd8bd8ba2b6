"""Comments that answer a finding: `promptlint: ignore[rule] -- reason`."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from promptlint.config.settings import is_reason
from promptlint.read.names import nearest, shown

Range = tuple[int, int]
"""Characters of a text, half-open."""

FAULTS: Mapping[str, str] = {
    "suppression-in-prompt": "a suppression is no comment and reaches the prompt",
    "suppression-without-reason": "a suppression gives no reason, so it does not count",
    "unknown-suppression": "a suppression names no rule that there is",
    "unused-suppression": "a suppression answers no finding",
}
"""Id -> summary of what can be wrong with a suppression itself. All are warnings, and certain."""

_WORDS = ("ignore", "ignore-file")
_BREAKPOINT = "breakpoint"  # which templates heed
_DIRECTIVE = r"promptlint:[ \t]*+([A-Za-z-]++)[ \t]*+(?:\[([^\[\]\r\n]*+)\])?"
_OF_TEMPLATES = r"\{\{[-~]?[ \t]*(?:!(?:--)?|/\*)|<%#|\{%-?[ \t]*(?:comment[ \t]*-?%\}|#)"
_OPENED = rf"[ \t]*+(?:<!--|\{{#[-+]?|#|//|/?\*|{_OF_TEMPLATES})?[ \t]*+"
# Behind the directive of another tool one opens anew: `# promptlint: ...`.
_OF_OTHERS = (
    r"(?:#|//|/\*)[ \t]*+(?:noqa|type:|pylint|ruff|mypy|pyright|fmt:|pragma|nosec|isort|eslint|@ts-|prettier|biome)"
)
_WHOLE = rf"(?:^|(?<=[\r\n]))(?:{_OPENED}|{_OF_OTHERS}[^\r\n\"'`]*?(?:#|//)[ \t]*+)({_DIRECTIVE})([^\r\n]*+)"
_OPENERS = ("<!--", "{#", "{#-", "{#+", "#", "//", "/*", "--", ";")
_CLOSERS = ("-->", "-#}", "+#}", "#}", "*/ -}}", "*/}}", "*/", "--}}", "--~}}", "~}}", "}}", "-%>", "%>")
_END_OF_LIQUID = r"\{%-?[ \t]*endcomment[ \t]*-?%\}$|-?%\}$"
_LOOKED_BACK = 12  # characters before a directive in which a comment would open


class Suppression(NamedTuple):
    """A comment that answers findings of some rules."""

    range: Range  # characters of the directive, without its reason
    lines: tuple[int, ...]  # for which it holds; (): the whole file
    rules: tuple[str, ...]
    reason: str  # "": it gives none
    word: str  # "ignore", "ignore-file", or one that is not known


class Fault(NamedTuple):
    """What is wrong with a suppression."""

    rule: str  # a key of FAULTS
    range: Range  # characters
    message: str
    fix: str


class Applied(NamedTuple):
    """What suppressions do to findings."""

    reasons: tuple[str | None, ...]  # for each finding why it may stay; None: nothing answers it
    faults: tuple[Fault, ...]  # in the order of the text


def suppressions(text: str, comments: Sequence[Range]) -> tuple[Suppression, ...]:
    """Those that stand in the comments (in order, not overlapping) of a text, each at the beginning of a line of one.

    One holds for the first and the last line of its comment; beside which nothing else stands, also for the next line
    that is more than a comment; `ignore-file` for the whole file.
    """
    if "promptlint:" not in text:
        return ()
    starts = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", text))]
    spans = [(bisect_right(starts, begin), bisect_right(starts, max(begin, end - 1))) for begin, end in comments]
    behind = _behind(text, comments, spans, starts)
    found = []
    for (begin, end), (first, last) in zip(comments, spans, strict=True):
        lines = (first, last, behind.get(first, last))
        for match in re.finditer(_WHOLE, text[begin:end]):
            _, word, listed, behind_it = match.groups()
            if word not in _WORDS and listed is None and not _is_slip(word):
                continue  # another directive, or prose
            rules = tuple(filter(None, (rule.strip() for rule in (listed or "").split(","))))
            directive = (begin + match.start(1), begin + match.end(1))
            held = () if word == "ignore-file" else tuple(sorted({*lines}))
            found.append(Suppression(directive, held, rules, _reason(behind_it), word))
    return tuple(found)


def applied(
    findings: Sequence[tuple[str, int]], found: Sequence[Suppression], ran: Collection[str], known: Collection[str]
) -> Applied:
    """Which findings (rule, line) the suppressions of their file answer, and what is wrong with these.

    `known` are all rules, `ran` those that have looked at the file: of the others nobody can say whether a suppression
    is used. A suppression without a reason answers nothing.
    """
    holding: dict[tuple[str, int], int] = {}  # rule and line (0: any) -> the first suppression that holds there
    for number, one in enumerate(found):
        if one.reason and one.word in _WORDS:
            for rule in one.rules:
                for line in one.lines or (0,):
                    holding.setdefault((rule, line), number)
    answers = [holding.get((rule, line), holding.get((rule, 0))) for rule, line in findings]
    used = {(answer, rule) for answer, (rule, _) in zip(answers, findings, strict=True)}
    faults = [
        fault
        for number, one in enumerate(found)
        for fault in _faults(one, [rule for rule in one.rules if (number, rule) not in used], ran, known)
    ]
    return Applied(tuple(None if number is None else found[number].reason for number in answers), tuple(faults))


def strays(text: str, comments: Sequence[Range], known: Collection[str]) -> tuple[Fault, ...]:
    """What would suppress a rule if it stood in a comment of its host: it does nothing, and a model reads it.

    Only what some host would take for a comment, and what names a rule that there is: a text may well speak of it.
    """
    if "promptlint:" not in text:
        return ()
    begins = [begin for begin, _ in comments]
    faults = []
    for match in re.finditer(_DIRECTIVE, text):
        begin = match.start()
        inside = bisect_right(begins, begin) - 1
        opens = text[max(0, begin - _LOOKED_BACK) : begin].rstrip(" \t").endswith(_OPENERS)
        names = any(rule.strip() in known for rule in (match[2] or "").split(","))
        if match[1] in _WORDS and opens and names and (inside < 0 or comments[inside][1] <= begin):
            message = "this suppression is no comment here: it does nothing, and the model reads it"
            fix = "Write a comment of this kind of file ({# … #} in a template); JSON: suppress in promptlint.yaml."
            faults.append(Fault("suppression-in-prompt", match.span(), message, fix))
    return tuple(faults)


def _is_slip(word: str) -> bool:
    """Whether a word is meant as one that promptlint knows."""
    return word != _BREAKPOINT and nearest(word, [*_WORDS, _BREAKPOINT]) is not None


def _faults(one: Suppression, unused: Collection[str], ran: Collection[str], known: Collection[str]) -> Iterator[Fault]:
    def fault(rule: str, message: str, fix: str) -> Fault:
        return Fault(rule, one.range, message, fix)

    if one.word not in _WORDS:
        fix = "Write ignore[rule] -- reason, ignore-file[rule] -- reason, or breakpoint."
        yield fault("unknown-suppression", f"promptlint knows no {shown(one.word)}", fix)
        return
    if not one.rules:
        fix = f"Name the rules: {one.word}[rule, other-rule] -- reason."
        yield fault("unknown-suppression", "the suppression names no rule", fix)
    for rule in one.rules:
        if rule not in known:
            close = nearest(rule, sorted(known))
            fix = f"Did you mean {close}?" if close else "`promptlint rules` lists them."
            yield fault("unknown-suppression", f"there is no rule {shown(rule)}", fix)
    if one.rules and not one.reason:
        fix = "Say behind two dashes why the finding may stay: -- reason."
        yield fault("suppression-without-reason", "the suppression gives no reason, so it does not count", fix)
    elif one.rules:
        for rule in unused:
            if rule in ran:
                yield fault("unused-suppression", f"nothing here is a case of {rule}", "Remove it.")


def _behind(
    text: str, comments: Sequence[Range], spans: Sequence[tuple[int, int]], starts: Sequence[int]
) -> dict[int, int]:
    """First line of each comment beside which nothing stands -> the next line that is more than such a comment."""
    found: dict[int, int] = {}
    for (begin, end), (first, last) in zip(reversed(comments), reversed(spans), strict=True):
        stop = starts[last] if last < len(starts) else len(text)
        if not text[starts[first - 1] : begin].strip() and not text[end:stop].strip():
            found[first] = found.get(last + 1, last + 1)
    return found


def _reason(behind: str) -> str:
    """What stands behind a directive, without the dashes and the end of the comment; "" if that is no reason."""
    behind = behind.strip()
    if not behind.startswith("--") or behind.startswith("-->"):
        return ""
    reason = behind[2:]
    reason = re.sub(_END_OF_LIQUID, "", reason)
    for closer in _CLOSERS:
        if reason.endswith(closer):
            reason = reason.removesuffix(closer)
            break
    return reason.strip() if is_reason(reason) else ""
