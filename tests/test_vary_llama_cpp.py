"""What `promptlint vary --engine llama-cpp` predicts, against llama.cpp's own server (in the wheel xllamacpp).

The server has one slot and keeps no other prompt: what it reuses is what the last prompt left there. Its models are
those of token_ggufs.py.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import llama_server
import token_ggufs
from llama_server import model
from promptlint.commands.options import Options
from promptlint.commands.single import prompt_of, renderer_for
from promptlint.commands.templates import TemplateOptions, sides_of
from promptlint.commands.vary import vary
from promptlint.load import load
from promptlint.read.sources import read
from promptlint.tokens import Tokenizer, open_tokenizer
from promptlint.vary_facts import Row

Prompt = str | Sequence[int]

CHAT_TEMPLATE = r"""
{%- if tools %}
    {{- '<|im_start|>system\n# Tools\n' }}
    {%- for tool in tools %}
        {{- (tool | tojson) + '\n' }}
    {%- endfor %}
    {{- 'Call one by <tool_call>{"name": ..., "arguments": ...}</tool_call><|fim_prefix|>\n' }}
{%- endif %}
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' }}
    {%- if message.content is string %}
        {{- message.content }}
    {%- else %}
        {%- for part in message.content or [] %}
            {{- part.text }}
        {%- endfor %}
    {%- endif %}
    {%- for call in message.tool_calls or [] %}
        {{- '<tool_call>{"name": "' + call.function.name + '", "arguments": ' }}
        {%- if call.function.arguments is string %}
            {{- call.function.arguments }}
        {%- else %}
            {{- call.function.arguments | tojson }}
        {%- endif %}
        {{- '}</tool_call>' }}
    {%- endfor %}
    {{- '<|fim_prefix|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}"""
OTHER_TEMPLATE = CHAT_TEMPLATE.replace("<|fim_prefix|>", "<|fim_prefix|>\\n")
BOS = "<unk>"  # the first token of the vocabularies, which token_ggufs.py makes the BOS


def tool(name: str, description: str, **parameters: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def message(role: str, content: str | None, **beside: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **beside}


WEATHER = {"name": "weather", "arguments": '{"place": "Málaga", "day": "2026-12-01"}'}  # as the server writes it
TEXT = "Notizen für morgen\n\nAm 3 December 2026 um zwölf in Köln.\nUn café, une façade naïve.\n"
CHATS = {
    "turns": {
        "model": "m",
        "messages": [
            message("system", "Du bist ein höflicher Agent.\nHeute ist der 2026-11-29.\n\nRègles :\n- Größe in m²\n"),
            message("user", "Wie spät ist es?\nUnd wo?"),
            message("assistant", "Zwölf Uhr."),
            message("user", "Und gestern?"),
            message("assistant", "Auch."),
            message("user", "Danke für die Auskunft."),
        ],
    },
    "no system text": {"model": "m", "messages": [message("user", "Où est le café ?\nEt l'été ?")]},
    "tools": {
        "model": "m",
        "tools": [
            tool("weather", "The weather", place={"type": "string"}, day={"type": "string", "description": "ISO"}),
            tool("search", "Looks für text up", query={"type": "string"}),
        ],
        "messages": [
            message("system", "Use the tools.\nToday is Monday, 30 November 2026."),
            message("user", "Weather in Málaga?"),
            message("assistant", None, tool_calls=[{"id": "call_1", "type": "function", "function": WEATHER}]),
            message("tool", "18 degrees\nsunny", tool_call_id="call_1"),
            message("assistant", "18 degrees."),
            message("user", "And in Oslo?"),
        ],
    },
}
REQUESTS: dict[str, Any] = {**CHATS, "text": TEXT, "ids": {"prompt_token_ids": [*range(3, 83)]}}
AT_LEAST = {  # variations that must not go missing, and so unchecked
    "turns": {"space-added", "crlf", "nfd", "date-tomorrow", "text-as-block", "turn-appended", "oldest-turn-dropped"},
    "no system text": {"space-added", "crlf", "nfd", "date-in-front", "system-injected", "turn-appended"},
    "tools": {"tools-reversed", "tools-reserialised", "tool-added-first", "tool-added-last", "system-injected", "nfd"},
    "text": {"space-added", "crlf", "nfd", "date-tomorrow", "system-injected", "turn-appended", "tokenizer"},
    "ids": {"bos-doubled", "bos-missing", "token-changed", "tokens-appended"},
}


def models(name: str) -> bytes:
    """A model whose server adds no BOS; that of "BOS" adds one, and takes away the one that its template prints."""
    if name == "pieces":
        return model(token_ggufs.scored(add_space_prefix=True), CHAT_TEMPLATE)
    if name == "BOS":
        return model(token_ggufs.byte_pairs("llama-bpe"), "{{- bos_token }}" + CHAT_TEMPLATE, bos=True)
    return model(token_ggufs.byte_pairs("qwen2"), CHAT_TEMPLATE)


class Server(llama_server.Server):
    """llama.cpp's server with one model."""

    def ids(self, text: str) -> list[int]:
        """As /completion encodes a prompt."""
        ids: list[int] = self.ask("/tokenize", content=text, add_special=True, parse_special=True)["tokens"]
        return ids

    def reused(self, before: Prompt, prompt: Prompt) -> int:
        """Tokens of `prompt` that the server does not compute when it has just computed `before`."""
        self._complete(before)
        figures = self._complete(prompt)["timings"]
        reused, computed = figures["cache_n"], figures["prompt_n"]
        assert reused + computed == len(self.ids(prompt) if isinstance(prompt, str) else prompt)
        return int(reused)

    def _complete(self, prompt: Prompt) -> Any:
        return self.ask("/completion", prompt=prompt, n_predict=1, temperature=0)

    def reused_in_chat(self, before: Mapping[str, Any], body: Mapping[str, Any]) -> int:
        """The same of Chat Completions requests, by what the usage says."""
        self._chat(before)
        return int(self._chat(body)["usage"]["prompt_tokens_details"]["cached_tokens"])

    def _chat(self, body: Mapping[str, Any]) -> Any:
        return self.ask("/v1/chat/completions", **{**body, "max_tokens": 1, "temperature": 0})


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the model that the test names; where it must not be missing, its absence is an error."""
    llama_server.needed()
    with llama_server.running(models(request.param), tmp_path_factory.mktemp("server")) as found:
        yield Server(*found)


class Varied(NamedTuple):
    """A request, its variations of text, and the prompts of both as promptlint makes them."""

    tokenizer: Tokenizer
    rows: dict[str, Row]
    before: Prompt
    prompts: dict[str, Prompt]

    @property
    def predicted(self) -> dict[str, int | None]:
        return {name: row.usable_tokens for name, row in self.rows.items()}

    def bodies(self) -> dict[str, Any]:
        """The requests that were saved, as they would be sent."""
        files = {name: Path(row.file) for name, row in self.rows.items() if row.file is not None}
        return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in files.items()}


@cache
def varied(name: str, model_path: str) -> Varied:
    """All variations of a request, but those of settings and markers: they are about more than the prompt."""
    folder = Path(model_path).parent / name
    folder.mkdir(exist_ok=True)
    request = folder / "request"
    request.write_text(written(REQUESTS[name]), encoding="utf-8", newline="")
    template_b, other = folder / "other.jinja", folder / "other.gguf"
    template_b.write_text(OTHER_TEMPLATE, encoding="utf-8")
    other.write_bytes(token_ggufs.gguf(token_ggufs.byte_pairs("llama-bpe")))
    templates = TemplateOptions(model_path, str(template_b), now=datetime(2026, 11, 29)) if name in CHATS else None
    report = vary(
        str(request),
        engine="llama-cpp",
        tokenizer=model_path,
        tokenizer_b=None if name == "ids" else str(other),
        templates=templates,
        save=str(folder / "saved"),
        today=date(2026, 11, 29),
    )
    assert report.varied is not None
    rows = {row.name: row for row in report.varied.rows if row.group not in ("settings", "markers")}
    tokenizer = open_tokenizer(model_path)
    sides = None if templates is None else sides_of(templates, "llama-cpp", model_path)
    options = Options(tokenizer, provider="llama-cpp", chosen=True, sides=sides)
    with renderer_for(options) as renderer:

        def prompt(path: str, side: int = 0) -> Prompt:
            held = load(read(path))
            return held.token_ids or prompt_of(held, options, renderer, side=side).text

        before = prompt(str(request))
        prompts = {each: prompt(row.file) for each, row in rows.items() if row.file is not None}
        if "chat-template" in rows:
            prompts["chat-template"] = prompt(str(request), 1)
    if isinstance(before, str):
        prompts["tokenizer"] = open_tokenizer(str(other)).encode(before)
    return Varied(tokenizer, rows, before, prompts)


def written(request: Any) -> str:
    return request if isinstance(request, str) else json.dumps(request, ensure_ascii=False)


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("server", ["byte pairs", "pieces"], indirect=True)
def test_every_variation_reuses_what_is_predicted(server: Server, name: str) -> None:
    found = varied(name, server.model)
    assert {each: server.reused(found.before, prompt) for each, prompt in found.prompts.items()} == found.predicted
    assert found.rows.keys() >= AT_LEAST[name] | {"sent-again"}
    assert {row.outcome for row in found.rows.values()} >= {"hit", "partial"}


@pytest.mark.parametrize("name", CHATS)
@pytest.mark.parametrize("server", ["byte pairs", "pieces", "BOS"], indirect=True)
def test_chat_requests_reuse_what_is_predicted(server: Server, name: str) -> None:
    """The requests themselves, which the server renders and encodes on its own."""
    found = varied(name, server.model)
    reused = {each: server.reused_in_chat(REQUESTS[name], body) for each, body in found.bodies().items()}
    assert reused == {each: found.predicted[each] for each in reused}


@pytest.mark.parametrize("name", CHATS)
@pytest.mark.parametrize("server", ["byte pairs", "pieces", "BOS"], indirect=True)
def test_prompts_are_those_of_the_server(server: Server, name: str) -> None:
    found = varied(name, server.model)
    prompts = {"request": found.before, **found.prompts}
    for each, body in {"request": REQUESTS[name], **found.bodies()}.items():
        prompt = prompts[each]
        assert isinstance(prompt, str)
        applied = server.applied(body)
        assert applied == prompt.removeprefix(BOS)
        assert server.ids(applied) == list(found.tokenizer.encode(prompt))
