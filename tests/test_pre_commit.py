"""The hook of .pre-commit-hooks.yaml, run by pre-commit itself in a scratch repository."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from conftest import ROOT

BAD = "You answer for a shop.\nIt is {{ now() }}.\n" + "Quote the number of the order in each answer.\n" * 40
CLEAN = "You answer for a shop.\n" + "Quote the number of the order in each answer.\n" * 40 + "{{ question }}\n"
RULES = "Quote the number of the order in each answer.\n" * 400  # more than the shortest prefix that is cached
PROMPT = "You answer for a shop.\n" + RULES + "{# promptlint: breakpoint #}\n{{ question }}\n"
DATED = PROMPT.replace("shop.\n", "shop at {{ strftime_now('%H:%M') }}.\n")
GATE = {"prompts": [{"name": "support", "template": "support.j2", "vars": "vars.yaml", "model": "claude-sonnet-5"}]}
SETTINGS = '{"compilerOptions": {"strict": true, "lib": ["es2022"]}, "include": ["src"]}\n'


class Scratch(NamedTuple):
    """A git repository that the test has made."""

    path: Path
    environment: dict[str, str]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.path, env=self.environment, capture_output=True, text=True, check=False)

    def git(self, *arguments: str) -> str:
        done = self.run("git", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def put(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self) -> subprocess.CompletedProcess[str]:
        """Commit all files; the hook runs first and may refuse."""
        self.git("add", "--all")
        return self.run("git", "commit", "--message", "a change")

    def commits(self) -> int:
        return len(self.git("log", "--oneline").splitlines())


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Own settings for git and pre-commit; what the hook needs is taken from this environment, not from the network."""
    home = tmp_path_factory.mktemp("home")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT", "PIP_"))}
    return kept | {
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PRE_COMMIT_COLOR": "never",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip stores this value as that of its setting "build isolation"
        "PYTHONPATH": sysconfig.get_path("purelib"),
    }


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Scratch:
    """This project as a repository of hooks, with one commit."""
    path = tmp_path_factory.mktemp("hooks")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, path / name)
    for name in ("promptlint", "rules"):
        shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__"))
    made = _repository(path, environment)
    made.git("add", "--all")
    made.git("commit", "--quiet", "--message", "all")
    return made


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, hooks: Scratch, environment: dict[str, str]) -> Scratch:
    """A repository whose first commit has passed the hook: its environment is built."""
    made = _repository(tmp_path_factory.mktemp("scratch"), environment)
    revision = hooks.git("rev-parse", "HEAD").strip()
    configured = {"repos": [{"repo": str(hooks.path), "rev": revision, "hooks": [{"id": "promptlint-lint"}]}]}
    made.put(".pre-commit-config.yaml", yaml.safe_dump(configured))
    made.put("promptlint.yaml", "exclude:\n  - legacy/**\n")
    made.put("prompts/first.j2", CLEAN)
    done = made.run(sys.executable, "-m", "pre_commit", "install")
    assert done.returncode == 0, done.stdout + done.stderr
    done = made.commit()
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, hooks: Scratch, environment: dict[str, str]) -> Scratch:
    """A repository with one prompt and the gate as its hook, which has let the first commit pass."""
    made = _repository(tmp_path_factory.mktemp("guarded"), environment)
    revision = hooks.git("rev-parse", "HEAD").strip()
    configured = {"repos": [{"repo": str(hooks.path), "rev": revision, "hooks": [{"id": "promptlint-check"}]}]}
    made.put(".pre-commit-config.yaml", yaml.safe_dump(configured))
    made.put("promptlint.yaml", yaml.safe_dump(GATE))
    made.put("vars.yaml", "- question: Where is my order?\n- question: How do I send a thing back?\n")
    made.put("support.j2", PROMPT)
    for kind in ("pre-commit", "pre-merge-commit"):
        done = made.run(sys.executable, "-m", "pre_commit", "install", "--hook-type", kind)
        assert done.returncode == 0, done.stdout + done.stderr
    done = made.commit()
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.fixture
def gated(guarded: Scratch) -> Iterator[Scratch]:
    """The repository as it was after its first commit."""
    yield from _as_it_was(guarded)


