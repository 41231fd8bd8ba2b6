"""The GitHub action: its file against the documented form, its scripts run with bash in clones like those of a job."""

import json
import os
import re
import shutil
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from action_runs import ACTION, Ran, Told, commits, executable, git, run_steps, stand_in
from conftest import ROOT

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the scripts are for bash")

STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
TEXT = (ROOT / "action.yml").read_text(encoding="utf-8")
MARKER = "<!-- promptlint check -->"
ZEROS = "0" * 40
HOSTILE = "a;b$(touch${IFS}made)`touch${IFS}made`\"'&|$HOME"


class Remote(NamedTuple):
    """A repository to clone from: `main` has 80 commits; the 15 of `feature` start at the 20th and meet the 70th."""

    address: str
    commit: Callable[[str], str]


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Remote:
    path = tmp_path_factory.mktemp("remote")
    git(path, "init", "--quiet", "--bare", "--initial-branch=main")
    stream = commits("refs/heads/main", 1, 80) + commits("refs/heads/feature", 101, 15, start=":20")
    stream += commits("refs/pull/7/merge", 201, 1, start=":70", merged=":115")
    stream += commits("refs/heads/other", 301, 3) + f"reset refs/heads/{HOSTILE}\nfrom :60\n\n"
    git(path, "fast-import", "--quiet", given=stream + "reset refs/tags/v1\nfrom :65\n\n")
    return Remote(path.as_uri(), lambda name: git(path, "rev-parse", name))


@pytest.fixture
def checkout(tmp_path: Path, remote: Remote) -> Callable[..., Path]:
    """Give `checkout(ref, depth)`: a clone with this ref detached, made as actions/checkout makes it; depth 0: all."""

    def made(ref: str, depth: int = 1) -> Path:
        path = tmp_path / "checkout"
        path.mkdir()
        git(path, "init", "--quiet", "--initial-branch=main")
        git(path, "remote", "add", "origin", remote.address)
        limit = [f"--depth={depth}"] if depth else []
        every = [] if depth else ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]
        git(path, "fetch", "--quiet", "--no-tags", *limit, "origin", *every, f"+{ref}:refs/remotes/checked/out")
        git(path, "checkout", "--quiet", "--detach", "refs/remotes/checked/out")
        return path

    return made


class Job(NamedTuple):
    """A place to run the action in, with a stand-in for promptlint."""

    temporary: Path
    binaries: Path

    def run(self, checkout: Path, github: Mapping[str, Any], **inputs: str) -> Ran:
        home = self.temporary / "home"
        home.mkdir()
        installed = {"home": str(home), "bin": str(self.binaries)}
        given = {name.replace("_", "-"): held for name, held in inputs.items()}
        where = (checkout, self.temporary)
        return run_steps(("base", "check"), *where, github, given, {"install": installed}, os.environ)

    def told(self) -> Told:
        return Told(**json.loads((self.binaries / "told.json").read_text("utf-8")))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    made = Job(tmp_path / "runner files", tmp_path / "bin")
    made.temporary.mkdir()
    stand_in(made.binaries)
    reports(made)
    return made


def reports(job: Job, code: int = 1, verdict: str = "fail", markdown: str = f"{MARKER}\n**fail**\n") -> None:
    """Say what the stand-in writes, and how it ends."""
    held = {"code": code, "json": json.dumps({"verdict": verdict}), "sarif": "{}", "markdown": markdown}
    (job.binaries / "reports.json").write_text(json.dumps(held), "utf-8")


PULL: dict[str, Any] = {"base_ref": "main", "event": {"repository": {"default_branch": "main"}}}


def push(before: str) -> dict[str, Any]:
    return {"base_ref": "", "event": {"before": before, "repository": {"default_branch": "main"}}}


def test_the_file_has_the_documented_form() -> None:
    assert ACTION.keys() <= {"name", "author", "description", "inputs", "outputs", "runs", "branding"}
    assert ACTION["name"]
    assert 0 < len(ACTION["description"]) <= 125  # the longest that the marketplace shows
    for row in ACTION["inputs"].values():
        assert row.keys() == {"description", "default"}
        assert isinstance(row["default"], str)
    assert all(row.keys() == {"description", "value"} for row in ACTION["outputs"].values())
    assert ACTION["runs"].keys() == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS:
        if "run" in step:
            assert step.keys() <= {"name", "id", "if", "run", "shell", "env", "working-directory"}
            assert step["shell"] == "bash"
        else:
            assert step.keys() <= {"name", "id", "if", "uses", "with"}
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])  # a tag can be moved


