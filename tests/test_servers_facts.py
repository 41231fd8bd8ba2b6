"""data/servers.yaml: every row says where it is from, and names what other tables know."""

from collections.abc import Iterator
from typing import Any

import pytest

from promptlint import facts
from promptlint.facts import engines, providers
from promptlint.facts.servers import engine_servers, host_of, interface

TABLE = facts.table("servers")


def sourced() -> Iterator[tuple[str, dict[str, Any]]]:
    paid = TABLE["paid"]
    yield from ((row["host"], row) for row in TABLE["hosts"])
    yield from ((row["field"], row) for row in paid["fields"])
    yield from ((row["pattern"], row) for row in paid["models"])
    yield from TABLE["interfaces"].items()
    yield from TABLE["engines"].items()
    yield "paid", paid


@pytest.mark.parametrize(("name", "row"), list(sourced()), ids=lambda each: each if isinstance(each, str) else "")
def test_every_row_has_a_source_and_a_day(name: str, row: dict[str, Any]) -> None:
    assert row["source"]
    assert row["checked"].count("-") == 2


def test_hosts_belong_to_providers_and_keys_to_one_vendor() -> None:
    without = [row["host"] for row in TABLE["hosts"] if not providers.is_known(row["provider"])]
    assert without == ["openrouter.ai"]  # what it reuses depends on whom it asks
    keys = [row["key"] for row in TABLE["hosts"] if "key" in row]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("name", "provider", "key"),
    [
        ("api.openai.com", "openai", "OPENAI_API_KEY"),
        ("eu.api.openai.com", "openai", "OPENAI_API_KEY"),
        ("openai.com.example.com", None, None),
        ("notopenai.com", None, None),
        ("generativelanguage.googleapis.com", "google", "GEMINI_API_KEY"),
        ("a.generativelanguage.googleapis.com", None, None),
        ("api.x.ai", "xai", ""),
    ],
)
def test_who_serves_where(name: str, provider: str | None, key: str | None) -> None:
    row = host_of(name)
    assert (row and row.provider, row and row.key) == (provider, key)


def test_engines_are_those_of_the_other_table() -> None:
    assert set(engine_servers()) <= set(engines.names())
    rows = engine_servers().values()
    assert len({row.owner for row in rows}) == len({row.path for row in rows}) == len(rows)


def test_interfaces() -> None:
    assert interface("anthropic").version == ("anthropic-version", "2023-06-01")
    assert interface("openai").cached[0] == ("prompt_tokens_details", "cached_tokens")
    assert interface("openai").version is None
