"""What is found in servers' own formats and in the records of loggers, what is said of them, and what is refused."""

import contextlib
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import document, loaded
from input_samples import CHAT, LANGCHAIN, LANGFUSE, LITELLM, QUESTION, SYSTEM, otlp, value
from promptlint.commands.diff import diff
from promptlint.commands.templates import TemplateOptions
from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.prompt import Marker, Request
from promptlint.render import render

Shape = list[tuple[str, str | None, list[str]]]


def shape(request: Request) -> Shape:
    """Give the items as the model reads them."""
    items = [rendered.item for rendered in render(request).items]
    return [(item.level, item.role or item.name, [part.kind for part in item.segments]) for item in items]


def names(request: Request) -> dict[str, Any]:
    """Give the settings by the name that they are compared under."""
    depth = len(request.path)
    return {
        ".".join(request.named.get(path) or map(str, path[depth:])): held for path, held in request.settings.items()
    }


FOUND = ("system", "system", ["text"]), ("messages", "user", ["text"])
SHAPES: dict[str, Shape] = {
    "ollama chat": [
        ("tools", "find", ["tool"]),
        *FOUND,
        ("messages", "assistant", ["thinking", "text", "tool_call"]),
        ("messages", "tool", ["tool_result"]),
        ("messages", "user", ["text", "image"]),
    ],
    "ollama generate": [
        ("system", None, ["other"]),
        ("system", None, ["text"]),
        ("messages", None, ["text"]),
        ("messages", None, ["text"]),
        ("messages", None, ["image"]),
    ],
    "cohere": [
        ("tools", "find", ["tool"]),
        ("system", "system", ["text"]),
        ("messages", None, ["document"]),
        ("messages", None, ["document"]),
        ("messages", "user", ["text"]),
        ("messages", "assistant", ["other", "tool_call"]),
        ("messages", "tool", ["tool_result"]),
    ],
    "cohere v1": [
        ("tools", "find", ["tool"]),
        ("system", None, ["text"]),
        ("messages", None, ["document"]),
        ("messages", "user", ["text"]),
        ("messages", "assistant", ["text", "other"]),
        ("messages", "user", ["text"]),
        ("messages", None, ["tool_result"]),
    ],
    "sharegpt": [
        ("tools", "find", ["tool"]),
        ("system", None, ["text"]),
        ("messages", "user", ["text"]),
        ("messages", "assistant", ["tool_call"]),
        ("messages", "tool", ["tool_result"]),
        ("messages", "assistant", ["text"]),
    ],
    "langchain": [*FOUND, ("messages", "assistant", ["text", "tool_call"]), ("messages", "tool", ["tool_result"])],
    "langchain data": [FOUND[0], ("messages", "assistant", ["text", "tool_call"])],
    "genai span": [
        ("tools", "find", ["tool"]),
        ("system", None, ["text"]),
        ("messages", "user", ["text", "image"]),
        ("messages", "assistant", ["tool_call"]),
        ("messages", "tool", ["tool_result"]),
    ],
    "genai events": [*FOUND],
    "openllmetry": [
        ("tools", "find", ["tool", "tool"]),
        FOUND[0],
        ("messages", "assistant", ["tool_call", "tool_call"]),
        ("messages", "tool", ["tool_result"]),
        FOUND[1],
    ],
    "openinference": [("tools", "find", ["tool"]), *FOUND],
    "ai sdk span": [
        ("tools", "find", ["tool"]),
        *FOUND,
        ("messages", "assistant", ["tool_call"]),
        ("messages", "tool", ["tool_result"]),
    ],
    "litellm": [("tools", "find", ["tool"]), *FOUND],
    "litellm spend log": [("tools", "find", ["tool"]), *FOUND],
    "litellm request": [("tools", "find", ["tool"]), ("system", None, ["text"]), FOUND[1]],
    "langsmith chat": [("tools", "find", ["tool"]), *FOUND],
    "langfuse JSON text": [("tools", "find", ["tool"]), *FOUND],
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_parts_of_a_request_are_found(name: str) -> None:
    assert shape(loaded(value[name])) == SHAPES[name]


@pytest.mark.parametrize(
    ("name", "provider", "model", "settings"),
    [
        ("ollama chat", "ollama", "qwen3:8b", {"keep_alive", "options"}),
        ("genai span", "bedrock", "anthropic.claude-sonnet-5", {"temperature"}),
        ("openinference", "openai", "gpt-5.6", {"temperature", "tool_choice"}),
        ("ai sdk span", "anthropic", "claude-sonnet-5", set()),
        ("langfuse", "anthropic", "claude-sonnet-5", {"max_tokens"}),
        ("litellm", "openai", "gpt-5.6", {"temperature"}),
        ("litellm request", "openai", "gpt-5.6", {"temperature", "max_tokens"}),
        ("langsmith", "anthropic", "claude-sonnet-5", set()),
        ("braintrust", "openai", "gpt-5.6", set()),
    ],
)
def test_model_provider_and_settings_bear_the_names_of_a_request(
    name: str, provider: str, model: str, settings: set[str]
) -> None:
    request = loaded(value[name])
    assert (request.provider, request.model, set(names(request))) == (provider, model, settings)


def test_the_order_of_attributes_does_not_matter() -> None:
    pairs = [("llm.input_messages.1.message.content", "b"), ("llm.input_messages.1.message.role", "user")]
    pairs += [("llm.input_messages.0.message.role", "system"), ("llm.input_messages.0.message.content", "a")]
    texts = [render(loaded(otlp(*order))).text for order in (pairs, pairs[::-1])]
    assert texts == ["system\na\nuser\nb\n"] * 2


def test_markers_are_found_where_a_logger_keeps_them() -> None:
    found = {
        name: [part.marker for item in loaded(value[name]).items for part in item.segments if part.marker]
        for name in ("langchain", "ai sdk span", "genai span")
    }
    kept = (1, "kwargs", "content", 0, "cache_control")
    assert found["langchain"] == [Marker(kept, None)]
    (marker,) = found["ai sdk span"]
    assert marker.ttl == "1h"
    assert marker.path[-3:] == ("providerOptions", "anthropic", "cacheControl")
    assert found["genai span"] == []


def test_where_markers_may_be_lost_they_are_not_taken_for_missing() -> None:
    lost = {name for name in value if loaded(value[name]).may_lack_markers}
    assert {"genai span", "openinference", "langfuse", "litellm", "langsmith chat", "braintrust"} <= lost
    assert lost.isdisjoint({"ai sdk span", "langsmith", "ollama chat", "helicone", "cohere", "sharegpt"})


def test_a_picture_is_no_text() -> None:
    picture = "iVBORw0KGgo" * 40
    messages = [{"role": "user", "content": "hi", "images": [picture]}]
    for body in ({"messages": messages}, {"prompt": "hi", "images": [picture]}):
        pieces = [
            piece for item in render(loaded({"model": "m", "keep_alive": 1, **body})).items for piece in item.pieces
        ]
        assert pieces[-1].text.startswith("sha256:")
        assert pieces[-1].tokens == 110


@pytest.mark.parametrize(
    ("changed", "affects", "certainty"),
    [
        ({"options": {"num_ctx": 4096, "seed": 1}}, "key", "certain"),
        ({"options": {"seed": 1}}, "key", "possible"),
        ({"options": {"num_ctx": 8192, "seed": 2}}, "nothing", "certain"),
        ({"think": True}, "key", "possible"),
        ({"format": "json", "stream": True, "keep_alive": "1h"}, "nothing", "certain"),
        ({"options": {"num_ctx": 8192, "seed": 1, "numa": True}}, "nothing", "unknown"),
    ],
)
def test_what_loads_the_model_again_empties_the_cache(
    changed: dict[str, Any], affects: str, certainty: str, tmp_path: Path
) -> None:
    body = {"model": "qwen3:8b", "messages": CHAT, "options": {"num_ctx": 8192, "seed": 1}, "keep_alive": "10m"}
    for name, held in (("a", body), ("b", {**body, **changed})):
        (tmp_path / name).write_text(json.dumps(held), "utf-8")
    (found,) = diff(str(tmp_path / "a"), str(tmp_path / "b")).diffs
    assert {(change.affects, change.certainty) for change in found.changes} == {(affects, certainty)}


NOTES: list[tuple[Any, str]] = [
    (value["litellm"], "not the body that it sent"),
    (value["langsmith"], "markers only where a block carries one"),
    (value["langfuse"], "tools, markers and headers are often missing"),
    (value["braintrust"], "metadata is not compared"),
    (value["genai span"], "carry no cache markers"),
    (value["openinference"], "carry no cache markers"),
    (value["sharegpt"], "no settings and no cache markers"),
    (value["ollama generate"], "context: the earlier turns are given as token ids"),
    (value["cohere v1"], "conversation_id: the earlier turns of the conversation are held by the server"),
    (value["cohere v1"], "connectors: what the connectors find is added by the server"),
    ({"model": "o3", "input": "hi", "previous_response_id": "r"}, "previous_response_id: the turns before this one"),
    ({"contents": [], "cachedContent": "c"}, "cachedContent: the cached content is held by the server"),
    ({**LANGFUSE, "input": [{"role": "user", "content": "a <truncated due to size exceeding limit>"}]}, "was cut by"),
    (
        {**LITELLM, "messages": [*CHAT, {"role": "user", "content": "redacted-by-litellm"}]},
        "/messages/2/content was red",
    ),
    ({**LITELLM, "messages": "word " * 50 + "..."}, "/messages ends in dots: it may have been cut"),
    (
        {**value["langsmith"], "inputs": {"messages": [LANGCHAIN, LANGCHAIN]}},
        "holds 2 prompts: the first one is compared",
    ),
]


@pytest.mark.parametrize(("given_value", "said"), NOTES)
def test_what_a_format_loses_is_said_once(given_value: Any, said: str) -> None:
    notes = loaded(given_value).notes
    assert sum(said in note for note in notes) == 1, notes


def test_a_request_that_lacks_nothing_has_no_notes() -> None:
    whole = {"model": "gpt-5.6", "messages": CHAT, "previous_response_id": None}
    samples: list[Any] = [whole, {"cachedContent": None, "contents": []}, value["ollama chat"], value["cohere"], CHAT]
    for given_value in samples:
        assert loaded(given_value).notes == ()
    assert loaded({"model": "o3", "input": "x " * 200 + "...", "previous_response_id": None}).notes == ()


TEMPLATES = [
    ("Today is {{ today }}.", "an unrendered template"),
    ("{% for a in b %}{{ a }}{% endfor %}", "an unrendered Jinja template"),
    ("Hello {{#each names}}{{this}}{{/each}}", "an unrendered Mustache or Handlebars template"),
    ("Hello {{ .Name }}", "an unrendered Go template"),
    ("Hello <%= name %>", "an unrendered ERB template"),
    ("# a comment\n\nimport os\nPROMPT = 'x'\n", "program text"),
    ("---\nname: a\n---\nsystem:\nBe brief.\n", "a Prompty file"),
    ("Use braces {like this}, <%, ${x} and 50 %.", ""),
    ("Explain this:\n\nimport os\nclass A {\n", ""),
    ("# Title\n\n- an import of goods from abroad\n", ""),
    ('A set is written {1, 2}; JSON {"a": {}}.', ""),
]


@pytest.mark.parametrize(("text", "kind"), TEMPLATES)
def test_a_text_that_makes_prompts_is_noted(text: str, kind: str) -> None:
    notes = loaded(text).notes
    assert [note.partition(":")[0] for note in notes] == ([f"this looks like {kind}"] if kind else [])


def test_harmony_is_read_as_its_own_library_renders_it() -> None:
    harmony = pytest.importorskip("openai_harmony")
    tool = harmony.ToolDescription.new("find", "Look up.", parameters={"type": "object"})
    developer = harmony.DeveloperContent.new().with_instructions(SYSTEM).with_function_tools([tool])
    messages = [
        harmony.Message.from_role_and_content(harmony.Role.SYSTEM, harmony.SystemContent.new()),
        harmony.Message.from_role_and_content(harmony.Role.DEVELOPER, developer),
        harmony.Message.from_role_and_content(harmony.Role.USER, QUESTION),
        harmony.Message.from_role_and_content(harmony.Role.ASSISTANT, "hm").with_channel("analysis"),
        harmony.Message.from_role_and_content(harmony.Role.ASSISTANT, "{}")
        .with_channel("commentary")
        .with_recipient("functions.find")
        .with_content_type("json"),
        harmony.Message.from_author_and_content(harmony.Author.new(harmony.Role.TOOL, "functions.find"), "r"),
    ]
    request = loaded(json.loads(harmony.Conversation.from_messages(messages).to_json()))
    assert request.format == "harmony"
    assert shape(request) == [
        ("system", "system", ["other"]),
        ("system", "developer", ["text", "other", "tool"]),
        ("messages", "user", ["text"]),
        ("messages", "assistant", ["other", "thinking"]),
        ("messages", "assistant", ["other", "tool_call"]),
        ("messages", "tool", ["other", "tool_result"]),
    ]


JUNK: list[Any] = [None, 5, "x", [], {}, [None], {"a": 1}, ["x"], [[]], "[", '["x"]']


def nodes(held: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else ()
    return [path, *(found for step, child in inner for found in nodes(child, (*path, step)))]


@given(st.data())
def test_no_record_ends_in_a_traceback(data: st.DataObject) -> None:
    broken = copy.deepcopy(value[data.draw(st.sampled_from(sorted(value)))])
    path = data.draw(st.sampled_from(nodes(broken)[1:]))
    junk = data.draw(st.sampled_from(JUNK))
    holder = broken
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = junk
    with contextlib.suppress(PromptlintError):
        render(load(document(broken)))


def test_a_chat_template_gets_the_messages_and_the_tools_of_a_record(tmp_path: Path) -> None:
    template = tmp_path / "chat_template.jinja"
    template.write_text("{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{{ messages[-1].content }}", "utf-8")
    for name in ("litellm", "langfuse JSON text", "braintrust", "litellm spend log", "langsmith chat"):
        texts = []
        for question in ("What?", "Who?"):
            path = tmp_path / f"{question}.json"
            path.write_text(json.dumps(value[name]).replace(json.dumps(QUESTION)[1:-1], question), "utf-8")
            texts.append(str(path))
        given_template = TemplateOptions(chat_template=str(template))
        (found,) = diff(*texts, templates=given_template).diffs
        assert found.a.prompt_bytes is not None
        assert found.a.prompt_bytes > len(json.dumps(value["litellm"]["model_parameters"]["tools"][0])), name
    for name in ("langsmith", "litellm text"):
        path = tmp_path / "other.json"
        path.write_text(json.dumps(value[name]), "utf-8")
        with pytest.raises(PromptlintError, match="a chat template takes messages as in Chat Completions"):
            diff(str(path), str(path), templates=TemplateOptions(chat_template=str(template)))