def test_no_script_has_an_expression_in_it() -> None:
    assert not any("${{" in step.get("run", "") for step in STEPS)


def test_every_name_that_is_used_is_declared_and_every_input_is_used() -> None:
    assert set(re.findall(r"\binputs\.([\w-]+)", TEXT)) == ACTION["inputs"].keys()
    assert set(re.findall(r"\bsteps\.([\w-]+)\.", TEXT)) <= {step["id"] for step in STEPS}
    for step in STEPS:
        used = set(re.findall(r"\bCHECK_\w+", step.get("run", "")))
        assert used == {name for name in step.get("env", {}) if name.startswith("CHECK_")}


def test_a_shallow_pull_request_is_compared_with_what_it_was_merged_into(
    job: Job, remote: Remote, checkout: Callable[..., Path]
) -> None:
    here = checkout("refs/pull/7/merge")
    ran = job.run(here, PULL)
    assert job.told().words[:3] == ["check", "--base=origin/main", "--format=github"]
    assert job.told().merge_base == remote.commit("main~10")
    assert git(here, "rev-parse", "origin/main") == remote.commit("main")
    assert git(here, "rev-parse", "HEAD") == remote.commit("refs/pull/7/merge")
    assert git(here, "rev-parse", "--is-shallow-repository") == "true"  # no more is fetched than is needed
    assert git(here, "status", "--porcelain") == ""  # nothing is left where the prompts are
    assert ran.code == 1
    assert ran.outputs["verdict"] == "fail"
    assert Path(ran.outputs["sarif-file"]).read_text() == "{}"
    assert Path(ran.outputs["markdown-file"]).read_text() == ran.summary == f"{MARKER}\n**fail**\n"
    assert "::error file=a.j2,line=3::" in ran.printed


@pytest.mark.parametrize(
    ("github", "ref", "expected"),
    [
        (PULL, "refs/heads/feature", "main~60"),  # its head instead of the merge
        (push("feature~3"), "refs/heads/feature", "feature~3"),
        (push(ZEROS), "refs/heads/feature", "main~60"),  # a new branch
        (push(""), "refs/heads/feature", "main~60"),  # an event that has no base
        ({"event": {"merge_group": {"base_sha": "main~40"}}}, "refs/heads/main", "main~40"),
    ],
)
@pytest.mark.parametrize("depth", [0, 1, 5])
def test_each_event_has_its_base(
    github: dict[str, Any],
    ref: str,
    expected: str,
    depth: int,
    job: Job,
    remote: Remote,
    checkout: Callable[..., Path],
) -> None:
    text = re.sub(r'"((?:feature|main)~\d+)"', lambda match: json.dumps(remote.commit(match[1])), json.dumps(github))
    here = checkout(ref, depth)
    assert job.run(here, json.loads(text)).outputs["verdict"] == "fail"
    assert job.told().merge_base == remote.commit(expected)


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("feature", "main~60"),
        ("origin/feature", "main~60"),
        ("refs/heads/feature", "main~60"),
        ("v1", "v1"),
        ("HEAD", "main"),
        (HOSTILE, "main~20"),
    ],
)
def test_a_base_can_be_named(base: str, expected: str, job: Job, remote: Remote, checkout: Callable[..., Path]) -> None:
    here = checkout("refs/heads/main")
    job.run(here, PULL, base=base)
    assert job.told().merge_base == remote.commit(expected)
    assert not [path for path in (here, here.parent, job.temporary) if (path / "made").exists()]


def test_a_full_clone_knows_what_stands_before_a_commit(
    job: Job, remote: Remote, checkout: Callable[..., Path]
) -> None:
    here = checkout("refs/heads/main", 0)
    job.run(here, PULL, base="HEAD~3")
    assert job.told().merge_base == remote.commit("main~3")
    assert git(here, "rev-parse", "--is-shallow-repository") == "false"


@pytest.mark.parametrize("depth", [0, 50])
def test_no_history_is_cut_off(depth: int, job: Job, remote: Remote, checkout: Callable[..., Path]) -> None:
    here = checkout("refs/heads/main", depth)
    before = git(here, "rev-list", "HEAD")
    job.run(here, PULL, base=HOSTILE)  # a commit of that history
    assert git(here, "rev-list", "HEAD").startswith(before)
    assert job.told().merge_base == remote.commit("main~20")