@pytest.fixture
def scratch(installed: Scratch) -> Iterator[Scratch]:
    """The repository as it was after its first commit."""
    yield from _as_it_was(installed)


def _as_it_was(made: Scratch) -> Iterator[Scratch]:
    branch, first = made.git("branch", "--show-current").strip(), made.git("rev-parse", "HEAD").strip()
    yield made
    made.git("reset", "--quiet", "--hard")
    made.git("checkout", "--quiet", "-B", branch, first)
    made.git("clean", "--quiet", "-d", "--force", "-x")


def _repository(path: Path, environment: dict[str, str]) -> Scratch:
    made = Scratch(path, environment)
    made.git("init", "--quiet")
    made.git("config", "user.name", "An Author")
    made.git("config", "user.email", "author@example.org")
    return made


def test_a_bad_template_blocks_the_commit_and_the_finding_is_shown(scratch: Scratch) -> None:
    before = scratch.commits()
    scratch.put("prompts/support.j2", BAD)
    done = scratch.commit()
    assert done.returncode == 1
    assert scratch.commits() == before
    shown = done.stdout + done.stderr
    assert "promptlint lint" in shown
    assert "Failed" in shown
    assert "clock-in-template" in shown
    assert "prompts/support.j2" in shown


def test_a_clean_template_is_committed(scratch: Scratch) -> None:
    before = scratch.commits()
    scratch.put("prompts/support.j2", CLEAN)
    done = scratch.commit()
    assert done.returncode == 0, done.stderr
    assert scratch.commits() == before + 1
    assert "Passed" in done.stdout + done.stderr


def test_an_excluded_template_is_committed_although_the_hook_names_it(scratch: Scratch) -> None:
    scratch.put("legacy/support.j2", BAD)
    done = scratch.commit()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout + done.stderr


def test_json_that_is_no_prompt_is_committed(scratch: Scratch) -> None:
    scratch.put("tools/tsconfig.json", SETTINGS)
    done = scratch.commit()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout + done.stderr


def test_a_file_of_another_kind_is_not_handed_to_the_hook(scratch: Scratch) -> None:
    scratch.put("prompts/readme.md", BAD)
    done = scratch.commit()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no files to check" in done.stdout + done.stderr


def test_several_files_are_checked_in_one_process(scratch: Scratch) -> None:
    for number in range(30):
        scratch.put(f"prompts/many/{number}.j2", BAD)
    done = scratch.commit()
    assert done.returncode == 1
    shown = done.stdout + done.stderr
    assert all(f"prompts/many/{number}.j2" in shown for number in range(30))
    assert len(re.findall(r"(?m)^(?:fail|pass)\b", shown)) == 1  # one verdict: of one process


def test_the_gate_blocks_a_commit_that_makes_each_request_lose_its_prefix(gated: Scratch) -> None:
    before = gated.commits()
    gated.put("support.j2", DATED)
    done = gated.commit()
    shown = done.stdout + done.stderr
    assert (done.returncode, gated.commits()) == (1, before), shown
    assert "clock" in shown
    assert "support.j2:1" in shown


def test_the_gate_lets_pass_what_is_lost_once_and_what_is_no_prompt(gated: Scratch) -> None:
    gated.put("support.j2", PROMPT.replace("a shop", "a library"))
    gated.put("notes.md", "It is late.\n")
    done = gated.commit()
    assert done.returncode == 0, done.stdout + done.stderr


def assert_blocked(done: "subprocess.CompletedProcess[str]") -> None:
    """By the gate, and for its reason: git's exit code is 1 for all that goes wrong."""
    shown = done.stdout + done.stderr
    assert done.returncode == 1, shown
    assert "clock" in shown


