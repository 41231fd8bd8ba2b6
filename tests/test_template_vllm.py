"""What vLLM's server does to a request before its template sees it."""

import copy
from datetime import datetime
from typing import Any

import pytest

from promptlint.errors import PromptlintError
from promptlint.prompt import Rendering
from promptlint.render.template import Profile, Template
from promptlint.render.template.process import Renderer
from template_checks import assert_true, at
from template_conversations import CONVERSATIONS, TOOLS, call

NOW = datetime(2031, 2, 3)
WHOLE = "{{ messages | tojson }}"
STRINGS = "{% for m in messages %}[{{ m.content }}]{% endfor %}"
PARTS = "{% for m in messages %}{% for p in m['content'] %}({{ p.type }}:{{ p.text }}){% endfor %}{% endfor %}"


def render(source: str, given: dict[str, Any], profile: Profile = "vllm") -> Rendering:
    with Renderer() as renderer:
        return renderer.render(Template("t", source, "chat"), given, now=NOW, profile=profile)


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def test_string_arguments_become_an_object_whose_origin_enters_the_string() -> None:
    arguments = '{"city": "K\\u00f6ln \\n",  "days": 1.50}'
    given = {"messages": [{"role": "assistant", "content": "x", "tool_calls": [call(arguments)]}]}
    source = "{% for c in messages[0].tool_calls %}{{ c.function.arguments | tojson }}{% endfor %}"
    got = render(source, given)
    assert got.text == '{"city": "Köln \\n", "days": 1.5}'
    assert_true(got, given, {"": source})
    path = ("messages", 0, "tool_calls", 0, "function", "arguments", None, "city")
    assert at(given, path) == "Köln \n"
    assert [(origin.char, got.text[origin.start : origin.end]) for origin in got.origins if origin.path == path] == [
        (0, "city"),
        (None, '"'),
        (0, "Köln "),
        (5, "\\n"),
        (None, '"'),
    ]
    assert render(source, given, "transformers").text.startswith('"{')


@pytest.mark.parametrize(
    ("arguments", "want"),
    [("", "{}"), ("no json", "{}"), (None, "{}"), (3, "{}"), ("[1]", "[1]"), ('"a"', '"a"'), ({"a": 1}, '{"a": 1}')],
)
def test_arguments_that_are_no_object(arguments: Any, want: str) -> None:
    given = {"messages": [{"role": "assistant", "tool_calls": [call(arguments)]}]}
    source = "{{ messages[0].tool_calls[0].function.arguments | tojson }}"
    got = render(source, given)
    assert got.text == want
    assert_true(got, given, {"": source})


def test_templates_that_take_strings_get_parts_joined() -> None:
    given = {"messages": [user([{"type": "text", "text": "one"}, "two"]), user("three"), user(None)]}
    got = render(STRINGS, given)
    assert got.text == "[one\ntwo][three][]"
    assert_true(got, given, {"": STRINGS})
    assert [origin.path for origin in got.origins if origin.kind == "value"] == [
        ("messages", 0, "content", 0, "text"),
        ("messages", 0, "content", 1),
        ("messages", 1, "content"),
    ]


def test_templates_that_walk_parts_get_strings_as_parts() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    given = {"messages": [user("one"), user([{"type": "refusal", "refusal": "two"}, image])]}
    got = render(PARTS, given)
    assert got.text == "(text:one)(text:two)(image:)"
    assert_true(got, given, {"": PARTS})
    tool = {"role": "tool", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    assert render("{{ messages[0].content }}" + PARTS, {"messages": [tool]}).text.startswith("a\nb")


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        (PARTS, True),
        ("{% for m in messages[1:] %}{% for p in m.content | list %}{% endfor %}{% endfor %}", True),
        ("{% set all = messages %}{% for m in all %}{% for p in m.content %}{% endfor %}{% endfor %}", True),
        (STRINGS, False),
        ("{% for m in messages %}{% set c = m.content %}{% for p in c %}{% endfor %}{% endfor %}", False),
        ("{% for m in messages %}{% for a, b in m.content.items() %}{% endfor %}{% endfor %}", False),
        ("{% for p in messages[0].content %}{% endfor %}", False),
    ],
)
def test_what_the_template_takes_is_read_off_its_loops(source: str, parts: bool) -> None:
    unrun = f"{{{{ messages[0].content is string }}}}{{% if false %}}{source}{{% endif %}}"
    got = render(unrun, {"messages": [user("x")]})
    assert got.text.startswith("False" if parts else "True")


def test_only_known_fields_are_handed_on() -> None:
    messages = [
        user("q", name="Ada", id="msg_1", cache_control={"type": "ephemeral"}),
        {"role": "assistant", "content": "a", "reasoning": "why", "tool_calls": [], "refusal": None},
        {"role": "tool", "content": "r", "tool_call_id": "c1", "status": "ok"},
    ]
    got = render(WHOLE, {"messages": messages})
    assert got.text == (
        '[{"role": "user", "content": "q", "name": "Ada"}, '
        '{"thinking": "why", "role": "assistant", "content": "a", "reasoning": "why", "reasoning_content": "why"}, '
        '{"role": "tool", "content": "r", "tool_call_id": "c1"}]'
    )
    assert_true(got, {"messages": messages}, {"": WHOLE})
    added = next(
        origin for origin in got.origins if got.text[origin.start : origin.end].startswith("reasoning_content")
    )
    assert (added.kind, added.path) == ("serialised", ("messages", 1, "reasoning"))


def test_tools_are_dumped_with_all_their_fields() -> None:
    tools = [{"function": {"parameters": {}, "strict": True, "name": "f"}, "type": "function", "x": 1}]
    source = "{{ tools | tojson }}"
    got = render(source, {"messages": [user("q")], "tools": tools})
    function = '{"name": "f", "description": null, "parameters": {}, "strict": true}'
    assert got.text == f'[{{"type": "function", "function": {function}, "x": 1}}]'
    assert_true(got, {"messages": [user("q")], "tools": tools}, {"": source})


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([{"content": "x"}], "/messages/0 has no role"),
        ([user([{"type": "hologram"}])], "hologram"),
        ([user([{"type": "image_url", "image_url": {"url": "data:"}}])], "depends on the model"),
        ([user([3])], "neither a string"),
        ([{"role": "assistant", "tool_calls": [{"id": 1}]}], "no function"),
        (["x"], "array of objects"),
        ([], "no messages"),
    ],
)
def test_what_the_server_refuses_is_refused(messages: list[Any], reason: str) -> None:
    with pytest.raises(PromptlintError, match=reason):
        render(STRINGS, {"messages": messages})


def test_dropped_reasoning_is_noted() -> None:
    got = render(WHOLE, {"messages": [{"role": "assistant", "content": "a", "reasoning_content": "b"}]})
    assert "b" not in got.text.replace("role", "")
    assert "reasoning_content" in got.notes[0]


def test_the_request_is_not_changed() -> None:
    given = {"messages": CONVERSATIONS["string arguments"], "tools": TOOLS}
    kept = copy.deepcopy(given)
    render(WHOLE, given)
    assert given == kept
