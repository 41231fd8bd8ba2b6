"""`commands.diff`: verdict, boundary, changes and places of one comparison."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.commands.diff import diff
from promptlint.errors import PromptlintError
from promptlint.finding import Diff, Report
from promptlint.report import FORMS, write

MARK = {"cache_control": {"type": "ephemeral"}}
GUIDE = "You answer for a tide station. " * 240  # longer than any minimum here


def request(system: str = GUIDE, *turns: str, **fields: Any) -> dict[str, Any]:
    roles = ("user", "assistant")
    messages = [{"role": roles[i % 2], "content": turn} for i, turn in enumerate(turns or ("hi",))]
    return {
        "model": "claude-sonnet-5",
        "max_tokens": 9,
        "system": [{"type": "text", "text": system, **MARK}],
        "messages": messages,
        **fields,
    }


@pytest.fixture
def compare(tmp_path: Path) -> Any:
    def run(old: Any, new: Any, **options: Any) -> Report:
        for name, value in (("a.json", old), ("b.json", new)):
            data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
            (tmp_path / name).write_bytes(data)
        return diff(str(tmp_path / "a.json"), str(tmp_path / "b.json"), **options)

    return run


def only(report: Report) -> Diff:
    (found,) = report.diffs
    return found


def causes(report: Report) -> list[str]:
    return [change.cause for change in only(report).changes]


def test_equal_files_are_the_same(compare: Any) -> None:
    report = compare(request(), request())
    assert (report.verdict, causes(report), report.findings) == ("same", [], ())
    assert only(report).boundary.lost_tokens == 0


def test_another_form_of_the_body_is_the_same(compare: Any) -> None:
    report = compare(request(), json.dumps(request(), indent=3, sort_keys=True).encode())
    assert (report.verdict, causes(report)) == ("same", ["body-form-only"])


def test_an_appended_turn_is_kept(compare: Any) -> None:
    report = compare(request(GUIDE, "hi"), request(GUIDE, "hi", "hello", "bye"))
    assert (report.verdict, causes(report), report.findings) == ("kept", ["turn-appended"], ())


def test_a_change_behind_the_last_marker_is_no_bust(compare: Any) -> None:
    report = compare(request(GUIDE, "one"), request(GUIDE, "two"))
    (change,) = only(report).changes
    assert (report.verdict, change.affects, change.severity, report.findings) == ("kept", "suffix", "info", ())


def test_a_change_ahead_of_the_marker_loses_what_was_written(compare: Any) -> None:
    report = compare(request("It is 09:14. " + GUIDE), request("It is 09:15. " + GUIDE))
    found = only(report)
    (change,) = found.changes
    assert (report.verdict, change.cause, change.affects) == ("bust", "clock", "prefix")
    assert found.boundary.usable_tokens == 0
    assert found.boundary.lost_tokens is not None
    assert found.boundary.lost_tokens > 200
    assert (change.a.pointer, change.a.char) == ("/system/0/text", 10)
    (finding,) = report.findings
    assert (finding.rule, finding.lost_tokens, finding.location) == (
        "clock",
        found.boundary.lost_tokens,
        _location(change.b),
    )


def _location(place: Any) -> Any:
    return (place.path, place.start, place.end, place.line, place.column)


def test_the_figures_of_each_change_say_what_it_costs_alone_and_what_remains(compare: Any) -> None:
    old = {
        "model": "my-model",
        "messages": [
            {"role": "system", "content": "It is 09:14. Be kind. " + GUIDE + "Turn 4 of 20."},
            {"role": "user", "content": "hi"},
        ],
    }
    new = json.loads(json.dumps(old).replace("09:14", "09:15").replace("Turn 4", "Turn 5"))
    found = only(compare(old, new))
    first, second = found.changes
    assert [first.cause, second.cause] == ["clock", "counter"]
    assert first.alone_tokens == found.boundary.shared_tokens == found.boundary.usable_tokens
    assert first.after_fix_tokens == second.alone_tokens
    assert second.after_fix_tokens == found.a.prompt_tokens
    assert first.lost_tokens == found.boundary.lost_tokens
    assert (first.lost_tokens or 0) > (second.lost_tokens or 0) > 0


def test_counts_agree_with_tiktoken_over_the_whole_prompt(compare: Any) -> None:
    from documents import rendered
    from token_vocabularies import reference

    old, new = request("Day 3 é. " + GUIDE), request("Day 4 é. " + GUIDE, "hi", "there")
    encode = reference("o200k_base").encode_ordinary
    a, b = encode(rendered(old).text), encode(rendered(new).text)
    found = only(compare(old, new))
    assert (found.a.prompt_tokens, found.b.prompt_tokens) == (len(a), len(b))
    assert found.boundary.shared_tokens == next(i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)


def test_a_token_boundary_before_the_byte_is_explained(compare: Any) -> None:
    report = compare(b"I're", b"I'r", input_format="text")
    assert "before the first differing byte" in only(report).boundary.token_note


@pytest.mark.parametrize(("size", "usable", "lost"), [(1, 3, 5), (2, 2, 6), (4, 0, 8)])
def test_blocks(compare: Any, size: int, usable: int, lost: int) -> None:
    report = compare([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 9, 5, 6, 7, 8, 9], block_size=size)
    boundary = only(report).boundary
    assert (boundary.unit, boundary.usable_tokens, boundary.lost_tokens) == ("block", usable, lost)
    assert boundary.shared_blocks == 3 // size


def test_first_stops_at_the_first_change_that_costs(compare: Any) -> None:
    old, new = request("It is 09:14. " + GUIDE, "a"), request("It is 09:15. " + GUIDE, "b", max_tokens=10)
    found = only(compare(old, new, first=True))
    assert [change.cause for change in found.changes] == ["clock"]
    assert (found.a.prompt_tokens, found.boundary.shared_tokens, found.verdict) == (None, None, "bust")


def test_possible_effects_make_the_verdict_unknown(compare: Any) -> None:
    report = compare(request(betas=["x"]), request(betas=["y"]))
    assert (report.verdict, causes(report)) == ("unknown", ["beta-header-changed"])
    assert [finding.severity for finding in report.findings] == ["warning"]


def test_values_that_print_alike_are_not_the_same(compare: Any) -> None:
    def with_input(value: Any) -> dict[str, Any]:
        call = {"type": "tool_use", "id": "t1", "name": "f", "input": value}
        result = {"type": "tool_result", "tool_use_id": "t1", "content": "ok", **MARK}
        messages = [
            {"role": "user", "content": GUIDE},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
        return {"model": "claude-sonnet-5", "max_tokens": 9, "messages": messages}

    assert compare(with_input({"a": 1}), with_input({"a": "1"})).verdict == "bust"
    assert compare(with_input({"a": {"b": 1}, "c": 2}), with_input({"a": {"b": 1, "c": 2}})).verdict == "bust"
    assert compare(with_input({"a": 1}), with_input({"a": 1})).verdict == "same"


def test_image_data_is_compared_by_hash_and_never_printed(compare: Any) -> None:
    def with_image(data: str) -> dict[str, Any]:
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
        return {
            "model": "claude-sonnet-5",
            "max_tokens": 9,
            "messages": [{"role": "user", "content": [image, {"type": "text", "text": "What is it?", **MARK}]}],
        }

    found = only(compare(with_image("iVBOR" * 2000), with_image("iVBOS" * 2000)))
    (change,) = found.changes
    assert (change.cause, change.a.pointer, change.a.char) == ("image-changed", "/messages/0/content/0/source/data", 0)
    assert "iVBOR" not in repr(found)
    assert found.a.prompt_tokens is not None
    assert found.a.prompt_tokens < 2000


@pytest.mark.parametrize("header", ["authorization", "x-api-key", "Cookie", "x-of-tomorrow"])
def test_headers_are_never_printed_unless_they_are_flags(compare: Any, header: str) -> None:
    def with_headers(value: str, flag: str) -> dict[str, Any]:
        return {"headers": {header: value, "anthropic-beta": flag}, "body": request()}

    report = compare(with_headers("Bearer zinnia", "flag-1"), with_headers("Bearer yarrow", "flag-2"))
    found = [change for change in only(report).changes if header.lower() in repr(change.a.pointer).lower()]
    assert [(change.affects, change.severity) for change in found] == [("nothing", "info")]
    printed = {form: write(report, form) for form in FORMS}
    for key in ("zinnia", "yarrow"):
        assert key not in repr(report)
        assert [form for form, text in printed.items() if key in text] == []
    assert {form for form, text in printed.items() if "flag-1" in text and "flag-2" in text} == set(FORMS)
    # The others have findings only.
    assert {form for form, text in printed.items() if header in text} == {"text", "json", "markdown"}


def test_folders_are_compared_file_by_file(tmp_path: Path) -> None:
    for side, clock in (("a", "09:14"), ("b", "09:15")):
        (tmp_path / side / "in").mkdir(parents=True)
        (tmp_path / side / "in" / "moved.json").write_text(json.dumps(request(f"It is {clock}. {GUIDE}")))
        (tmp_path / side / "equal.json").write_text(json.dumps(request()))
        (tmp_path / side / f"only-{side}.json").write_text("{}")
        (tmp_path / side / "broken.json").write_text("{" if side == "b" else json.dumps(request()))
    report = diff(str(tmp_path / "a"), str(tmp_path / "b"))
    assert report.verdict == "bust"
    assert sorted(found.verdict for found in report.diffs) == ["bust", "same"]
    assert report.folders
    assert len(report.findings) == 1
    assert sum("only in" in note for note in report.notes) == 2
    assert any("skipped" in note and "broken.json" in note for note in report.notes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"provider": "nobody"}, "unknown provider"),
        ({"block_size": 16}, "at markers"),
        ({"provider": "unknown", "block_size": 0}, "at least one token"),
        ({"input_format": "nothing"}, "unknown input format"),
        ({"tokenizer": "nothing"}, "neither a known tokenizer nor a file"),
    ],
)
def test_wrong_options_are_one_clear_error(compare: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(PromptlintError, match=words) as caught:
        compare(request(), request("other"), **options)
    assert caught.value.hint


def test_two_formats_are_refused(compare: Any) -> None:
    with pytest.raises(PromptlintError, match="two formats"):
        compare(request(), {"model": "gpt-5", "input": "hi"})


def test_standard_input_can_be_only_one_side() -> None:
    with pytest.raises(PromptlintError, match="both inputs"):
        diff("-", "-")


@pytest.mark.parametrize(("size", "verdict", "lost"), [(1, "bust", None), (4096, "kept", 0)])
def test_a_change_behind_the_last_full_block_loses_nothing(
    compare: Any, size: int, verdict: str, lost: int | None
) -> None:
    said = [{"role": "system", "content": f"{GUIDE} Is it 09:14?"}, {"role": "user", "content": "Now?"}]
    old = {"model": "my-model", "messages": said}
    new = json.loads(json.dumps(old).replace("09:14", "09:15"))
    report = compare(old, new, block_size=size)
    (change,) = only(report).changes
    assert (report.verdict, bool(report.findings)) == (verdict, verdict == "bust")
    assert change.affects == ("prefix" if verdict == "bust" else "suffix")
    assert lost is None or only(report).boundary.lost_tokens == lost == change.lost_tokens


def test_a_second_request_that_is_a_start_of_the_first_loses_nothing(compare: Any) -> None:
    old = {"model": "my-model", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    report = compare(old, {**old, "messages": old["messages"][:1]})
    assert (report.verdict, causes(report), only(report).boundary.lost_tokens) == ("kept", ["turn-appended"], 0)


def test_settings_of_token_ids_count_too(compare: Any) -> None:
    ids = {"prompt_token_ids": [1, 2, 3, 4]}
    report = compare({**ids, "cache_salt": "x"}, {**ids, "cache_salt": "y"})
    assert (report.verdict, causes(report), only(report).boundary.lost_tokens) == ("bust", ["cache-key-changed"], 4)
    assert compare({**ids, "model": "a"}, {**ids, "model": "b"}).verdict == "bust"
    assert compare({**ids, "temperature": 0}, {**ids, "temperature": 1}).verdict == "same"


def test_an_unknown_field_leaves_the_verdict_unknown_without_a_finding(compare: Any) -> None:
    report = compare(request(), request(a_field_of_tomorrow=1))
    assert (report.verdict, report.findings) == ("unknown", ())


def test_a_first_request_that_was_refused_cached_nothing(compare: Any) -> None:
    def marked(count: int) -> dict[str, Any]:
        content = [{"type": "text", "text": f"{GUIDE} {i}", **(MARK if i < count else {})} for i in range(6)]
        return {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": content}]}

    report = compare(marked(5), marked(4))
    assert "marker-limit" in causes(report)
    assert "refused" in only(report).changes[0].message
    assert only(report).boundary.usable_tokens == 0
    assert compare(marked(4), marked(5)).verdict == "refused"


def test_another_lifetime_is_said(compare: Any) -> None:
    old, new = request(), request()
    new["system"][0]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}
    (change,) = only(compare(old, new)).changes
    assert (change.affects, "5m became 1h" in change.message) == ("nothing", True)


def test_an_explicit_breakpoint_of_the_newer_models_keeps_what_stands_before_it(compare: Any) -> None:
    def chat(guide: str, question: str) -> dict[str, Any]:
        part = {"type": "text", "text": guide, "prompt_cache_breakpoint": {"mode": "explicit"}}
        messages = [{"role": "developer", "content": [part]}, {"role": "user", "content": question}]
        return {"model": "gpt-5.6", "messages": messages}

    kept = only(compare(chat(GUIDE, "Is it high water?"), chat(GUIDE, "When is low water?"))).boundary
    assert (kept.unit, (kept.usable_tokens or 0) > 1600, (kept.lost_tokens or 0) < 12) == ("message", True, True)
    lost = only(compare(chat(f"A {GUIDE}", "Is it?"), chat(f"B {GUIDE}", "Is it?")))
    assert (lost.verdict, lost.boundary.usable_tokens) == ("bust", 0)


@pytest.mark.parametrize("options", [{}, {"block_size": 16}, {"first": True}, {"first": True, "block_size": 16}])
def test_the_last_block_taken_away_loses_nothing_however_it_is_asked(compare: Any, options: dict[str, Any]) -> None:
    parts = [{"type": "text", "text": f"{GUIDE} {i}"} for i in range(3)]
    old, new = ({"model": "my-model", "messages": [{"role": "user", "content": some}]} for some in (parts, parts[:2]))
    report = compare(old, new, **options)
    assert (report.verdict, report.findings) == ("kept", ())


@pytest.mark.parametrize("size", [1, 16, 4096])
def test_first_gives_the_verdict_of_the_whole_comparison(compare: Any, size: int) -> None:
    old = {"model": "my-model", "messages": [{"role": "user", "content": f"{GUIDE} Is it 09:14?"}]}
    new = json.loads(json.dumps(old).replace("09:14", "09:15"))
    assert compare(old, new, block_size=size, first=True).verdict == compare(old, new, block_size=size).verdict


def test_folders_tell_how_far_they_are(tmp_path: Path) -> None:
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
        for name in ("1.json", "2.json"):
            (tmp_path / side / name).write_text(json.dumps(request()))
    told: list[tuple[int, int]] = []
    diff(str(tmp_path / "a"), str(tmp_path / "b"), progress=lambda done, of: told.append((done, of)))
    assert told == [(0, 2), (1, 2), (2, 2)]
