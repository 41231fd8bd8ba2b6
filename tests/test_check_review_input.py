"""`promptlint check`: what cannot be rendered, what is not there any more, a job that is cancelled, and the lock."""

import contextlib
import io
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
import yaml

import check_requests as r
import token_vocabularies
from check_projects import (
    BREAKPOINT,
    HEAD,
    NOW,
    RULES,
    Checked,
    Files,
    check,
    command,
    environment,
    repository,
    settings,
    started,
    template,
    template_entry,
    template_project,
    write,
)
from check_samples import Sample, all_samples
from promptlint.cli import run

COLD = template().replace("Keep to this guide.", "Follow this guide.")
BROKEN = "{% if %}\n" + template()


def checked(folder: Path, before: Files, after: Files, *arguments: str) -> Checked:
    return check(repository(folder / "repository", before, after).path, "--base", "main", *arguments)


def assert_one_error(found: Checked, *words: str) -> None:
    assert (found.code, found.report["verdict"], len(found.body["errors"])) == (2, "unknown", 1), found.out
    assert len(found.err.splitlines()) == 1
    assert all(word in found.err for word in words), found.err


# What cannot be rendered.


def _promptfoo(**more: object) -> Files:
    files = r.promptfoo(r.unchanged)
    asked = yaml.safe_load(files["promptfooconfig.yaml"])
    return files | {"promptfooconfig.yaml": r.settings_of(asked | more)}


@pytest.mark.parametrize("name", ["../../outside.txt", "../outside.txt", "{folder}/outside.txt"])
def test_promptfoo_reads_no_prompt_outside_of_the_project(name: str, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("a secret")
    name = name.format(folder=tmp_path)
    found = checked(tmp_path, _promptfoo(), _promptfoo(prompts=[f"file://{name}"]))
    assert_one_error(found, "promptfooconfig.yaml", "outside.txt")
    assert "a secret" not in found.out + found.err


@pytest.mark.parametrize("name", ["..", "../", "../../x/..", "x/../..", "../tokenizer_config.json"])
def test_a_chat_template_lies_in_the_project(name: str, tmp_path: Path) -> None:
    """Whatever way leads out of it, the folder above the project is none of its own."""
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "{{ messages[0].content }}"}')
    files = {
        "ask.json": json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello."}]}),
        "promptlint.yaml": json.dumps({"prompts": [{"request": "ask.json", "chat-template": name}]}),
    }
    found = checked(tmp_path, files, {**files, "ask.json": files["ask.json"].replace("Hello", "Good day")})
    assert found.code == 2
    assert "lies outside of the project; put it, or a link to it, into the project" in found.out + found.err


def test_an_absolute_path_of_promptfoo_names_nothing(tmp_path: Path) -> None:
    """It ends: the folders above it are not looked through."""
    write(tmp_path, _promptfoo())
    entry = {"name": "desk", "promptfoo": str(tmp_path / "promptfooconfig.yaml")}
    assert_one_error(
        checked(tmp_path, _promptfoo(), _promptfoo() | {"promptlint.yaml": settings(entry)}), "there is no"
    )


def test_an_entry_with_an_error_is_unknown_and_the_rest_is_judged(tmp_path: Path) -> None:
    other = template_entry(name="other", template="prompts/other.j2")
    files = template_project() | {"promptlint.yaml": settings(template_entry(), other), "prompts/other.j2": template()}
    found = checked(tmp_path, files, files | {"prompts/support.j2": BROKEN, "prompts/other.j2": COLD})
    assert_one_error(found, "prompts/support.j2:1")
    assert {name: (each["change"], each["verdict"]) for name, each in found.prompts.items()} == {
        "support": ("unrendered", "unknown"),
        "other": ("changed", "pass"),
    }


def test_a_template_that_could_not_be_rendered_before_is_unknown(tmp_path: Path) -> None:
    """Nobody can tell what it has lost: it is no error, as it is in order now."""
    found = checked(tmp_path, template_project(BROKEN), template_project())
    assert (found.code, found.report["verdict"], found.err) == (0, "unknown", ""), found.out
    (reason,) = found.touched["reasons"]
    assert reason["verdict"] == "unknown"
    assert "could not be rendered" in reason["message"]
    assert check(tmp_path / "repository", "--base", "main", "--strict").code == 1


# Breakpoints.


def test_a_breakpoint_in_raw_text_is_text(tmp_path: Path) -> None:
    """The marker is gone: a comment it is no more, and the prompt says what is written there."""
    after = template(marker="{% raw %}" + BREAKPOINT + "{% endraw %}\n")
    found = checked(tmp_path, template_project(), template_project(after))
    assert (found.code, found.touched["usable_tokens_after"]) == (1, 0), found.out
    assert found.touched["lost_tokens_per_request"] > 2000
    more = found.touched["prompt_tokens_after"] - found.touched["prompt_tokens_before"]
    assert more > 3  # its words


def test_a_breakpoint_beside_raw_text_is_one(tmp_path: Path) -> None:
    after = template().replace(HEAD, "{% raw %}" + BREAKPOINT + "{% endraw %} " + HEAD)
    found = checked(tmp_path, template_project(), template_project(after))
    assert (found.code, found.touched["lost_tokens_per_request"]) == (0, 0), found.out
    assert found.touched["usable_tokens_after"] > found.touched["usable_tokens_before"] > 2000


def _filtered(name: str) -> str:
    return template(marker="{% filter " + name + " %}" + BREAKPOINT + "text{% endfilter %}\n")


@pytest.mark.parametrize("name", ["replace('[', '(')", "urlencode", "escape | replace(':', '.')"])
def test_a_breakpoint_that_a_filter_changes_is_one_error(name: str, tmp_path: Path) -> None:
    assert_one_error(checked(tmp_path, template_project(), template_project(_filtered(name))), "breakpoint", "filter")


