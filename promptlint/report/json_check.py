"""What `promptlint check` judged, as JSON: every field is written out by hand (schemas/report.schema.json)."""

from promptlint.check_facts import CheckCause, CheckedPrompt, CheckFacts, Hunk
from promptlint.finding import Report
from promptlint.report import checked
from promptlint.report.json_finding import Object, pointer
from promptlint.report.json_lint import lint_finding
from promptlint.report.secrets import mask, mask_lines


def check(facts: CheckFacts, excerpts: bool) -> Object:
    """The body. Without excerpts no line of a file is in it."""
    return {
        "before": mask(facts.before),
        "after": mask(facts.after),
        "at_segments": facts.at_segments,
        "strict": facts.strict,
        "changed_files": facts.changed_files,
        "renderings": facts.renderings,
        "errors": [mask(error) for error in facts.errors],
        "prompts": [_prompt(prompt, excerpts) for prompt in facts.prompts],
    }


def check_findings(report: Report, excerpts: bool) -> list[Object]:
    """Its findings; the rule of one that tells of a cause is that cause."""
    told = [(found, found.rule if found.rule != "budget" else "") for found in checked.of_prompts(report)]
    told += [(found, "") for found in checked.fresh(report)]
    return [
        {**lint_finding(found, excerpts), "rule": mask(found.rule), "cause": mask(found.cause or cause) or None}
        for found, cause in told
    ]


def _prompt(prompt: CheckedPrompt, excerpts: bool) -> Object:
    allowed = prompt.allowed
    return {
        "name": mask(prompt.name),
        "path": mask(prompt.path),
        "old_path": _masked(prompt.old_path),
        "change": prompt.change,
        "verdict": prompt.verdict,
        "certainty": prompt.certainty,
        "provider": _masked(prompt.provider),
        "model": _masked(prompt.model),
        "exact": prompt.exact,
        "prompt_tokens_before": prompt.prompt_tokens_before,
        "prompt_tokens_after": prompt.prompt_tokens_after,
        "usable_tokens_before": prompt.usable_tokens_before,
        "usable_tokens_after": prompt.usable_tokens_after,
        "lost_tokens_per_request": prompt.lost_tokens_per_request,
        "lost_tokens_once": prompt.lost_tokens_once,
        "lost_usd_per_day": prompt.lost_usd_per_day,
        "lost_usd_once": prompt.lost_usd_once,
        "often": prompt.often,
        "price": mask(prompt.price),
        "causes": [_cause(cause, excerpts) for cause in prompt.causes],
        "reasons": [
            {"budget": mask(reason.budget), "verdict": reason.verdict, "message": mask(reason.message)}
            for reason in prompt.reasons
        ],
        "allowed": None if allowed is None else {"reason": mask(allowed.reason), "until": mask(allowed.until)},
        "notes": [mask(note) for note in prompt.notes],
        "link": mask(prompt.link),
    }


def _masked(text: str | None) -> str | None:
    return None if text is None else mask(text)


def _cause(cause: CheckCause, excerpts: bool) -> Object:
    return {
        "cause": mask(cause.cause),
        "message": mask(cause.message),
        "often": cause.often,
        "certainty": cause.certainty,
        "path": mask(cause.path),
        "line": cause.line,
        "column": cause.column,
        "pointer": pointer(cause.pointer),
        "lost_tokens": cause.lost_tokens,
        "fix": mask(cause.fix),
        "hunk": None if cause.hunk is None else _hunk(cause.hunk, excerpts),
    }


def _hunk(hunk: Hunk, excerpts: bool) -> Object:
    return {
        "path": mask(hunk.path),
        "old_start": hunk.old_start,
        "old_lines": hunk.old_lines,
        "new_start": hunk.new_start,
        "new_lines": hunk.new_lines,
        "lines": mask_lines(list(hunk.lines), 1) if excerpts else None,
    }
