"""`diff` on prompts that templates make: the request and the line of the template that moved the boundary."""

import json
import os
from datetime import datetime
from pathlib import Path

import pytest

import real_models
from promptlint.commands.diff import diff
from promptlint.commands.templates import TemplateOptions
from promptlint.errors import PromptlintError
from templated import (
    ANSWERED,
    ASKED,
    CALLED,
    LOOP,
    NEXT,
    OURS,
    RESULT,
    SYSTEM,
    THANKED,
    TOOLS,
    Compare,
    compare,
    costly,
    with_tools,
)

__all__ = ["compare"]


def test_reasoning_that_qwen3_drops_after_the_tool_loop(compare: Compare) -> None:
    found = compare(with_tools(LOOP), with_tools(NEXT), real_models.templates()["qwen3"])
    assert found.verdict == "bust"
    (change,) = costly(found)
    assert change.cause == "reasoning-dropped"
    assert change.a.pointer == "/messages/2/reasoning_content"
    assert (change.a.excerpt, change.b.excerpt) == ("An order number. I look it up.", None)
    assert change.template_a is not None
    assert "reasoning_content" in change.template_a.excerpt
    assert change.template_b is not None
    assert "tool_call" in change.template_b.excerpt


@pytest.mark.parametrize("name", ["llama3_2", "gptoss"])
def test_a_date_that_the_template_reads_itself(name: str, compare: Compare) -> None:
    template = real_models.templates()[name]
    days = datetime(2026, 11, 29), datetime(2026, 11, 30)
    found = compare([ASKED], [ASKED], template, now=days[0], now_b=days[1])
    (change,) = costly(found)
    assert change.cause == "date-rollover"
    assert "strftime_now" in change.message
    assert change.template_a == change.template_b
    assert change.template_a is not None
    assert "strftime_now" in change.template_a.excerpt
    line = template.read_text().split("\n")[change.a.line - 1]
    assert line[change.a.column - 1 :].startswith("strftime_now(")

    same_day = compare([ASKED], [ASKED], template, now=days[0])
    assert same_day.verdict == "same"
    assert costly(same_day) == []
    assert [change.cause for change in same_day.changes] == ["date-rollover"]  # to know, not to act on


def test_a_clock_with_minutes_is_no_stable_prefix(compare: Compare) -> None:
    found = compare([ASKED], [ASKED, ANSWERED, THANKED], OURS / "clock.jinja")
    assert found.verdict == "unknown"
    (change,) = costly(found)
    assert (change.cause, change.certainty) == ("clock", "possible")


def test_a_clock_stands_where_the_template_prints_it(compare: Compare) -> None:
    edited = ASKED | {"content": str(ASKED["content"]) + " Please."}
    found = compare([ASKED], [edited], OURS / "clock.jinja")
    clock, edit = costly(found)
    assert clock.cause == "clock"
    assert edit.shared_tokens == clock.after_fix_tokens  # what undoing the clock leaves is what the edit then moves
    assert clock.shared_tokens is not None
    assert edit.shared_tokens is not None
    assert clock.shared_tokens < edit.shared_tokens


def test_an_opener_for_the_answer_that_history_lacks(compare: Compare) -> None:
    template = real_models.templates()["qwen3"]
    said = {"role": "assistant", "content": "Here."}
    found = compare([ASKED], [ASKED, said, THANKED], template, kwargs={"enable_thinking": False})
    (change,) = costly(found)
    assert change.cause == "template-asymmetry"
    assert change.template_a is not None
    assert "<think>" in change.template_a.excerpt
    assert compare([ASKED], [ASKED, said, THANKED], template).verdict == "kept"


def test_tools_that_move_with_the_conversation(compare: Compare) -> None:
    first = [ASKED]
    found = compare(with_tools(first), with_tools([*first, ANSWERED, THANKED]), OURS / "tools_before_last_user.jinja")
    change = costly(found)[0]
    assert change.cause == "template-moves-text"
    assert change.level == "tools"
    assert change.template_a is not None
    assert "tools" in change.template_a.excerpt
    assert [other.cause for other in costly(found)] == ["template-moves-text"]


def test_a_default_system_prompt_that_the_template_puts_in(compare: Compare) -> None:
    found = compare([ASKED], [SYSTEM, ASKED], real_models.templates()["qwen2_5"])
    (change,) = costly(found)
    assert change.b.pointer == "/messages/0/role"
    assert change.template_a is not None
    assert "You are Qwen" in change.template_a.excerpt


def test_vllm_reuses_its_own_blocks_unless_told_otherwise(tmp_path: Path) -> None:
    for name, text in (("a.json", "one two three"), ("b.json", "one two four")):
        (tmp_path / name).write_text(json.dumps([{"role": "user", "content": f"{'word ' * 48}{text}"}]))
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    options = TemplateOptions(str(OURS / "drops_reasoning.jinja"))
    found = {size: diff(a, b, provider="vllm", templates=options, block_size=size) for size in (None, 16, 32)}
    usable = {size: report.diffs[0].boundary.usable_tokens for size, report in found.items()}
    assert usable[None] == usable[16] != usable[32]
    assert any("by default of 16 tokens" in note for note in found[None].notes)
    assert found[16].notes == ()


def test_what_the_template_does_not_print_costs_nothing(compare: Compare) -> None:
    other = {**CALLED, "tool_calls": [{**CALLED["tool_calls"][0], "id": "call00002"}]}
    found = compare(with_tools(LOOP), with_tools([SYSTEM, ASKED, other, RESULT]), real_models.templates()["qwen3"])
    assert found.verdict == "same"
    assert [change.affects for change in found.changes] == ["nothing"]
    assert "prints it on neither side" in found.changes[0].message


