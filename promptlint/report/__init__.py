"""Report -> str, one file per format. A writer knows nothing but `promptlint.finding`."""

from promptlint.errors import PromptlintError
from promptlint.finding import Report

FORMS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")


def write(report: Report, form: str, *, color: bool = False, excerpts: bool = True, width: int = 80) -> str:
    """The whole report in one of `FORMS`, ending in a line feed.

    `color` (ANSI codes) and `width` (columns) matter to "text" only; `excerpts=False` prints no excerpts.
    Apart from those codes the result holds printable characters and line feeds only, and no line that a CI runner
    would take for a command but our own of "github"; JSON and XML are ASCII. Raises PromptlintError for another form.
    """
    if report.command == "rules" and form != "json":
        from promptlint.report import rules

        return rules.write(report, form, color=color, width=width)
    if form == "text":
        from promptlint.report import text

        return text.write(report, color=color, excerpts=excerpts, width=width)
    if form == "concise":
        from promptlint.report import concise

        return concise.write(report)
    if form == "json":
        from promptlint.report import json

        return json.write(report, excerpts=excerpts)
    if form == "sarif":
        from promptlint.report import sarif

        return sarif.write(report)
    if form == "github":
        from promptlint.report import github

        return github.write(report)
    if form == "gitlab":
        from promptlint.report import gitlab

        return gitlab.write(report)
    if form == "junit":
        from promptlint.report import junit

        return junit.write(report, excerpts=excerpts)
    if form == "markdown":
        from promptlint.report import markdown

        return markdown.write(report, excerpts=excerpts)
    if form in ("csv", "svg"):
        return _measured(report, form)
    raise PromptlintError(f"unknown format {form!r}", f"use one of {', '.join(FORMS)}")


def _measured(report: Report, form: str) -> str:
    """The measured prefixes as a table or a picture. Raises PromptlintError if nothing was measured."""
    facts = report.confirm
    if facts is None or not facts.ramp:
        raise PromptlintError(f"no times for {form} were measured", "confirm --prefix 512,2048 measures some")
    from promptlint.report import confirm_chart

    return confirm_chart.csv(facts.ramp) if form == "csv" else confirm_chart.svg(facts.ramp, facts.model)
