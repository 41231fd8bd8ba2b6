"""Fixes: what each rule puts right and leaves alone, the proof, and the writing of files."""

import json
import os
import shutil
import stat
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from lint_requests import LONG, MARK, QUESTION, claude
from promptlint.commands.line_diff import unified
from promptlint.commands.lint_files import How, subjects
from promptlint.commands.lint_fix import Fixed, fixed, write
from promptlint.commands.lint_settings import LintOptions, Settings
from promptlint.errors import PromptlintError
from promptlint.lint.edits import Put, Remove, applied, splices
from promptlint.lint.hit import Hit, Place
from promptlint.lint.rule import built_in
from promptlint.lint.run import hits
from promptlint.lint.subject import RequestSubject
from promptlint.lint.text_fixes import composed, invisible_removed, one_line_end
from promptlint.read.sources import read

FIXABLE = {rule.id: rule for rule in built_in() if rule.fixable}
UNFIXED = {
    "marker-illegal-block/bad-deferred.json": "the marker or the late loading: only the author knows which is meant",
    "marker-missing/bad-gateway.json": "what stands between may set markers of its own",
    "marker-missing/bad-batch.jsonl": "a log, and a batch",
    "implicit-only/bad-conversation.json": "`instructions` carry no breakpoint",
    "implicit-only/bad-instructions.json": "`instructions` carry no breakpoint",
    "implicit-only/bad-explicit-without.json": "that is how caching is switched off",
    "cache-key-random/bad-salt.json": "a salt keeps tenants apart",
    "duplicate-key/bad-property.json": "the values differ",
    "duplicate-key/bad-record.jsonl": "the values differ",
    "duplicate-key/bad-system.json": "the values differ",
    "unordered-loop/bad-listing.j2": "what a call returns may have no order to sort by",
    "unordered-loop/bad-set.j2": "what a call returns may have no order to sort by",
}
BAD = [
    pytest.param(name, path, id=f"{name}/{path.name}")
    for name in FIXABLE
    for path in sorted((ROOT / "fixtures" / "rules" / name).glob("bad*"))
    if path.suffix != ".expected"
]
SAFE = [param for param in BAD if FIXABLE[str(param.values[0])].fixable == "safe"]


def how_of(path: Path, *only: str) -> How:
    how = Settings(LintOptions(cache=False, no_baseline=True)).how_of(str(path))
    return how._replace(rules=tuple(rule for rule in how.rules if not only or rule.id in only))


def copied(folder: Path, source: Path) -> Path:
    shutil.copyfile(source, folder / source.name)
    return folder / source.name


def saved(folder: Path, value: Any, name: str = "request.json") -> Path:
    path = folder / name
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def told(path: Path, how: How) -> Counter[str]:
    document = read(str(path))
    return Counter(rule.id for one in subjects(document, how) for rule, _ in hits(how.rules, one.subject))


def prompts(path: Path, how: How) -> list[str]:
    found = [one.subject for one in subjects(read(str(path)), how)]
    return [one.prompt.text for one in found if isinstance(one, RequestSubject)]


def made(path: Path, *only: str, unsafe: bool = False) -> Fixed:
    one = fixed(str(path), how_of(path, *only), unsafe=unsafe)
    assert isinstance(one, Fixed)
    return one


def after(path: Path, *only: str, unsafe: bool = False) -> Any:
    """The value of the fixed file."""
    return json.loads(made(path, *only, unsafe=unsafe).new)


def test_every_fixable_rule_has_a_fixture_and_none_is_excused_in_vain() -> None:
    ids = {str(param.id) for param in BAD}
    assert {name.partition("/")[0] for name in ids} == set(FIXABLE)
    assert set(UNFIXED) <= ids


@pytest.mark.parametrize(("name", "source"), BAD)
def test_a_rule_finds_nothing_in_what_it_has_put_right(name: str, source: Path, tmp_path: Path) -> None:
    path = copied(tmp_path, source)
    how = how_of(path)
    one = fixed(str(path), how_of(path, name), unsafe=True)
    if f"{name}/{source.name}" in UNFIXED:
        assert not isinstance(one, Fixed)
        return
    assert isinstance(one, Fixed)
    before = told(path, how)
    write(one)
    left = told(path, how)
    assert left[name] == 0
    assert not left.keys() - before.keys()
    assert fixed(str(path), how_of(path, name), unsafe=True) is None


