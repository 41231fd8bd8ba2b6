"""Results of files that have not changed: whatever stands in the cache, a result is the right one or none."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import promptlint
import promptlint.files
from promptlint.commands.lint import lint
from promptlint.commands.lint_settings import LintOptions
from promptlint.files import replace_file
from promptlint.finding import Report
from promptlint.lint import results_cache as module
from promptlint.lint.results_cache import ResultsCache, hash_of, key, results_cache

RESULT: Any = {"findings": [["clock", "é\n", 3, None]], "notes": []}


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache" / "project.results")


@pytest.fixture
def stale_program() -> Iterator[None]:
    """The stamp of the program's own files is worked out anew before and after."""
    module._program.cache_clear()
    yield
    module._program.cache_clear()


def saved(path: str, **results: Any) -> None:
    cache = ResultsCache(path)
    for name, result in results.items():
        cache.put(key(name), result)
    cache.save()


def test_what_was_kept_is_found_by_the_next_run(path: str) -> None:
    saved(path, a=RESULT, b=[])
    cache = ResultsCache(path)
    assert (cache.get(key("a")), cache.get(key("b")), cache.get(key("c"))) == (RESULT, [], None)
    assert ResultsCache(None).get(key("a")) is None


def test_before_it_is_saved_a_result_is_found_but_not_written(path: str) -> None:
    cache = ResultsCache(path)
    cache.put(key("a"), RESULT)
    assert cache.get(key("a")) == RESULT
    assert not os.path.exists(path)


def test_each_part_of_a_key_counts_and_parts_do_not_run_into_one_another() -> None:
    keys = {key("ab", "c"), key("a", "bc"), key("abc"), key("a", "b", "c"), key("ab", "c", ""), key("c", "ab"), key()}
    assert len(keys) == 7
    assert key("é") == key("é".encode())
    assert key("\ud800")


def test_another_version_has_other_keys(monkeypatch: pytest.MonkeyPatch, stale_program: None) -> None:
    before = key("a")
    assert key("a") == before
    monkeypatch.setattr(promptlint, "__version__", "99")
    module._program.cache_clear()
    assert key("a") != before


def test_an_edited_rule_or_module_has_other_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stale_program: None
) -> None:
    for name in ("pkg/a.py", "rules/clock.py", "rules/clock.yaml", "pkg/__pycache__/a.cpython-311.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    monkeypatch.setattr(module, "_PACKAGE", str(tmp_path / "pkg"))
    seen = []
    for name in ("pkg/a.py", "rules/clock.py", "rules/clock.yaml", "rules/new.yaml"):
        module._program.cache_clear()
        seen.append(key("a"))
        (tmp_path / name).write_text("other")
    module._program.cache_clear()
    seen.append(key("a"))
    assert len(set(seen)) == 5
    (tmp_path / "pkg/__pycache__/a.cpython-311.pyc").write_text("other")  # Python writes it when it pleases
    module._program.cache_clear()
    assert key("a") == seen[-1]


@pytest.mark.parametrize("change", ["edited", "gone", "there", "folder"])
def test_other_files_that_a_result_depends_on(change: str, path: str, tmp_path: Path) -> None:
    part, missing = tmp_path / "part.j2", tmp_path / "missing.j2"
    part.write_text("x")
    cache = ResultsCache(path)
    cache.put(key("a"), RESULT, {str(part): hash_of(str(part)), str(missing): hash_of(str(missing))})
    cache.save()
    assert ResultsCache(path).get(key("a")) == RESULT
    if change == "edited":
        part.write_text("y")
    elif change == "there":
        missing.write_text("")
    else:
        part.unlink()
        if change == "folder":
            part.mkdir()
    assert ResultsCache(path).get(key("a")) is None


def test_a_damaged_file_never_gives_a_wrong_result(path: str) -> None:
    saved(path, a=RESULT, b=["other"])
    with open(path, "rb") as file:
        good = file.read()
    wanted = {key("a"): RESULT, key("b"): ["other"]}
    lost = 0
    for place in range(len(good)):
        for bad in (good[:place], good[:place] + b"\n" + good[place:], good[:place] + b"0\xff"[:1] + good[place + 1 :]):
            with open(path, "wb") as file:
                file.write(bad)
            cache = ResultsCache(path)
            for name, result in wanted.items():
                found = cache.get(name)
                assert found is None or found == result
                lost += found is None
    assert lost > len(good)


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 100, b"promptlint results 0\nx", b"promptlint results 1\n\n \n  \nx y z\n"]
)
def test_what_is_no_cache_is_replaced(data: bytes, path: str) -> None:
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(data)
    assert ResultsCache(path).get(key("a")) is None
    saved(path, a=RESULT)
    assert ResultsCache(path).get(key("a")) == RESULT


