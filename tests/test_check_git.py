"""`promptlint check` in all states in which a repository may be: shallow, a second work tree, merged, dirty, no git."""

import subprocess
from pathlib import Path

import pytest

from check_projects import (
    RULES,
    Repository,
    check,
    environment,
    repository,
    settings,
    started,
    template,
    template_entry,
    template_project,
)
from check_samples import Sample, few_samples, judge

SAMPLES = few_samples()
few = pytest.mark.parametrize("sample", SAMPLES, ids=[each.name for each in SAMPLES])

FAILING = template().replace("guide.\n", "guide. Today is {{ today }}.\n", 1)
COLD = template().replace("Keep to this guide.", "Follow this guide.")
OTHER = template(RULES[::-1])


def clone(source: Repository, target: Path, *arguments: str) -> Repository:
    """A clone through git's own protocol: one of a folder is never shallow."""
    line = ["git", "clone", "--quiet", *arguments, f"file://{source.path}", str(target)]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Repository(target)


def _long(path: Path, sample: Sample) -> Repository:
    """A repository whose history is longer than what a shallow clone holds."""
    made = started(path)
    made.commit({"README.md": "A tool library.\n"}, "start")
    made.commit(sample.before, "before")
    made.git("checkout", "--quiet", "-b", "topic")
    made.commit(sample.after)
    return made


@few
def test_the_last_two_commits_of_a_shallow_clone(sample: Sample, tmp_path: Path) -> None:
    found = clone(_long(tmp_path / "origin", sample), tmp_path / "clone", "--depth", "2", "--branch", "topic")
    assert found.git("rev-parse", "--is-shallow-repository").strip() == "true"
    judge(sample, check(found.path, "--base", "HEAD~1"))


@few
def test_a_clone_without_a_merge_base_compares_with_the_base_itself_and_says_so(sample: Sample, tmp_path: Path) -> None:
    made = _long(tmp_path / "origin", sample)
    made.commit(sample.after | {"README.md": "A library of tools.\n"})  # so that HEAD itself does not name the base
    found = clone(made, tmp_path / "clone", "--depth", "1", "--branch", "topic")
    found.git("fetch", "--quiet", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    assert found.git("merge-base", "origin/main", "HEAD", ok=False) == ""
    done = check(found.path, "--base", "origin/main")
    judge(sample, done)
    assert any("merge base" in note for note in done.report["notes"]), done.report["notes"]


def test_a_base_that_was_not_fetched_is_told_with_a_way_out(tmp_path: Path) -> None:
    made = repository(tmp_path / "origin", template_project(), template_project(FAILING))
    found = clone(made, tmp_path / "clone", "--depth", "1", "--branch", "topic")
    done = check(found.path, "--base", "origin/main")
    assert (done.code, done.out) == (2, "")
    assert "origin/main" in done.err
    assert "fetch" in done.err
    assert len(done.err.splitlines()) == 1


@few
def test_a_second_work_tree(sample: Sample, tmp_path: Path) -> None:
    made = repository(tmp_path / "repository", sample.before, sample.after)
    made.git("checkout", "--quiet", "main")
    made.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "topic")
    judge(sample, check(tmp_path / "tree", "--base", "main"))
    assert check(made.path, "--base", "main").body["renderings"] == 0


def _two_prompts(support: str, other: str = OTHER) -> dict[str, str]:
    """The project with a second prompt."""
    entries = template_entry(), template_entry(name="other", template="prompts/other.j2")
    files = template_project(support) | {"prompts/other.j2": other}
    return files | {"promptlint.yaml": settings(*entries)}


def _forked(path: Path, text: str) -> Repository:
    """`topic` changes one prompt, and `main`, in the meantime, the other one."""
    made = repository(path, _two_prompts(template()), _two_prompts(text))
    made.git("checkout", "--quiet", "main")
    made.commit(_two_prompts(template(), OTHER.replace("guide.\n", "guide. {{ ticket }}\n", 1)), "on main")
    made.git("checkout", "--quiet", "topic")
    return made


@pytest.mark.parametrize(("text", "code"), [(FAILING, 1), (COLD, 0)])
def test_what_others_did_on_the_base_branch_is_not_charged(text: str, code: int, tmp_path: Path) -> None:
    found = check(_forked(tmp_path, text).path, "--base", "main")
    assert found.code == code
    assert found.prompts["other"]["change"] == "unchanged"
    assert found.touched["name"] == "support"
    assert "merge base" in found.body["before"]