@pytest.mark.parametrize(("name", "source"), SAFE)
def test_a_safe_fix_leaves_the_prompt_and_the_value_of_all_else(name: str, source: Path, tmp_path: Path) -> None:
    path = copied(tmp_path, source)
    how, old = how_of(path), prompts(path, how_of(path))
    one = fixed(str(path), how, unsafe=False)
    if isinstance(one, Fixed):
        assert one.facts.safe
        assert "the prompt is the same, byte for byte" in one.facts.proof
        write(one)
        assert prompts(path, how) == old != []


@pytest.mark.parametrize("break_", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "source"), SAFE[::4])
def test_the_diff_is_one_that_patch_applies(name: str, source: Path, break_: str, tmp_path: Path) -> None:
    text = source.read_text(encoding="utf-8").rstrip("\n").replace("\n", break_)
    path = saved(tmp_path, b"\xef\xbb\xbf" + text.encode(), "a request.json")
    one = fixed(str(path), how_of(path), unsafe=True)
    if not isinstance(one, Fixed):
        return
    diff = one.facts.diff.replace(str(path).lstrip("/"), path.name).replace(f"/{path.name}", path.name)
    diff = diff.replace(f"a{path.name}", f"a/{path.name}").replace(f"b{path.name}", f"b/{path.name}")
    subprocess.run(["patch", "-p1", "--binary", "-s"], input=diff.encode(), cwd=tmp_path, check=True)
    assert path.read_bytes() == one.new


def test_the_markers_that_stay_are_the_last_of_each_level_and_the_latest(tmp_path: Path) -> None:
    tools = [{"name": n, "input_schema": {"type": "object"}, "cache_control": MARK} for n in ("a", "b")]
    system = [
        {"type": "text", "text": LONG, "cache_control": MARK},
        {"type": "text", "text": "b", "cache_control": MARK},
    ]
    turns = [{"role": "user", "content": [{"type": "text", "text": t, "cache_control": MARK}]} for t in "cde"]
    value = after(saved(tmp_path, {**claude(system, *turns), "tools": tools}))
    blocks = [*value["tools"], *value["system"], *(turn["content"][0] for turn in value["messages"])]
    assert ["cache_control" in block for block in blocks] == [False, True, False, True, False, True, True]


def test_a_marker_of_a_thinking_block_goes_to_the_block_in_front_with_its_lifetime(tmp_path: Path) -> None:
    answer: list[dict[str, Any]] = [
        {"type": "text", "text": "Yes."},
        {"type": "thinking", "thinking": "x", "signature": "s", "cache_control": {**MARK, "ttl": "1h"}},
        {"type": "text", "text": "No."},
    ]
    value = after(saved(tmp_path, claude("Be brief.", QUESTION, {"role": "assistant", "content": answer}, QUESTION)))
    content = value["messages"][1]["content"]
    assert content[0] == {**answer[0], "cache_control": {**MARK, "ttl": "1h"}}
    assert content[1] == {"type": "thinking", "thinking": "x", "signature": "s"}


def test_misplaced_markers_are_not_moved_beyond_the_limit(tmp_path: Path) -> None:
    def turn(text: str, *, mark: bool) -> dict[str, Any]:
        return {"type": "text", "text": text, **({"cache_control": MARK} if mark else {})}

    thought = {"type": "thinking", "thinking": "x", "signature": "s", "cache_control": MARK}
    answers = [{"role": "assistant", "content": [turn("a", mark=False), thought, turn("b", mark=False)]}] * 3
    asked = [{"role": "user", "content": [turn(text, mark=True)]} for text in "cde"]
    messages = [message for pair in zip(asked, answers, strict=True) for message in pair]
    path = saved(tmp_path, claude("Be brief.", *messages, QUESTION))
    assert told(path, how_of(path))["marker-illegal-block"] == 3
    write(made(path))
    assert not told(path, how_of(path)).keys() & {"marker-illegal-block", "marker-limit"}
    assert json.dumps(json.loads(path.read_bytes())).count("cache_control") == 4


def test_lifetimes_are_only_ever_shortened(tmp_path: Path) -> None:
    lives = ["1h", None, "1h", "2h"]
    marks = [MARK if ttl is None else {**MARK, "ttl": ttl} for ttl in lives]
    system = [{"type": "text", "text": LONG, "cache_control": mark} for mark in marks]
    value = after(saved(tmp_path, claude(system, QUESTION)))
    assert [block["cache_control"].get("ttl") for block in value["system"]] == ["1h", None, "5m", None]