def test_the_gate_judges_what_is_staged_and_nothing_else(gated: Scratch) -> None:
    gated.put("notes.md", "It is late.\n")
    gated.git("add", "--all")
    gated.put("support.j2", DATED)
    done = gated.run("git", "commit", "--message", "a note")
    assert done.returncode == 0, done.stdout + done.stderr
    gated.git("add", "--all")
    gated.put("support.j2", PROMPT)
    done = gated.run("git", "commit", "--message", "a date")
    assert_blocked(done)


def test_the_gate_judges_a_part_of_the_changes_that_is_committed_alone(gated: Scratch) -> None:
    """`git commit FILE` hands its hooks an index of its own."""
    gated.put("support.j2", DATED)
    gated.put("promptlint.yaml", yaml.safe_dump(GATE) + "# a comment\n")
    done = gated.run("git", "commit", "--message", "a comment", "promptlint.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = gated.run("git", "commit", "--message", "a date", "support.j2")
    assert_blocked(done)


def test_the_gate_judges_merges(gated: Scratch) -> None:
    first = gated.git("branch", "--show-current").strip()
    for branch, text in (("dated", DATED), ("reworded", PROMPT.replace("a shop", "a library"))):
        gated.git("checkout", "--quiet", "-B", branch, first)
        gated.put("support.j2", text)
        gated.git("commit", "--quiet", "--all", "--no-verify", "--message", branch)
    gated.git("checkout", "--quiet", first)
    done = gated.run("git", "merge", "--no-ff", "--no-edit", "reworded")
    assert done.returncode == 0, done.stdout + done.stderr
    gated.git("reset", "--quiet", "--hard", "HEAD~1")
    done = gated.run("git", "merge", "--no-ff", "--no-edit", "dated")
    assert_blocked(done)


def _definition(name: str = "promptlint-lint") -> dict[str, Any]:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (found,) = (hook for hook in hooks if hook["id"] == name)
    assert isinstance(found, dict)
    return found


def test_the_hook_runs_in_one_process_before_commits_and_pushes() -> None:
    hook = _definition()
    assert (hook["id"], hook["language"]) == ("promptlint-lint", "python")
    assert hook["require_serial"] is True
    assert hook["pass_filenames"] is True
    assert hook["stages"] == ["pre-commit", "pre-push", "manual"]


def test_the_gate_runs_once_for_each_commit_whatever_it_changes() -> None:
    hook = _definition("promptlint-check")
    assert hook["entry"] == "promptlint check --staged"
    assert (hook["pass_filenames"], hook["always_run"], hook["require_serial"]) == (False, True, True)
    assert hook["stages"] == ["pre-commit", "pre-merge-commit", "manual"]


@pytest.mark.parametrize(
    "name",
    [
        "support.j2",
        "app/templates/answer.jinja",
        "a/b.jinja2",
        "prompts/a.yaml",
        "src/prompt/deep/er/b.jsonl",
        "tools/search.json",
        "api/schemas/order.yml",
        "requests/first.ndjson",
        "support.prompt.json",
        "support.request.json",
        "batch.requests.jsonl",
        "tools.json",
        "agent/tools.yaml",
        "weather.tools.json",
        "model/chat_template.json",
        "chat_template.jinja",
        "model/tokenizer_config.json",
        "src/app.py",
        "src/agent.tsx",
    ],
)
def test_files_that_hold_prompts_are_handed_over(name: str) -> None:
    assert re.search(_definition()["files"], name)


@pytest.mark.parametrize(
    "name",
    [
        "package.json",
        "src/app.go",
        "docs/prompts.md",
        "prompts/readme.md",
        "prompts.rb",
        "mytools/data.json",
        "config/settings.yaml",
        "retools.json",
        ".github/workflows/ci.yml",
        "my_tokenizer_config.json",
        "prompts/support.j2.bak",
    ],
)
def test_other_files_are_not_handed_over(name: str) -> None:
    assert not re.search(_definition()["files"], name)
