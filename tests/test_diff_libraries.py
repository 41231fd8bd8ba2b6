"""`diff` on prompts that the libraries of Mistral and gpt-oss render."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

import real_models
from promptlint.commands.diff import diff
from promptlint.commands.templates import TemplateOptions
from promptlint.errors import PromptlintError
from templated import (
    ASKED,
    CALLED,
    LOOP,
    NEXT,
    OURS,
    RESULT,
    SYSTEM,
    THANKED,
    Compare,
    compare,
    costly,
    with_tools,
)

__all__ = ["compare"]


def mistral(name: str) -> Path:
    return Path(str(files("mistral_common") / "data" / name))


@pytest.mark.parametrize("vocabulary", ["mistral_instruct_tokenizer_240323.model.v3", "tekken_240911.json"])
def test_mistral_moves_the_tools_to_the_last_user_message(vocabulary: str, compare: Compare) -> None:
    found = compare(
        with_tools([ASKED]),
        with_tools([ASKED, {"role": "assistant", "content": "Sent."}, THANKED]),
        mistral(vocabulary),
    )
    assert found.boundary.exact
    assert (found.boundary.shared_tokens, found.boundary.usable_tokens) == (1, 1)  # the begin marker
    (change,) = costly(found)
    assert (change.cause, change.level) == ("template-moves-text", "tools")
    assert change.alone_tokens == 1


def test_token_counts_of_a_library_are_those_of_its_ids(compare: Compare) -> None:
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    path = mistral("tekken_240911.json")
    one, two = [SYSTEM, ASKED], [SYSTEM, {**ASKED, "content": "Where is order A-1043, please?"}]
    tokenizer = MistralTokenizer.from_file(str(path))
    ids = [tokenizer.encode_chat_completion(ChatCompletionRequest(messages=m)).tokens for m in (one, two)]
    found = compare(one, two, path)
    assert [found.a.prompt_tokens, found.b.prompt_tokens] == [len(each) for each in ids]
    assert found.boundary.shared_tokens == next(i for i, (x, y) in enumerate(zip(*ids, strict=False)) if x != y)
    assert [change.a.char for change in costly(found)] == [20]


def test_harmony_drops_reasoning_once_it_has_answered(compare: Compare) -> None:
    found = compare(with_tools(LOOP), with_tools(NEXT), "harmony")
    assert found.a.tokenizer == "o200k_harmony"
    assert found.boundary.exact
    (change,) = costly(found)
    assert change.cause == "reasoning-dropped"
    assert change.a.pointer == "/messages/2/reasoning_content"
    assert change.template_a is None  # there is no template


def test_whose_cache_has_markers_has_no_public_template(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"model": "m", "messages": [ASKED]}))
    with pytest.raises(PromptlintError, match="anthropic reads entries at markers"):
        diff(str(path), str(path), provider="anthropic", templates=TemplateOptions(str(OURS / "clock.jinja")))


def test_a_library_has_its_own_vocabulary(compare: Compare) -> None:
    with pytest.raises(PromptlintError, match="its own vocabulary"):
        compare([ASKED], [ASKED], "harmony", tokenizer="bytes")


def test_tools_that_no_template_prints_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(with_tools([ASKED])))
    report = diff(str(path), str(path), templates=TemplateOptions(str(OURS / "drops_reasoning.jinja")))
    assert "the template prints none of the tools" in report.notes


def test_vllm_parses_the_arguments_of_calls_first(tmp_path: Path) -> None:
    text = json.dumps({"order_id": "A-1042"}, indent=1)
    function = {"name": "get_order", "arguments": text}
    called = {**CALLED, "tool_calls": [{**CALLED["tool_calls"][0], "function": function}]}
    other = json.loads(json.dumps(called).replace("A-1042", "A-1043"))
    for name, call in (("a.json", called), ("b.json", other)):
        (tmp_path / name).write_text(json.dumps(with_tools([SYSTEM, ASKED, call, RESULT]), indent=1))
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    options = TemplateOptions(str(real_models.templates()["qwen2_5"]))
    sizes = set()
    for provider_name, noted in ((None, True), ("vllm", False)):
        report = diff(a, b, provider=provider_name, templates=options)
        (change,) = costly(report.diffs[0])
        assert (change.a.pointer, change.a.char) == ("/messages/2/tool_calls/0/function/arguments", 21)
        assert any("vLLM parses them first" in note for note in report.notes) is noted
        sizes.add(report.diffs[0].a.prompt_bytes)
    assert len(sizes) == 2


def test_a_library_takes_no_template_arguments(compare: Compare) -> None:
    with pytest.raises(PromptlintError, match="--template-kwargs"):
        compare([ASKED], [ASKED], "harmony", kwargs={"x": 1})


def test_two_vocabularies_share_no_tokens(compare: Compare) -> None:
    with pytest.raises(PromptlintError, match="two vocabularies"):
        compare([ASKED], [ASKED], "harmony", mistral("tekken_240911.json"))
