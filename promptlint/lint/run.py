"""Rules x subjects -> hits."""

from collections.abc import Iterable, Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.rule import Rule, Scope, check_of
from promptlint.lint.subject import PairSubject, RequestSubject, TemplateSubject


def hits(rules: Iterable[Rule], subject: RequestSubject | TemplateSubject | PairSubject) -> Iterator[tuple[Rule, Hit]]:
    """What each rule of the subject's scope says of it."""
    scope = scope_of(subject)
    for rule in rules:
        if rule.scope == scope:
            for hit in check_of(rule)(subject):
                yield rule, hit


def scope_of(subject: RequestSubject | TemplateSubject | PairSubject) -> Scope:
    """Which rules look at it."""
    if isinstance(subject, RequestSubject):
        return "request"
    return "template" if isinstance(subject, TemplateSubject) else "pair"