def test_a_result_under_the_key_of_another_is_none(path: str) -> None:
    saved(path, a=RESULT)
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data.replace(key("a").encode(), key("b").encode()))
    assert ResultsCache(path).get(key("b")) is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users have no numbers here")
def test_the_file_of_another_user_is_not_believed(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(path, a=RESULT)
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    assert ResultsCache(path).get(key("a")) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
def test_what_is_no_file_is_not_waited_for(path: str) -> None:
    os.makedirs(path)
    assert ResultsCache(path).get(key("a")) is None
    saved(path, a=RESULT)
    os.rmdir(path)
    os.mkfifo(path)
    assert ResultsCache(path).get(key("a")) is None


def test_only_the_user_may_read_it(path: str) -> None:
    saved(path, a=RESULT)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


def test_what_another_has_written_meanwhile_stays(path: str) -> None:
    mine, other = ResultsCache(path), ResultsCache(path)
    mine.put(key("a"), 1)
    other.put(key("b"), 2)
    other.put(key("a"), 3)
    other.save()
    mine.save()
    cache = ResultsCache(path)
    assert (cache.get(key("a")), cache.get(key("b"))) == (1, 2)


def test_many_writers_at_once_leave_a_whole_file(path: str) -> None:
    def write(number: int) -> None:
        saved(path, **{f"k{number}-{each}": [number, each] for each in range(20)})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    cache = ResultsCache(path)
    found = {(n, e): cache.get(key(f"k{n}-{e}")) for n in range(40) for e in range(20)}
    assert all(result in (None, [*place]) for place, result in found.items())
    assert sum(result is not None for result in found.values()) >= 20
    assert os.listdir(os.path.dirname(path)) == ["project.results"]


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(28, "no space"), OSError(30, "read-only")])
def test_a_folder_that_takes_nothing_is_no_fault(error: OSError, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(path, a=RESULT)

    def refuse(*arguments: object, **more: object) -> tuple[int, str]:
        raise error

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    saved(path, b=RESULT)
    assert (ResultsCache(path).get(key("a")), ResultsCache(path).get(key("b"))) == (RESULT, None)


def test_a_folder_that_cannot_be_made_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    saved(str(tmp_path / "file/cache/project.results"), a=RESULT)
    assert (tmp_path / "file").read_text() == ""


def test_the_oldest_entries_go_first(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 3)
    for name in ("a", "b", "c", "a", "d"):  # a is written twice
        saved(path, **{name: name})
    assert [ResultsCache(path).get(key(name)) for name in "abcd"] == ["a", None, "c", "d"]
    monkeypatch.setattr(module, "MOST_ENTRIES", 100)
    monkeypatch.setattr(module, "MOST_BYTES", 400)
    saved(path, e="e" * 100)
    assert [ResultsCache(path).get(key(name)) for name in "acde"] == [None, None, "d", "e" * 100]


def test_the_projects_that_were_written_longest_ago_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PROJECTS", 2)
    (tmp_path / "readme").write_text("not ours")
    for number in range(4):
        saved(str(tmp_path / f"{number}.results"), a=number)
        os.utime(tmp_path / f"{number}.results", (number, number))
    assert sorted(os.listdir(tmp_path)) == ["2.results", "3.results", "readme"]


def test_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PROMPTLINT_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert promptlint.files.cache_folder() == str(tmp_path / ".cache/promptlint")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says its specification
    assert promptlint.files.cache_folder() == str(tmp_path / ".cache/promptlint")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert promptlint.files.cache_folder() == str(tmp_path / "x/promptlint")
    monkeypatch.setenv("PROMPTLINT_CACHE_DIR", str(tmp_path / "own"))
    assert promptlint.files.cache_folder() == str(tmp_path / "own")


def test_each_project_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTLINT_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "one").mkdir()
    (tmp_path / "link").symlink_to("one")
    cache = results_cache(str(tmp_path / "one"))
    cache.put(key("a"), RESULT)
    cache.save()
    assert results_cache(str(tmp_path / "link")).get(key("a")) == RESULT
    assert results_cache(str(tmp_path)).get(key("a")) is None


