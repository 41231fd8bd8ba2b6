"""What kind of server answers: its name, its block, its salts, its counters. Found by questions that cost nothing."""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from promptlint.confirm.live import llama_server
from promptlint.confirm.live.calls import Call, Carrier, Sent, dumps, held
from promptlint.confirm.live.endpoint import Endpoint
from promptlint.confirm.live.faults import checked
from promptlint.confirm.live.stream import value_of
from promptlint.errors import PromptlintError

Kind = Literal["vllm", "sglang", "llama-cpp", ""]

_OWNERS: Mapping[str, Kind] = {"vllm": "vllm", "sglang": "sglang", "llamacpp": "llama-cpp"}
# Tokens that were read from the cache, so far. Versions of vLLM and SGLang call them by several names.
_COUNTERS: Mapping[str, tuple[str, ...]] = {
    "vllm": ("vllm:prefix_cache_hits_total", "vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits_total"),
    "sglang": ("sglang:cached_tokens_total", "sglang:cached_tokens"),
    "llama-cpp": ("llamacpp:prompt_tokens_cached_total",),
}
_LINE = re.compile(r"([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Server(NamedTuple):
    """What is known of the one who answers."""

    kind: Kind = ""
    model: str | None = None  # the first that it serves
    block: int | None = None  # tokens; None: not known, or no blocks
    counts: bool = False  # it has counters
    isolates: bool = False  # the interface that is used can ask it to reuse nothing

    @property
    def salts(self) -> bool:
        """Whether caches are kept apart by `cache_salt`: vLLM 0.9 and later, SGLang."""
        return self.isolates and self.kind in ("vllm", "sglang")

    @property
    def can_start_afresh(self) -> bool:
        """Whether a request can be made to reuse nothing: with another salt, or with `cache_prompt: false`."""
        return self.isolates

    @property
    def title(self) -> str:
        return {"vllm": "vLLM", "sglang": "SGLang", "llama-cpp": "llama.cpp", "": ""}[self.kind]


def found(place: Endpoint, carrier: Carrier, api: str, format_name: str) -> Server:
    """What the server says of itself. One who does not say is asked all the same.

    `api`, `format_name`: the interface that is used, and for which requests. Salts are known of OpenAI's interface, and
    llama.cpp takes `cache_prompt` there and in its own, not in that of Anthropic.
    """
    if place.provider is not None:
        return Server()
    root = place.root(*llama_server.ENDS)
    value = _json(carrier, place.url(f"{root}/v1/models"))
    first = next(iter(held(value, "data") or ()), None) if isinstance(held(value, "data"), list) else None
    owner, name = held(first, "owned_by"), held(first, "id")
    kind: Kind = _OWNERS.get(owner if isinstance(owner, str) else "", "")
    if api == "llama-server" and not kind:
        kind = "llama-cpp"
    plain = api == "llama-server" or (api == "openai" and format_name != "openai-responses")
    isolates = kind != "" and (plain or (kind == "vllm" and api == "openai"))
    server = Server(kind, name if isinstance(name, str) else None, isolates=isolates)
    if kind not in ("vllm", "sglang"):
        return server
    text = _metrics(place, carrier)
    return server._replace(block=_block(text), counts=read_counter(text, kind) is not None)


def counter(place: Endpoint, carrier: Carrier, server: Server) -> float | None:
    """The tokens that the server has read from its cache so far; None: it has no such counter."""
    return read_counter(_metrics(place, carrier), server.kind) if server.counts else None


def read_counter(text: str, kind: str) -> float | None:
    """The sum of a counter over all its labels, in the text of Prometheus."""
    rows = [match.groups() for line in text.splitlines() if (match := _LINE.fullmatch(line.strip()))]
    for name in _COUNTERS.get(kind, ()):
        values = [_float(value) for metric, _, value in rows if metric == name]
        if values:
            return sum(values)
    return None


def counter_name(kind: str) -> str:
    """How a kind of server calls its counter."""
    return _COUNTERS[kind][0]


def _block(text: str) -> int | None:
    """The tokens in a block of vLLM, which stand in a label."""
    for line in text.splitlines():
        if line.startswith("vllm:cache_config_info"):
            labels = dict(_LABEL.findall(line))
            size = labels.get("block_size", "")
            return int(size) if size.isdecimal() and len(size) < 7 and int(size) else None
    return None


def ids(place: Endpoint, carrier: Carrier, server: Server, sent: Sent, key: str = "") -> tuple[int, ...] | None:
    """The token ids that the server itself makes of a prompt; None where it does not tell."""
    chat = sent.format in ("openai-chat", "messages")
    try:
        if server.kind == "llama-cpp" and (chat or sent.format in ("completion", "text", "token-ids")):
            prompt = llama_server.prompt_text(sent.body, sent.format, place, carrier, key)
            return llama_server.ids_of(prompt, place, carrier, key)
        if server.kind == "vllm" and (chat or sent.format in ("completion", "text")):
            names = ("messages", "tools", "chat_template_kwargs", "prompt")
            body = {name: sent.body[name] for name in names if name in sent.body}
            asked = Call(
                "POST", place.url(f"{place.root(*llama_server.ENDS)}/tokenize"), dumps({"model": sent.model} | body)
            )
            return llama_server.tokens_in(value_of(checked(asked, carrier.send(asked), key=key).text))
    except PromptlintError:
        return None
    return None


def _json(carrier: Carrier, url: str) -> Any:
    try:
        answer = carrier.send(Call("GET", url))
        return value_of(answer.text) if answer.status == 200 else None
    except PromptlintError:
        return None


def _metrics(place: Endpoint, carrier: Carrier) -> str:
    try:
        answer = carrier.send(Call("GET", place.url(f"{place.root(*llama_server.ENDS)}/metrics")))
    except PromptlintError:
        return ""
    return answer.text if answer.status == 200 else ""


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