def test_edits_keep_their_names_and_their_order_is_that_of_the_prompt(compare: Compare) -> None:
    edited = {**SYSTEM, "content": SYSTEM["content"].replace("brief", "short")}
    tools = json.loads(json.dumps(TOOLS).replace("one order", "an order"))
    found = compare(
        {**with_tools(LOOP), "temperature": 0},
        {"messages": [edited, *LOOP[1:]], "tools": tools, "model": "m", "temperature": 1},
        real_models.templates()["qwen3"],
    )
    causes = [(change.cause, change.a.pointer, change.a.char) for change in costly(found)]
    assert causes == [
        ("text-edited", "/messages/0/content", 26),
        ("item-edited", "/tools/0/function/description", 8),
    ]
    assert found.changes[-1].cause == "request-only-setting"


def test_two_versions_of_a_template(compare: Compare) -> None:
    named = real_models.templates()
    found = compare(LOOP, LOOP, named["qwen3"], named["qwen3_instruct_2507"])
    assert costly(found)
    assert costly(found)[0].template_a != costly(found)[0].template_b
    printed = costly(found)[0].template_b
    assert printed is not None
    assert printed.path.endswith("qwen3_instruct_2507.jinja")


def test_a_model_folder_brings_its_vocabulary(compare: Compare) -> None:
    folder = real_models.vocabulary("qwen3").parent
    found = compare(with_tools(LOOP), with_tools(NEXT), folder)
    assert found.a.exact
    assert found.boundary.exact
    assert found.a.tokenizer == str(folder / "tokenizer.json")


def test_a_control_token_that_a_text_spells_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([SYSTEM, {"role": "user", "content": "What does <|im_end|> mean, or <tool_call>?"}]))
    report = diff(str(path), str(path), templates=TemplateOptions(str(real_models.vocabulary("qwen3").parent)))
    spelled = [note for note in report.notes if "spells" in note]
    assert spelled == ["the text at /1/content spells <|im_end|>, which the model reads as the control token"]


@pytest.mark.parametrize("name", ["qwen3", "llama3_1", "gptoss", "glm4moe", "minimax_m25_fixed"])
def test_what_the_requests_explain_is_told_once(name: str, compare: Compare) -> None:
    """No second finding for text that moved along with what was trimmed, put in order anew, or edited."""
    template = real_models.templates()[name]
    talk = [SYSTEM]
    for number in range(4):
        talk += [{"role": "user", "content": f"Q{number}?"}, {"role": "assistant", "content": f"A{number}."}]
    talk.append(ASKED)
    other = json.loads(json.dumps(TOOLS[0]).replace("get_order", "open_return").replace("Look up", "Return"))
    two = {"model": "m", "messages": [SYSTEM, ASKED], "tools": [*TOOLS, other]}
    pairs = {
        "history-trimmed": (talk, [SYSTEM, *talk[3:]]),
        "list-order": (two, {**two, "tools": [other, *TOOLS]}),
        "items-changed": ({**two, "tools": TOOLS}, {**two, "tools": [other, *TOOLS]}),
        "role-changed": ([{**SYSTEM, "role": "developer"}, ASKED], [SYSTEM, ASKED]),
    }
    for label, (a, b) in pairs.items():
        try:
            found = compare(a, b, template)
        except PromptlintError:  # a role that the template refuses
            continue
        causes = {change.cause for change in costly(found)} - {"template-asymmetry"}
        assert causes <= {label}, (label, found.changes)


def test_an_empty_block_of_reasoning_that_is_dropped(compare: Compare) -> None:
    called = {**CALLED, "reasoning_content": ""}
    found = compare(
        with_tools([SYSTEM, ASKED, called, RESULT]),
        with_tools([SYSTEM, ASKED, called, RESULT, ANSWERED, THANKED]),
        real_models.templates()["qwen3_5_think"],
    )
    assert "reasoning-dropped" in [change.cause for change in costly(found)]


def test_a_template_in_a_pipe_or_without_end_is_refused(tmp_path: Path, compare: Compare) -> None:
    os.mkfifo(tmp_path / "pipe.jinja")
    (tmp_path / "long.jinja").write_text("x" * 600_000)
    (tmp_path / "longer.jinja").write_text("x" * 5_000_000)
    for name, word in (("pipe", "no regular file"), ("long", "600,000 characters"), ("longer", "larger than")):
        with pytest.raises(PromptlintError, match=word):
            compare([ASKED], [ASKED], tmp_path / f"{name}.jinja")


def test_lone_surrogates_of_a_template_are_noted(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text("{{ '\\ud800' }}{{ messages[0].content }}")
    (tmp_path / "a.json").write_text(json.dumps([ASKED]))
    path = str(tmp_path / "a.json")
    report = diff(path, path, templates=TemplateOptions(str(tmp_path / "t.jinja")))
    assert any("U+FFFD" in note for note in report.notes)


def test_an_error_names_the_request_and_the_template(compare: Compare) -> None:
    with pytest.raises(PromptlintError, match=r"a\.json: .*gemma3\.jinja:\d+: Conversation roles must alternate"):
        compare([ASKED, ASKED], [ASKED], real_models.templates()["gemma3"])


def test_a_marked_prompt_is_no_chat_template(compare: Compare, tmp_path: Path) -> None:
    body = {"model": "claude-sonnet-5", "max_tokens": 9, "system": "s", "messages": [ASKED]}
    with pytest.raises(PromptlintError, match="a chat template takes messages"):
        compare(body, body, OURS / "clock.jinja")