# With the command.

OPTIONS = LintOptions(render=False)

CLOCK = "You answer.\nIt is {{ now() }}.\n" + "Quote the number of the order in each answer.\n" * 60
CLEAN = "You answer.\n" + "Quote the number of the order in each answer.\n" * 60


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROMPTLINT_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def linted(options: LintOptions = OPTIONS) -> Report:
    """What the cache gives, which is what is found without it."""
    found = lint(["."], options)
    assert found == lint(["."], options._replace(cache=False))
    return found


def rules(report: Report) -> list[str]:
    return [finding.rule for finding in report.findings]


def test_the_second_run_gives_what_the_first_gave_and_looks_at_nothing(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.j2").write_text(CLOCK)
    (here / "b.json").write_text('{"model": "claude-opus-5", "messages": [{"role": "user", "content": "hi"}]}')
    (here / "c.json").write_text("{}")
    first = linted()
    assert first.findings

    def refuse(*arguments: object) -> None:
        raise AssertionError("it was looked at again")

    (here / "c.json").unlink()
    monkeypatch.setattr("promptlint.commands.lint.lint_file", refuse)
    assert first.lint is not None
    assert lint(["."], OPTIONS) == first._replace(lint=first.lint._replace(skipped=()))


@pytest.mark.parametrize("name", ["a.j2", "part.j2", "promptlint.yaml"])
def test_what_has_changed_is_looked_at_again(name: str, here: Path) -> None:
    (here / "a.j2").write_text("{% include 'part.j2' %}\n" + CLEAN)
    (here / "part.j2").write_text("You are kind.\n")
    (here / "promptlint.yaml").write_text("fail-on: error\n")
    before = linted()
    text = "variables: {x: stable}\nignore: ['*']\n" if name == "promptlint.yaml" else CLOCK
    (here / name).write_text(text)
    after = linted()
    assert after != before
    if name != "promptlint.yaml":
        assert len(rules(after)) > len(rules(before))


def test_an_included_file_that_was_not_there(here: Path) -> None:
    (here / "a.j2").write_text("{% include 'part.j2' ignore missing %}\n" + CLEAN)
    before = linted()
    (here / "part.j2").write_text(CLOCK)
    assert len(rules(linted())) > len(rules(before))


def test_other_options_have_other_results(here: Path) -> None:
    (here / "a.j2").write_text(CLOCK)
    (rule,) = set(rules(linted()))
    assert rules(linted(OPTIONS._replace(ignore=(rule,)))) == []
    assert rules(linted()) == [rule]


def test_a_comment_that_answers_is_kept_with_the_result(here: Path) -> None:
    (here / "a.j2").write_text(CLOCK)
    (rule,) = set(rules(linted()))
    (here / "a.j2").write_text(f"{{# promptlint: ignore-file[{rule}] -- a test #}}\n{CLOCK}")
    for _ in range(2):
        report = linted()
        assert report.lint is not None
        assert (rules(report), [one.reason for one in report.lint.suppressed]) == ([], ["a test"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    """A cache of results that is a link to one, say."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match="no regular file"):
            replace_file(str(tmp_path / name), b"text")
    assert not (tmp_path / "pipe").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "link"}
