"""Variations of the conversation: another JSON shape, a system message put in front, turns added and dropped."""

from collections.abc import Iterator

from promptlint.load.blocks import marker_names
from promptlint.prompt import Item, Json, Path, Segment
from promptlint.vary.edit import changed, inserted, put, removed, without
from promptlint.vary.variation import Source, Variation, is_entry, texts

_BLOCK_TYPES = {
    "anthropic": "text",
    "bedrock-invoke": "text",
    "openai-chat": "text",
    "openai-responses": "input_text",
    "cohere-chat": "text",
    "messages": "text",
}
_INJECTED = "Answer in the language of the user."
_ANSWER, _QUESTION = "Here is what I found.", "Thank you. And what comes next?"
_ROLES = ("role", "from")
_SYSTEM = ("system", "developer")
_TURN = "a turn added at the end, markers left where they are"


def variations(source: Source) -> Iterator[Variation]:
    yield from _other_shape(source)
    yield from _injected(source)
    yield from _appended(source)
    yield from _trimmed(source)


def _other_shape(source: Source) -> Iterator[Variation]:
    """A text as a list of one block, or one such block as a text."""
    kind = _BLOCK_TYPES.get(source.request.format)
    if kind is None:
        return
    for item in (*source.items("system"), *source.items("messages")):
        if item.role in ("assistant", "tool", "function") or not texts(item):
            continue
        segment = texts(item)[0]
        holder = segment.path[:-2]
        if segment.path[-1] in ("content", "system"):
            block: Json = [{"type": kind, "text": segment.content}]
            yield Variation(
                "text-as-block",
                "messages",
                "a text sent as a list of one block",
                put(source.value, segment.path, block),
                segment.path,
            )
            return
        block = source.at(holder)
        if (
            isinstance(block, list)
            and len(block) == 1
            and isinstance(block[0], dict)
            and block[0].keys() == {"type", "text"}
        ):
            yield Variation(
                "block-as-text",
                "messages",
                "one block sent as a text",
                put(source.value, holder, segment.content),
                holder,
            )
            return


def _injected(source: Source) -> Iterator[Variation]:
    """A system text in front of the author's own, as gateways and frameworks put one there."""
    does, found = "a system text put in front of yours", None
    system = next((item for item in source.items("system") if texts(item)), None)
    if system is not None:
        segment = texts(system)[0]
        inner = segment.path[len(system.path) :]
        if not is_entry(system.path):  # one text, or one object with parts
            new = changed(source.value, segment.path, lambda held: f"{_INJECTED}\n\n{held}")
            found = new, segment.path
        else:
            found = inserted(source.value, system.path, _like(source, system, segment, inner, _INJECTED)), system.path
    elif source.request.format in ("anthropic", "bedrock-invoke"):
        path = (*source.request.path, "system")
        found = put(source.value, path, _INJECTED), path
    elif source.request.format in ("openai-chat", "ollama-chat", "cohere-chat"):
        path = (*source.request.path, "messages", 0)
        message: Json = {"role": "system", "content": _INJECTED}
        found = inserted(source.value, path, message), path
    elif source.request.format == "text":
        found = changed(source.value, (), lambda held: f"{_INJECTED}\n\n{held}"), ()
    if found is not None:
        yield Variation("system-injected", "messages", does, *found)


def _appended(source: Source) -> Iterator[Variation]:
    """The answer and the next question behind the newest message."""
    if source.request.format == "text":
        text = f"{source.value}\n\n{_ANSWER}\n\n{_QUESTION}"
        yield Variation("turn-appended", "messages", "a turn added at the end", text)
        return
    user = next(
        (item for item in reversed(source.items("messages")) if item.role in ("user", "human") and texts(item)), None
    )
    if user is None:
        return
    newest = source.items("messages")[-1]
    if user is newest and source.request.format == "openai-responses" and not is_entry(user.path):  # a bare text
        turns: list[Json] = [{"role": role, "content": text} for role, text in _turns(source.at(user.path))]
        yield Variation("turn-appended", "messages", _TURN, put(source.value, user.path, turns), user.path)
        return
    if not is_entry(user.path) or newest.path[:-1] != user.path[:-1] or not _roles_fit(source, user):
        return
    if any(segment.kind == "tool_call" for segment in newest.segments):  # which waits for its result
        return
    *holder, _ = newest.path
    segment = texts(user)[0]
    inner = segment.path[len(user.path) :]
    asked = _like(source, user, segment, inner, _QUESTION)
    turn = [asked] if newest.role in ("assistant", "model", "gpt") else [_as_answer(source, asked), asked]
    length = len(held) if isinstance(held := source.at(tuple(holder)), list) else 0
    value = inserted(source.value, (*holder, length), *turn)
    yield Variation("turn-appended", "messages", _TURN, value, newest.path)


def _turns(text: Json) -> list[tuple[str, Json]]:
    return [("user", text), ("assistant", _ANSWER), ("user", _QUESTION)]


def _roles_fit(source: Source, item: Item) -> bool:
    """Whether a message says who speaks in a field that is known."""
    message = source.at(item.path)
    return isinstance(message, dict) and any(name in message for name in _ROLES)


def _like(source: Source, item: Item, segment: Segment, inner: Path, text: str) -> Json:
    """An item like another one, with nothing but this text."""
    message = source.at(item.path)
    if not inner or not isinstance(message, dict):
        return text
    field = str(inner[0])
    if inner == ("text",):  # the item is a block
        return {**{name: held for name, held in message.items() if name not in marker_names()}, field: text}
    kept = {name: message[name] for name in message if name in _ROLES or name == field}
    body: Json = kept[field]
    if isinstance(body, list) and len(inner) > 1 and isinstance(inner[1], int):
        body = put([without(body[inner[1]], marker_names())], (0, *inner[2:]), text)
    else:
        body = put(body, inner[1:], text)
    return {**kept, field: body}


def _as_answer(source: Source, asked: Json) -> Json:
    """The same message with the role of who answers."""
    answers = [item.role for item in source.items("messages") if item.role in ("assistant", "model", "gpt")]
    role = answers[0] if answers else "model" if source.request.format == "gemini" else "assistant"
    if not isinstance(asked, dict):
        return asked
    named = next((name for name in _ROLES if name in asked), "role")
    found: dict[str, Json] = {**asked, named: role}
    content = found.get("content")
    if source.request.format == "openai-responses" and isinstance(content, list):
        blocks: list[Json] = [{**held, "type": "output_text"} if isinstance(held, dict) else held for held in content]
        found["content"] = blocks
    return {**found, "content": _ANSWER} if isinstance(content, str) else _answered(found)


def _answered(message: Json) -> Json:
    """The message with the answer for its question, wherever it stands."""
    if isinstance(message, dict):
        return {name: _answered(held) for name, held in message.items()}
    if isinstance(message, list):
        return [_answered(held) for held in message]
    return _ANSWER if message == _QUESTION else message


def _trimmed(source: Source) -> Iterator[Variation]:
    """Without the oldest question and its answer, as a sliding context window drops them."""
    items = source.items("messages")
    if len(items) < 3 or not is_entry(items[0].path) or items[0].role not in ("user", "human"):
        return
    questions = (
        number
        for number, item in enumerate(items[1:], 1)
        if item.role == items[0].role and all(segment.kind == "text" for segment in item.segments)
    )
    following = next(questions, None)
    if following is None or any(item.role in _SYSTEM for item in items[:following]):
        return
    value = source.value
    for item in reversed(items[:following]):
        value = removed(value, item.path)
    yield Variation("oldest-turn-dropped", "messages", "the oldest turn left out", value, items[0].path)
