"""Loops over mappings, sets and listings that nothing sorts, ahead of text that stays."""

import re
from collections.abc import Iterator

from promptlint.lint.edits import Replace
from promptlint.lint.hit import Hit
from promptlint.lint.stranded import end_of_prefix, losses
from promptlint.lint.subject import TemplateSubject
from promptlint.template import SourceRange

_SORTED = r"\|\s*(?:dict)?sort\b(?:\([^()]*\))?\s*$|^\s*sorted\s*\("
_UNORDERED = r"\b(?:set|frozenset|listdir|iterdir|scandir|glob|walk)\s*\(|\w_set\b"

_ELSEWHERE = "Sort them before they are given to the template, or in it where its language can."


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """Each such loop. A chat template prints schemas in the order in which they are sent, which is the caller's."""
    end, behind = end_of_prefix(subject), losses(subject)
    for loop in subject.template.loops:
        unordered = re.search(_UNORDERED, loop.over) is not None and re.search(_SORTED, loop.over) is None
        if not unordered and (loop.ordered or subject.template.is_chat):
            continue
        if loop.first < min(loop.last, end) and (rest := behind(loop.last - 1)).matters:
            values = {"over": loop.over, "behind": rest.words}
            fix = None if subject.template.language == "jinja" else _ELSEWHERE
            yield Hit(loop.range, values, lost_tokens=rest.lost, fix=fix, severity="warning" if unordered else None)


def fix(subject: TemplateSubject, hit: Hit) -> Iterator[Replace]:
    """`| dictsort` in place of `.items()`; elsewhere `| sort` behind the expression."""
    assert isinstance(hit.at, SourceRange)
    if hit.at.file:
        return
    over = subject.template.files[0].text[hit.at.start : hit.at.end]
    if over.endswith(".items()"):
        yield Replace(hit.at, hit.at.start, hit.at.end, f"{over.removesuffix('.items()')} | dictsort")
    elif not over.endswith(")") or over.endswith((".keys()", ".values()")):
        plain = re.fullmatch(r"[\w.()]+", over) is not None
        yield Replace(hit.at, hit.at.start, hit.at.end, f"{over} | sort" if plain else f"({over}) | sort")
