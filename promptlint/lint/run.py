"""Rules x subjects -> hits."""

from collections.abc import Iterable, Iterator

from promptlint.errors import PromptlintError
from promptlint.lint.hit import Hit
from promptlint.lint.limit import within
from promptlint.lint.rule import Rule, RuleFault, Scope, check_of, is_built_in
from promptlint.lint.subject import RequestSubject, SourceSubject, Subject, TemplateSubject

_SECONDS = 2.0
"""That a rule of the user's has for one subject: a regular expression may go on for ever."""


def hits(rules: Iterable[Rule], subject: Subject) -> Iterator[tuple[Rule, Hit]]:
    """What each rule of the subject's scope says of it. Raises RuleFault for a rule of the user's that breaks down."""
    scope = scope_of(subject)
    for rule in rules:
        if rule.scope == scope:
            found = check_of(rule)(subject) if is_built_in(rule) else _guarded(rule, subject)
            for hit in found:
                yield rule, hit


def _guarded(rule: Rule, subject: Subject) -> list[Hit]:
    try:
        with within(_SECONDS):
            found = list(check_of(rule)(subject))
            for hit in found:
                if hit.message is None:
                    rule.message.format(**hit.values)
            return found
    except PromptlintError:
        raise
    except TimeoutError:
        raise RuleFault(f"rule {rule.id}: no answer within {_SECONDS:g} seconds", "make its pattern simpler") from None
    except Exception as error:
        raise RuleFault(f"rule {rule.id}: {type(error).__name__}: {error}", "correct its Python file") from None


def scope_of(subject: Subject) -> Scope:
    """Which rules look at it."""
    if isinstance(subject, RequestSubject):
        return "request"
    if isinstance(subject, TemplateSubject):
        return "template"
    return "source" if isinstance(subject, SourceSubject) else "pair"
