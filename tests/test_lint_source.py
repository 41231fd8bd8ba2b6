"""`promptlint lint` of source code: what the report says, what answers a finding, what is kept, what is left alone."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from promptlint.cli import run
from promptlint.lint.flow import project as modules

RULES = "You sort the post of a village by street and never by name. Ask when two streets share a name."
HEAD = f'from datetime import datetime\n\nimport anthropic\n\nclient = anthropic.Anthropic()\nRULES = "{RULES}"\n\n\n'
ASK = 'def ask(turns):\n    return client.messages.create(model="m", max_tokens=9, system=text(), messages=turns)\n'
APP = f'{HEAD}def text():\n    return f"{{datetime.now():%H:%M}} ü {{RULES}}"\n\n\n{ASK}'
LINE = 10  # of the time in it
FOUND = f"app.py:{LINE} clock-in-source"
SCRIPT = (
    'import Anthropic from "@anthropic-ai/sdk";\nconst client = new Anthropic();\n'
    f'const RULES = "{RULES}";\nexport const ask = (turns: any) =>\n'
    "  client.messages.create({ system: `${RULES} ${new Date().toISOString()}`, messages: turns });\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTLINT_CACHE_DIR", str(tmp_path / ".results"))
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def put(folder: Path, **files: str) -> None:
    """Files by name, in which `__` stands for a slash and the last `_` for a dot."""
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path = path.with_name(".".join(path.name.rsplit("_", 1)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def lint(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    code = run(["lint", "--format", "json", *arguments])
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    assert "internal error" not in printed.err
    return code, json.loads(printed.out) if printed.out else {}, printed.err


def told(report: dict[str, Any]) -> list[str]:
    return [f"{found['location']['path']}:{found['location']['line']} {found['rule']}" for found in report["findings"]]


def answered(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["how"], each["reason"]) for each in report["lint"]["suppressed"]]


def skipped(report: dict[str, Any]) -> dict[str, str]:
    return {each["path"]: each["reason"] for each in report["lint"]["skipped"]}


# The report.


def test_a_finding_has_its_place_its_way_and_its_cost(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, app_py=APP)
    code, report, _ = lint(capsys, "app.py")
    (found,) = report["findings"]
    lines = APP.split("\n")
    column = lines[LINE - 1].index("datetime.now()") + 1
    start = len("\n".join(lines[: LINE - 1]).encode()) + column
    assert (code, report["verdict"]) == (1, "fail")
    assert (found["severity"], found["confidence"], found["pointer"]) == ("error", "certain", "")
    assert found["location"] == {
        "path": "app.py", "start": start, "end": start + 14, "line": LINE, "column": column,
    }  # fmt: skip
    assert (found["end_line"], found["end_column"]) == (LINE, column + 14)
    assert [place["line"] for place in found["related"]] == [LINE + 4, LINE + 4]  # the call of text(), the request
    assert found["message"].startswith("datetime.now() puts the time of day into the system text of client.messages")
    assert found["lost_tokens"] is None  # the conversation, whose length nobody knows
    assert [file["what"] for file in report["lint"]["files"]] == ["Python source"]


def test_columns_are_characters_and_starts_are_bytes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = APP.replace('f"{', 'f"é😀 {').replace("\n", "\r\n")
    put(here, app_py="")
    (here / "app.py").write_bytes(b"\xef\xbb\xbf" + text.encode())
    _, report, _ = lint(capsys, "app.py")
    (found,) = report["findings"]
    place = found["location"]
    data = (here / "app.py").read_bytes()
    assert data[place["start"] : place["end"]] == b"datetime.now()"
    assert (place["line"], place["column"]) == (LINE, text.split("\r\n")[LINE - 1].index("datetime.now()") + 1)


def test_a_way_through_two_files_names_both(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(
        here, prompts_py=APP.partition("\n\n\ndef ask")[0] + "\n", app_py=f"from prompts import client, text\n\n\n{ASK}"
    )
    _, report, _ = lint(capsys, "app.py")
    assert told(report) == [f"prompts.py:{LINE} clock-in-source"]
    assert {place["path"] for place in report["findings"][0]["related"]} == {"app.py"}


def test_what_two_files_tell_of_a_third_is_told_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts, app = APP.partition("\n\n\ndef ask")[0] + "\n", f"from prompts import client, text\n\n\n{ASK}"
    put(here, prompts_py=prompts, a_py=app, b_py=app)
    _, report, _ = lint(capsys, ".")
    assert told(report) == [f"prompts.py:{LINE} clock-in-source"]
    assert len(report["lint"]["files"]) == 3


NAMED = "from datetime import datetime\n\n\ndef system_prompt():\n    return 'You sort. ' + str(datetime.now())\n"


@pytest.mark.parametrize(
    ("options", "code"),
    [([], 1), (["--fail-on", "error"], 0), (["--fail-on", "never"], 0), (["--fail-on", "info"], 1)],
)
def test_a_name_alone_makes_a_warning(
    options: list[str], code: int, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here, app_py=NAMED)
    found_code, report, _ = lint(capsys, "app.py", *options)
    assert [(found["severity"], found["confidence"]) for found in report["findings"]] == [("warning", "possible")]
    assert found_code == code


def test_a_source_without_prompts_is_fine(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, app_py="import datetime\nprint(datetime.datetime.now())\n", empty_py="# nothing\n", a_ts="let a = 1;\n")
    code, report, error = lint(capsys, "app.py", "empty.py", "a.ts")
    assert (code, told(report), error) == (0, [], "")


# What answers a finding.

PLACE = '    return f"{datetime'


@pytest.mark.parametrize(
    ("comment", "gone", "others"),
    [
        ("# promptlint: ignore[clock-in-source] -- shown once", True, []),
        ("# promptlint: ignore[clock-in-source, date-in-source] -- shown once", True, ["unused-suppression"]),
        ("# promptlint: ignore[date-in-source] -- shown once", False, ["unused-suppression"]),
        ("# promptlint: ignore[clock-in-source]", False, ["suppression-without-reason"]),
        ("# promptlint: ignore[clock-in-sauce] -- shown once", False, ["unknown-suppression"]),
        ("# noqa # promptlint: ignore[clock-in-source] -- shown once", True, []),
        ("'# promptlint: ignore[clock-in-source] -- in a text'", False, []),
        ("'''\n    # promptlint: ignore[clock-in-source] -- in a text\n    '''", False, []),
    ],
)
def test_comments_ahead_of_a_line(
    comment: str, gone: bool, others: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here, app_py=APP.replace(PLACE, f"    {comment}\n{PLACE}"))
    _, report, _ = lint(capsys, "app.py")
    rules = [found["rule"] for found in report["findings"]]
    assert sorted(rules) == sorted([*others, *([] if gone else ["clock-in-source"])])
    assert answered(report) == ([("comment", "shown once")] if gone else [])


def test_comments_behind_a_line_and_for_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    behind = APP.replace('{RULES}"\n', '{RULES}"  # promptlint: ignore[clock-in-source] -- shown once\n')
    put(here, app_py=behind, file_py=f"# promptlint: ignore-file[clock-in-source] -- shown once\n{APP}")
    code, report, _ = lint(capsys, "app.py", "file.py")
    assert (code, told(report), answered(report)) == (0, [], [("comment", "shown once")] * 2)


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        ("// promptlint: ignore[clock-in-source] -- shown once\n", True),
        ("/* promptlint: ignore[clock-in-source] -- shown once */\n", True),
        ("`// promptlint: ignore[clock-in-source] -- in a text`;\n", False),
    ],
)
def test_comments_in_scripts(line: str, gone: bool, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tree_sitter")
    first, found, last = SCRIPT.partition("  client.messages")
    put(here, app_ts=f"{first}  {line}{found}{last}" if gone else f"{line}{SCRIPT}")
    _, report, _ = lint(capsys, "app.ts")
    assert told(report) == ([] if gone else ["app.ts:6 clock-in-source"])
    assert len(answered(report)) == gone


def test_a_comment_in_an_imported_module(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts = APP.partition("\n\n\ndef ask")[0].replace(
        PLACE, f"    # promptlint: ignore[clock-in-source] -- shown once\n{PLACE}"
    )
    put(here, prompts_py=prompts + "\n", app_py=f"from prompts import client, text\n\n\n{ASK}")
    code, report, _ = lint(capsys, "app.py")
    assert (code, told(report), answered(report)) == (0, [], [("comment", "shown once")])
    code, report, _ = lint(capsys, ".")
    assert (code, told(report), answered(report)) == (0, [], [("comment", "shown once")])


def test_a_comment_may_answer_what_another_file_brings_in(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether one is unused can only be said of a file that puts prompts together itself."""
    comment = "# promptlint: ignore[clock-in-source] -- shown once\n"
    put(here, quiet_py=f"{comment}RULES = 1\n", app_py=f"from quiet import RULES as R\n{comment}{APP}")
    assert told(lint(capsys, "quiet.py")[1]) == []
    assert told(lint(capsys, "app.py")[1]) == ["app.py:12 clock-in-source", "app.py:2 unused-suppression"]
    put(here, quiet_py=comment.replace("clock-in-source", "clock-in-sauce"))
    assert told(lint(capsys, "quiet.py")[1]) == ["quiet.py:1 unknown-suppression"]


