"""llama.cpp's own interface: prompts as texts or token ids, and what the server itself makes of a conversation."""

from collections.abc import Mapping, Sequence
from typing import Any

from promptlint.confirm.live.calls import Call, Carrier, Event, Reported, Sent, dumps, held, misfit, number, value_of
from promptlint.confirm.live.endpoint import Endpoint
from promptlint.confirm.live.http import checked
from promptlint.errors import PromptlintError

ENDS = ("/chat/completions", "/completions", "/completion", "/messages", "/responses", "/v1")
_CHATS = ("openai-chat", "messages")
# Fields of a request that change how its prompt is rendered.
_RENDERED = ("messages", "tools", "tool_choice", "chat_template_kwargs", "response_format", "parallel_tool_calls")
_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "seed", "id_slot", "lora", "n_keep")


def call(sent: Sent, place: Endpoint, salts: bool = False) -> Call:
    """The request that asks for one prompt, which stands in `prompt` of the body."""
    body = {name: sent.body[name] for name in _SAMPLING if name in sent.body}
    body |= {"prompt": sent.body["prompt"], "n_predict": sent.tokens, "stream": True, "return_tokens": True}
    body["cache_prompt"] = not sent.fresh
    return Call("POST", place.url(f"{place.root(*ENDS)}/completion"), dumps(body))


def is_output(event: Event) -> bool:
    """Whether an event brings a part of the answer."""
    return bool(held(event.value, "tokens")) or bool(held(event.value, "content"))


def is_answer(event: Event) -> bool:
    """Whether an event is one of this interface."""
    known = (("content", str), ("tokens", list), ("timings", dict))
    return any(isinstance(held(event.value, name), kind) for name, kind in known)


def read(events: Sequence[Event]) -> Reported:
    """What the events of one answer report."""
    ids: list[int] = []
    last: Any = None
    for event in events:
        tokens = held(event.value, "tokens")
        ids += [each for each in tokens if isinstance(each, int)] if isinstance(tokens, list) else []
        last = event.value if held(event.value, "timings") else last
    cached, fresh = (number(held(last, "timings", name)) for name in ("cache_n", "prompt_n"))
    return Reported(
        prompt_tokens=None if cached is None or fresh is None else cached + fresh,
        cached_tokens=cached,
        source="" if cached is None else "timings.cache_n",
        output_tokens=number(held(last, "tokens_predicted")),
        output_ids=tuple(ids),
        wrong=misfit((f"timings.{name}", held(last, "timings", name)) for name in ("cache_n", "prompt_n")),
    )


def prompt_text(body: Mapping[str, Any], format_name: str, place: Endpoint, carrier: Carrier, key: str = "") -> Any:
    """The prompt that the server makes of a request: a text, or the ids that were given.

    Raises PromptlintError for a request from which it makes none.
    """
    if format_name not in _CHATS:
        prompt = body.get("prompt")
        if isinstance(prompt, str) or (isinstance(prompt, list) and all(isinstance(each, int) for each in prompt)):
            return prompt
        raise PromptlintError("llama.cpp's own interface takes a text or token ids", "ask another one with --api")
    asked = {name: body[name] for name in _RENDERED if name in body}
    url = place.url(f"{place.root(*ENDS)}/apply-template")
    prompt = held(value_of(_sent(carrier, url, asked, key)), "prompt")
    if not isinstance(prompt, str):
        raise PromptlintError("the server's /apply-template gives no prompt", "is it llama.cpp's?")
    return prompt


def ids_of(prompt: Any, place: Endpoint, carrier: Carrier, key: str = "") -> tuple[int, ...]:
    """The token ids that the server makes of a prompt. Raises PromptlintError if it does not say."""
    if isinstance(prompt, list):
        return tuple(prompt)
    asked = {"content": prompt, "add_special": True, "parse_special": True}
    answer = value_of(_sent(carrier, place.url(f"{place.root(*ENDS)}/tokenize"), asked, key))
    return tokens_in(answer)


def tokens_in(answer: Any) -> tuple[int, ...]:
    """The ids of an answer of /tokenize. Raises PromptlintError if there are none."""
    tokens = held(answer, "tokens")
    if not isinstance(tokens, list) or not all(number(each) is not None for each in tokens):
        raise PromptlintError("the server's /tokenize gives no token ids", "is it llama.cpp's, or vLLM's?")
    return tuple(tokens)


def _sent(carrier: Carrier, url: str, body: Mapping[str, Any], key: str) -> str:
    asked = Call("POST", url, dumps(body))
    return checked(asked, carrier.send(asked), key=key).text
