"""Lint reports of any texts, for laws; and what GitHub's runner makes of a line of a log."""

import re
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

import lint_samples as lint
from promptlint.finding import Finding, Report
from promptlint.lint_facts import CheckedFile, FixFacts, RuleFacts, Suggestion, Suppressed
from promptlint.prompt import Location, SourceByte
from report_samples import HOSTILE, SECRETS

LAW = settings(deadline=None, max_examples=60)
ATTACKS = (
    *HOSTILE,
    *SECRETS,
    "::error::x",
    "::add-mask::x",
    "\x1b[2J\x1b]0;title\x07",
    "\u202eevil\u2066",
    "{0}",
    "##[group]",
    "##",
    "[error]",
    "%0A::error::x",
    "%3A%3A",
    "\r::stop-commands::x",
    "]]>",
    "<!--",
    "&amp;",
    "</details><script>",
    "\x00",
    "\ud800",
    "\ufffe",
    "\u2028",
    "`",
    "|",
    "\\",
    " ",
    ",line=1",
)
texts = st.lists(st.text(st.characters(exclude_categories=()), max_size=9) | st.sampled_from(ATTACKS), max_size=4).map(
    "".join
)
pointers = st.just("") | texts.map(lambda text: f"/{text}") | st.tuples(texts, texts)
counts = st.none() | st.integers(0, 10**7)


@st.composite
def locations(draw: st.DrawFn) -> Location:
    start, line, column = (draw(st.integers(low, 10**6)) for low in (0, 1, 1))
    end = start + draw(st.integers(0, 99))
    path = draw(texts.filter(bool) | st.sampled_from(["a.j2", "./b/../c.json", "/etc/x", "../up.j2", "-"]))
    return Location(path, SourceByte(start), SourceByte(end), line, column)


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    where = draw(locations())
    excerpt = draw(st.none() | texts)
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(excerpt or ""))] * 2)))
    more = draw(st.none() | st.integers(0, 2))
    known: dict[str, Any] = {}
    if more is not None:
        known = {"end_line": where.line + more, "end_column": where.column + draw(st.integers(0, 9))}
    return lint.finding(
        draw(texts.filter(bool) | st.sampled_from([rule.id for rule in lint.RULES])),
        where,
        draw(texts),
        severity=draw(st.sampled_from(["error", "warning", "info"])),
        confidence=draw(st.sampled_from(["certain", "possible", "unknown"])),
        pointer=draw(pointers),
        related=tuple(draw(st.lists(locations(), max_size=2))),
        lost_tokens=draw(counts),
        lost_usd=draw(st.none() | st.just("0.0125")),
        fix=draw(texts),
        cause=draw(texts),
        excerpt=excerpt,
        mark=(start, end),
        fingerprint=draw(st.sampled_from(["", "aa", "bb"])),
        **known,
    )


@st.composite
def reports(draw: st.DrawFn) -> Report:
    found = tuple(draw(st.lists(findings(), max_size=3)))
    answered = st.builds(Suppressed, findings(), st.sampled_from(["comment", "configuration", "baseline"]), texts)
    names = st.lists(texts, max_size=2).map(tuple)
    rule = st.builds(
        RuleFacts,
        texts.filter(bool),
        texts,
        texts,
        st.sampled_from(["error", "warning", "info"]),
        st.sampled_from(["certain", "possible", "unknown"]),
        st.sampled_from(["request", "template", "pair"]),
        st.just("0.2"),
        texts,
        texts,
        names,
    )
    facts = lint.facts(
        files=tuple(draw(st.lists(st.builds(CheckedFile, texts.filter(bool), texts), max_size=2))),
        skipped=tuple(draw(st.lists(st.tuples(texts.filter(bool), texts), max_size=2))),
        suppressed=tuple(draw(st.lists(answered, max_size=2))),
        rules=tuple(draw(st.lists(rule, max_size=2))),
        fail_on=draw(st.sampled_from(["error", "warning", "info", "never"])),
        errors=draw(names),
        suggestions=tuple(
            draw(st.lists(st.builds(Suggestion, texts, texts, st.integers(0, 9999), names, texts), max_size=1))
        ),
        fixes=tuple(
            draw(st.lists(st.builds(FixFacts, texts, names, st.booleans(), texts, texts, st.booleans()), max_size=1))
        ),
        exact=draw(st.booleans()),
    )
    verdict: Any = draw(st.sampled_from(["pass", "fail"]))
    return Report("lint", verdict, found, notes=draw(names), lint=facts)


def check_harmless(text: str) -> None:
    """Printable characters and line feeds; nothing that the runners of GitHub and Azure obey."""
    assert text.endswith("\n")
    assert all(char.isprintable() for char in text.replace("\n", ""))
    assert not any(row.strip().startswith("::") for row in text.split("\n"))
    assert not re.search(r"##[A-Za-z]*\[", text)


class Command(NamedTuple):
    """A workflow command, decoded."""

    name: str
    properties: dict[str, str]
    data: str


def commands(log: str) -> list[Command]:
    """What the runner obeys in a log: lines that begin with `::`, after white space; and `##[` anywhere in others."""
    found = []
    for row in log.splitlines():
        text = row.lstrip()
        head, parted, data = text[2:].partition("::") if text.startswith("::") else ("", "", "")
        if parted:
            name, _, listed = head.partition(" ")
            pairs = [pair.partition("=") for pair in listed.strip().split(",") if pair]
            found.append(Command(name, {key: _decoded(value, ":,") for key, _, value in pairs}, _decoded(data, "")))
        elif "##[" in row:
            found.append(Command("##[", {}, row))
    return found


def _decoded(text: str, more: str) -> str:
    for char in ("\r", "\n", *more, "%"):
        text = text.replace(f"%{ord(char):02X}", char)
    return text
