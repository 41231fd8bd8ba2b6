"""Facts that changed from release to release: which of them hold for one version."""

import re
from collections.abc import Mapping
from typing import Any

from promptlint.errors import PromptlintError
from promptlint.read.names import nearest, shown


def at_version(row: Mapping[str, Any], version: str | None) -> tuple[str | None, dict[str, Any]]:
    """The version that is meant (None: the newest that was checked), and the fields of `by_version` as they are there.

    `row` has a `title` and `by_version`: field -> ranges of releases (`first` to `last`) with a value.
    Raises PromptlintError for a version of which it is not known how it behaves.
    """
    checked = releases(row["by_version"])
    if version is not None and not checked:
        raise PromptlintError(f"what {row['title']} does is not known by version", "leave the version out")
    wanted = checked[-1] if version is None and checked else version
    return wanted, {} if wanted is None else {field: _value(row, field, wanted) for field in row["by_version"]}


def releases(by_version: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    """The versions that rows name, oldest first."""
    named = {row[end] for rows in by_version.values() for row in rows for end in ("first", "last")}
    return sorted(named, key=_number)


def _value(row: Mapping[str, Any], field: str, version: str) -> Any:
    """What a field that changed is in `version`."""
    title, rows = row["title"], row["by_version"][field]
    number = _number(version)
    if not number:
        checked = releases(row["by_version"])
        close = nearest(version, checked) or checked[-1]
        raise PromptlintError(f"{shown(version)!r} is no version of {title}", f"such as {close}")
    for entry in rows:
        if _number(entry["first"]) <= number <= _number(entry["last"]):
            return entry["value"]
    older = [entry["last"] for entry in rows if _number(entry["last"]) < number]
    newer = [entry["first"] for entry in rows if _number(entry["first"]) > number]
    if older and newer:
        why, hint = f"it lies between {older[-1]} and {newer[0]}, which differ", "name the one that it behaves like"
    else:
        bound, known = ("newest", older[-1]) if older else ("oldest", newer[0])
        why, hint = f"{known} is the {bound} that was checked", f"take {known} if it behaves like that"
    raise PromptlintError(f"what {title} {shown(version)} does is not known: {why}", hint)


def _number(version: str) -> tuple[int, ...]:
    """`v0.30.0` as (0, 30), numbers that compare; `.post1` and `+cpu` do not count. Empty for what is no release."""
    match = re.fullmatch(r"v?(\d{1,9}(?:\.\d{1,9})*)(?:\.?post\d+)?(?:\+[\w.]+)?", version.strip().lower())
    return tuple(map(int, re.sub(r"(\.0+)+$", "", match[1]).split("."))) if match else ()