def test_a_cache_point_is_put_behind_the_last_block_and_taken_away_as_a_block(tmp_path: Path) -> None:
    model = "anthropic.claude-opus-5-v1:0"
    messages = [{"role": "user", "content": [{"text": "Is it late?"}]}]
    plain = {"modelId": model, "system": [{"text": LONG * 2}], "messages": messages}
    value = after(saved(tmp_path, plain), "marker-missing")
    assert value == {**plain, "system": [*plain["system"], {"cachePoint": {"type": "default"}}]}
    point = {"cachePoint": {"type": "default"}}
    many = [step for text in "abcde" for step in ({"text": text * 9000}, point)]
    value = after(saved(tmp_path, {**plain, "system": many}), "marker-limit")
    assert value["system"] == [step for number, step in enumerate(many) if number != 1]


def test_an_answered_finding_stays(tmp_path: Path) -> None:
    path = copied(tmp_path, ROOT / "fixtures/rules/cache-key-random/bad-uuid.json")
    how = how_of(path)
    pointers = []

    def spared(finding: Any) -> bool:
        pointers.append(finding.pointer)
        return True

    assert fixed(str(path), how, unsafe=True, spared=spared) is None
    assert "/prompt_cache_key" in pointers


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_all_other_bytes_stay(encoding: str, tmp_path: Path) -> None:
    text = '{ "model" :"gpt-5.2",\r\n\t"messages": [ {"role":"user","content":"caf\u00e9 \\u00e9\\/"} ],\r\n'
    key = '\t"prompt_cache_key": "7c1d1f0e-5a43-4b8e-9d55-0c2f6b1e8a90",\r\n'
    rest = '\t"seed":1.0e0, "n" : 1}'
    path = saved(tmp_path, (text + key + rest).encode(encoding))
    assert made(path).new == (text + rest).encode(encoding)


def test_requests_of_one_file_are_put_right_together(tmp_path: Path) -> None:
    request = {"model": "gpt-5.2", "messages": [QUESTION], "prompt_cache_key": "7c1d1f0e-5a43-4b8e-9d55-0c2f6b1e8a90"}
    path = saved(tmp_path, [request, {"seed": 1, **request}, request])
    plain = ["messages", "model"]
    assert [sorted(one) for one in after(path)] == [plain, [*plain, "seed"], plain]


def test_a_log_and_yaml_are_not_edited_and_a_note_says_so(tmp_path: Path) -> None:
    request = {"model": "gpt-5.2", "messages": [QUESTION], "prompt_cache_key": "7c1d1f0e-5a43-4b8e-9d55-0c2f6b1e8a90"}
    line = json.dumps(request)
    log = saved(tmp_path, f"{line}\n{line}\n".encode(), "log.jsonl")
    note = fixed(str(log), how_of(log), unsafe=True)
    assert isinstance(note, str)
    assert note.endswith("log.jsonl: a log is not edited, and something in it could be put right")
    text = "model: gpt-5.2\nmessages:\n- {role: user, content: Is it late?}\nprompt_cache_key: "
    path = saved(tmp_path, f"{text}{request['prompt_cache_key']}\n".encode(), "request.yaml")
    note = fixed(str(path), how_of(path), unsafe=True)
    assert isinstance(note, str)
    assert ": YAML is not edited" in note


def test_what_is_left_is_said(tmp_path: Path) -> None:
    path = saved(
        tmp_path, b'{"model": "gpt-5.2", "n": 1, "n": 1, "seed": 1, "seed": 2, "messages": [{"role": "user"}]}'
    )
    path.write_bytes(path.read_bytes().replace(b'"user"', b'"user", "content": "x"'))
    one = made(path)
    assert b'"n": 1, "seed"' in one.new
    assert one.facts.proof.endswith("1 finding of these rules is left")


TEXTS = [
    (invisible_removed, "\ufeffa\u200bb\u00ad \u00a0\u00a0c\u00a0d", "ab   c\u00a0d"),
    (one_line_end, "a\r\nb\rc\n\r\n", "a\nb\nc\n\n"),
    (composed, "e\u0301\u0323a\u0301 \u1112\u1161\u11ab o\u0302\u0301", "\u1eb9\u0301\u00e1 \ud55c \u1ed1"),
]


