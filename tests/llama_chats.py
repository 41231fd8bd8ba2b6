"""Chat templates and requests in which llama.cpp's server and transformers part."""

from typing import Any

_TURN = "{%- for message in messages %}{{- '<|im_start|>' + message['role'] + '\\n' }}"
_END = "{{- '<|fim_prefix|>\\n' }}{%- endfor %}"
_OPEN = "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
_CALLS = """{%- for call in message.tool_calls or [] %}
{{- '<tool_call>{"name": "' + call.function.name + '", "arguments": ' }}
{%- if call.function.arguments is string %}{{- call.function.arguments }}
{%- else %}{{- call.function.arguments | tojson }}{%- endif %}
{{- '}</tool_call>' }}{%- endfor %}"""
_TOOLS = """{%- if tools %}{{- '<|im_start|>system\\n# Tools' }}
{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}
{{- '\\nCall by <tool_call>{"name": ..., "arguments": ...}</tool_call><|fim_prefix|>\\n' }}{%- endif %}"""
_EITHER = """{%- if message.content is string %}{{- message.content }}
{%- else %}{%- for part in message.content or [] %}{{- part.text }}{%- endfor %}{%- endif %}"""

TEMPLATES = {
    "vision": _TURN
    + """{%- if message['content'] is string %}{{- message['content'] | trim }}
{%- elif message['content'] is iterable %}{%- for item in message['content'] %}
{%- if item['type'] == 'image' %}{{- '<image>' }}
{%- elif item['type'] == 'text' %}{{- item['text'] | trim }}{%- endif %}
{%- endfor %}{%- else %}{{- raise_exception('Invalid content type') }}{%- endif %}"""
    + _END
    + _OPEN,
    "first text": _TURN + "{%- if message.content %}{{- message.content[0].text }}{%- endif %}" + _END + _OPEN,
    "strings": _TURN + "{{- message['content'] }}" + _END + _OPEN,
    "strings or parts": _TOOLS + _TURN + _EITHER + _CALLS + _END + _OPEN,
    "parts": _TOOLS
    + _TURN
    + "{%- for part in message.content %}{{- part.text + '/' }}{%- endfor %}"
    + _CALLS
    + _END
    + _OPEN,
    "first part": _TURN
    + "{%- if message.content[0] is mapping %}{{- message.content | map(attribute='text') | join('+') }}"
    + "{%- else %}{{- message.content }}{%- endif %}"
    + _CALLS
    + _END
    + _OPEN,
    "parts as JSON": _TOOLS
    + _TURN
    + "{%- set first = message.content[0] %}{{- message.content | tojson }}"
    + _END
    + _OPEN,
    "no system": _TURN
    + "{%- if message.role == 'system' %}{{- raise_exception('no system messages') }}{%- endif %}"
    + "{{- message.content | trim }}"
    + _END
    + _OPEN,
    "reasoning": _TOOLS
    + _TURN
    + "{%- if message.role == 'assistant' and message.reasoning_content %}"
    + "{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}{%- endif %}"
    + _EITHER
    + _CALLS
    + _END
    + _OPEN
    + "{%- if add_generation_prompt and enable_thinking is defined and enable_thinking is false %}"
    + "{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}",
    "dated": "{{- '<|im_start|>system\\nToday: ' + date_string + ' ' + datetime + '<|fim_prefix|>\\n' }}"
    + "{%- if tools is defined %}{%- for tool in tools %}{{- tool | tojson(indent=2) }}{%- endfor %}{%- endif %}"
    + _TURN
    + "{{- message.content | trim }}"
    + _CALLS
    + _END
    + _OPEN,
    "results": _TOOLS
    + _TURN
    + "{%- if message.role == 'tool' %}{{- '<r id=' + (message.tool_call_id or '-') }}"
    + "{{- ' name=' + (message.name or '-') + '>' }}{%- endif %}"
    + "{{- message.content }}"
    + "{%- for call in message.tool_calls or [] %}{{- '<tool_call>\\n<function=' + call.function.name + '>\\n' }}"
    + "{%- for name, value in call.function.arguments | items %}{{- '<parameter=' + name + '>\\n' }}"
    + "{{- (value | tojson) if value is mapping or value is sequence and value is not string else (value | string) }}"
    + "{{- '\\n</parameter>\\n' }}{%- endfor %}{{- '</function>\\n</tool_call>' }}{%- endfor %}"
    + _END
    + _OPEN,
}


def turn(role: str, content: Any = None, **beside: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **beside}


def texts(*parts: str, **beside: Any) -> list[Any]:
    return [{"type": "text", "text": part, **beside} for part in parts]


def call(arguments: Any, **beside: Any) -> dict[str, Any]:
    return {
        "id": "call_1",
        "type": "function",
        "function": {"name": "weather", "arguments": arguments, "x": 1},
        **beside,
    }


def tool(*, reverse: bool = False, **function: Any) -> dict[str, Any]:
    members = [("type", "function"), ("function", function), ("extra", 1)]
    return dict(reversed(members) if reverse else members)


