"""Laws of `diff` on every real template: what is told is what the two renderings show."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import real_models
import template_reference
from promptlint.commands.compare import compare_prompts
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.facts.providers import provider
from promptlint.finding import Diff
from promptlint.load import load
from promptlint.prompt import Request
from promptlint.read.raw import common_prefix
from promptlint.read.sources import read
from promptlint.render.chat import Aside, render_chat
from promptlint.render.chat_template import open_chat_template
from promptlint.render.template.process import Renderer
from promptlint.tokens import open_tokenizer
from templated import (
    ANSWERED,
    ASKED,
    LOOP,
    NEXT,
    SYSTEM,
    THANKED,
    Compare,
    Message,
    compare,
    costly,
    with_tools,
)

__all__ = ["compare"]

CONVERSATIONS: dict[str, tuple[list[Message], list[Message]]] = {
    "tool loop": (LOOP, NEXT),
    "thinking in the text": (
        [SYSTEM, ASKED],
        [SYSTEM, ASKED, {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nYes."}, THANKED],
    ),
    "reasoning": ([ASKED, ANSWERED, THANKED], [ASKED, ANSWERED, THANKED, ANSWERED, ASKED]),
    "trimmed": ([ASKED, ANSWERED, THANKED], [THANKED, ANSWERED, ASKED]),
    "white space": ([{"role": "user", "content": "a \n"}], [{"role": "user", "content": "a"}]),
}


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_the_first_cost_stands_where_the_prompts_part(conversation: str, tmp_path: Path) -> None:
    """On every real template: shared bytes are those of the two renderings, and no loss is left without a reason."""
    a, b = (with_tools(messages) for messages in CONVERSATIONS[conversation])
    requests = [_request(tmp_path / name, body) for name, body in (("a.json", a), ("b.json", b))]
    compared = 0
    with Renderer() as renderer:
        for name, path in real_models.templates().items():
            texts = [template_reference.apply(path.read_text(), body) for body in (a, b)]
            aside = Aside(datetime.now(), bytes)
            templates = open_chat_template(str(path))
            if texts[0] is None or texts[1] is None:
                with pytest.raises(PromptlintError):
                    [render_chat(request, templates, aside, renderer) for request in requests]
                continue
            compared += 1
            sides = [render_chat(request, templates, aside, renderer) for request in requests]
            assert [side.text for side in sides] == texts, name
            found = compare_prompts(sides[0], sides[1], provider("unknown"), Options(open_tokenizer(None)))
            _check_first_cost(found, texts[0], texts[1], name)
    assert compared > 20


def _request(path: Path, body: dict[str, Any]) -> Request:
    path.write_text(json.dumps(body, indent=1))
    return load(read(str(path)))


def _check_first_cost(found: Diff, a: str, b: str, name: str) -> None:
    assert found.boundary.shared_bytes == len(a[: common_prefix(a, b)].encode()), name
    costs = costly(found)
    if b.startswith(a):
        assert found.verdict in ("kept", "same", "unknown"), name
    else:
        assert costs, name
        assert min(change.shared_bytes or 0 for change in costs) == found.boundary.shared_bytes, name


def test_parts_and_a_string_are_two_prompts_where_the_template_makes_them_so(compare: Compare) -> None:
    text = "One part. And more."
    parts = {"role": "user", "content": [{"type": "text", "text": text}]}
    a, b = [SYSTEM, parts], [SYSTEM, {"role": "user", "content": text}]
    found = compare(a, b, real_models.templates()["qwen3"])  # prints nothing of parts
    (change,) = costly(found)
    assert (found.verdict, change.cause, change.certainty) == ("bust", "content-shape", "certain")
    assert compare(a, b, real_models.templates()["qwen3_vl"]).verdict == "same"  # prints the text of parts


def test_text_that_the_vocabulary_makes_equal_costs_nothing(compare: Compare) -> None:
    a, b = ([{"role": "user", "content": f"Caf{end} au lait"}] for end in ("e\u0301", "é"))
    found = compare(a, b, real_models.vocabulary("qwen3").parent)
    assert (found.verdict, found.boundary.lost_tokens) == ("kept", 0)
    assert [(change.cause, change.affects) for change in found.changes] == [("unicode-form", "nothing")]


def test_fields_that_act_through_the_prompt_do_nothing_else(compare: Compare) -> None:
    template = real_models.templates()["qwen3_instruct_2507"]  # reads neither of them
    a = {"model": "m", "messages": [ASKED]}
    b = {**a, "reasoning_effort": "high", "chat_template_kwargs": {"enable_thinking": True}}
    found = compare(a, b, template)
    assert found.verdict == "same"
    assert {change.affects for change in found.changes} == {"nothing"}