@pytest.mark.parametrize(("fix", "text", "due"), TEXTS)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_text_is_put_right_in_all_its_places(fix: Any, text: str, due: str, ascii_only: bool, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(claude(text, QUESTION), ensure_ascii=ascii_only), encoding="utf-8")
    document, how = read(str(path)), how_of(path)
    (one,) = subjects(document, how)
    edits = tuple(fix(one.subject, Hit(Place(("system",), 0, 1))))
    new, made = applied(document.text, splices(document, [edits]))
    assert made == [True]
    assert new == json.dumps(claude(due, QUESTION), ensure_ascii=ascii_only)
    assert not tuple(fix(one.subject, Hit(Place(("system",), 0, 1, "key"))))


@pytest.mark.parametrize(("fix", "text", "due"), TEXTS)
def test_a_request_that_is_a_text_is_put_right_in_its_file(fix: Any, text: str, due: str, tmp_path: Path) -> None:
    path = saved(tmp_path, f"x{text}".encode(), "prompt.txt")
    document = read(str(path))
    (one,) = subjects(document, how_of(path))
    edits = tuple(fix(one.subject, Hit(Place((), 0, 1))))
    assert applied(document.text, splices(document, [edits]))[0] == f"x{due}"


def wrong(edit: Any) -> Any:
    """Give the key's rule a fix that does this."""
    return lambda rule: (lambda subject, hit: iter([edit])) if rule.id == "cache-key-random" else None


@pytest.mark.parametrize(
    "edit", [Put(("messages", 0, "content"), "y"), Remove(("seed",)), Put(("model",), "gpt-5.1"), Remove(("messages",))]
)
def test_a_fix_that_fails_its_proof_is_not_made(edit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = {"model": "gpt-5.2", "messages": [QUESTION], "seed": 1}
    path = saved(tmp_path, {**request, "prompt_cache_key": "7c1d1f0e-5a43-4b8e-9d55-0c2f6b1e8a90"})
    monkeypatch.setattr("promptlint.commands.lint_fix.fix_of", wrong(edit))
    for unsafe in (False, True):
        note = fixed(str(path), how_of(path), unsafe=unsafe)
        assert isinstance(note, str)
        assert note.endswith(": the fix of cache-key-random would change the prompt and is not made")


def test_where_one_fix_fails_its_proof_the_others_are_made(tmp_path: Path) -> None:
    system = [{"type": "text", "text": "", "cache_control": MARK}]  # is printed only because it is marked
    turn = [{"type": "text", "text": LONG, "cache_control": {**MARK, "ttl": "2h"}}]
    path = saved(tmp_path, claude(system, {"role": "user", "content": turn}))
    one = made(path)
    assert one.facts.rules == ("marker-ttl-order",)
    assert one.facts.proof.endswith("the fix of marker-illegal-block would change the prompt and is not made")
    assert json.loads(one.new)["system"] == system


def test_a_file_that_was_changed_in_between_is_not_written(tmp_path: Path) -> None:
    path = copied(tmp_path, ROOT / "fixtures/rules/cache-key-random/bad-uuid.json")
    one = made(path)
    path.write_bytes(one.old + b"\n")
    with pytest.raises(PromptlintError, match="was changed in between"):
        write(one)
    assert path.read_bytes() == one.old + b"\n"
    path.unlink()
    with pytest.raises(PromptlintError):
        write(one)
    assert os.listdir(tmp_path) == []


def test_a_read_only_file_is_not_written(tmp_path: Path) -> None:
    path = copied(tmp_path, ROOT / "fixtures/rules/cache-key-random/bad-uuid.json")
    path.chmod(0o444)
    one = made(path)
    with pytest.raises(PromptlintError, match="read-only"):
        write(one)
    assert path.read_bytes() == one.old


def test_a_link_stays_a_link_and_a_file_keeps_its_mode(tmp_path: Path) -> None:
    target = copied(tmp_path, ROOT / "fixtures/rules/cache-key-random/bad-uuid.json")
    target.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(target.name)
    one = made(link)
    assert write(one) == one.facts._replace(written=True)
    assert link.is_symlink()
    assert target.read_bytes() == one.new
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["bad-uuid.json", "link.json"]


def test_a_diff_of_equal_texts_is_empty_and_a_far_change_is_found() -> None:
    lines = [f"{number}\n" for number in range(400)]
    assert unified("".join(lines), "".join(lines), "x") == ""
    assert unified("a", "b\n", "x") == ("--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n")
    diff = unified("".join(lines), "".join(lines[:100] + lines[300:]), "x")
    assert diff.startswith("--- a/x\n+++ b/x\n@@ -98,206 +98,6 @@\n 97\n")
    assert diff.count("\n-") == 200