@pytest.mark.parametrize("name", ["upper", "title", "trim", "indent(2)"])
def test_a_breakpoint_that_a_filter_leaves_is_one(name: str, tmp_path: Path) -> None:
    """Nor does what stands in for it while the template is rendered come into the prompt."""
    found = checked(tmp_path, template_project(), template_project(_filtered(name)))
    assert (found.code, found.touched["lost_tokens_per_request"]) == (0, 0), found.out
    prompt = found.touched
    assert prompt["usable_tokens_after"] == prompt["usable_tokens_before"]
    assert prompt["prompt_tokens_after"] - prompt["prompt_tokens_before"] < 5


# What is not there, or not any more.


def test_a_loss_that_is_allowed_for_nobody_is_noted(tmp_path: Path) -> None:
    rows = [{"prompt": name, "reason": "it is meant to be", "until": "2099-01-01"} for name in ("suport", "sup*")]
    found = checked(tmp_path, template_project(), template_project(COLD, allow=rows))
    assert (found.code, found.report["verdict"]) == (0, "pass")
    assert found.report["notes"] == ["promptlint.yaml: allow: no prompt is called suport"]


def test_prompts_of_a_configuration_that_is_gone_are_deleted(tmp_path: Path) -> None:
    """The gate was there, and a change that takes it away must not do so silently."""
    files = template_project()
    after = {name: text for name, text in files.items() if name != "promptlint.yaml"}
    found = checked(tmp_path, files, after | {"prompts/support.j2": COLD})
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert [(each["name"], each["change"]) for each in found.body["prompts"]] == [("support", "deleted")]


def test_a_vocabulary_of_the_repository_is_part_of_the_prompt(tmp_path: Path) -> None:
    plain = token_vocabularies.trained("byte_level")
    other = token_vocabularies.with_declarations(plain, normalizer={"type": "Lowercase"})
    entry = template_entry(engine="vllm==0.33.0", tokenizer="model/tokenizer.json", markers="none")
    del entry["provider"], entry["model"]
    before = template_project(template(marker=""), entry=entry) | {"model/tokenizer.json": plain.decode()}
    same = checked(tmp_path / "same", before, before | {"README.md": "one"})
    assert (same.touched["change"], same.body["renderings"]) == ("unchanged", 0), same.out
    found = checked(tmp_path, before, before | {"model/tokenizer.json": other.decode()})
    assert (found.code, found.touched["change"]) == (0, "changed"), found.out
    assert found.body["renderings"] > 0


def test_a_template_may_include_what_lies_beside_its_folder(tmp_path: Path) -> None:
    """Only folders that entries name are not enough to look at."""
    text = template(("{% include 'shared/rules.j2' %}", *RULES[20:]))
    before = template_project(text) | {"shared/rules.j2": "\n".join(RULES[:20])}
    found = checked(tmp_path, before, before | {"shared/rules.j2": "\n".join(RULES[1:20])})
    assert (found.code, found.touched["change"]) == (0, "changed"), found.out
    assert found.touched["lost_tokens_once"] > 2000
    assert found.touched["causes"][0]["path"] == "shared/rules.j2"


# A job that is cancelled.

_WAITS = """\
import signal, sys

with open(sys.argv[1], "w") as pipe:
    pipe.write("here")
signal.pause()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_job_that_is_cancelled_leaves_nothing_behind(number: signal.Signals, tmp_path: Path) -> None:
    """Its command says when it runs: what it may read of the state before has been written then."""
    scratch, pipe = tmp_path / "scratch", tmp_path / "pipe"
    scratch.mkdir()
    os.mkfifo(pipe)
    entry = {"name": "built", "command": [sys.executable, "waits.py", str(pipe)]}
    made = started(tmp_path / "repository")
    made.commit({"promptlint.yaml": settings(entry), "waits.py": _WAITS})
    (made.path / "waits.py").write_text(f"{_WAITS}# edited\n")
    source = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    line, known = command("--base", "HEAD", "--allow-exec"), environment(TMPDIR=str(scratch))
    with subprocess.Popen(line, cwd=made.path, env=known, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
        try:
            ready, _, _ = select.select([source], [], [], 60)
            assert ready, "the command does not run"
            assert [each.name.startswith("promptlint-") for each in scratch.iterdir()] == [True]
            job.send_signal(number)
            told, _ = job.communicate(timeout=60)
        finally:
            os.close(source)
            job.kill()
    assert job.returncode == 128 + number, told
    assert list(scratch.iterdir()) == []
    assert b"Traceback" not in told


# The lock.

SAMPLES = [
    each
    for number, each in enumerate(all_samples())
    if each.name.startswith(("plain", "promptfoo", "chat")) or number % 4 == 0
]


def locked(folder: Path) -> None:
    """Write the lock of the project in a folder."""
    with (
        mock.patch.dict(os.environ, environment(), clear=True),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        assert run(["lock", "write", "--now", NOW]) == 0


@pytest.mark.parametrize("sample", SAMPLES, ids=[each.name for each in SAMPLES])
def test_a_lock_gives_the_verdict_of_a_revision(sample: Sample, tmp_path: Path) -> None:
    """That of a revision is tested elsewhere, for all samples."""
    write(tmp_path, sample.before)
    locked(tmp_path)
    for name in sample.before.keys() - sample.after.keys():
        (tmp_path / name).unlink()
    write(tmp_path, sample.after)
    found = check(tmp_path, "--lock", "promptlint.lock")
    assert (found.code, found.report["verdict"]) == ((1, "fail") if sample.fails else (0, "pass")), found.out
    assert bool(found.touched["lost_tokens_per_request"]) is sample.fails
    assert found.body["at_segments"]
