"""`promptlint rules [ID]`: what `promptlint lint` finds, why it matters, and how it is put right."""

from promptlint.commands.lint import faults_of_comments, rule_facts
from promptlint.errors import PromptlintError
from promptlint.finding import Report
from promptlint.lint.rule import SCOPES, built_in
from promptlint.lint_facts import LintFacts
from promptlint.read.names import nearest, shown


def rules(name: str | None = None) -> Report:
    """The rules that come with promptlint, by scope and id, or one of them.

    Raises PromptlintError for a rule that is not known.
    """
    by_scope = sorted(built_in(), key=lambda rule: (SCOPES.index(rule.scope), rule.id))
    found = [*map(rule_facts, by_scope), *faults_of_comments().values()]
    if name is not None:
        chosen = [rule for rule in found if rule.id == name]
        if not chosen:
            close = nearest(name, [rule.id for rule in found])
            hint = f"nearest: {close}" if close else "promptlint rules lists those that are known"
            raise PromptlintError(f"unknown rule {shown(name)}", hint)
        found = chosen
    catalogue = LintFacts(files=(), skipped=(), suppressed=(), rules=tuple(found), fail_on="never")
    return Report("rules", None, lint=catalogue)
