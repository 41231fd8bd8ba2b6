"""The closed vocabulary of causes: data/causes.yaml as typed rows."""

from typing import NamedTuple

from promptlint import facts


class Cause(NamedTuple):
    """One label that promptlint may claim."""

    label: str
    layer: str
    benign: bool
    summary: str
    fix: str


def cause(label: str) -> Cause:
    """The row of a label; KeyError for one that is not in the list."""
    row = facts.table("causes")[label]
    return Cause(label, row["layer"], row.get("benign", False), row["summary"], row["fix"])