_HI, _ON = turn("user", "Où est\nle café?"), turn("user", "And now?")
_SCHEMA = {
    "type": "object",
    "required": ["place"],
    "properties": {
        "place": {"description": 'a "place" <&> é\u2028\u0007', "type": "string", "enum": ["Málaga", "Oslo"]},
        "days": {"type": "number", "minimum": 1.0, "maximum": 14.5, "default": 1.23456789, "multipleOf": 1e-7},
        "large": {
            "maximum": 1000000.0,
            "minimum": -123456789.5,
            "exclusiveMaximum": 1e300,
            "default": 9007199254740993,
        },
    },
    "additionalProperties": False,
    "x": [[], {}, None, -0.0, [2.0, {"z": 0.30000000000000004}]],
}
_BARE, _WHOLE = (
    tool(name="weather"),
    tool(reverse=True, strict=True, parameters=_SCHEMA, description="The weather\nthere", name="weather"),
)
_OBJECT = {"place": "Málaga", "days": 2.0, "more": {"b": [1.5, 3, True], "a": None}, "far": 0.25}
_STRING = '{ "place":"M\\u00e1laga",  "days": 1.50, "more": {"b": [], "a": 1.0}, "n": -3}'


def _called(arguments: Any, content: Any = "", **beside: Any) -> list[dict[str, Any]]:
    asked = turn("assistant", content, tool_calls=[call(arguments, **beside)])
    return [_HI, asked, turn("tool", "18 degrees", tool_call_id="call_1", name="weather"), _ON]


CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    "one turn": [_HI],
    "system": [turn("system", "Be brief."), _HI, turn("assistant", "Oui."), _ON],
    "system alone": [turn("system", "Be brief.")],
    "developer": [turn("developer", "Be brief."), _HI],
    "developer later": [_HI, turn("assistant", "Oui."), turn("developer", "Be brief."), _ON],
    "two systems": [turn("system", "One."), turn("user", "x"), turn("assistant", "y"), _ON],
    "one text": [turn("user", texts("a"))],
    "texts": [turn("user", texts("a ", "b\n", "c")), turn("assistant", "y"), turn("user", texts("d", "e"))],
    "empty texts": [turn("user", texts("", "b", "", "c")), turn("assistant", texts("")), _ON],
    "no texts": [turn("user", []), turn("assistant", "y"), _ON],
    "marked texts": [turn("user", texts("a", "b", cache_control={"type": "ephemeral"}))],
    "texts of others": [_HI, turn("assistant", texts("a", "b")), turn("tool", texts("r", "s"), tool_call_id="i"), _ON],
    "null content": [_HI, turn("assistant", None), _ON],
    "null of user": [turn("user", None)],
    "empty": [turn("user", ""), turn("assistant", ""), _ON],
    "names": [turn("user", "x", name="bob", other=[1]), turn("assistant", "y", refusal=None, name=""), _ON],
    "reasoning": [_HI, turn("assistant", "Oui.", reasoning_content="why\n"), _ON],
    "reasoning by other names": [_HI, turn("assistant", "Oui.", reasoning="why", thinking="what"), _ON],
    "empty reasoning": [_HI, turn("assistant", "Oui.", reasoning_content=""), _ON],
    "call of a string": _called(_STRING),
    "call of an object": _called(_OBJECT),
    "call with content": _called(_OBJECT, "Let me see."),
    "call with null content": _called(_STRING, None),
    "call with reasoning": [_HI, turn("assistant", "", reasoning_content="why", tool_calls=[call("{}")]), _ON],
    "call without content": [_HI, {"role": "assistant", "tool_calls": [call('{"a":{}}')]}, _ON],
    "call without id": _called('{"a": "b"}', id=""),
    "calls": [_HI, turn("assistant", "", tool_calls=[call(_STRING), call(_OBJECT, id="call_2")]), _ON],
    "no calls": [_HI, turn("assistant", "x", tool_calls=[]), _ON],
    "keys that come twice": _called('{"a":1,"b":2,"a":3}'),
    "prefill": [_HI, turn("assistant", "Il est")],
    "prefill with space": [turn("system", "s"), _HI, turn("assistant", " Il est\n ")],
    "prefill of texts": [_HI, turn("assistant", texts("a", "", "b"))],
    "prefill of nothing": [_HI, turn("assistant", "")],
    "prefill of null": [_HI, turn("assistant", None)],
    "prefill later": [_HI, turn("assistant", "x"), _ON, turn("assistant", "é")],
    "prefill alone": [turn("assistant", "x")],
}
REFUSED: dict[str, list[dict[str, Any]]] = {
    "two assistants": [_HI, turn("assistant", "x"), turn("assistant", "y")],
    "call at the end": [_HI, turn("assistant", "x", tool_calls=[call("{}")])],
    "no content": [_HI, {"role": "assistant"}, _ON],
    "number": [turn("user", 3)],
    "other part": [turn("user", [{"type": "input_text", "text": "a"}])],
    "string as a part": [turn("user", ["a"])],
    "null reasoning": [_HI, turn("assistant", "x", reasoning_content=None), _ON],
    "null name": [turn("user", "x", name=None)],
    "no JSON": _called("no"),
    "no constant of JSON": _called('{"a":NaN}'),
    "null id": _called("{}", id=None),
    "other call": _called("{}", type="custom"),
}
TOOLS: dict[str, list[dict[str, Any]]] = {"none": [], "bare": [_BARE], "whole": [_WHOLE], "two": [_WHOLE, _BARE]}
