"""The report for a GitHub job: one workflow command a finding, which shows it beside the line of the file.

No untrusted character can end a command or begin another: it is made visible first, then `%`, and in properties `:`
and `,`, are encoded as GitHub's runner decodes them.
"""

from promptlint.finding import Finding, Report
from promptlint.report.checked import unrendered
from promptlint.report.escape import guard, line
from promptlint.report.findings import costliest, exact, relative, told

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_MOST = 10  # of each kind, which is what GitHub shows of a step


def write(report: Report) -> str:
    """The verdict as a plain line, the commands, then notes as plain lines. The costliest come first: GitHub shows
    ten of each kind."""
    from promptlint.report.concise import verdict

    plain = [f"promptlint: {verdict(report)}"] if report.verdict is not None else []
    found, more = _annotated(report)
    counted = exact(report)
    commands = [_command(each, counted) for each in found]
    notes = [f"promptlint: {more:,} more: see the job summary"] if more else []
    notes += [f"promptlint: note: {line(note)}" for note in report.notes]
    return "".join(
        [
            guard("".join(f"{row}\n" for row in plain)),
            *(f"{row}\n" for row in commands),
            *(guard(f"{row}\n") for row in notes),
        ]
    )


def _annotated(report: Report) -> tuple[list[Finding], int]:
    """The findings that become commands, and how many more there are: a check runs where a job summary has all."""
    found = costliest(report.findings)
    if report.check is None:
        return found, 0
    found = [*unrendered(report.check), *found]
    kinds = [[each for each in found if each.severity == severity][:_MOST] for severity in _COMMANDS]
    shown = [each for kind in kinds for each in kind]
    return shown, len(found) - len(shown)


def _command(found: Finding, counted: bool) -> str:
    where = found.location
    pairs: list[tuple[str, str | int]] = [] if where.path in ("-", ".") else [("file", line(relative(where.path)))]
    pairs.append(("line", where.line))
    if found.end_line:
        pairs.append(("endLine", found.end_line))
    if found.end_line in (0, where.line):  # columns of two lines are not taken
        pairs.append(("col", where.column))
        pairs += [("endColumn", found.end_column)] if found.end_column > where.column else []
    pairs.append(("title", line(found.rule)))
    rows = [told(found, exact=counted), *([f"Fix: {line(found.fix)}"] if found.fix else [])]
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in pairs)
    return f"::{_COMMANDS[found.severity]} {properties}::{'%0A'.join(map(_data, rows))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