@pytest.mark.parametrize(("text", "code"), [(FAILING, 1), (COLD, 0)])
def test_a_merge_commit_is_charged_with_what_its_branch_brings(text: str, code: int, tmp_path: Path) -> None:
    """As a server of pull requests makes it: the base merged with the branch."""
    made = _forked(tmp_path, text)
    made.git("checkout", "--quiet", "--detach", "main")
    made.git("merge", "--quiet", "--no-ff", "--message", "merged", "topic")
    for base in ("main", "HEAD^1"):
        found = check(made.path, "--base", base)
        assert found.code == code
        assert found.touched["name"] == "support"
        assert found.prompts["other"]["change"] == "unchanged"


def test_a_branch_that_has_merged_the_base_is_charged_with_its_own_edit(tmp_path: Path) -> None:
    made = _forked(tmp_path, COLD)
    made.git("merge", "--quiet", "--no-ff", "--message", "merged", "main")
    found = check(made.path, "--base", "main")
    assert (found.code, found.touched["name"]) == (0, "support")
    assert found.touched["lost_tokens_once"] > 2000


def test_a_dirty_tree_is_what_is_checked(tmp_path: Path) -> None:
    made = repository(tmp_path, template_project(), template_project(COLD))
    made.put(template_project(FAILING))
    assert check(made.path, "--base", "main").code == 1
    assert check(made.path, "--base", "HEAD").code == 1
    made.put(template_project())
    found = check(made.path, "--base", "main")
    assert (found.code, found.body["renderings"]) == (0, 0)


def test_untracked_files_count(tmp_path: Path) -> None:
    """A part that nobody has added yet is read, and so is a new prompt."""
    made = started(tmp_path)
    entry = template_entry(template="prompts/*.j2")
    del entry["name"]
    before = template_project(entry=entry)
    made.commit(before)
    text = template(("{% include 'parts/rules.j2' %}", *RULES[20:])).replace("guide.\n", "guide. {{ ticket }}\n", 1)
    new = {"prompts/new.j2": OTHER, "prompts/parts/rules.j2": "\n".join(RULES[:20])}
    made.put(before | new | {"prompts/support.j2": text})
    found = check(made.path, "--base", "HEAD")
    changes = {each["path"]: (each["change"], each["verdict"]) for each in found.body["prompts"]}
    assert changes["prompts/support.j2"] == ("changed", "fail")
    assert changes["prompts/new.j2"] == ("new", "pass")
    assert found.code == 1
    staged = check(made.path, "--staged")
    assert (staged.code, len(staged.body["prompts"])) == (0, 1)


def test_what_git_ignores_is_no_part_of_the_project(tmp_path: Path) -> None:
    """An entry that names it is refused: it would be there for its author alone."""
    made = started(tmp_path)
    files = template_project() | {".gitignore": "*.log\nprompts/\n"}
    made.commit(files)
    made.put(files | {"a.log": "x\n"})
    found = check(made.path, "--base", "HEAD")
    assert (found.code, found.body["renderings"], found.body["changed_files"]) == (2, 0, 0)
    assert "there is no prompts/support.j2 (links, and what git ignores, do not count); correct" in found.err


@few
def test_from_a_folder_of_the_repository(sample: Sample, tmp_path: Path) -> None:
    """The verdict is that of the whole repository."""
    made = repository(tmp_path, sample.before, sample.after | {"docs/deep/a.txt": "a\n"})
    found = check(made.path / "docs" / "deep", "--base", "main")
    judge(sample, found)
    above = check(made.path, "--base", "main")
    judge(sample, above)
    figures = "lost_tokens_per_request", "lost_tokens_once", "usable_tokens_before", "usable_tokens_after"
    assert [found.touched[each] for each in figures] == [above.touched[each] for each in figures]


def test_a_project_in_a_folder_of_a_larger_repository(tmp_path: Path) -> None:
    """The configuration lies beside the prompts, not at the root."""
    before = {f"services/desk/{name}": text for name, text in template_project().items()}
    after = {f"services/desk/{name}": text for name, text in template_project(FAILING).items()}
    made = repository(tmp_path, before, after)
    found = check(made.path / "services" / "desk", "--base", "main")
    assert found.code == 1, found.err
    # From the root, or from where the command was run, and no way in between.
    assert found.touched["path"] in ("services/desk/prompts/support.j2", "prompts/support.j2")
    assert found.touched["causes"][0]["hunk"]["new_start"] == 1


