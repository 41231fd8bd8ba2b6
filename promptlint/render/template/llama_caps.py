"""What llama.cpp finds a chat template to take: it renders made-up conversations and looks at what is read.

As `caps_get` in common/jinja/caps.cpp of 2026 does, and as its server tells in `chat_template_caps` of /props.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, NamedTuple

import jinja2
from jinja2.tests import test_iterable

_TOOL = {
    "name": "look_up",
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks a word up.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "What to look up."}},
            "required": ["word"],
        },
    },
}


class Caps(NamedTuple):
    """What a template takes."""

    strings: bool  # as contents
    parts: bool
    system: bool  # messages of that role
    objects: bool  # as arguments of tool calls


class _Text(str):
    """A content that notes whether it is read as an array; llama.cpp walks no strings."""

    __slots__ = ("_walked",)
    _walked: bool

    def __new__(cls, text: str) -> "_Text":
        self = super().__new__(cls, text)
        self._walked = False
        return self

    def __iter__(self) -> Any:
        self._walked = True
        raise TypeError("a string is no array")

    def __getitem__(self, key: Any) -> str:
        self._walked = self._walked or isinstance(key, int)
        return super().__getitem__(key)


class _Array(list[Any]):
    """A content without parts that notes whether it is walked."""

    __slots__ = ("_walked",)

    def __init__(self) -> None:
        super().__init__()
        self._walked = False

    def __iter__(self) -> Any:
        self._walked = True
        return super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        self._walked = self._walked or isinstance(key, int)
        return super().__getitem__(key)


class _Object(dict[str, Any]):
    """An object that notes which members are read."""

    __slots__ = ("_read",)

    def __init__(self, **members: Any) -> None:
        super().__init__(members)
        self._read: set[str] = set()

    def __getitem__(self, key: Any) -> Any:
        self._read.add(key)
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        self._read.add(key)
        return super().get(key, default)

    def items(self) -> Any:
        self._read.update(self)
        return super().items()

    def values(self) -> Any:
        self._read.update(self)
        return super().values()


class _Nothing(jinja2.Undefined):
    """A name without a value, which llama.cpp adds to texts as an empty one."""

    def _sum(self, other: Any) -> Any:
        return other if isinstance(other, str) else self._fail_with_undefined_error()

    __add__ = __radd__ = _sum


def _filter(name: str, filter_: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that walks a content unnoticed, but for the one that counts as a walk."""

    def bare(value: Any) -> Any:
        if not isinstance(value, _Array | _Text):
            return value
        value._walked = value._walked or name == "selectattr"
        return [] if isinstance(value, _Array) else str.__str__(value)

    @wraps(filter_)
    def wrapper(*args: Any, **named: Any) -> Any:
        return filter_(*map(bare, args), **named)

    return wrapper


def _environment(given: jinja2.Environment) -> jinja2.Environment:
    """The environment in which contents notice what is done to them."""
    made = given.overlay(undefined=_Nothing)
    made.tests = {**given.tests, "iterable": lambda value: isinstance(value, _Text) or test_iterable(value)}
    made.filters = {
        name: each if name in ("default", "d") else _filter(name, each) for name, each in given.filters.items()
    }
    return made


@lru_cache(maxsize=4)
def caps(given: jinja2.Template, source: str) -> Caps:
    """What the template of this source takes; it is rendered up to its end, or its first error."""
    template = _environment(given.environment).from_string(source)
    content, parts = _Text("Any news?"), _Array()
    printed = _rendered(template, [_Object(role="user", content=content)])
    strings = printed is not None and (content in printed or not content._walked)
    _rendered(template, [_Object(role="user", content=parts)])
    system = _Object(role="system", content=_Text("Be brief."))
    _rendered(template, [system, _Object(role="user", content=_Text("Look it up."))])
    arguments = _Object(word="tide")
    calling = _Object(
        role="assistant",
        content=_Text(""),
        tool_calls=[{"id": "abcdef123", "type": "function", "function": {"name": "look_up", "arguments": arguments}}],
    )
    conversation = [
        _Object(role="user", content=_Text("Look it up.")),
        calling,
        _Object(role="tool", content=_Text("High at nine."), tool_call_id="abcdef123"),
        _Object(role="assistant", content=_Text("High tide is at nine.")),
        _Object(role="user", content=_Text("Look it up.")),
    ]
    done = _rendered(template, conversation, [_TOOL]) is not None
    objects = done and "tool_calls" in calling._read and "word" in arguments._read
    return Caps(strings, content._walked or parts._walked, "content" in system._read, objects)


def _rendered(template: jinja2.Template, messages: list[_Object], tools: list[Any] | None = None) -> str | None:
    """The text; None if there is an error."""
    variables = {
        "messages": messages,
        "tools": tools or [],
        "bos_token": "",
        "eos_token": "",
        "add_generation_prompt": True,
    }
    try:
        return template.render(variables)
    except MemoryError:
        raise
    except Exception:
        return None
