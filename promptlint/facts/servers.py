"""Servers that are asked: hosts, keys, interfaces, and what is charged beside tokens; data/servers.yaml, typed."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

from promptlint import facts

Kind = Literal["vllm", "sglang", "llama-cpp", ""]
"""An engine that one hosts oneself: a key of `engines`; "": none that is known."""


class Host(NamedTuple):
    """Who serves at an address."""

    host: str
    below: bool  # hosts below it belong to it, too
    provider: str
    key: str  # the variable that holds the key for it, or ""


class Diagnostics(NamedTuple):
    """How the vendor's own reason for a miss is asked for."""

    field: str  # of the request
    previous: str  # the field below it that names the answer to compare with
    flag: str  # that must be set for it, or ""
    models: str  # pattern of the models that have it, or "": all


class Interface(NamedTuple):
    """What one interface asks for and reports."""

    cached: tuple[
        tuple[str, ...], ...
    ]  # ways below `usage` to the tokens that were read; the first that is there counts
    diagnostics: Diagnostics
    version: tuple[str, str] | None  # header and value
    least_response_tokens: int


class EngineServer(NamedTuple):
    """How an engine shows itself over HTTP."""

    kind: Kind
    owner: str  # `owned_by` in /v1/models
    path: str  # one that only this engine has
    field: str  # of its answer
    counters: tuple[str, ...]  # of tokens read from the cache so far, by the names that versions have
    block_label: tuple[str, str] | None  # metric and label that hold the size of a block
    salts: bool  # it keeps caches apart by `cache_salt`


def host_of(name: str) -> Host | None:
    """The row of a host, if it is known."""
    return next((row for row in _hosts() if name == row.host or (row.below and name.endswith(f".{row.host}"))), None)


@cache
def _hosts() -> tuple[Host, ...]:
    rows = facts.table("servers")["hosts"]
    return tuple(Host(row["host"], row.get("below", False), row["provider"], row.get("key", "")) for row in rows)


@cache
def interface(name: Literal["openai", "anthropic"]) -> Interface:
    """The row of an interface."""
    row: dict[str, Any] = facts.table("servers")["interfaces"][name]
    told, version = row["diagnostics"], row.get("version")
    return Interface(
        cached=tuple(tuple(way) for way in row["cached"]),
        diagnostics=Diagnostics(told["field"], told["previous"], told.get("flag", ""), told.get("models", "")),
        version=(version["header"], version["value"]) if version else None,
        least_response_tokens=row.get("least_response_tokens", 0),
    )


@cache
def engine_servers() -> Mapping[str, EngineServer]:
    """Every engine with a row, by its key."""
    return {kind: _engine_server(kind, row) for kind, row in facts.table("servers")["engines"].items()}


def _engine_server(kind: Kind, row: dict[str, Any]) -> EngineServer:
    label = row.get("block_label")
    return EngineServer(
        kind=kind,
        owner=row["owner"],
        path=row["says"]["path"],
        field=row["says"]["field"],
        counters=tuple(row["counters"]),
        block_label=(label["metric"], label["label"]) if label else None,
        salts=row["salts"],
    )


def paid_extra(body: Mapping[str, Any], format_name: str, model: str) -> str | None:
    """The first thing that the vendor would do beside answering, at a price that no table has; None: nothing.

    `format_name`: a key of data/formats.yaml. Only tools that the author's own program runs are known to cost nothing.
    """
    rows = facts.table("servers")["paid"]
    for row in rows["fields"]:
        if body.get(row["field"]) not in (None, [], False):
            return str(row["field"])
    if any(re.search(row["pattern"], model) for row in rows["models"]):
        return model
    own, untyped = rows["own_tools"], rows["untyped"]
    names, tools = own.get(format_name, own["chat"]), body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        for name in _names(tool, format_name, untyped):
            if not any(name == each or (each[-1] == "*" and name.startswith(each[:-1])) for each in names):
                return name
    return None


def _names(tool: Any, format_name: str, untyped: list[str]) -> list[str]:
    """What a tool is called by: its type, or its fields, where it has none and they tell."""
    if not isinstance(tool, dict):
        return []
    if format_name == "gemini":
        return list(tool)
    kind = tool.get("type")
    return [kind] if isinstance(kind, str) else [name for name in tool if name not in ("type", *untyped)]
