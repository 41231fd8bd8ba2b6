"""A real server: what llama.cpp's own, in the wheel xllamacpp, reports is what was predicted, to the token.

SmolLM2-135M on one thread; for tools, whose prompts that model's template does not write, a tiny model with a template
that does.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import llama_server
import real_models
import token_ggufs
from confirm_servers import MUCH
from llama_server import Server
from promptlint.commands.confirm.live import LiveOptions, confirm_live
from promptlint.confirm_facts import ConfirmFacts
from promptlint.errors import PromptlintError
from promptlint.finding import Report
from test_vary_llama_cpp import CHAT_TEMPLATE, tool


def message(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


SYSTEM = "You keep the shop and answer in one word.\n" + "Tea is on shelf one, cups are on shelf two.\n"
FIRST = [message("system", SYSTEM), message("user", "Where is the tea?")]
TOOLS = [tool("stock", "How much is there", thing={"type": "string"}), tool("price", "What it costs")]
PAIRS: dict[str, tuple[Any, Any]] = {
    "appended turn": (FIRST, [*FIRST, message("assistant", "Shelf one."), message("user", "And the cups?")]),
    "date in front": (FIRST, [message("system", f"Today is 2026-12-01.\n{SYSTEM}"), FIRST[1]]),
    "changed system": (FIRST, [message("system", SYSTEM.replace("shelf two", "shelf six")), FIRST[1]]),
    "identical": (FIRST, FIRST),
}


class Real(NamedTuple):
    server: Server
    folder: Path

    def asked(self, a: Any, b: Any, **options: Any) -> Report:
        paths = [self.folder / "a.json", self.folder / "b.json"]
        for path, body in zip(paths, (a, b), strict=True):
            path.write_text(json.dumps(body))
        return confirm_live(str(paths[0]), str(paths[1]), LiveOptions(self.server.address, tokens=1, **options))

    def ids(self, body: Any) -> list[int]:
        """As the server encodes a conversation."""
        text = self.server.applied(body)
        ids: list[int] = self.server.ask("/tokenize", content=text, add_special=True, parse_special=True)["tokens"]
        return ids


@pytest.fixture(scope="module")
def smol(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    llama_server.needed()
    model, folder = real_models.gguf(), tmp_path_factory.mktemp("smol")
    with llama_server.running(model.read_bytes(), folder) as server:
        yield Real(server, folder)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    llama_server.needed()
    folder = tmp_path_factory.mktemp("tiny")
    model = llama_server.model(token_ggufs.byte_pairs("qwen2"), CHAT_TEMPLATE)
    with llama_server.running(model, folder) as server:
        yield Real(server, folder)


def exactly(report: Report, tokens: int) -> ConfirmFacts:
    """The report of a pair in which both predictions and the server agree on so many tokens."""
    facts = report.confirm
    assert facts is not None
    seen, control = facts.seen
    assert (report.verdict, seen.gap) == ("confirmed", "")
    predictions = (seen.predicted_tokens, seen.server_predicted_tokens, seen.observed_tokens)
    assert predictions == (tokens, tokens, tokens)
    assert (control.is_control, control.observed_tokens) == (True, 0)
    return facts


def shared(a: list[int], b: list[int]) -> int:
    equal = next(
        (index for index, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), min(len(a), len(b))
    )
    return min(equal, len(b) - 1)


@pytest.mark.parametrize("api", ["openai", "llama-server"])
@pytest.mark.parametrize("name", PAIRS)
def test_predicted_equals_observed(smol: Real, name: str, api: str) -> None:
    a, b = ({"messages": messages} for messages in PAIRS[name])
    ids = smol.ids(b)
    wanted = shared(smol.ids(a), ids)
    assert wanted == len(ids) - 1 if name == "identical" else 0 < wanted < len(ids) - 1
    model = smol.server.model  # its vocabulary and its template, as promptlint itself reads them
    facts = exactly(smol.asked(a, b, api=api, tokenizer=model, chat_template=model), wanted)
    assert facts.seen[0].prompt_tokens == len(ids)
    assert facts.speed is not None


@pytest.mark.parametrize("api", ["openai", "llama-server"])
def test_a_changed_tool(tiny: Real, api: str) -> None:
    a = {"tools": TOOLS, "messages": FIRST}
    b = {"tools": [TOOLS[0], tool("price", "What it cost")], "messages": FIRST}
    wanted = shared(tiny.ids(a), tiny.ids(b))
    assert 0 < wanted < len(tiny.ids(b)) - 1
    model = tiny.server.model
    exactly(tiny.asked(a, b, api=api, tokenizer=model, chat_template=model), wanted)


@pytest.mark.parametrize(("a", "b"), [("One two three four", "One two three five"), ([*range(5, 60)], [*range(5, 90)])])
def test_texts_and_ids(tiny: Real, a: Any, b: Any) -> None:
    form = {"prompt": a}, {"prompt": b}
    report = tiny.asked(*form, tokenizer=tiny.server.model, api="llama-server")
    assert report.confirm is not None
    assert report.confirm.seen[0].observed_tokens == report.confirm.seen[0].server_predicted_tokens
    assert report.verdict == "confirmed"


def test_another_template_than_the_servers_is_named(tiny: Real) -> None:
    other = tiny.folder / "other.jinja"
    other.write_text("{{- 'x' * 40 }}" + CHAT_TEMPLATE)
    a, b = ({"messages": messages} for messages in PAIRS["date in front"])
    report = tiny.asked(a, b, tokenizer=tiny.server.model, chat_template=str(other))
    assert report.confirm is not None
    assert report.verdict == "contradicted"
    assert "is not the server's" in report.confirm.seen[0].gap


def test_without_a_template_the_servers_own_ids_decide(smol: Real) -> None:
    a, b = ({"messages": messages} for messages in PAIRS["date in front"])
    report = smol.asked(a, b)
    assert report.confirm is not None
    seen = report.confirm.seen[0]
    assert report.verdict == "confirmed"
    assert seen.predicted_tokens is not None
    assert seen.server_predicted_tokens == seen.observed_tokens


def test_the_messages_of_anthropic_are_served_too(smol: Real) -> None:
    a = {"model": "claude-x", "max_tokens": 5, "system": "Nobody has said this. " * 8, "messages": [FIRST[1]]}
    b = {**a, "messages": [FIRST[1], message("assistant", "Shelf one."), message("user", "And the cups?")]}
    report = smol.asked(a, b, api="anthropic")
    assert report.confirm is not None
    assert report.verdict == "confirmed"
    assert report.confirm.seen[0].source == "usage.cache_read_input_tokens"
    assert (report.confirm.seen[0].observed_tokens or 0) > 30


def test_a_log_is_exact(smol: Real, tmp_path: Path) -> None:
    turns = [*FIRST, message("assistant", "One."), message("user", "Cups?"), message("assistant", "Two."),
             message("user", "Pots?")]  # fmt: skip
    other = [message("system", "Nothing alike here."), message("user", "Hello")]
    log = tmp_path / "log.jsonl"
    bodies = [turns[:2], other, turns[:4], turns]
    log.write_text("\n".join(json.dumps({"messages": messages}) for messages in bodies))
    model = smol.server.model
    report = confirm_live(str(log), None, LiveOptions(smol.server.address, tokenizer=model, chat_template=model))
    assert report.confirm is not None
    assert (report.verdict, report.confirm.calibration, report.confirm.calibration_error) == ("confirmed", 1.0, 0.0)
    assert len(report.confirm.seen) == 2


def test_a_path_that_the_server_does_not_have(tiny: Real) -> None:
    body = {"model": "m", "messages": FIRST}
    with pytest.raises(PromptlintError, match=r"/nope/v1/chat/completions.*\(404\).*base address"):
        Real(tiny.server._replace(address=f"{tiny.server.address}/nope/v1"), tiny.folder).asked(
            body, body, max_usd=MUCH
        )
