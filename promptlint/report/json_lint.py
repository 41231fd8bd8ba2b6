"""What `promptlint lint` found, as JSON: every field is written out by hand (schemas/report.schema.json)."""

from promptlint.finding import Finding, Report
from promptlint.lint_facts import FixFacts, RenderedTemplate, Suggestion
from promptlint.report.findings import RuleCount, statistics
from promptlint.report.json_finding import Object, finding, pointer
from promptlint.report.secrets import mask, mask_rows


def lint(report: Report, excerpts: bool) -> Object:
    """The body. Without excerpts no text of a file is in it."""
    facts = report.lint
    assert facts is not None
    return {
        "files": [{"path": mask(file.path), "what": file.what} for file in facts.files],
        "skipped": [{"path": mask(path), "reason": mask(reason)} for path, reason in facts.skipped],
        "suppressed": [
            {**lint_finding(each.finding, excerpts), "how": each.how, "reason": mask(each.reason)}
            for each in facts.suppressed
        ],
        "statistics": [_count(each) for each in statistics(report)],
        "fail_on": facts.fail_on,
        "exact": facts.exact,
        "suggestions": [_suggestion(each, excerpts) for each in facts.suggestions],
        "fixes": [_fix(each, excerpts) for each in facts.fixes],
        "rendered": [_rendered(each) for each in facts.rendered],
        "errors": [mask(error) for error in facts.errors],
    }


def lint_finding(found: Finding, excerpts: bool) -> Object:
    """A finding with what only a rule knows: its cause, its end, the line it stands in, what identifies it."""
    excerpt = found.excerpt if excerpts else None
    return {
        **finding(found),
        "cause": found.cause or None,
        "end_line": found.end_line or None,
        "end_column": found.end_column or None,
        "excerpt": None if excerpt is None else mask(excerpt, found.mark, cut=True),
        "mark": None if excerpt is None else list(found.mark),
        "fingerprint": found.fingerprint or None,
    }


def _count(count: RuleCount) -> Object:
    return {
        "rule": count.rule.id,
        "severity": count.severity,
        "findings": count.findings,
        "lost_tokens": count.lost_tokens,
    }


def _rendered(template: RenderedTemplate) -> Object:
    return {
        "path": mask(template.path),
        "pointer": pointer(template.pointer),
        "variables": [
            {
                "name": mask(each.name),
                "path": mask(each.path) or None,
                "line": each.line,
                "column": each.column,
                "shared_tokens": each.shared_tokens,
                "stranded_tokens": each.stranded_tokens,
                "note": mask(each.note),
            }
            for each in template.variables
        ],
    }


def _suggestion(suggestion: Suggestion, excerpts: bool) -> Object:
    return {
        "path": mask(suggestion.path),
        "text": mask(suggestion.text) if excerpts else None,
        "saved_tokens": suggestion.saved_tokens,
        "moved": [mask(each) for each in suggestion.moved],
        "reader_note": mask(suggestion.reader_note),
    }


def _fix(fix: FixFacts, excerpts: bool) -> Object:
    return {
        "path": mask(fix.path),
        "rules": list(fix.rules),
        "safe": fix.safe,
        "proof": mask(fix.proof),
        "diff": "\n".join(mask_rows(fix.diff, 1)) if excerpts else None,
        "written": fix.written,
    }
