"""Recorded HTTP traffic: which of its exchanges is a request to a model, and which one is meant."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.load import cassette, har
from promptlint.load.blocks import Body
from promptlint.load.exchange import Exchange, Opened, opened
from promptlint.prompt import Json, Path
from promptlint.read.names import shown

_NAMED = 6  # entries named in a hint
# Addresses whose body looks like a request, and makes no answer.
_NO_PROMPTS = ("/embeddings", "/moderations", "/count_tokens", ":countTokens", ":embedContent", "/rerank")
_FLAGS = ("-beta", "-version")
_KEYS = frozenset({"authorization", "x-api-key"})  # secrets: not compared, and recorders take them out at will


class Recorded(NamedTuple):
    """The request of one exchange."""

    exchange: Exchange
    path: Path
    value: Json
    notes: tuple[str, ...]


def recorded(value: Json, entry: int | None, is_request: Callable[[Json], bool]) -> Recorded | None:
    """The request that is meant in a HAR or a cassette; None if the value is neither.

    Entries are counted from 0 as the file has them, whatever they hold; without `entry` the only one that asks a model
    is meant. `is_request` knows such a body. Raises PromptlintError if none is meant, or not only one.
    """
    title, exchanges = har.TITLE, har.exchanges(value)
    if exchanges is None:
        title, exchanges = cassette.TITLE, cassette.exchanges(value)
    if exchanges is None:
        return None
    if entry is None:
        asking = [n for n, each in enumerate(exchanges) if not _refusal(each, _opened(each), is_request)]
        if len(asking) != 1:
            raise _no_choice(title, exchanges, asking)
        entry = asking[0]
    elif entry >= len(exchanges):
        known = f"it has the entries #0 to #{len(exchanges) - 1}" if exchanges else "it has none"
        raise PromptlintError(f"{title} without an entry #{entry}", known)
    exchange = exchanges[entry]
    body = _opened(exchange)
    if refusal := _refusal(exchange, body, is_request):
        raise PromptlintError(
            f"entry #{entry} of {title}, {_address(exchange)}, {refusal}", "name one that asks a model"
        )
    return Recorded(exchange, body.path, body.value, tuple(_notes(title, exchange, body)))


def completed(body: Body, found: Recorded) -> Body:
    """What a request holds, with what stood beside it: headers that may key a cache, and the model in the address."""
    headers = _key_headers(found.exchange)
    settings: dict[Path, Json] = {path: value for path, (_, value) in headers.items()}
    named: dict[Path, tuple[str, ...]] = {path: ("headers", name) for path, (name, _) in headers.items()}
    model = _model(found.exchange) if body.model is None else None
    if model is not None:
        named[model[0]] = ("model",)
    return body._replace(
        model=body.model if model is None else model[1],
        settings={**settings, **body.settings},
        named={**named, **body.named},
        notes=(*found.notes, *body.notes),
    )


def _opened(exchange: Exchange) -> Opened:
    return opened(exchange.body, exchange.body_path)


def _refusal(exchange: Exchange, body: Opened, is_request: Callable[[Json], bool]) -> str:
    """Why an exchange does not ask a model, or cannot be read; "" if it does."""
    if _parts(exchange.url).path.rstrip("/").endswith(_NO_PROMPTS):
        return "asks a model for no answer, so nothing is cached"
    if body.fault:
        return body.fault
    return "" if is_request(body.value) else "is no request to a model"


def _no_choice(title: str, exchanges: list[Exchange], asking: list[int]) -> PromptlintError:
    if asking:
        numbers = ", ".join(f"#{number}" for number in asking[:_NAMED]) + (", …" if len(asking) > _NAMED else "")
        return PromptlintError(
            f"{title} with {len(asking)} requests to a model, not one", f"add one of {numbers} to its name"
        )
    if not exchanges:
        return PromptlintError(f"{title} without entries", "record a request to a model")
    return PromptlintError(
        f"{title} of which none of the {len(exchanges)} entries can be read as a request to a model",
        "#0 tells why its first entry cannot",
    )


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # brackets that are no address
        return urlsplit("")


def _address(exchange: Exchange) -> str:
    """Method, host and path: what follows may be a key."""
    parts = _parts(exchange.url)
    address = f"{exchange.method} {parts.hostname or ''}{parts.path}".strip()
    return shown(address) or "without an address"


@cache
def _key_names() -> frozenset[str]:
    """The headers, in lower case, of which some provider says that they are part of a key, without what is secret."""
    rows = (row for provider in facts.table("providers").values() for row in provider.get("settings", ()))
    names = (row["field"].removeprefix("headers.") for row in rows if row["field"].startswith("headers."))
    return frozenset(names) - _KEYS


def _key_headers(exchange: Exchange) -> dict[Path, tuple[str, str]]:
    """Where the value of a header stands -> its name in lower case, and the value; all others are left alone."""
    lower = [(path, name.lower(), value) for path, name, value in exchange.headers]
    return {path: (name, value) for path, name, value in lower if name in _key_names() or name.endswith(_FLAGS)}


def _model(exchange: Exchange) -> tuple[Path, str] | None:
    """Bedrock, Gemini and Azure name the model, or its deployment, in the address."""
    found = re.search(r"/(?:model/([^/]+)/|models/([^/:]+):|deployments/([^/]+)/)", _parts(exchange.url).path)
    return (exchange.url_path, unquote(found[1] or found[2] or found[3])) if found else None


def _notes(title: str, exchange: Exchange, body: Opened) -> Iterator[str]:
    yield f"{title}: headers with keys are not compared, and another account has another cache"
    if title == cassette.TITLE:
        yield "a cassette keeps the dates of its recording, and may have been filtered of headers and fields"
    if exchange.parsed:
        yield "the cassette holds the body as parsed: the order of its keys and its white space may not be those sent"
    if body.packed:
        yield "the body is in base64 or compressed: every place in it is that of its beginning"