def test_the_configuration_answers(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(
        here,
        src__app_py=APP,
        src__b_py=APP,
        promptlint_yaml="suppress:\n  - {rule: clock-in-source, path: src/app.py, reason: shown once}\n",
    )
    _, report, _ = lint(capsys, "src")
    assert told(report) == [f"src/b.py:{LINE} clock-in-source"]
    assert answered(report) == [("configuration", "shown once")]
    put(here, promptlint_yaml="ignore: [clock-in-source]\n")
    assert told(lint(capsys, "src")[1]) == []
    put(here, promptlint_yaml="exclude: [src/b.py]\n")
    assert told(lint(capsys, "src")[1]) == [f"src/{FOUND}"]


def test_the_baseline_knows_it_wherever_it_moves(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, app_py=APP, promptlint_yaml="baseline: known.json\n")
    assert run(["baseline", "write", "."]) == 0
    capsys.readouterr()
    put(here, app_py=f"# moved\n\n{APP}")
    code, report, _ = lint(capsys, ".")
    assert (code, told(report), answered(report)) == (0, [], [("baseline", "")])
    put(here, app_py=APP.replace("%H:%M", "%M:%S").replace("datetime.now()", "datetime.utcnow()"))
    assert told(lint(capsys, ".")[1]) == [FOUND]


# What is kept.

CLOCK = "from datetime import datetime\n\n\ndef now():\n    return datetime.now()\n"
FIXED = "def now():\n    return 1\n"
IMPORTS = f"from clock import now\n{HEAD}def text():\n    return f'{{now()}} {{RULES}}'\n\n\n{ASK}"


@pytest.mark.parametrize("first", [CLOCK, FIXED, None])
@pytest.mark.parametrize("second", [CLOCK, FIXED, None])
def test_a_kept_result_is_dropped_with_the_module_that_it_rests_on(
    first: str | None, second: str | None, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here, app_py=IMPORTS)
    for text in (first, second, second):
        (here / "clock.py").unlink(missing_ok=True)
        if text is not None:
            put(here, clock_py=text)
        modules._KEPT.clear()  # as another process would begin
        _, report, _ = lint(capsys, "app.py")
        assert told(report) == (["app.py:11 clock-in-source"] if text == CLOCK else [])


def test_a_module_that_comes_to_stand_nearer_counts(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, pkg__app_py=IMPORTS, clock_py=FIXED)
    assert told(lint(capsys, "pkg/app.py")[1]) == []
    put(here, pkg__clock_py=CLOCK)
    assert told(lint(capsys, "pkg/app.py")[1]) == ["pkg/app.py:11 clock-in-source"]


def test_a_kept_result_is_the_same_result(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, app_py=APP, named_py=NAMED, clock_py=CLOCK, imports_py=IMPORTS)
    first = lint(capsys, ".")
    assert list((here / ".results").iterdir())
    assert lint(capsys, ".") == first
    assert lint(capsys, ".", "--no-cache") == first


# What is left alone.


def test_a_broken_source(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, src__broken_py=f"system_prompt = (\n{APP}", src__app_py=APP)
    code, report, error = lint(capsys, "src")
    assert (code, told(report), error) == (1, [f"src/{FOUND}"], "")
    assert "no Python that can be parsed" in skipped(report)["src/broken.py"]
    code, _, error = lint(capsys, "src/broken.py")
    assert code == 2
    assert error.startswith("promptlint: src/broken.py:1:17: no Python that can be parsed ('(' was never closed)")


def test_scripts_without_the_extra(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    put(here, src__a_ts=SCRIPT, src__b_tsx=SCRIPT, src__app_py=APP, src__c_ts="let a = 1;\n")
    code, report, error = lint(capsys, "src", "--no-cache")
    assert (code, told(report), error) == (1, [f"src/{FOUND}"], "")
    assert sorted(skipped(report)) == ["src/a.ts", "src/b.tsx"]
    assert [note for note in report["notes"] if "extra" in note] == [
        "2 files were not looked at: TypeScript needs an extra that is not installed "
        "(pip install 'promptlint-cache[ts]')"
    ]
    code, _, error = lint(capsys, "src/a.ts", "--no-cache")
    assert code == 2
    assert "pip install 'promptlint-cache[ts]'" in error


def test_declarations_and_what_a_machine_has_made(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tree_sitter")
    small = SCRIPT.replace("\n", " ") + "a();" * 2000
    put(here, src__bundle_js=small, src__app_ts=SCRIPT)
    (here / "src" / "app.d.ts").write_text(SCRIPT)
    code, report, error = lint(capsys, "src")
    assert (code, told(report), error) == (1, ["src/app.ts:5 clock-in-source"], "")


def test_what_lies_outside_of_the_project_is_not_read(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, in__pyproject_toml="", in__app_py=IMPORTS, clock_py=CLOCK)
    (here / "in" / "link.py").symlink_to(here / "clock.py")
    put(
        here,
        in__b_py=IMPORTS.replace("from clock", "from link"),
        in__c_py=IMPORTS.replace("from clock", "from ..clock"),
    )
    code, report, error = lint(capsys, "in/app.py", "in/b.py", "in/c.py")
    assert (code, told(report), error) == (0, [], "")


def test_folders_of_packages_are_not_walked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here, node_modules__a__index_js=SCRIPT, venv__pyvenv_cfg="", venv__lib__app_py=APP, src__app_py=APP)
    put(here, _venv__pyvenv_cfg="")
    _, report, _ = lint(capsys, ".")
    assert [place for place in told(report) if place.startswith(("node_modules", "src"))] == [f"src/{FOUND}"]


PROBE = """
import contextlib, io, sys
from promptlint.cli import run
with contextlib.redirect_stdout(io.StringIO()):
    run(sys.argv[1:])
print("\\n".join(sys.modules))
"""


@pytest.mark.parametrize(
    ("name", "text", "absent"),
    [
        ("a.j2", "You sort {{ post }}.\n", ("tree_sitter", "promptlint.lint.flow.")),
        ("a.json", '{"model": "m", "messages": []}', ("tree_sitter", "promptlint.lint.flow.")),
        ("a.py", "print(1)\n", ("tree_sitter", "promptlint.lint.flow.typescript", "promptlint.lint.flow.python")),
        ("a.py", APP, ("tree_sitter", "promptlint.lint.flow.typescript")),
        ("a.ts", "let a = 1;\n", ("tree_sitter", "promptlint.lint.flow.python", "promptlint.lint.flow.typescript")),
    ],
)
def test_only_what_is_needed_is_imported(name: str, text: str, absent: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    command = [sys.executable, "-c", PROBE, "lint", "--no-render", "--no-cache", os.fspath(tmp_path / name)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [module for module in done.stdout.split() if module.startswith(absent)] == []


def test_a_moment_in_several_steps_is_not_its_own_way(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import uuid, openai\nopenai.responses.create(instructions=f'{uuid.uuid4().hex[:8]} be kind', input=x)\n"
    Path("a.py").write_text(text)
    _, report, _ = lint(capsys, "a.py")
    (found,) = report["findings"]
    own = found["location"]["line"], found["location"]["column"]
    assert own == (2, text.splitlines()[1].index("uuid.uuid4") + 1)
    assert own not in [(place["line"], place["column"]) for place in found["related"]]
