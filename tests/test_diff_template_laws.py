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
    Message,
    costly,
    with_tools,
)

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
