"""The JSON report: a contract (schemas/report.schema.json), so every field is written out by hand."""

import json
from typing import Any

from promptlint import __version__
from promptlint.finding import Boundary, Change, Diff, Place, Report, Table, TemplateLine, Vocabulary
from promptlint.report.json_finding import finding, pointer
from promptlint.report.json_side import side
from promptlint.report.secrets import mask

_SCHEMA_VERSION = 1
HIDDEN = 'Excerpts are hidden: "excerpt" and "mark" are null everywhere; "absent" still says which side has nothing.'
_HIDDEN_LINES = 'Excerpts are hidden: "excerpt", "mark" and the "lines" of hunks are null everywhere.'

Object = dict[str, Any]


def write(report: Report, *, excerpts: bool = True) -> str:
    """Pure ASCII, indented by two, keys in a fixed order. Strings are as in the input, but secrets are masked."""
    body: Object = {
        "schema_version": _SCHEMA_VERSION,
        "tool": {"name": "promptlint", "distribution": "promptlint-cache", "version": __version__},
        "command": report.command,
        "verdict": report.verdict,
        "findings": [finding(found) for found in report.findings],
        "tables": [_table(table) for table in report.tables],
        "notes": [mask(note) for note in report.notes] + ([] if excerpts else [_hidden(report)]),
    }
    if report.folders:
        body["diff"] = {"pairs": [{"verdict": diff.verdict, **_diff(diff, excerpts)} for diff in report.diffs]}
    elif report.diffs:
        body["diff"] = _diff(report.diffs[0], excerpts)
    if report.command == "tokenizers":
        body["tokenizers"] = _vocabularies(report)
    if report.command == "models":
        from promptlint.report.json_models import model

        known = [model(each) for each in report.models]
        body["models"] = known[0] if report.one_model else known
    if report.lint is not None and report.command == "rules":
        from promptlint.report.json_rules import rule

        body["rules"] = [rule(each) for each in report.lint.rules]
    elif report.lint is not None:
        from promptlint.report.json_lint import lint, lint_finding

        body["findings"] = [lint_finding(found, excerpts) for found in report.findings]
        body["lint"] = lint(report, excerpts)
    if report.check is not None:
        from promptlint.report.json_check import check, check_findings

        body["findings"] = check_findings(report, excerpts)
        body["check"] = check(report.check, excerpts)
    if report.command == "confirm":
        body["confirm"] = _confirm(report)
    if report.varied is not None:
        from promptlint.report.json_vary import vary

        body["vary"] = vary(report.varied)
    if report.command == "key":
        from promptlint.report.json_key import key

        body["key"], fill = key(report)
        return _guarded(fill(_dumps(body)))
    return _guarded(_dumps(body))


def _confirm(report: Report) -> Object | None:
    """None: a dry run asked nobody."""
    if report.confirm is None:
        return None
    from promptlint.report.json_confirm import confirm

    return confirm(report.confirm)


def _hidden(report: Report) -> str:
    return HIDDEN if report.check is None else _HIDDEN_LINES


def _dumps(body: Object) -> str:
    return json.dumps(body, indent=2, ensure_ascii=True, allow_nan=False)


def _guarded(text: str) -> str:
    # A CI runner obeys `##[` anywhere in a line.
    return text.replace("##", "#\\u0023") + "\n"


def _diff(diff: Diff, excerpts: bool) -> Object:
    return {
        "a": side(diff.a),
        "b": side(diff.b),
        "boundary": _boundary(diff.boundary),
        "changes": [_change(change, excerpts) for change in diff.changes],
    }


def _boundary(boundary: Boundary) -> Object:
    return {
        "shared_bytes": boundary.shared_bytes,
        "shared_tokens": boundary.shared_tokens,
        "shared_blocks": boundary.shared_blocks,
        "usable_tokens": boundary.usable_tokens,
        "lost_tokens": boundary.lost_tokens,
        "lost_usd": boundary.lost_usd,
        "price": mask(boundary.price),
        "unit": boundary.unit,
        "exact": boundary.exact,
        "band": boundary.band,
        "why": mask(boundary.why),
        "token_note": mask(boundary.token_note),
    }


def _change(change: Change, excerpts: bool) -> Object:
    return {
        "cause": change.cause,
        "message": mask(change.message),
        "level": change.level,
        "certainty": change.certainty,
        "affects": change.affects,
        "severity": change.severity,
        "a": _place(change.a, excerpts),
        "b": _place(change.b, excerpts),
        "template": None
        if change.template_a is None and change.template_b is None
        else {"a": _template(change.template_a, excerpts), "b": _template(change.template_b, excerpts)},
        "within": pointer(change.within),
        "also": [pointer(each) for each in change.also],
        "shared_bytes": change.shared_bytes,
        "shared_tokens": change.shared_tokens,
        "alone_tokens": change.alone_tokens,
        "after_fix_tokens": change.after_fix_tokens,
        "lost_tokens": change.lost_tokens,
        "fix": mask(change.fix),
    }


def _place(place: Place, excerpts: bool) -> Object:
    excerpt = place.excerpt if excerpts else None
    return {
        "path": mask(place.path),
        "revision": place.revision,
        "record": place.record,
        "pointer": pointer(place.pointer),
        "atom": place.atom,
        "line": place.line,
        "column": place.column,
        "start": place.start,
        "end": place.end,
        "char": place.char,
        "byte": place.byte,
        "absent": place.excerpt is None,
        "excerpt": None if excerpt is None else mask(excerpt, place.mark, cut=place.char > place.mark[0]),
        "mark": None if excerpt is None else list(place.mark),
    }


def _template(found: TemplateLine | None, excerpts: bool) -> Object | None:
    if found is None:
        return None
    return {
        "path": mask(found.path),
        "pointer": pointer(found.pointer),
        "name": found.name,
        "line": found.line,
        "column": found.column,
        "excerpt": mask(found.excerpt) if excerpts else None,
    }


def _table(table: Table) -> Object:
    rows = [[mask(cell) if isinstance(cell, str) else cell for cell in row] for row in table.rows]
    return {"title": mask(table.title), "columns": list(table.columns), "rows": rows}


def _vocabularies(report: Report) -> Object:
    return {
        "available": [_vocabulary(each) for each in report.vocabularies if each.place is not None],
        "missing": [_vocabulary(each) for each in report.vocabularies if each.place is None],
    }


def _vocabulary(vocabulary: Vocabulary) -> Object:
    return {
        "name": mask(vocabulary.name),
        "kind": vocabulary.kind,
        "tokens": vocabulary.tokens,
        "sha256": vocabulary.sha256,
        "cuts": vocabulary.cuts,
        "models": vocabulary.models,
        "source": vocabulary.source,
        "place": None if vocabulary.place is None else mask(vocabulary.place),
        "get": mask(vocabulary.get),
    }