@pytest.mark.parametrize("base", ["other", "no-such-branch", "f" * 40, "HEAD~3", "--upload-pack=touch made"])
def test_where_there_is_no_merge_base_promptlint_has_the_last_word(
    base: str, job: Job, checkout: Callable[..., Path]
) -> None:
    here = checkout("refs/heads/main")
    (here / "old.sarif").write_text("{}")  # left by another run
    ran = job.run(here, PULL, base=base, sarif_file="old.sarif")
    (reference,) = (word for word in job.told().words if word.startswith("--base="))
    assert reference.removeprefix("--base=") in (base, f"origin/{base}")
    assert (ran.code, job.told().merge_base) == (2, "")
    assert ran.outputs == {"verdict": "error", "sarif-file": "", "markdown-file": ""}
    assert "could judge nothing" in ran.summary
    assert not (here / "made").exists()


@pytest.mark.parametrize("base", ["", "main\nref=x", "\t"])
def test_without_a_base_it_says_what_to_set(base: str, job: Job, checkout: Callable[..., Path]) -> None:
    ran = job.run(checkout("refs/heads/main"), {"event": {}}, base=base)
    assert ran.code == 2
    assert "::error::" in ran.printed
    assert "input base" in ran.printed
    assert not (job.binaries / "told.json").exists()


def test_a_pattern_is_no_base(job: Job, checkout: Callable[..., Path]) -> None:
    here = checkout("refs/pull/7/merge")
    job.run(here, PULL, base="*")
    assert git(here, "for-each-ref", "refs/remotes/origin") == ""


def test_what_is_there_is_enough_where_nothing_can_be_fetched(
    job: Job, remote: Remote, checkout: Callable[..., Path]
) -> None:
    here = checkout("refs/heads/feature", 0)
    git(here, "remote", "set-url", "origin", (here / "nowhere").as_uri())
    job.run(here, PULL)
    assert job.told().merge_base == remote.commit("main~60")


def test_commits_of_earlier_steps_do_not_hinder(job: Job, remote: Remote, checkout: Callable[..., Path]) -> None:
    here = checkout("refs/heads/feature", 20)
    git(here, "commit", "--quiet", "--allow-empty", "--message", "made on the runner")
    job.run(here, PULL)
    assert job.told().merge_base == remote.commit("main~60")


def test_further_options_are_words_and_nothing_more(job: Job, checkout: Callable[..., Path]) -> None:
    here = checkout("refs/heads/main")
    job.run(
        here,
        PULL,
        args="--facts own.yaml\n  --now 2026-11-29T21:40\r\n*.txt $(touch made); `touch made`\n",
        strict="true",
    )
    wanted = "--facts own.yaml --now 2026-11-29T21:40 *.txt $(touch made); `touch made` --strict"
    assert job.told().words[-len(wanted.split()) :] == wanted.split()
    assert not (here / "made").exists()


@pytest.mark.parametrize("strict", ["false", ""])
def test_it_is_not_strict_unless_it_is_told(strict: str, job: Job, checkout: Callable[..., Path]) -> None:
    job.run(checkout("refs/heads/main"), PULL, strict=strict)
    assert len(job.told().words) == 6
    assert "--strict" not in job.told().words


@pytest.mark.parametrize(("code", "verdict"), [(0, "pass"), (0, "unknown"), (1, "fail"), (2, "pass")])
def test_the_code_is_that_of_the_command(code: int, verdict: str, job: Job, checkout: Callable[..., Path]) -> None:
    reports(job, code, verdict, "**said**\n")
    ran = job.run(checkout("refs/heads/main"), PULL)
    assert (ran.code, ran.outputs["verdict"], ran.summary) == (code, verdict, "**said**\n")


def test_files_are_written_where_they_are_wanted(job: Job, checkout: Callable[..., Path]) -> None:
    here = checkout("refs/heads/main")
    (here / "an app").mkdir()
    ran = job.run(here, PULL, working_directory="an app", sarif_file="out/a b.sarif", markdown_file=str(here / "c.md"))
    assert job.told().cwd == str(here / "an app")
    assert ran.outputs["sarif-file"] == str(here / "an app" / "out" / "a b.sarif")
    assert (here / "an app" / "out" / "a b.sarif").read_text() == "{}"
    assert (here / "c.md").read_text() == ran.summary


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def traps(checkout: Path) -> None:
    """Put modules into a checkout that must not be imported from there."""
    for name in ("venv", "json", "pip", "encodings", "promptlint", "yaml"):
        (checkout / f"{name}.py").write_text("raise SystemExit('imported from the checkout')\n")


