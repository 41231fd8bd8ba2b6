"""Holes whose variable is declared, or named, as one that changes, ahead of long text that stays."""

from collections.abc import Iterator

from promptlint.finding import Severity
from promptlint.lint.hit import Hit
from promptlint.lint.stranded import FEW, Behind, end_of_prefix, losses
from promptlint.lint.subject import TemplateSubject
from promptlint.lint.variables import Guess, guess
from promptlint.template import Hole, Text

_LONG, _SOME, _LITTLE = 1024, 192, FEW  # tokens of fixed text
_ELSEWHERE = (
    "Print what stays first and what varies last; where a value should stand close to the question, restate it."
)
_TOP = 8  # tokens of fixed text behind what stands at the top


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """The first hole of each variable that changes, if it costs enough to be told."""
    told: set[str] = set()
    behind, ahead = losses(subject), subject.fixed_tokens()
    for number, part in enumerate(subject.template.parts[: end_of_prefix(subject)]):
        if isinstance(part, Text):
            continue
        for name in part.names:
            found = guess(name, subject.variables)
            root = name.split(".")[0]
            if found is None or found.often == "stable" or root in told:
                continue
            told.add(root)
            rest = behind(number)
            severity = _severity(found, rest, is_chat=subject.template.is_chat)
            if severity is None and _may_lead(subject, part) and _leads(found, rest, ahead[number]):
                severity = "info"
            if severity is not None:
                yield Hit(
                    part.expression,
                    {
                        "name": name,
                        "how": _how(found),
                        "behind": rest.words if rest.marked or rest.is_conversation or not rest.tokens else rest.fixed,
                    },
                    lost_tokens=rest.lost,
                    fix=None if subject.template.language == "jinja" else _ELSEWHERE,
                    severity=severity,
                    confidence="certain" if found.declared else "possible",
                    cause=found.cause,
                )


def _severity(found: Guess, rest: Behind, *, is_chat: bool) -> Severity | None:
    """A chat template is given its date by the caller: who keeps it fixed loses nothing."""
    tokens = rest.tokens
    if found.declared:
        enough = tokens >= _LITTLE or (rest.marked and rest.matters)
        return ("warning" if found.often == "per-request" else "info") if enough else None
    if rest.marked:
        sure = found.often == "per-request" and not found.weak and tokens >= _SOME
        return "warning" if sure else "info" if rest.matters else None
    if found.often == "per-session" or found.weak or is_chat:
        return "info" if tokens >= _SOME and not (found.weak and is_chat) else None
    if found.cause in ("clock", "identifier", "counter"):
        return "warning" if tokens >= _SOME else "info" if tokens >= _LITTLE else None
    return "warning" if tokens >= _LONG else "info" if tokens >= _SOME else None


def _may_lead(subject: TemplateSubject, part: Hole) -> bool:
    """Whether every rendering prints it; a chat template is given its date by the caller."""
    return part.when == "always" and not subject.template.is_chat


def _leads(found: Guess, rest: Behind, ahead: int) -> bool:
    """Whether a moment or an id stands in a system text with a conversation behind it, or at the top of a prompt."""
    if found.cause not in ("clock", "date-rollover", "identifier") or rest.marked:
        return False
    return rest.is_conversation or (ahead < FEW and (rest.tokens >= max(ahead, _TOP) or bool(rest.other)))


def _how(found: Guess) -> str:
    if found.declared:
        return f"is declared {found.often}"
    return f"looks like {found.what} (guessed from its name)"
