"""The report for a GitHub job: one workflow command a finding, which shows it beside the line of the file.

No untrusted character can end a command or begin another: it is made visible first, then `%`, and in properties `:`
and `,`, are encoded as GitHub's runner decodes them.
"""

from promptlint.finding import Finding, Report
from promptlint.report.escape import guard, line
from promptlint.report.findings import costliest, relative, told

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def write(report: Report) -> str:
    """The verdict as a plain line, the commands, then notes as plain lines. The costliest come first: GitHub shows
    ten of each kind."""
    from promptlint.report.concise import verdict

    exact = report.lint is not None and report.lint.exact
    plain = [f"promptlint: {verdict(report)}"] if report.verdict is not None else []
    commands = [_command(found, exact) for found in costliest(report.findings)]
    notes = [f"promptlint: note: {line(note)}" for note in report.notes]
    return "".join(
        [
            guard("".join(f"{row}\n" for row in plain)),
            *(f"{row}\n" for row in commands),
            *(guard(f"{row}\n") for row in notes),
        ]
    )


def _command(found: Finding, exact: bool) -> str:
    where = found.location
    pairs: list[tuple[str, str | int]] = [] if where.path == "-" else [("file", line(relative(where.path)))]
    pairs.append(("line", where.line))
    if found.end_line:
        pairs.append(("endLine", found.end_line))
    if found.end_line in (0, where.line):  # columns of two lines are not taken
        pairs.append(("col", where.column))
        pairs += [("endColumn", found.end_column)] if found.end_column > where.column else []
    pairs.append(("title", line(found.rule)))
    rows = [told(found, exact=exact), *([f"Fix: {line(found.fix)}"] if found.fix else [])]
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in pairs)
    return f"::{_COMMANDS[found.severity]} {properties}::{'%0A'.join(map(_data, rows))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