@pytest.fixture(scope="module")
def offline() -> dict[str, str]:
    """What an installation needs is taken from this environment, not from the network."""
    return dict(os.environ) | {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip stores this value as that of its setting "build isolation"
        "PYTHONPATH": sysconfig.get_path("purelib"),
    }


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, offline: dict[str, str]) -> Ran:
    """The step that installs, run for real in a folder that is full of traps."""
    here, temporary = tmp_path_factory.mktemp("traps"), tmp_path_factory.mktemp("runner files")
    traps(here)
    return run_steps(("install",), here, temporary, {}, {}, {}, offline)


def test_it_installs_itself_in_an_environment_of_its_own(installed: Ran) -> None:
    assert installed.code == 0, installed.printed
    home, binaries = (Path(installed.steps["install"][name]) for name in ("home", "bin"))
    assert home.name.startswith("promptlint.")
    assert (binaries / "promptlint").is_file()
    assert binaries.is_relative_to(home)
    assert not {"build", "dist"} & set(os.listdir(ROOT))


PROMPT = "You answer for a shop.\n" + "Quote the number of the order in each answer.\n" * 400
REST = "{# promptlint: breakpoint #}\n{{ question }}\n"
CONFIGURED = "prompts:\n- {name: support, template: app/support.j2, vars: app/vars.yaml, model: claude-sonnet-5}\n"


@pytest.mark.parametrize(
    ("edited", "code", "verdict"),
    [
        ("You answer for a shop at {{ strftime_now('%H:%M') }}.\n", 1, "fail"),
        ("You answer for a library.\n", 0, "pass"),
    ],
)
def test_the_command_judges_a_pull_request(
    edited: str, code: int, verdict: str, tmp_path: Path, installed: Ran, offline: dict[str, str]
) -> None:
    for name, text in (("promptlint.yaml", CONFIGURED), ("app/vars.yaml", "[{question: Why?}, {question: How?}]\n")):
        put(tmp_path / "source" / name, text)
    put(tmp_path / "source" / "app" / "support.j2", PROMPT + REST)
    for branch, text in (("main", PROMPT + REST), ("edited", edited + PROMPT.partition("\n")[2] + REST)):
        git(tmp_path / "source", "init", "--quiet", "--initial-branch=main")
        git(tmp_path / "source", "checkout", "--quiet", "-B", branch)
        put(tmp_path / "source" / "app" / "support.j2", text)
        git(tmp_path / "source", "add", "--all")
        git(tmp_path / "source", "commit", "--quiet", "--message", branch)
    address = (tmp_path / "source").as_uri()
    git(tmp_path, "clone", "--quiet", "--depth=1", "--branch=edited", address, "clone")
    (tmp_path / "temporary").mkdir()
    where = (tmp_path / "clone", tmp_path / "temporary")
    ran = run_steps(("base", "check"), *where, PULL, {}, installed.steps, offline)
    assert (ran.code, ran.outputs["verdict"]) == (code, verdict), ran.printed
    assert ran.summary.startswith(MARKER)
    assert "support" in ran.summary
    (run,) = json.loads(Path(ran.outputs["sarif-file"]).read_text("utf-8"))["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"] if result["level"] == "error"]
    assert [place["artifactLocation"]["uri"] for place in places] == ["app/support.j2"] * code
    assert len(re.findall(r"(?m)^::error [^:]*file=app/support\.j2,line=1", ran.printed)) == code


def test_a_version_and_extras_are_asked_of_the_index(tmp_path: Path, offline: dict[str, str]) -> None:
    inputs = {"version": "999.1", "extras": "ts,hash"}
    ran = run_steps(("install",), tmp_path, tmp_path, {}, inputs, {}, offline)
    assert ran.code == 1
    assert "promptlint-cache[hash,ts]==999.1" in ran.printed


def test_an_old_python_is_refused_with_what_to_do(tmp_path: Path) -> None:
    for name in ("python3", "python"):
        executable(tmp_path / "bin" / name, "#!/bin/sh\nexit 1\n")
    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    ran = run_steps(("install",), tmp_path, tmp_path, {}, {}, {}, environment)
    assert ran.code == 2
    assert "::error::promptlint needs Python 3.11" in ran.printed
    assert "python-version" in ran.printed


def test_the_verdict_is_read_whatever_lies_in_the_checkout(job: Job, checkout: Callable[..., Path]) -> None:
    here = checkout("refs/heads/main")
    traps(here)
    assert job.run(here, PULL).outputs["verdict"] == "fail"
