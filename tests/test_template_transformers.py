"""Chat templates against transformers: equal texts, equal refusals, and origins that are true."""

import copy
import os
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import product
from typing import Any

import pytest

from promptlint.errors import PromptlintError
from promptlint.prompt import Rendering
from promptlint.render.template import Template
from promptlint.render.template.process import Renderer
from real_models import templates
from template_checks import Places, assert_true, misplaced, unique
from template_conversations import CONVERSATIONS, variables

NOW = datetime(2031, 2, 3, 4, 5, 6)


class Clock(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: Any = None) -> "Clock":
        return cls(2031, 2, 3, 4, 5, 6)


@pytest.fixture(scope="module")
def tokenizer() -> Iterator[Any]:
    """A tokenizer of transformers without a model, whose clock stands still."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # no word about the missing torch
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models
    from transformers.utils import chat_template_utils

    assert transformers.__version__ == "5.24.0"
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(chat_template_utils, "datetime", Clock)
    special = {"bos_token": "<|bos|>", "eos_token": "<|eos|>", "pad_token": "<|pad|>"}
    yield transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"a": 0}, "a")), **special)
    monkeypatch.undo()


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as renderer:
        yield renderer


def reference(tokenizer: Any, source: str, given: dict[str, Any]) -> str | None:
    """What apply_chat_template answers; None if it refuses."""
    special = ("bos_token", "eos_token", "pad_token")
    options = {key: value for key, value in given.items() if key != "messages" and key not in special}
    try:
        text = tokenizer.apply_chat_template(given["messages"], chat_template=source, tokenize=False, **options)
    except Exception:
        return None
    assert isinstance(text, str)
    return text


def ours(renderer: Renderer, source: str, given: dict[str, Any]) -> Rendering | None:
    try:
        return renderer.render(Template("a.jinja", source, "chat"), given, now=NOW)
    except PromptlintError as error:
        message = error.message
    assert message.startswith("a.jinja")
    assert "\n" not in message
    return None


def test_every_real_template_is_rendered_as_transformers_does(tokenizer: Any, renderer: Renderer) -> None:
    before = copy.deepcopy(CONVERSATIONS)
    kinds: Counter[str] = Counter()
    equal = refused = placed = 0
    for name, path in templates().items():
        source = path.read_bytes().decode("utf-8")
        for conversation, prompt in product(CONVERSATIONS, (True, False)):
            given = variables(conversation, prompt)
            want, got = reference(tokenizer, source, given), ours(renderer, source, given)
            assert (got and got.text) == want, (name, conversation, prompt)
            equal += got is not None
            refused += got is None
            if got is not None and prompt:
                kinds += assert_true(got, given, {"": source})
            elif got is not None:
                assert got.notes == ()
        for conversation in ("turns", "tools"):
            placed += count_placed(tokenizer, renderer, source, variables(conversation, True))
    assert before == CONVERSATIONS
    assert equal > 1200
    assert equal + refused == len(templates()) * len(CONVERSATIONS) * 2
    assert kinds["computed"] < 100  # a printed None; everything else is known
    assert kinds["unknown"] == 0
    assert placed > 5_000


def count_placed(tokenizer: Any, renderer: Renderer, source: str, given: dict[str, Any]) -> int:
    """How many characters that stand at one place only have that place as their origin; none has another."""
    places: Places = {}
    given = unique(given, (), places)
    got = ours(renderer, source, given)
    assert (got and got.text) == reference(tokenizer, source, given)
    if got is None:
        return 0
    assert list(misplaced(got, places)) == []
    return sum(character in places for character in got.text)


def test_an_empty_conversation_is_refused(tokenizer: Any, renderer: Renderer) -> None:
    given: dict[str, Any] = {"messages": []}
    assert reference(tokenizer, "x", given) is None
    assert ours(renderer, "x", given) is None
