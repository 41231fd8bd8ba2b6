"""What the caller of a chat template does to the variables first, with every part's path kept.

Both steps take tracked variables and give tracked variables; a key or text that they add points to the value that it
comes from.
"""

from typing import Any, NamedTuple

from promptlint.prompt import Path
from promptlint.render.template.values import TrackedDict, TrackedList, written

_REASONING = ("reasoning_content", "thinking", "reasoning")


class Refused(Exception):
    """The variables are not what the caller takes; the message says why."""


class Prepared(NamedTuple):
    """What a template is rendered with."""

    variables: TrackedDict
    notes: list[str]
    tail: str = ""  # what the caller adds behind the rendering


def transformers(variables: TrackedDict) -> TrackedDict:
    """As `apply_chat_template` of transformers 5.24.0 (tokenization_utils_base.py, utils/chat_template_utils.py).

    Members of a message that are null are dropped, and its reasoning gets the other names that templates read.
    """
    messages = variables.get("messages")
    if not isinstance(messages, TrackedList) or not messages:
        raise Refused("the conversation has no messages")
    for name, entries in (
        ("messages", messages),
        ("tools", variables.get("tools")),
        ("documents", variables.get("documents")),
    ):
        if entries is not None and not (
            isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
        ):
            raise Refused(f"{name} must be an array of objects")
    prepared = {"tools": None, "documents": None, "add_generation_prompt": False, **variables}
    prepared["messages"] = TrackedList([_with_reasoning(message) for message in messages], messages._path)
    return TrackedDict(prepared, variables._path)


def _with_reasoning(message: TrackedDict) -> TrackedDict:
    kept = {key: value for key, value in message.items() if value is not None}
    reasoning = next((kept[name] for name in _REASONING if name in kept), None)
    if reasoning is not None:
        source = next((*message._path, name) for name in _REASONING if name in kept)
        kept = {_added("thinking", source, kept): reasoning, **kept}
        kept[_added("reasoning_content", source, kept)] = reasoning
    return TrackedDict(kept, message._path)


def _added(name: str, source: Path, known: dict[str, Any]) -> str:
    """A key that the message itself has, or one that stands for the value at `source`."""
    return next((key for key in known if key == name), written(name, source))


def key_of(holder: TrackedDict, name: str) -> str:
    """The key that the object has, or one that stands for the object."""
    return _added(name, holder._path, holder)


def object_at(members: dict[str, str], path: Path) -> TrackedDict:
    """An object that a server makes of what stands at `path`."""
    made = {written(key, path): written(text, path) if type(text) is str else text for key, text in members.items()}
    return TrackedDict(made, path)


def spelled(path: Path) -> str:
    return "/" + "/".join(str(step) for step in path)
