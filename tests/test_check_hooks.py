"""`promptlint check --staged` where commits are made: pre-commit itself, and a script in .git/hooks."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from check_projects import Files, Repository, environment, started, template, template_project
from check_samples import Sample, few_samples
from conftest import ROOT

SAMPLES = few_samples()
few = pytest.mark.parametrize("sample", SAMPLES, ids=[each.name for each in SAMPLES])

FAILING = template().replace("guide.\n", "guide. Today is {{ today }}.\n", 1)
COLD = template().replace("Keep to this guide.", "Follow this guide.")


class Hooked(Repository):
    """A repository in which commits run a hook."""

    def tried(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Try to commit what is staged, or what the arguments name."""
        line = ["git", "commit", "--message", "a change", *arguments]
        known = environment(**more)
        return subprocess.run(line, cwd=self.path, env=known, capture_output=True, text=True, check=False)

    def commits(self) -> int:
        return len(self.git("log", "--oneline").splitlines())


def blocked(done: subprocess.CompletedProcess[str], label: str = "date-rollover") -> bool:
    """Whether a hook has refused, and for the reason that it should have: git's exit code is 1 for all."""
    shown = done.stdout + done.stderr
    assert done.returncode in (0, 1), shown
    assert done.returncode == 0 or label in shown, shown
    return done.returncode == 1


def scripted(path: Path, before: Files) -> Hooked:
    """A repository whose own hook is a script, as people write it."""
    made = started(path)
    made.commit(before)
    script = made.path / ".git" / "hooks" / "pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m promptlint check --staged\n")
    script.chmod(0o755)
    return Hooked(made.path)


@few
def test_a_script_blocks_what_hurts_when_all_is_committed(sample: Sample, tmp_path: Path) -> None:
    """`git commit --all` hands the hook an index of its own."""
    made = scripted(tmp_path, sample.before)
    made.put(sample.after)
    made.git("add", "--intent-to-add", ".")
    (label,) = sample.causes if sample.fails else ("",)
    done = made.tried("--all")
    assert (blocked(done, label), made.commits()) == ((True, 1) if sample.fails else (False, 2)), done.stderr


def test_a_commit_of_some_paths_is_judged_by_these(tmp_path: Path) -> None:
    """`git commit PATH` leaves out what else is staged, in an index of its own."""
    made = scripted(tmp_path, template_project() | {"README.md": "one\n"})
    made.put(template_project(FAILING) | {"README.md": "two\n"})
    made.git("add", "prompts")
    done = made.tried("README.md")
    assert (done.returncode, made.commits()) == (0, 2), done.stdout + done.stderr
    assert blocked(made.tried("prompts/support.j2"))
    assert made.commits() == 2


def test_what_is_not_staged_is_not_judged(tmp_path: Path) -> None:
    made = scripted(tmp_path, template_project())
    made.put(template_project(COLD))
    made.git("add", "--all")
    made.put(template_project(FAILING))
    done = made.tried()
    assert (done.returncode, made.commits()) == (0, 2), done.stdout + done.stderr
    made.git("add", "--all")
    assert blocked(made.tried())


def test_a_hook_in_a_second_work_tree(tmp_path: Path) -> None:
    """git sets GIT_DIR there to a folder inside of the first one."""
    made = scripted(tmp_path / "repository", template_project())
    made.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "tree"))
    tree = Hooked(tmp_path / "tree")
    tree.put(template_project(FAILING))
    assert blocked(tree.tried("--all"))
    tree.put(template_project(COLD))
    done = tree.tried("--all")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_hook_of_a_commit_made_in_a_folder(tmp_path: Path) -> None:
    made = scripted(tmp_path, template_project())
    made.put(template_project(FAILING))
    line = ["git", "commit", "--all", "--message", "a change"]
    done = subprocess.run(
        line, cwd=made.path / "prompts", env=environment(), capture_output=True, text=True, check=False
    )
    assert blocked(done)


def test_an_amended_commit_is_judged_as_well(tmp_path: Path) -> None:
    made = scripted(tmp_path, template_project())
    made.put(template_project(COLD))
    assert made.tried("--all").returncode == 0
    made.put(template_project(FAILING))
    assert blocked(made.tried("--all", "--amend"))


# pre-commit itself, with the hook of .pre-commit-hooks.yaml.


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What the hook needs is taken from this environment, not from the network."""
    home = tmp_path_factory.mktemp("home")
    settings = {
        "HOME": str(home),
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PRE_COMMIT_COLOR": "never",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip stores this value as that of its setting "build isolation"
        "PYTHONPATH": sysconfig.get_path("purelib"),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("PIP_")]:
            patch.delenv(name)
        for name, value in settings.items():
            patch.setenv(name, value)
        yield settings


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, offline: dict[str, str]) -> Hooked:
    """A repository with the hook, whose first commit has passed it: its environment is built."""
    hooks = started(tmp_path_factory.mktemp("hooks"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, hooks.path / name)
    for name in ("promptlint", "rules"):
        shutil.copytree(ROOT / name, hooks.path / name, ignore=shutil.ignore_patterns("__pycache__"))
    hooks.git("add", "--all")
    hooks.git("commit", "--quiet", "--message", "all")
    revision = hooks.git("rev-parse", "HEAD").strip()
    configured = {"repos": [{"repo": str(hooks.path), "rev": revision, "hooks": [{"id": "promptlint-check"}]}]}
    made = Hooked(started(tmp_path_factory.mktemp("scratch")).path)
    made.put({".pre-commit-config.yaml": yaml.safe_dump(configured)} | template_project())
    line = [sys.executable, "-m", "pre_commit", "install"]
    done = subprocess.run(line, cwd=made.path, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    made.git("add", "--all")
    done = made.tried()
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@few
def test_pre_commit_blocks_what_hurts(sample: Sample, installed: Hooked) -> None:
    kept = {".pre-commit-config.yaml": (installed.path / ".pre-commit-config.yaml").read_text()}
    installed.git("commit", "--allow-empty", "--no-verify", "--quiet", "--message", "start")
    installed.put(kept | sample.before)
    installed.git("add", "--all")
    installed.git("commit", "--no-verify", "--quiet", "--allow-empty", "--message", "before")
    before = installed.commits()
    installed.put(kept | sample.after)
    installed.git("add", "--all")
    done = installed.tried()
    shown = done.stdout + done.stderr
    assert (done.returncode, installed.commits() - before) == ((1, 0) if sample.fails else (0, 1)), shown
    assert ("Failed" if sample.fails else "Passed") in shown
    if sample.fails:
        assert any(label in shown for label in sample.causes)


def test_pre_commit_judges_what_is_staged(installed: Hooked) -> None:
    kept = {".pre-commit-config.yaml": (installed.path / ".pre-commit-config.yaml").read_text()}
    installed.put(kept | template_project())
    installed.git("add", "--all")
    installed.git("commit", "--no-verify", "--quiet", "--allow-empty", "--message", "before")
    installed.put(kept | template_project(COLD))
    installed.git("add", "--all")
    installed.put(kept | template_project(FAILING))  # pre-commit puts it aside while the hook runs
    done = installed.tried()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "{{ today }}" in (installed.path / "prompts/support.j2").read_text()


def test_the_hook_gets_no_names_of_files() -> None:
    rows = {each["id"]: each for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    hook = rows["promptlint-check"]
    assert hook["entry"] == "promptlint check --staged"
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
