"""Template texts as the rules see them."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate

from promptlint.config import Stability
from promptlint.lint.hit import Hit
from promptlint.lint.rule import Rule, built_in
from promptlint.lint.run import hits
from promptlint.lint.subject import TemplateSubject
from promptlint.load.jinja import read_template
from promptlint.template import SourceRange, Text

RULES = built_in()


def subject_of(text: str, roots: Sequence[str] = (), declared: Mapping[str, Stability] = {}) -> TemplateSubject:
    """The subject of a template's text; a word is a token."""
    template = read_template("t.j2", text, roots)

    def count(some: str) -> int:
        return len(some.split())

    @cache
    def fixed() -> list[int]:
        sizes = (count(part.text) if isinstance(part, Text) and part.when == "always" else 0 for part in template.parts)
        return list(accumulate(sizes, initial=0))

    return TemplateSubject(template, declared, count, fixed)


def told(text: str, roots: Sequence[str] = (), declared: Mapping[str, Stability] = {}) -> list[tuple[Rule, Hit, str]]:
    """What the rules say of a template: rule, hit, and the characters at its place."""
    subject = subject_of(text, roots, declared)
    found = []
    for rule, hit in hits(RULES, subject):
        assert isinstance(hit.at, SourceRange)
        found.append((rule, hit, subject.template.files[hit.at.file].text[hit.at.start : hit.at.end]))
    return found


def rules_of(text: str, roots: Sequence[str] = (), declared: Mapping[str, Stability] = {}) -> list[tuple[str, str]]:
    """The ids of the rules and the characters at their places."""
    return [(rule.id, source) for rule, _, source in told(text, roots, declared)]
