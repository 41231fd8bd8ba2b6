"""Streams and metrics of servers: however they are cut, and however odd, they are read in linear time."""

import math
import random

import pytest

from promptlint.confirm.live import calls, servers
from promptlint.confirm.live.calls import Answer, Chunk, Lines, events
from promptlint.confirm.live.http import message_of
from promptlint.confirm.live.keys import hidden
from promptlint.errors import PromptlintError

LARGE = 1 << 20


@pytest.mark.parametrize("seed", range(20))
def test_a_stream_may_be_cut_anywhere(seed: int) -> None:
    text = '\ufeff: hi\r\nevent: x\r\ndata: {"a":\r\ndata:"é…"}\r\n\r\nid: 3\rdata: two\r\rdata: [DONE]\n\ndata: last'
    rng, data = random.Random(seed), text.encode()
    found: list[tuple[str, str]] = []
    lines, start = Lines(), 0
    while start < len(data):
        size = rng.randint(1, 5)
        found += lines.feed(data[start : start + size])
        start += size
    found += lines.end()
    assert found == [("x", '{"a":\n"é…"}'), ("", "two"), ("", "[DONE]"), ("", "last")]


def test_a_line_without_an_end_is_joined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    joined: list[int] = []
    split = calls._split

    def counted(data: bytes) -> list[bytes]:
        joined.append(len(data))
        return split(data)

    monkeypatch.setattr(calls, "_split", counted)
    lines, part = Lines(), b"x" * 64
    for _ in range(10_000):
        assert list(lines.feed(part)) == []
    assert list(lines.feed(b"\n\n")) == []
    assert joined == [640_002]


def test_reading_ends_in_time_too() -> None:
    answer = Answer(200, {"content-type": "text/event-stream"}, (Chunk(0.0, b"data: 1\n\n"),) * 3)
    assert len(events(answer)) == 3
    with pytest.raises(PromptlintError, match="too long to read"):
        events(answer, until=-math.inf)


@pytest.mark.parametrize("cut", [1, 2, 3, 7])
def test_line_ends_may_be_cut(cut: int) -> None:
    data = b"data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n"
    lines = Lines()
    found = [event for at in range(0, len(data), cut) for event in lines.feed(data[at : at + cut])]
    assert [text for _, text in (*found, *lines.end())] == ["1", "2", "3"]


@pytest.mark.parametrize("odd", ["a", 'a="', 'block_size="', "{", "}", " ", '{block_size="16', "\\"])
def test_odd_metrics_are_read_in_linear_time(odd: str) -> None:
    """A quadratic search would not come to an end here."""
    for name in ("vllm:cache_config_info", "vllm:cache_config_info{", "vllm:prefix_cache_hits_total{"):
        text = name + odd * (LARGE // len(odd))
        assert servers._block(text, "vllm") is None
        assert servers.read_counter(text, "vllm") in (None, 0.0)


def test_metrics() -> None:
    text = (
        '# HELP vllm:cache_config_info x\nvllm:cache_config_info{a="b",cpu_block_size="9",block_size="16"} 1.0\n'
        'vllm:prefix_cache_hits_total{engine="0"} 3.0\nvllm:prefix_cache_hits_total{engine="1"} 4 1700000000\n'
        'vllm:prefix_cache_hits_total_more{engine="1"} 9\nvllm:prefix_cache_hits_total{engine="2"} NaN\n'
        "vllm:prefix_cache_hits_total{engine=}\n"
    )
    assert servers._block(text, "vllm") == 16
    assert servers.read_counter(text, "vllm") == 7
    assert servers.read_counter("sglang:cached_tokens_total 5\n", "sglang") == 5
    assert servers.read_counter(text, "llama-cpp") is None
    assert servers.read_counter(text, "") is None


@pytest.mark.parametrize("odd", ["a", "a=", "sk-", "eyJ", "://", "bearer ", '"', "{"])
def test_long_messages_are_cleaned_in_linear_time(odd: str) -> None:
    assert len(message_of({"error": {"message": odd * (LARGE // len(odd))}}, "sk-sk-sk-key-0001")) <= 161


@pytest.mark.parametrize(
    ("text", "key", "clean"),
    [
        ("key abcdefghij!", "abcdefghij", "key **********!"),
        ("key abcdefgh... and cdefghij", "abcdefghij", "key ********... and ********"),
        ("key abcdefg", "abcdefghij", "key abcdefg"),
        ("the key EMPTY", "EMPTY", "the key EMPTY"),
        (r"\u0061bcdefghij!", "abcdefghij", "***************!"),
        (r"x\\u0061bcdefgh\"", "abcdefghij", r"x**************\""),
        (r"\/abcdefg\/hi\"", "/abcdefg/hi", r"*************\""),
        (r"a\\bcdefghij", r"a\bcdefghij", "************"),
        ("?k=%61bcdefg%68ij&", "abcdefghij", "?k=**************&"),
        (r"\u00e9 \n \x abcdefgh\n", "abcdefghij", r"\u00e9 \n \x ********\n"),
        ("aaaaaaaaaaaaaab", "aaaaaaaaa", "**************b"),
        ("text", "", "text"),
        ("1 x 1", "1", "1 x 1"),
    ],
)
def test_runs_of_a_key_are_hidden(text: str, key: str, clean: str) -> None:
    assert hidden(text, key) == clean
