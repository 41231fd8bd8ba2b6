"""`promptlint lint` as a user calls it: files and folders, settings, answers to findings, exit codes."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from promptlint.cli import run

STAYS = "Quote the number of the order in each answer, and never promise a refund.\n" * 12
CLOCK = "You answer for a shop.\nIt is {{ now() }}.\n" + STAYS
CLEAN = "You answer for a shop.\n" + STAYS + "{{ question }}\n"
REQUEST = {
    "model": "claude-opus-4-5",
    "max_tokens": 100,
    "system": [{"type": "text", "text": STAYS * 20, "cache_control": {"type": "ephemeral", "ttl": "2h"}}],
    "messages": [{"role": "user", "content": "Where is my order?"}],
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTLINT_CACHE_DIR", str(tmp_path / ".results"))
    return tmp_path


def put(folder: Path, **files: str) -> None:
    """Files by name, in which `__` stands for a slash and `_` in front of the suffix for a dot."""
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path = path.with_name(".".join(path.name.rsplit("_", 1)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def lint(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    code = run(["lint", "--no-render", "--format", "json", *arguments])
    printed = capsys.readouterr()
    return code, json.loads(printed.out) if printed.out else {}, printed.err


def told(report: dict[str, Any]) -> list[str]:
    return [f"{found['location']['path']}:{found['location']['line']} {found['rule']}" for found in report["findings"]]


def test_a_folder_is_looked_through(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, prompts__a_j2=CLOCK, prompts__deep__b_j2=CLOCK, prompts__c_j2=CLEAN, prompts__settings_json='{"a": 1}')
    code, report, _ = lint(capsys, "prompts")
    assert told(report) == ["prompts/a.j2:2 clock-in-template", "prompts/deep/b.j2:2 clock-in-template"]
    assert [file["path"] for file in report["lint"]["files"]] == ["prompts/a.j2", "prompts/c.j2", "prompts/deep/b.j2"]
    assert [skipped["path"] for skipped in report["lint"]["skipped"]] == ["prompts/settings.json"]
    assert (code, report["verdict"]) == (1, "fail")


def test_what_was_named_and_cannot_be_looked_at_is_an_error(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2=CLOCK, settings_json='{"a": 1}', broken_json='{"a": ', open_j2="{% if a %}")
    code, report, error = lint(capsys, "a.j2", "settings.json", "broken.json", "open.j2", "absent.j2")
    assert code == 2
    assert told(report) == ["a.j2:2 clock-in-template"]
    assert len(error.splitlines()) == 4
    assert all(name in error for name in ("settings.json", "broken.json", "open.j2", "absent.j2"))
    assert "Traceback" not in error


def test_as_walked_skips_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, c_j2=CLEAN, settings_json='{"a": 1}', promptlint_yaml="exclude: [bad.j2]\n", bad_j2=CLOCK)
    code, report, error = lint(capsys, "--as-walked", "c.j2", "settings.json", "bad.j2")
    assert (code, told(report), error) == (0, [], "")
    assert lint(capsys, "bad.j2")[0] == 1


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), ["clock-in-template", "varying-text-ahead"]),
        (("--select", "clock-*"), ["clock-in-template"]),
        (("--ignore", "clock-in-template"), ["varying-text-ahead"]),
        (("--select", "varying-text-ahead", "--ignore", "*"), []),
    ],
)
def test_rules_are_chosen(
    here: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], found: list[str]
) -> None:
    put(here, a_j2="It is {{ now() }}, request {{ request_id }}.\n" + STAYS * 2)
    _, report, _ = lint(capsys, "a.j2", *options)
    assert [each["rule"] for each in report["findings"]] == found


def test_an_unknown_rule_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2=CLOCK)
    code, _, error = lint(capsys, "a.j2", "--select", "clock-in-templat")
    assert code == 2
    assert "did you mean clock-in-template?" in error


def test_the_nearest_configuration_holds(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(
        here,
        promptlint_yaml='per-file-ignores: {"legacy/*": [clock-in-template]}\n',
        a_j2=CLOCK,
        legacy__a_j2=CLOCK,
        other__promptlint_yaml="ignore: [clock-in-template]\n",
        other__a_j2=CLOCK,
    )
    assert told(lint(capsys, ".")[1]) == ["a.j2:2 clock-in-template"]


@pytest.mark.parametrize(("threshold", "code"), [("error", 1), ("warning", 1), ("info", 1), ("never", 0), (None, 1)])
def test_fail_on(here: Path, capsys: pytest.CaptureFixture[str], threshold: str | None, code: int) -> None:
    put(here, a_j2=CLOCK)
    assert lint(capsys, "a.j2", *(["--fail-on", threshold] if threshold else []))[0] == code
    assert lint(capsys, "a.j2", "--exit-zero")[0] == 0


def test_fail_on_of_each_configuration(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, lax__promptlint_yaml="fail-on: never\n", lax__a_j2=CLOCK, strict__a_j2=CLEAN)
    code, report, _ = lint(capsys, "lax", "strict")
    assert (code, told(report)) == (0, ["lax/a.j2:2 clock-in-template"])
    put(here, strict__a_j2=CLOCK)
    assert lint(capsys, "lax", "strict")[0] == 1


def test_a_comment_answers_a_finding(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comment = "{# promptlint: ignore[clock-in-template] -- frozen by the caller #}\n"
    put(here, a_j2=CLOCK.replace("It is", f"{comment}It is"))
    code, report, _ = lint(capsys, "a.j2")
    assert (code, told(report)) == (0, [])
    (answered,) = report["lint"]["suppressed"]
    assert (answered["how"], answered["reason"]) == ("comment", "frozen by the caller")


@pytest.mark.parametrize(
    ("comment", "rule"),
    [
        ("{# promptlint: ignore[clock-in-template] #}", "suppression-without-reason"),
        ("{# promptlint: ignore[date-in-template] -- it is fixed #}", "unused-suppression"),
        ("{# promptlint: ignore[clocks] -- it is fixed #}", "unknown-suppression"),
        ("<!-- promptlint: ignore[clock-in-template] -- it is fixed -->", "suppression-in-prompt"),
    ],
)
def test_a_comment_that_answers_nothing_is_told(
    here: Path, capsys: pytest.CaptureFixture[str], comment: str, rule: str
) -> None:
    put(here, a_j2=CLOCK.replace("It is", f"{comment}\nIt is"))
    rules = [each["rule"] for each in lint(capsys, "a.j2")[1]["findings"]]
    assert sorted(rules) == sorted(["clock-in-template", rule])
    assert [each["rule"] for each in lint(capsys, "a.j2", "--ignore", rule)[1]["findings"]] == ["clock-in-template"]


def test_the_configuration_answers_a_finding_of_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = "{path: a.json, pointer: %s, rule: marker-ttl-order, reason: the gateway maps it}"
    put(here, a_json=json.dumps(REQUEST), promptlint_yaml=f"suppress: [{entry % '/system/0'}]\n")
    code, report, _ = lint(capsys, "a.json")
    assert (code, told(report)) == (0, [])
    assert [each["how"] for each in report["lint"]["suppressed"]] == ["configuration"]
    put(here, promptlint_yaml=f"suppress: [{entry % '/tools'}]\n")
    assert [each["rule"] for each in lint(capsys, "a.json")[1]["findings"]] == [
        "marker-ttl-order",
        "unused-suppression",
    ]


def test_a_fix_and_a_new_fault_do_not_cancel_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2=CLOCK)
    assert run(["baseline", "write", "."]) == 0
    put(here, promptlint_yaml="baseline: promptlint-baseline.json\n")
    capsys.readouterr()
    code, report, _ = lint(capsys, ".")
    assert (code, told(report), len(report["lint"]["suppressed"])) == (0, [], 1)
    put(here, a_j2="\n\n" + CLOCK)  # lines move
    assert lint(capsys, ".")[0] == 0
    put(here, a_j2=CLEAN, b_j2=CLOCK)
    code, report, _ = lint(capsys, ".")
    assert (code, told(report)) == (1, ["b.j2:2 clock-in-template"])
    assert any("baseline prune" in note for note in report["notes"])
    assert told(lint(capsys, ".", "--no-baseline")[1]) == ["b.j2:2 clock-in-template"]


def test_what_requests_of_a_log_have_in_common_is_told_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_jsonl=f"{json.dumps(REQUEST)}\n" * 5)
    (found,) = lint(capsys, "a.jsonl")[1]["findings"]
    assert found["message"].endswith("(in 5 of 5 requests)")


def test_results_are_kept_until_something_changes(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(here, a_j2="{% include 'b.j2' %}\n" + STAYS, b_j2="It is {{ now() }}.\n", c_json=json.dumps(REQUEST))
    first = lint(capsys, ".")
    assert told(first[1]) == ["b.j2:1 clock-in-template", "c.json:1 marker-ttl-order"]
    assert any((here / ".results").iterdir())
    with monkeypatch.context() as patch:
        patch.setattr("promptlint.commands.lint.lint_file", None)  # nothing is looked at again
        assert lint(capsys, ".") == first
    put(here, b_j2="It is late.\n")
    assert told(lint(capsys, ".")[1]) == ["c.json:1 marker-ttl-order"]
    put(here, promptlint_yaml="ignore: [marker-ttl-order]\n")
    assert told(lint(capsys, ".")[1]) == []


def test_a_result_without_what_was_missing_is_not_kept(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2="{% include 'b.j2' ignore missing %}\n" + STAYS)
    assert told(lint(capsys, "a.j2")[1]) == []
    put(here, b_j2="It is {{ now() }}.\n")
    assert told(lint(capsys, "a.j2")[1]) == ["b.j2:1 clock-in-template"]


def test_without_a_cache_nothing_is_kept(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2=CLOCK)
    lint(capsys, ".", "--no-cache")
    assert not (here / ".results").exists()


def test_rules_of_ones_own(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(
        here,
        a_j2=CLEAN,
        promptlint_yaml="rules: [{id: our-build, scope: template, pattern: 'refund', message: 'says {match}'}]\n",
        mine__shop_yaml="{summary: s, severity: info, confidence: certain, scope: template, message: 'found {word}'}\n",
        mine__shop_py="from promptlint.lint.hit import Hit\n\n\ndef check(subject):\n"
        "    yield Hit(subject.template.parts[0].range, {'word': 'it'})\n",
    )
    _, report, _ = lint(capsys, "a.j2", "--rules", "mine", "--select", "our-build", "--select", "shop")
    messages = {found["message"] for found in report["findings"]}
    assert messages == {"says refund", "found it"}
    code, _, error = lint(capsys, "a.j2", "--rules", "nowhere")
    assert (code, len(error.splitlines())) == (2, 1)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("{summary: s}", "severity is missing"),
        ("{summary: s, severity: bad, confidence: certain, scope: template, message: m}", "unknown"),
        ("{summary: s, severity: info, confidence: certain, scope: template, message: m}", "what does it find?"),
        ("{summary: s, severity: info, confidence: certain, scope: pair, message: m, pattern: a}", "found in pairs"),
        ("{summary: s, severity: info, confidence: certain, scope: request, message: '{a!r}', pattern: a}", "plain"),
        ("{summary: s, severity: info, confidence: certain, scope: request, message: m, pattern: '('}", "regular"),
        ("[]", "not a mapping"),
    ],
)
def test_faults_of_a_rule(here: Path, capsys: pytest.CaptureFixture[str], row: str, fault: str) -> None:
    put(here, a_j2=CLEAN, mine__shop_yaml=row)
    code, _, error = lint(capsys, "a.j2", "--rules", "mine")
    assert (code, len(error.splitlines())) == (2, 1)
    assert fault in error


def test_reports_go_to_files_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2=CLOCK)
    run(["lint", "a.j2", "--no-render", "--output", "sarif=a.sarif", "--output", "github=a.txt"])
    assert "clock-in-template" in capsys.readouterr().out
    assert json.loads((here / "a.sarif").read_text())["version"] == "2.1.0"
    assert (here / "a.txt").read_text().splitlines()[1].startswith("::error ")


def test_no_report_is_written_over_an_input(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2=CLOCK)
    assert run(["lint", ".", "--no-render", "--output", "json=a.j2"]) == 2
    assert (here / "a.j2").read_text() == CLOCK
    assert "is one of the inputs" in capsys.readouterr().err


@pytest.mark.parametrize("options", [("--select", "clock-in-templat"), ("--tokenizer", "nope"), ("--facts", "nope")])
@pytest.mark.parametrize("as_walked", [(), ("--as-walked",)])
def test_what_cannot_be_had_is_never_a_pass(
    here: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, str], as_walked: tuple[str, ...]
) -> None:
    put(here, a_j2=CLOCK, b_j2=CLOCK)
    for paths in (["."], ["a.j2", "b.j2"]):
        code, report, error = lint(capsys, *paths, *options, *as_walked)
        assert (code, len(error.splitlines()), report["verdict"]) == (2, 1, "fail")


def test_a_template_that_does_not_parse_is_never_a_pass(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2="{% if a %}", b_j2="{% trans %}of an extension{% endtrans %}", c_j2=CLOCK)
    code, report, error = lint(capsys, ".")
    assert (code, told(report), len(error.splitlines())) == (2, ["c.j2:2 clock-in-template"], 1)
    assert [note for note in report["notes"] if "trans" in note]


@pytest.mark.parametrize("text", ["", " \n", "\n\n"])
def test_an_empty_file_loses_nothing(here: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    put(here, a_json=text, b_jsonl=text, c_md=text, d_j2=CLOCK)
    code, report, error = lint(capsys, "a.json", "b.jsonl", "c.md", "d.j2")
    assert (code, told(report), len(error.splitlines())) == (2, ["d.j2:2 clock-in-template"], 3 if not text else 2)


def test_the_broken_record_of_a_log_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_jsonl=f'{json.dumps(REQUEST)}\n{{"model": \n')
    code, report, _ = lint(capsys, "a.jsonl")
    assert (code, len(report["findings"])) == (1, 1)
    assert report["notes"] == ["a.jsonl:2:11: the JSON ends too early, a value expected: left out"]


def test_a_request_that_brings_its_chat_template_is_a_request(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_json=json.dumps({**REQUEST, "chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}"}))
    _, report, _ = lint(capsys, "a.json")
    assert told(report) == ["a.json:1 marker-ttl-order"]
    assert report["lint"]["files"] == [{"path": "a.json", "what": "request, chat template"}]


def test_what_several_templates_include_is_told_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(
        here,
        a_j2="{% include 'c.j2' %}\n" + STAYS,
        b_j2="{% include 'c.j2' %}\n" + STAYS * 2,
        c_j2="It is {{ now() }}.\n",
    )
    (found,) = lint(capsys, "a.j2", "b.j2")[1]["findings"]
    assert found["location"]["path"] == "c.j2"


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a|a)*b", "((a+)+)+c"])
@pytest.mark.parametrize("name", ["a_j2", "a_md"])
def test_a_pattern_that_goes_on_for_ever_is_named(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, pattern: str, name: str
) -> None:
    monkeypatch.setattr("promptlint.lint.run._SECONDS", 0.1)
    scope = "template" if name == "a_j2" else "request"
    rule = f"{{id: own, scope: {scope}, pattern: '{pattern}', message: m}}"
    put(here, **{name: "a" * 60 + "!"}, promptlint_yaml=f"rules: [{rule}]\n")
    code, _, error = lint(capsys, name.replace("_", "."))
    assert (code, error.startswith("promptlint: rule own: no answer within")) == (2, True)


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("{id: clock, scope: template, pattern: a, message: m}", "there is one with this id"),
        ("{id: own, scope: template, pattern: a, message: m, cause: clok}", "did you mean clock?"),
    ],
)
def test_an_own_rule_that_is_not_in_order(
    here: Path, capsys: pytest.CaptureFixture[str], rule: str, fault: str
) -> None:
    put(here, a_j2=CLEAN, promptlint_yaml=f"rules: [{rule}]\n")
    code, _, error = lint(capsys, ".")
    assert (code, len(error.splitlines()), fault in error) == (2, 1, True)


@pytest.mark.parametrize("code", ["yield 1 / 0", "raise KeyError('a')", "yield Hit(1, {'other': 'it'})"])
def test_an_own_rule_that_breaks_down_is_named(here: Path, capsys: pytest.CaptureFixture[str], code: str) -> None:
    put(
        here,
        a_j2=CLEAN,
        mine__shop_yaml="{summary: s, severity: info, confidence: certain, scope: template, message: 'found {word}'}\n",
        mine__shop_py=f"from promptlint.lint.hit import Hit\n\n\ndef check(subject):\n    {code}\n",
    )
    result, _, error = lint(capsys, "a.j2", "--rules", "mine")
    assert (result, error.startswith("promptlint: rule shop: ")) == (2, True)


def test_options_may_stand_anywhere(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2=CLOCK, b_j2=CLOCK)
    assert run(["lint", "a.j2", "--no-render", "b.j2", "--format", "json"]) == 1
    assert len(told(json.loads(capsys.readouterr().out))) == 2
    assert run(["baseline", "write", "--baseline", "known.json", "."]) == 0
    assert run(["baseline", "check", "--baseline", "known.json", "."]) == 0
    assert run(["lint", "a.j2", "--nope", "b.j2"]) == 2
    assert "unrecognized arguments: --nope" in capsys.readouterr().err


def test_statistics(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, a_j2=CLOCK, b_j2=CLOCK)
    run(["lint", ".", "--no-render", "--statistics"])
    printed = capsys.readouterr().out
    assert "clock-in-template" in printed
    assert "a.j2" not in printed


def test_the_same_bytes_whatever_the_environment(here: Path) -> None:
    put(here, a_j2=CLOCK, b__c_j2=CLOCK, d_json=json.dumps(REQUEST), e_jsonl=f"{json.dumps(REQUEST)}\n" * 3)
    outputs = set()
    for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("2", "en_US.UTF-8")):
        names = ["a.j2", "b", "d.json", "e.jsonl", "."]
        random.Random(seed).shuffle(names)
        command = [sys.executable, "-m", "promptlint", "lint", "--no-render", *names]
        for form in ("text", "json", "sarif", "gitlab", "junit", "markdown"):
            environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "PROMPTLINT_CACHE_DIR": f"r{seed}"}
            done = subprocess.run([*command, "--format", form], capture_output=True, env=environment, check=False)
            assert done.returncode == 1, done.stderr
            outputs.add((form, done.stdout))
    assert len(outputs) == 6
