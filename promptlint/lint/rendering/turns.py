"""Turn n and turn n+1 of made-up conversations through a chat template: what of the earlier text is printed anew."""

import json
import re
from collections.abc import Callable, Container, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from promptlint.boundary import text_divergences
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.rendered import rendered_divergences
from promptlint.boundary.shown import is_printed
from promptlint.facts.causes import cause
from promptlint.lint.rendering.attempts import Fault, Refused, Stage, attempt
from promptlint.lint.rendering.conversations import TOOLS, Conversation, Message, conversations, with_string_arguments
from promptlint.lint.rendering.naming import narrower, words
from promptlint.lint.rendering.printed import Sources, deciding, looping, place, token_start
from promptlint.load import load
from promptlint.prompt import Document, Path, Rendered, Rendering, SourceByte, TemplateSource
from promptlint.read.raw import common_prefix
from promptlint.render import render
from promptlint.render.chat import rendered
from promptlint.render.template import Template
from promptlint.template import SourceRange

_PLACES: dict[Path, Path | None] = {("messages",): ("messages",), ("tools",): ("tools",)}
_SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
_OPENED = r"<(/?)[\w|:]*(?:think|thought|reason)\w*>"


class Rewrite(NamedTuple):
    """Text of turn n that the template prints otherwise at turn n+1."""

    cause: str  # a label of data/causes.yaml
    message: str
    at: SourceRange  # what prints it at turn n; what prints new text ahead of it at turn n+1, if it is pushed back
    related: SourceRange | None  # the condition that chose; of what opens an answer: what prints that turn as history
    conversation: str  # that shows it: "with tool calls"
    shared_tokens: int  # of turn n, ahead of the place
    tokens: int  # of turn n


class Tried(NamedTuple):
    """One request of a conversation, rendered."""

    messages: list[Message]
    found: Rendering


class Chat(NamedTuple):
    """A chat template and what is the same for all its renderings."""

    template: Template
    source: TemplateSource
    files: Sources
    now: datetime
    count: Callable[[str], int]


def rewrites(on: Stage, chat: Chat, refusals: list[Fault]) -> Iterator[Rewrite]:
    """The rewrites of all conversations, one of each kind; `refusals` gets why conversations were refused.

    Raises Stopped and Untried.
    """
    seen: set[SourceRange | None] = set()
    for conversation in conversations(chat.source.source):
        before: Tried | None = None
        for tried in _requests(on, chat, conversation, refusals):
            if before is not None and not tried.found.text.startswith(before.found.text):
                for rewrite in _between(chat, conversation, before, tried, seen):
                    kinds = {rewrite.at, rewrite.related or rewrite.at}
                    if not kinds & seen:
                        yield rewrite
                    seen |= kinds
            before = tried


def _requests(on: Stage, chat: Chat, conversation: Conversation, refusals: list[Fault]) -> Iterator[Tried]:
    """The requests of a conversation, as far as the template takes them."""
    messages = conversation.messages
    for size in conversation.requests:
        try:
            found = attempt(on, chat.template, variables(chat, conversation, messages[:size]), chat.now)
        except Refused as refused:
            if not conversation.tools or messages is not conversation.messages:
                refusals.append(refused.args[0])
                return
            messages = with_string_arguments(messages)
            try:
                found = attempt(on, chat.template, variables(chat, conversation, messages[:size]), chat.now)
            except Refused as again:
                refusals.append(again.args[0])
                return
        yield Tried(messages[:size], found)


def variables(chat: Chat, conversation: Conversation, messages: list[Message]) -> dict[str, Any]:
    """As a server names them, with the generation prompt."""
    return {
        **_SPECIAL,
        **dict(conversation.variables),
        "messages": messages,
        "tools": TOOLS if conversation.tools else None,
        "documents": None,
        "add_generation_prompt": True,
    }


def _between(
    chat: Chat, conversation: Conversation, one: Tried, two: Tried, seen: Container[SourceRange | None]
) -> Iterator[Rewrite]:
    """What differs in the text that turn n and turn n+1 both print."""
    equal = common_prefix(one.found.text, two.found.text)
    opener = max((origin.end for origin in one.found.origins if is_printed(origin)), default=0)
    if equal >= opener and (
        place(one.found, equal, chat.files) in seen
        or not _same_answer(one.found.text[opener:], reasons=conversation.reasons)
    ):
        return
    a, b = (_prompt(chat, conversation, tried) for tried in (one, two))
    form_a = render(a.request)
    form_b = render(b.request, like=form_a)
    found, _ = rendered_divergences(a, b, text_divergences(form_a, form_b), form_a, form_b)
    for divergence in found:
        if not cause(divergence.cause).benign and divergence.a_start < min(len(a.text), max(opener, equal + 1)):
            yield _rewrite(chat, conversation, divergence, (one, two), (a, b))


def _same_answer(opener: str, *, reasons: bool) -> bool:
    """Whether the answer of a conversation is one that a model gives behind such an opener.

    Behind `<think>` it reasons, behind an empty block of reasoning it does not.
    """
    said = list(re.finditer(_OPENED, opener))
    return not said or reasons == (not said[-1][1])


def _prompt(chat: Chat, conversation: Conversation, tried: Tried) -> Rendered:
    body: dict[str, Any] = {"messages": tried.messages}
    if conversation.tools:
        body["tools"] = TOOLS
    text = json.dumps(body)
    document = Document("conversation", None, None, text.encode(), text, "utf-8", SourceByte(0), 1)
    return rendered(load(document, input_format="openai-chat"), chat.source, tried.found, _PLACES)


def _rewrite(
    chat: Chat,
    conversation: Conversation,
    divergence: Divergence,
    tried: tuple[Tried, Tried],
    prompts: tuple[Rendered, Rendered],
) -> Rewrite:
    one, two = tried[0].found, tried[1].found
    label = narrower(divergence, *prompts)
    here = place(one, token_start(one.text, divergence.a_start), chat.files)
    there = place(two, token_start(two.text, divergence.b_start), chat.files)
    related: SourceRange | None
    if label == "template-asymmetry":
        at, related = here or there, there if here else None
    elif divergence.a_start == divergence.a_end:
        at, related = there or here, deciding(there, here, chat.files)
    else:
        ahead = place(two, max(token_start(two.text, divergence.b_start) - 1, 0), chat.files)
        at, related = here or there, deciding(here, ahead, chat.files) or deciding(here, there, chat.files)
    tokens = chat.count(one.text)
    if label == "history-trimmed" and related is None and at is not None:
        at, related = looping(at, chat.files) or at, at
    return Rewrite(
        label,
        words(label, divergence),
        at or SourceRange(0, 0, 0),
        related,
        conversation.name,
        min(chat.count(one.text[: divergence.a_start]), tokens - 1),
        tokens,
    )
