"""What one file gave, as JSON, for the cache of results."""

from typing import Any

from promptlint.commands.lint_files import Linted
from promptlint.finding import Finding
from promptlint.lint_facts import RenderedTemplate, Suppressed, VariableEffect
from promptlint.prompt import Location


def packed(linted: Linted) -> Any:
    """A list, of JSON's types once it is written: tuples become lists."""
    return list(linted)


def unpacked(row: list[Any]) -> Linted:
    """What was packed."""
    linted = Linted._make(row)
    return linted._replace(
        findings=tuple(map(_finding, linted.findings)),
        suppressed=tuple(Suppressed(_finding(finding), how, reason) for finding, how, reason in linted.suppressed),
        notes=tuple(linted.notes),
        files=tuple(linted.files),
        ran=tuple(linted.ran),
        rendered=tuple(
            RenderedTemplate(path, at if isinstance(at, str) else tuple(at), tuple(map(VariableEffect._make, rows)))
            for path, at, rows in linted.rendered
        ),
    )


def _finding(row: Any) -> Finding:
    finding = Finding._make(row)
    return finding._replace(
        location=Location._make(finding.location),
        pointer=finding.pointer if isinstance(finding.pointer, str) else tuple(finding.pointer),
        related=tuple(map(Location._make, finding.related)),
        mark=(finding.mark[0], finding.mark[1]),
    )
