"""What llama.cpp's server does to a request before its template sees it, against that server."""

import copy
import urllib.error
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import pytest

import llama_server
import token_ggufs
from llama_chats import CONVERSATIONS, REFUSED, TEMPLATES, TOOLS, call, texts, tool, turn
from llama_server import Server
from promptlint.errors import PromptlintError
from promptlint.prompt import Rendering
from promptlint.render.template import Template
from promptlint.render.template.environment import Chat
from promptlint.render.template.llama_caps import caps
from promptlint.render.template.process import Renderer
from template_checks import assert_true, at

NOW = datetime(2031, 2, 3)
EITHER = TEMPLATES["strings or parts"]
GOES_ON = "llama.cpp goes on with the last message, and how is not known for this template: it is told as a turn"
THINKING = "llama.cpp gives enable_thinking a value of its own: say which with --template-kwargs enable_thinking=…"
OWN_CODE = "llama.cpp has code of its own for this template: its prompt may be another one"


def given(messages: list[Any], tools: list[Any] | None = None) -> dict[str, Any]:
    return {"messages": messages, "tools": tools or None, "documents": None, "add_generation_prompt": True}


class Served(NamedTuple):
    """A template, a server of a model that has it, and what renders it here."""

    source: str
    server: Server
    renderer: Renderer

    def prompt(self, messages: list[Any], tools: list[Any]) -> str | None:
        """The server's prompt; None if it refuses the request."""
        try:
            return self.server.applied({"messages": messages, **({"tools": tools} if tools else {})})
        except urllib.error.HTTPError:
            return None

    def rendered(self, messages: list[Any], tools: list[Any]) -> Rendering | None:
        """The rendering here; None if it is refused."""
        try:
            return checked(self.renderer, self.source, given(messages, tools), datetime.now())
        except PromptlintError:
            return None


def checked(renderer: Renderer, source: str, variables: dict[str, Any], now: datetime = NOW) -> Rendering:
    """A rendering whose origins are true."""
    got = renderer.render(Template("t", source, "chat"), variables, now=now, profile="llama-cpp")
    last = variables["messages"][-1]["role"]
    behind = {"behind": ""} if last == "assistant" else {}  # a text that no line prints
    assert_true(got._replace(notes=()), variables, {"": source, **behind})
    return got


def render(source: str, variables: dict[str, Any]) -> Rendering:
    with Renderer() as renderer:
        return checked(renderer, source, variables)


@pytest.fixture(scope="module", params=TEMPLATES)
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    llama_server.needed()
    source = TEMPLATES[request.param]
    model = llama_server.model(token_ggufs.byte_pairs("qwen2"), source)
    with llama_server.running(model, tmp_path_factory.mktemp("server")) as server, Renderer() as renderer:
        yield Served(source, server, renderer)


def test_a_template_takes_what_the_server_finds(served: Served) -> None:
    found = served.server.ask("/props")["chat_template_caps"]
    names = ("string_content", "typed_content", "system_role", "object_arguments")
    template = Chat(NOW).from_string(served.source)
    assert caps(template, served.source) == tuple(found[f"supports_{name}"] for name in names)


@pytest.mark.parametrize("tools", TOOLS)
def test_prompts_are_those_of_the_server(served: Served, tools: str) -> None:
    unknown, refused = set(), set()
    notes = (THINKING,) if "enable_thinking" in served.source else ()
    for name, messages in CONVERSATIONS.items():
        got, wanted = (make(messages, TOOLS[tools]) for make in (served.rendered, served.prompt))
        if isinstance(got, Rendering) and got.notes == (*notes, GOES_ON):
            unknown.add(name)
        elif got is None:
            assert (name, wanted) == (name, None)
            refused.add(name)
        else:
            assert isinstance(got, Rendering)
            assert (name, got.text, got.notes) == (name, wanted, notes)
    goes_on = {name for name in CONVERSATIONS if name.startswith("prefill")} - {"prefill of nothing", "prefill of null"}
    assert unknown == (goes_on if "reasoning" in served.source else set())
    assert refused == ({"developer later"} if "no system" in served.source else set())


def test_what_the_server_refuses_is_refused(served: Served) -> None:
    for name, messages in REFUSED.items():
        got = served.rendered(messages, [])
        assert (name, got and got.text) == (name, served.prompt(messages, []))


