"""What no reader of a `promptlint lint` report may be exposed to, whatever stands in files and in their names."""

import json
import re

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import lint_samples as lint
from conftest import ROOT
from lint_reports import ATTACKS, LAW, check_harmless, commands, reports
from promptlint.finding import Report
from promptlint.lint_facts import CheckedFile, FixFacts, Suggestion, Suppressed
from promptlint.report import FORMS, write
from report_samples import SECRETS

CONTRACT = jsonschema.Draft202012Validator(json.loads((ROOT / "promptlint/schemas/report.schema.json").read_text()))
FOLDED = ("Lines and fixes", "The template", "Changes")


@pytest.mark.parametrize("form", FORMS)
def test_no_attack_reaches_a_reader(form: str) -> None:
    """Each hostile text in each place of a report where text of a file or of its name can stand."""
    for attack in ATTACKS:
        where = lint.location(f"{attack}.j2", 1, 1)
        found = lint.finding(attack, where, attack, related=(where,), fix=attack, cause=attack, fingerprint="")
        found = found._replace(pointer=(attack, attack), excerpt=f"a{attack}b", mark=(1, 1 + len(attack)))
        facts = lint.facts(
            files=(CheckedFile(attack, attack),),
            skipped=((attack, attack),),
            errors=(attack,),
            suppressed=(Suppressed(found, "comment", attack),),
            suggestions=(Suggestion(attack, attack, 1, (attack,), attack),),
            fixes=(FixFacts(attack, (attack,), True, attack, f"+{attack}\n", False),),
        )
        text = write(Report("lint", "fail", (found,), notes=(attack,), lint=facts), form)
        if form == "github":
            [command] = commands(text)
            assert command.name == "error", attack
            assert command.properties.keys() == {"file", "line", "col", "title"}, attack
            text = "\n".join(row for row in text.split("\n") if not row.startswith("::"))
        check_harmless(text)
        if form == "json":
            CONTRACT.validate(json.loads(text))


@LAW
@given(reports(), st.booleans())
def test_markdown_holds_only_its_own_markup(report: Report, excerpts: bool) -> None:
    text = write(report, "markdown", excerpts=excerpts)
    check_harmless(text)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    html = {row for token in tokens if token.type == "html_block" for row in token.content.splitlines()}
    assert html <= {"</details>", *(f"<details><summary>{each}</summary>" for each in FOLDED)}
    allowed = ("text", "code_inline", "softbreak", "strong_open", "strong_close")
    columns = {"tr_open": 0, "th_open": 0, "td_open": 0}
    for token in tokens:
        columns = {name: columns[name] + (token.type == name) for name in columns}
        for child in token.children or []:
            assert child.type in allowed, child
            if child.type == "text":
                assert not re.search(r"[@#$<>&`*_~|\\\[\]{}]|://|www\.|GH-", child.content), child.content
        if token.type == "fence":
            assert token.info in ("text", "jinja", "diff")
            assert token.info != "text" or all(re.match(r"\| |  U\+|   ", row) for row in token.content.splitlines())
    assert (columns["td_open"] + columns["th_open"]) % max(columns["tr_open"], 1) == 0


def test_hidden_excerpts() -> None:
    canary = "canary-text"
    found = lint.clock()._replace(excerpt=canary, mark=(0, 3))
    more = lint.rewritten().lint
    assert more is not None
    facts = lint.facts(
        suggestions=(more.suggestions[0]._replace(text=canary),), fixes=(more.fixes[0]._replace(diff=canary),)
    )
    report = Report("lint", "fail", (found,), lint=facts)
    for form in FORMS:
        assert canary not in write(report, form, excerpts=False), form
        assert (canary in write(report, form)) == (form in ("text", "json", "junit", "markdown")), form


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", FORMS)
def test_secrets_never_appear(secret: str, form: str) -> None:
    excerpt = f"key = {secret} end"
    where = lint.location(f"{secret}.json", 1, 1)
    found = lint.finding(
        "r", where, f"see {secret}", pointer=f"/{secret}", excerpt=excerpt, mark=(18, 19), fix=secret, related=(where,)
    )
    more = lint.rewritten().lint
    assert more is not None
    facts = lint.facts(
        skipped=((secret, secret),),
        errors=(secret,),
        suppressed=(Suppressed(found, "comment", secret),),
        suggestions=(more.suggestions[0]._replace(text=excerpt, moved=(secret,), reader_note=secret),),
        fixes=(more.fixes[0]._replace(diff="".join(f"+{row}\n" for row in excerpt.split("\n")), proof=secret),),
    )
    text = write(Report("lint", "fail", (found,), notes=(secret,), lint=facts), form)
    for start in range(max(7, secret.find("Bearer ") + 11), len(secret) - 6):
        assert json.dumps(secret[start : start + 6])[1:-1] not in text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sign", "-+ ")
def test_a_key_of_many_lines_never_appears_in_a_diff(form: str, sign: str) -> None:
    more = lint.rewritten().lint
    assert more is not None
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\nq1w2e3r4\n-----END RSA PRIVATE KEY-----"
    diff = "".join(f"{sign}{row}\n" for row in ("canary-above", *key.split("\n"), "canary-below"))
    text = write(
        Report("lint", "fail", lint=lint.facts(fixes=(more.fixes[0]._replace(diff=diff, written=False),))), form
    )
    assert "MIIEpAIB" not in text
    assert "q1w2e3r4" not in text
    shown = form in ("text", "markdown", "json")
    assert (f"{sign}canary-above" in text) == (f"{sign}canary-below" in text) == shown
