"""What kind of server answers: its name, its block, its salts, its counters. Found by questions that cost nothing."""

import math
import re
from typing import Any, NamedTuple

from promptlint.confirm.live import llama_server
from promptlint.confirm.live.calls import Call, Carrier, Sent, dumps, held, value_of
from promptlint.confirm.live.endpoint import Endpoint
from promptlint.confirm.live.http import checked
from promptlint.errors import PromptlintError
from promptlint.facts import engines
from promptlint.facts.servers import Kind, engine_servers


class Server(NamedTuple):
    """What is known of the one who answers."""

    kind: Kind = ""
    model: str | None = None  # the first that it serves
    block: int | None = None  # tokens; None: not known, or no blocks
    counts: bool = False  # it has counters
    isolates: bool = False  # the interface that is used can ask it to reuse nothing: another salt, no `cache_prompt`
    is_itself: bool = False  # it says twice that it is this engine, so that it is no gateway to another
    unheard: PromptlintError | None = None  # why it could not be asked who it is

    @property
    def salts(self) -> bool:
        """Whether caches are kept apart by `cache_salt`."""
        return self.isolates and self.kind != "" and engine_servers()[self.kind].salts

    @property
    def title(self) -> str:
        return engines.engine(self.kind).title if self.kind else ""


def found(place: Endpoint, carrier: Carrier, api: str, format_name: str) -> Server:
    """What the server says of itself. One who does not say is asked all the same.

    `api`, `format_name`: the interface that is used, and for which requests. Salts are known of OpenAI's interface, and
    llama.cpp takes `cache_prompt` there and in its own, not in that of Anthropic.
    """
    if place.provider is not None:
        return Server()
    root = place.root(*llama_server.ENDS)
    unheard = None
    try:
        listed = held(_asked(carrier, place.url(f"{root}/v1/models")), "data")
    except PromptlintError as error:
        listed, unheard = None, error
    rows = listed if isinstance(listed, list) else []
    owners = {held(row, "owned_by") if isinstance(held(row, "owned_by"), str) else "" for row in rows}
    name = held(rows[0], "id") if rows else None
    engine = next((row for row in engine_servers().values() if owners and owners <= {row.owner}), None)
    kind: Kind = engine.kind if engine else "llama-cpp" if api == "llama-server" else ""
    plain = api == "llama-server" or (api == "openai" and format_name != "openai-responses")
    isolates = kind != "" and (plain or (kind == "vllm" and api == "openai"))
    server = Server(kind, name if isinstance(name, str) else None, isolates=isolates, unheard=unheard)
    if engine is None:
        return server
    if place.is_local:  # elsewhere somebody is paid anyway
        server = server._replace(is_itself=_says(carrier, place.url(f"{root}{engine.path}"), engine.field))
    if not engine.counters:
        return server
    text = _metrics(place, carrier)
    return server._replace(block=_block(text, kind), counts=read_counter(text, kind) is not None)


def counter(place: Endpoint, carrier: Carrier, server: Server) -> float | None:
    """The tokens that the server has read from its cache so far; None: it has no such counter."""
    return read_counter(_metrics(place, carrier), server.kind) if server.counts else None


def read_counter(text: str, kind: Kind) -> float | None:
    """The sum of a counter over all its labels, in the text of Prometheus."""
    for name in engine_servers()[kind].counters if kind else ():
        values = [_float(rest.rpartition("}")[2]) for rest in _rows(text, name)]
        if values:
            return sum(values)
    return None


def counter_name(kind: Kind) -> str:
    """How a kind of server calls its counter."""
    return engine_servers()[kind].counters[0]


def _block(text: str, kind: Kind) -> int | None:
    """The tokens in a block, where they stand in a label."""
    place = engine_servers()[kind].block_label
    if place is None:
        return None
    for rest in _rows(text, place[0]):
        size = re.search(rf'(?<!\w){place[1]}="([1-9][0-9]{{0,5}})"', rest)
        return int(size[1]) if size else None
    return None


def _rows(text: str, metric: str) -> list[str]:
    """What stands behind the name of a metric: its labels and its value."""
    rows = (line.strip() for line in text.splitlines())
    return [line[len(metric) :] for line in rows if line.startswith((f"{metric}{{", f"{metric} "))]


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


def _asked(carrier: Carrier, url: str) -> Any:
    """The JSON at an address; None where there is none. Raises PromptlintError if nobody answers."""
    answer = carrier.send(Call("GET", url))
    try:
        return value_of(answer.text) if answer.status == 200 else None
    except PromptlintError:
        return None


def _says(carrier: Carrier, url: str, field: str) -> bool:
    try:
        return held(_asked(carrier, url), field) is not None
    except PromptlintError:
        return False


def _metrics(place: Endpoint, carrier: Carrier) -> str:
    try:
        answer = carrier.send(Call("GET", place.url(f"{place.root(*llama_server.ENDS)}/metrics")))
    except PromptlintError:
        return ""
    return answer.text if answer.status == 200 else ""


def _float(text: str) -> float:
    """The value of a row, which a time may follow."""
    try:
        value = float(next(iter(text.split()), ""))
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0
