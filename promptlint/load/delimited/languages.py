"""The rows of data/template_languages.yaml."""

import re
from functools import cache
from typing import Any, Literal, NamedTuple

from promptlint import facts

PieceKind = Literal["text", "escape", "print", "tag", "statement", "comment", "raw"]


class Delimiter(NamedTuple):
    """What opens and closes a tag."""

    open: str  # regular expressions
    close: str
    kind: PieceKind


class Language(NamedTuple):
    """How a template language is delimited, and what its words do."""

    name: str
    grammar: str  # which reader knows what stands between the delimiters
    ends: tuple[str, ...]  # of file names
    unsure: bool  # such files are more often something else
    delimiters: tuple[Delimiter, ...]
    mark: str  # that cuts white space, or ""
    spaced: bool  # a mark needs white space at its inner side
    cuts: str  # what it cuts: "all", "line"
    alone: tuple[str, ...]  # tags that begin so take their line with them
    strings: bool  # a delimiter in quotes is none
    changes: bool  # a tag may set other delimiters
    escapes: tuple[tuple[str, str, str], ...]  # written, in front of what, printed
    pattern: str  # of a language that knows nothing but names, or ""
    layouts: str  # a key of `layouts`, or ""
    words: dict[str, frozenset[str]]  # the other lists of the row, by their names

    def has(self, row: str, word: str) -> bool:
        """Whether a word is in one of the lists."""
        return word in self.words.get(row, ())


_REGIONS = ("loops", "conditions", "scopes", "branches", "regions", "includes", "raws", "roles", "asking")
_WORDS = ("clocks", "dated", "days", "chances", "words")


@cache
def language(name: str) -> Language:
    """The language of a name. Raises KeyError for one that is not in the table."""
    row: dict[str, Any] = facts.table("template_languages")["languages"][name]
    return Language(
        name,
        row["grammar"],
        tuple(row["ends"]),
        row.get("unsure", False),
        tuple(Delimiter(each["open"], each["close"], each["kind"]) for each in row.get("delimiters", ())),
        row.get("mark", ""),
        row.get("spaced", False),
        row.get("cuts", "all"),
        tuple(row.get("alone", ())),
        row.get("strings", False),
        row.get("changes", False),
        tuple((each["written"], each["ahead"], each["printed"]) for each in row.get("escapes", ())),
        row.get("pattern", ""),
        row.get("layouts", ""),
        {key: frozenset(row[key]) for key in (*_REGIONS, *_WORDS) if key in row},
    )


@cache
def _ends() -> tuple[tuple[str, str], ...]:
    """Ends of file names, the longest first, each with its language."""
    rows = facts.table("template_languages")["languages"]
    found = [(end, name) for name, row in rows.items() for end in row["ends"]]
    return tuple(sorted(found, key=lambda pair: -len(pair[0])))


def named_so(path: str) -> Language | None:
    """The language that a file is written in by its name; one without a dot in front is a whole name."""
    name = path.rpartition("/")[2]
    lower = name.lower()
    for end, found in _ends():
        if lower.endswith(end) if end.startswith(".") else name == end:
            return language(found)
    return None


@cache
def all_ends() -> tuple[str, ...]:
    """Every end of a file name that says a language."""
    return tuple(end for end, _ in _ends())


@cache
def _layout(name: str) -> tuple["re.Pattern[str]", dict[str, str]]:
    rows = facts.table("template_languages")["layouts"][name]
    return re.compile("|".join(re.escape(key) for key in sorted(rows, key=len, reverse=True))), rows


def strftime_of(layout: str, name: str) -> str | None:
    """A date's layout as strftime writes it; None where it says nothing of a date.

    `name`: a key of `layouts`, or "".
    """
    if not name:
        return layout if "%" in layout else None
    pattern, rows = _layout(name)
    written, count = pattern.subn(lambda found: rows[found[0]], layout.replace("%", "%%"))
    return written if count else None
