"""Numbers: counts that moved, and one number written in two ways."""

import re

from promptlint.boundary.forms import number
from promptlint.boundary.stretch import Shape, Stretch, ahead, behind, both

_NUMBER = (
    r"(?<![0-9A-Za-z])(?<!\d[.:,-])"
    r"(?:\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,4})?(?!\d|[.:,-]\d)"
)
_RUNNING = (
    r"turns?|steps?|iterations?|rounds?|requests?|calls?|attempts?|tries|retr(?:y|ies)|messages?|msgs?|"
    r"interactions?|exchanges?|visits?|runs?|generations?|epochs?|episodes?|cycles?|loops?|pass(?:es)?|ticks?|repl(?:y|ies)|"
    r"responses?|count(?:er)?|seq(?:uence)?|tokens?|errors?|hits?|"
    r"runde|schritt|versuch|anfrage|nachricht|tour|étape|essai|turno|paso|intento|шаг|ход|попытка"
)
_NUMBERED = r"questions?|pages?|index|idx|items?|no|nr|number|day|build|revision|level|frame"
_LINK = r"[\"'`*]*\s*(?:(?:no\.?|number|nr\.?|count|index|is|was|so far)\b)?[\s:=#(\[\"'`*-]*(?:~|about |approx\.? )?$"
_LIMIT = (
    r"(?i)(?<![a-z])(?:at most|at least|max(?:imum)?|min(?:imum)?|limit(?:ed)?|up to|no more than|fewer than|less than|"
    r"more than|within|every|per|default|exactly)(?![a-z])[^.!?\n]{0,16}$"
)
_SHRINKS = r"(?i)\b(?:left|remaining|remain)\b"
_BUDGET = r"(?i)\b(?:budget|credits?|quota)\b"  # also a setting: it shrinks by one, or says that it is what is left
_GROWS = r"(?i)\b(?:used|elapsed|so far|spent|consumed)\b"
_OF = r"\s?(?:/|of)\s?\d"
_UNIT = r"^\s?(?:[km%]\b|%)?\s*(?:(?:more|tool|input|output|context)\s)?(?:\w+\s)?"
_VERSION = r"(?i)\b(?:version|ver|v|release|python|node|java|php|ruby|go|postgres|chapter|section|§)\W{0,2}$"


def counter(s: Stretch) -> Shape | None:
    """The label of a count of turns, tokens, requests or retries that moved as counts do."""
    found = both(_NUMBER, s)
    if not found:
        return None
    old, new = found[0][0], found[1][0]
    step = _step(old, new)
    if step == 0 or not _is_count(ahead(found[0]), behind(found[0]), step):
        return None
    return Shape("counter", f"a count moved: {old} became {new}", old, new)


def _step(old: str, new: str) -> float:
    """How far a number rose; 0 where a side is no plain number."""
    x, y = _plain(old), _plain(new)
    if len(x) > 15 or len(y) > 15 or re.match(r"0\d", old) or re.match(r"0\d", new):
        return 0
    return float(y) - float(x)


def _plain(text: str) -> str:
    return re.sub("[,_]", "", text)


def _is_count(front: str, back: str, step: float) -> bool:
    """Whether the words around a number say that it counts, and the step fits: one more, or less of a budget.

    A longer step needs words that speak of a running figure (`used`, `left`, `3 of 9`): `Retries: 3` may be set anew.
    """
    near = re.search(r"[^.!?;\n]*$", front[-32:])
    clause = near[0] if near else ""
    if step < 0:
        return _touches(_SHRINKS, clause, back) or (step == -1 and _touches(_BUDGET, clause, back))
    if re.search(_LIMIT, front):
        return False
    if _touches(_GROWS, clause, back):
        return True
    counted = re.search(rf"(?i)(?:\b|_)(?:{_RUNNING}){_LINK}", front) and not re.search(_SHRINKS, clause)
    if step != 1:
        return bool(counted) and re.match(_OF, back) is not None
    return (
        bool(counted)
        or re.match(rf"(?i)(?:st|nd|rd|th)\s(?:{_RUNNING}|{_NUMBERED})\b", back) is not None
        or re.search(rf"(?i)(?:\b|_)(?:{_NUMBERED}){_LINK}|#$", front) is not None
        or (front[-1:] in ("[", "(") and re.match(rf"{_OF}+\s?[)\]]", back) is not None)
    )


def _touches(pattern: str, clause: str, back: str) -> bool:
    """The word stands behind the number and its unit, or in front of it in the same clause."""
    in_front = re.search(
        pattern + r"[\w\s]{0,12}[\"'`*]*\s?(?:is|was)?[\s:=(\"'`*$€£~]*(?:about |approx\.? )?$", clause
    )
    return in_front is not None or re.match(_UNIT + pattern.removeprefix("(?i)"), back, re.IGNORECASE) is not None


def number_form(s: Stretch) -> Shape | None:
    """The label of one number written in two ways."""
    found = both(_NUMBER, s)
    if not found:
        return None
    old, new = found[0][0], found[1][0]
    if re.match(r"0\d", old) or re.match(r"0\d", new) or re.search(_VERSION, ahead(found[0])):
        return None  # a code or a version, not a number
    if number(_plain(old)) != number(_plain(new)):
        return None
    return Shape("number-form", f"the same number written otherwise: {old} became {new}", old, new)