def test_the_index_is_what_is_checked_when_it_is_asked_for(tmp_path: Path) -> None:
    made = started(tmp_path)
    made.commit(template_project())
    made.put(template_project(FAILING))
    assert check(made.path, "--staged").code == 0
    made.git("add", "--all")
    made.put(template_project())
    found = check(made.path, "--staged")
    assert (found.code, found.touched["causes"][0]["cause"]) == (1, "date-rollover")
    assert check(made.path, "--base", "HEAD").code == 0


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    """There is no HEAD yet: all prompts are new."""
    made = started(tmp_path)
    made.put(template_project())
    made.git("add", "--all")
    found = check(made.path, "--staged")
    assert found.code == 0, found.err
    assert [each["change"] for each in found.body["prompts"]] == ["new"]


@pytest.mark.parametrize("name", ["no/such", "-x", "HEAD~99", "main:prompts", "0" * 40])
def test_a_base_that_is_no_commit_is_one_line(name: str, tmp_path: Path) -> None:
    made = repository(tmp_path, template_project(), template_project(COLD))
    done = check(made.path, f"--base={name}")
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert "internal error" not in done.err


def test_outside_of_a_repository(tmp_path: Path) -> None:
    done = check(tmp_path, "--base", "main", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert "internal error" not in done.err


def test_a_checkout_with_other_line_ends_passes(tmp_path: Path) -> None:
    """git turns line feeds into CR LF when it checks a text out; nobody has edited anything."""
    made = started(tmp_path)
    made.commit(template_project())
    made.git("config", "core.autocrlf", "true")
    for name in template_project():
        (made.path / name).unlink()
    made.git("checkout", "--quiet", "--", ".")
    assert b"\r\n" in (made.path / "prompts/support.j2").read_bytes()
    found = check(made.path, "--base", "HEAD")
    assert (found.code, found.report["verdict"]) == (0, "pass")
    assert found.touched["lost_tokens_per_request"] in (0, None)


def test_nothing_of_the_repository_is_changed(tmp_path: Path) -> None:
    made = repository(tmp_path, template_project(), template_project(FAILING))
    made.put(template_project(COLD))

    def state() -> tuple[str, ...]:
        # Not its bytes: like any `git diff`, one refreshes the times of files in it.
        index = made.git("ls-files", "--stage")
        return (
            made.git("status", "--porcelain", GIT_OPTIONAL_LOCKS="0"),
            made.git("for-each-ref"),
            made.git("worktree", "list"),
            index,
        )

    before = state()
    assert check(made.path, "--base", "main").code == 0
    assert state() == before


def test_a_partial_clone_is_told_what_it_lacks(tmp_path: Path) -> None:
    """git would fetch it, from wherever the clone came from: a gate asks nobody."""
    made = repository(tmp_path / "origin", template_project(), template_project(FAILING))
    made.git("config", "uploadpack.allowFilter", "true")
    made.git("config", "uploadpack.allowAnySHA1InWant", "true")
    found = clone(made, tmp_path / "clone", "--filter", "blob:none", "--branch", "topic")
    done = check(found.path, "--base", "origin/main")
    assert (done.code, done.out) == (2, "")
    assert "partial clone" in done.err
    found.git("fetch", "--quiet", "--refetch", "--no-filter")
    assert check(found.path, "--base", "origin/main").code == 1


SETTINGS = {
    "color.ui": "always",
    "core.quotePath": "true",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.external": "false",
    "diff.renames": "false",
    "diff.algorithm": "patience",
    "status.relativePaths": "false",
    "core.pager": "false",
    "i18n.logOutputEncoding": "latin1",
}


def test_the_git_settings_of_a_user_change_nothing(tmp_path: Path) -> None:
    sample = SAMPLES[0]
    made = repository(tmp_path, sample.before, sample.after)
    plain = check(made.path, "--base", "main")
    for name, value in SETTINGS.items():
        made.git("config", name, value)
    judge(sample, check(made.path, "--base", "main"))
    assert check(made.path, "--base", "main").report == plain.report


@pytest.mark.parametrize(
    "name", ["prompts/für alle.j2", "prompts/a b.j2", "prompts/-x.j2", 'prompts/"q".j2', "プロンプト/a.j2"]
)
def test_names_that_git_would_quote(name: str, tmp_path: Path) -> None:
    def files(text: str) -> dict[str, str]:
        found = template_project(text, entry=template_entry(template=name))
        return {name if each == "prompts/support.j2" else each: text for each, text in found.items()}

    made = repository(tmp_path, files(template()), files(FAILING))
    for found in (check(made.path, "--base", "main"), check(made.path, "--staged", "--base", "main")):
        assert (found.code, found.touched["path"]) == (1, name), found.err
        assert found.touched["causes"][0]["hunk"]["new_start"] == 1