@pytest.mark.parametrize(
    "broken",
    [{"name": "f", "description": None}, {"description": "f"}, {"name": "f", "type": "custom"}, {"name": 3}],
)
def test_tools_that_the_server_refuses(broken: dict[str, Any]) -> None:
    kind = broken.pop("type", "function")
    with pytest.raises(PromptlintError, match=r"llama\.cpp refuses it: /tools/0"):
        render(EITHER, given([turn("user", "x")], [{"type": kind, "function": broken}]))


def test_string_arguments_become_an_object_whose_origin_enters_the_string() -> None:
    variables = given(
        [turn("assistant", "x", tool_calls=[call('{"city": "K\\u00f6ln",  "days": 1.50}')]), turn("user", "y")]
    )
    got = render(EITHER, variables)
    assert '"arguments": {"city": "Köln", "days": 1.5}}' in got.text
    path = ("messages", 0, "tool_calls", 0, "function", "arguments", None, "city")
    assert at(variables, path) == "Köln"
    assert "Köln" in {got.text[origin.start : origin.end] for origin in got.origins if origin.path == path}


def test_object_arguments_become_a_text_for_a_template_that_reads_none() -> None:
    printed = "{% for c in m.tool_calls or [] %}{{ c.function.arguments + '' }}{% endfor %}"
    source = "{% for m in messages %}" + printed + "{% endfor %}"
    variables = given([turn("assistant", "", tool_calls=[call({"b": 1.0, "a": "é"})]), turn("user", "y")])
    got = render(source, variables)
    assert got.text == '{"b":1.0,"a":"é"}'
    path = ("messages", 0, "tool_calls", 0, "function", "arguments", "a")
    assert "é" in {got.text[origin.start : origin.end] for origin in got.origins if origin.path == path}


def test_joined_texts_keep_their_places() -> None:
    got = render(EITHER, given([turn("user", texts("one", "two"))]))
    assert "user\none\ntwo<" in got.text
    places = {got.text[origin.start : origin.end]: origin.path for origin in got.origins if origin.path is not None}
    assert places["two"] == ("messages", 0, "content", 1, "text")
    assert places["\n"] == ("messages", 0, "content")


def test_the_text_to_go_on_with_keeps_its_place() -> None:
    got = render(EITHER, given([turn("user", "x"), turn("assistant", texts("one", "two"))]))
    assert got.text.endswith("<|im_start|>assistant\none\n\ntwo")
    assert [(origin.kind, origin.path) for origin in got.origins[-3:]] == [
        ("value", ("messages", 1, "content", 0, "text")),
        ("serialised", ("messages", 1, "content")),
        ("value", ("messages", 1, "content", 1, "text")),
    ]


def test_a_system_message_that_is_joined_keeps_its_place() -> None:
    got = render(TEMPLATES["no system"], given([turn("system", "Be brief."), turn("user", "x")]))
    assert "user\nBe brief.\nx<" in got.text
    places = {got.text[origin.start : origin.end]: origin.path for origin in got.origins}
    assert places["Be brief."] == ("messages", 0, "content")
    assert places["x"] == ("messages", 1, "content")
    with pytest.raises(PromptlintError, match="takes only strings"):
        render(
            "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}"
            "{{ m.content[0] }}{% endfor %}",
            given([turn("system", texts("a")), turn("user", "x")]),
        )


def test_tools_made_anew_keep_their_places() -> None:
    variables = given([turn("user", "x")], [tool(reverse=True, strict=True, parameters={"b": 1.0, "a": 2}, name="f")])
    got = render(EITHER, variables)
    made = '{"type": "function", "function": {"name": "f", "description": "", "parameters": {"b": 1, "a": 2}}}'
    assert made in got.text
    places = {got.text[origin.start : origin.end]: (origin.kind, origin.path) for origin in got.origins}
    assert places["f"] == ("value", ("tools", 0, "function", "name"))
    assert places["b"] == ("key", ("tools", 0, "function", "parameters", "b"))


def test_dates_are_the_clock() -> None:
    got = render(TEMPLATES["dated"], given([turn("user", "x")]))
    assert "Today: 03 Feb 2031 Feb 03 2031<" in got.text
    assert [origin.name for origin in got.origins if origin.kind == "call"] == ["date_string", "datetime"]


def test_templates_that_llama_cpp_knows_are_noted() -> None:
    got = render("{# <|channel|> #}{% for m in messages %}{{ m.role }}{% endfor %}", given([turn("developer", "x")]))
    assert (got.text, got.notes) == ("developer", (OWN_CODE,))


def test_the_request_is_not_changed() -> None:
    variables = given(CONVERSATIONS["calls"], TOOLS["two"])
    before = copy.deepcopy(variables)
    render(EITHER, variables)
    assert variables == before
