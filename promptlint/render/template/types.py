"""What is rendered, and for whom."""

from typing import Literal, NamedTuple

Dialect = Literal["chat", "application"]
Profile = Literal["transformers", "vllm", "llama-cpp"]
"""Who calls a chat template: `apply_chat_template` alone, or a server, which changes the messages first."""


class Template(NamedTuple):
    """A template to render.

    "chat": a chat template, as transformers' `apply_chat_template` renders it. "application": any other one; only it
    may include others, out of the folders `roots`.
    """

    name: str  # for messages
    source: str
    dialect: Dialect
    roots: tuple[str, ...] = ()
