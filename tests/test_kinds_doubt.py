"""What is not known is only possible: minimums, cached objects, hidden starts; and the question that nobody shares."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.commands.diff import diff
from promptlint.finding import Diff

MARK = {"cache_control": {"type": "ephemeral"}}
GUIDE = "The harbour master reads the gauge and writes it down. " * 120  # about 1,450 tokens


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **fields}


@pytest.fixture
def compare(tmp_path: Path) -> Any:
    def run(old: dict[str, Any], new: dict[str, Any], **options: Any) -> Diff:
        for name, value in (("a.json", old), ("b.json", new)):
            (tmp_path / name).write_text(json.dumps(value), "utf-8")
        (found,) = diff(str(tmp_path / "a.json"), str(tmp_path / "b.json"), **options).diffs
        return found

    return run


@pytest.mark.parametrize(("repeats", "certain"), [(1, False), (6, True)])
def test_of_a_model_that_is_not_known_a_short_loss_is_only_possible(compare: Any, repeats: int, certain: bool) -> None:
    """About 1,450 tokens, where other models need up to 4,096; then six times as many."""
    old, new = (
        {
            "model": "claude-9-zeta",
            "max_tokens": 9,
            "system": [text(first + GUIDE * repeats, **MARK)],
            "messages": [{"role": "user", "content": "Now?"}],
        }
        for first in ("", "No. ")
    )
    found = compare(old, new)
    assert found.verdict == ("bust" if certain else "unknown")
    assert found.changes[0].certainty == ("certain" if certain else "possible")
    assert any("minimum is not known" in change.message for change in found.changes) is not certain


def test_far_below_a_listed_minimum_of_gemini_a_read_is_unlikely(compare: Any) -> None:
    """Hits below it were seen, so it is not impossible."""
    old = {
        "model": "gemini-2.5-pro",
        "systemInstruction": {"parts": [{"text": GUIDE[:2000]}]},
        "contents": [{"role": "user", "parts": [{"text": "Now?"}]}],
    }
    found = compare(old, {**old, "contents": [{"role": "user", "parts": [{"text": "And then?"}]}]})
    assert "unlikely to be cached" in found.boundary.why
    assert any("unlikely to be cached" in change.message for change in found.changes)


def gemini(name: str | None, **fields: Any) -> dict[str, Any]:
    body = {"model": "gemini-2.5-pro", "contents": [{"role": "user", "parts": [{"text": "Now?"}]}], **fields}
    return body if name is None else {**body, "cachedContent": f"cachedContents/{name}"}


@pytest.mark.parametrize("other", ["log", None])
def test_how_much_is_lost_with_a_cached_object_is_not_known(compare: Any, other: str | None) -> None:
    """Its tokens stand in no request."""
    found = compare(gemini("guide"), gemini(other))
    assert (found.verdict, found.boundary.lost_tokens, found.changes[0].lost_tokens) == ("bust", None, None)
    assert "not told" in found.boundary.why
    assert compare(gemini("guide"), gemini("guide", safetySettings=[])).boundary.lost_tokens == 0


@pytest.mark.parametrize(
    "field",
    [
        {"systemInstruction": {"parts": [{"text": "Be brief."}]}},
        {"tools": [{"functionDeclarations": [{"name": "gauge"}]}]},
        {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
    ],
)
def test_what_belongs_into_a_cached_object_may_be_refused_beside_it(compare: Any, field: dict[str, Any]) -> None:
    found = compare(gemini("guide", **field), gemini("guide", **field))
    assert [(one.cause, one.severity, one.certainty) for one in found.changes if one.severity != "info"] == [
        ("marker-illegal-block", "warning", "possible")
    ]
    assert all(one.severity == "info" for one in compare(gemini(None, **field), gemini(None, **field)).changes)


@pytest.mark.parametrize(
    ("model", "verdict"), [("claude-haiku-5-5", "unknown"), ("claude-haiku-4-5", "bust"), ("claude-opus-5", "kept")]
)
def test_thinking_that_a_new_question_may_remove(compare: Any, model: str, verdict: str) -> None:
    """Whether Haiku 5.5 keeps it is in no source."""
    call = {"type": "tool_use", "id": "1", "name": "gauge", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "4", **MARK}
    thought = {"type": "thinking", "thinking": GUIDE, "signature": "s"}
    turns = [
        {"role": "user", "content": "Read."},
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [result]},
    ]
    more = [{"role": "assistant", "content": [text("4.")]}, {"role": "user", "content": [text("Sure?", **MARK)]}]
    old = {"model": model, "max_tokens": 9, "system": [text(GUIDE * 4, **MARK)], "messages": turns}
    found = compare(old, {**old, "messages": [*turns, *more]})
    assert found.verdict == verdict
    assert [one.certainty for one in found.changes if one.cause == "reasoning-dropped"] == {
        "unknown": ["possible"],
        "bust": ["certain"],
        "kept": [],
    }[verdict]


def asked(model: str, question: str, **fields: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": GUIDE * 2}, {"role": "user", "content": question}]
    return {"model": model, "messages": messages, **fields}


@pytest.mark.parametrize(
    "model", ["gpt-5.2", "gpt-5.5", "deepseek-v4-pro", "grok-4.7", "qwen3.7-max", "nobody-knows-it"]
)
def test_another_question_behind_a_shared_guide_loses_nothing(compare: Any, model: str) -> None:
    """What the newest message alone holds could be shared by no two requests."""
    found = compare(asked(model, "Where is the buoy?"), asked(model, "And what does the gauge say?"))
    assert (found.verdict, found.boundary.lost_tokens) == ("kept", 0)
    assert [(one.affects, one.severity) for one in found.changes] == [("suffix", "info")]


def test_a_clock_in_front_of_a_long_newest_message_loses_what_follows(compare: Any) -> None:
    old, new = (asked("gpt-5.2", f"It is {time}. {GUIDE}") for time in ("10:42", "10:49"))
    found = compare(old, new)
    assert found.verdict == "bust"
    assert found.changes[0].cause == "clock"


def test_an_earlier_question_that_was_rewritten_is_lost(compare: Any) -> None:
    old = asked("gpt-5.2", GUIDE)
    new = asked("gpt-5.2", "Something else, at length. " * 40)
    new["messages"] += [{"role": "assistant", "content": "4."}, {"role": "user", "content": "Sure?"}]
    assert compare(old, new).verdict == "bust"


@pytest.mark.parametrize(("marked", "verdict"), [(False, "bust"), (True, "kept")])
def test_a_breakpoint_behind_the_guide_saves_it_from_the_question(compare: Any, marked: bool, verdict: str) -> None:
    """From GPT-5.6 on the guide is shared only if an entry ends with it."""
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}} if marked else {}
    old, new = (
        {
            "model": "gpt-5.6-sol",
            "input": [
                {"role": "developer", "content": [{"type": "input_text", "text": GUIDE, **mark}]},
                {"role": "user", "content": [{"type": "input_text", "text": question}]},
            ],
        }
        for question in ("Where is the buoy?", "And the gauge?")
    )
    assert compare(old, new).verdict == verdict


@pytest.mark.parametrize(("at", "verdict"), [(0, "bust"), (5, "unknown")])
def test_steps_from_a_hidden_start_are_certain_only_a_whole_step_away(compare: Any, at: int, verdict: str) -> None:
    """GPT-5.5 counts its 2,048 tokens from the start of a message that no request shows."""
    pages = [GUIDE] * 6
    old = asked("gpt-5.5", "Now?")
    old["messages"][0]["content"] = "".join(pages)
    pages[at] = f"No. {GUIDE}"
    new = asked("gpt-5.5", "Now?")
    new["messages"][0]["content"] = "".join(pages)
    found = compare(old, new)
    assert found.verdict == verdict
    if at:
        assert "approximate" in found.boundary.why


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "claude-opus-5"])
def test_sampling_fields_of_the_chat_form_key_nothing(compare: Any, model: str) -> None:
    """Whoever serves the model through an OpenAI-shaped endpoint."""
    old = {"model": model, "messages": [{"role": "system", "content": GUIDE * 6}, {"role": "user", "content": "Now?"}]}
    new = {**old, "temperature": 1, "seed": 4, "user": "u", "stream": True, "stream_options": {"include_usage": True}}
    found = compare(old, {**new, "frequency_penalty": 1, "n": 2})
    assert found.verdict == "kept" or found.verdict == "same"
