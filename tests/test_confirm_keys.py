"""Keys that a server repeats, or that are words of a prompt: nothing secret is kept, and nothing is rewritten."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirm_servers import KEY, MUCH, A, B, Reply, asked, chat, delta, events, serving, without_keys
from promptlint.confirm.live.calls import Answer, Call
from promptlint.confirm.live.cassette import Recording
from promptlint.confirm.live.keys import hidden, holds
from promptlint.errors import PromptlintError
from promptlint.finding import Report

USAGE = {"prompt_tokens": 290, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 275}}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_keys(monkeypatch)
    monkeypatch.chdir(tmp_path)


def recorded(folder: Path, *parts: Any, **options: Any) -> tuple[Report, Path]:
    """The report on two requests, the second of which is answered with these deltas; and the place of the cassette."""
    kept = folder / "kept.json"
    said = Reply((b"".join(part if isinstance(part, bytes) else events(part, end=False) for part in parts),))
    last = events({"id": "c1", "choices": [], "usage": USAGE})
    with serving(chat(280, 0), said._replace(parts=(*said.parts, last))) as fake:
        return asked(folder, fake.address, cassette=str(kept), max_usd=MUCH, key_env="MY_KEY", **options), kept


def replayed(folder: Path, kept: Path) -> Report:
    return asked(folder, "http://127.0.0.1:1", cassette=str(kept))


@pytest.mark.parametrize(
    "said",
    [
        KEY.replace("sk-", r"\u0073k-"),
        KEY.replace("sk-", r"\\u0073k-"),
        "".join(f"\\u{ord(letter):04x}" for letter in KEY),
        KEY[:3] + r"\u0070" + KEY[4:] + r"\"",
        "https://x.example/%73k" + KEY[2:],
        KEY[5:],
    ],
)
def test_an_escaped_key_is_in_no_cassette(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    row = json.dumps(delta("TEXT")).replace("TEXT", said)
    report, kept = recorded(tmp_path, f"data: {row}\n\n".encode())
    value = json.loads(kept.read_text("utf-8"))
    body = next(one["response"]["body"]["string"] for one in value["interactions"] if "*" * 8 in str(one["response"]))
    text = json.loads(body.partition("\n")[0].removeprefix("data: "))["choices"][0]["delta"]["content"]
    assert KEY[-8:] not in text
    assert KEY[5:13] not in text
    again = replayed(tmp_path, kept)
    assert report.confirm is not None
    assert again.confirm is not None
    assert (report.verdict, report.confirm.seen) == (again.verdict, again.confirm.seen)


def test_a_key_in_pieces_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    report, kept = recorded(tmp_path, *(delta(KEY[at : at + 4]) for at in range(0, len(KEY), 4)))
    assert report.verdict == "confirmed"
    assert "not recorded: an answer holds the key in pieces, or where it cannot be hidden" in report.notes
    assert not kept.exists()


@pytest.mark.parametrize("key", ["a", "data", "test", "choices", "EMPTY"])
def test_a_short_key_is_a_word_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("MY_KEY", key)
    bodies = [{**one, "messages": [{"role": "system", "content": f"{key} test"}, *one["messages"]]} for one in (A, B)]
    report, kept = recorded(tmp_path, delta(f"this is {key}"), a=bodies[0], b=bodies[1])
    assert any("shorter than 8 characters" in note for note in report.notes)
    calls = [one for one in json.loads(kept.read_text("utf-8"))["interactions"] if one["request"]["method"] == "POST"]
    sent = [json.loads(one["request"]["body"])["messages"] for one in calls]
    assert sent[:2] == [one["messages"] for one in bodies]
    assert f"this is {key}" in calls[1]["response"]["body"]["string"]
    again = asked(tmp_path, "http://127.0.0.1:1", *bodies, cassette=str(kept))
    assert again.verdict == report.verdict == "confirmed"


def test_a_key_in_a_request_is_neither_sent_nor_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "password")
    body = {**B, "messages": [*B["messages"], {"role": "user", "content": "My password is lost."}]}
    kept = tmp_path / "kept.json"
    with serving(chat(280, 0)) as fake:
        with pytest.raises(PromptlintError, match="a request holds the key, so the cassette would hold it too"):
            asked(tmp_path, fake.address, A, body, cassette=str(kept), max_usd=MUCH, key_env="MY_KEY")
        assert fake.asked == []
        report = asked(tmp_path, fake.address, A, body, max_usd=MUCH, key_env="MY_KEY")
    assert report.verdict == "not_shown"
    assert not kept.exists()


@pytest.mark.parametrize(("key", "is_kept"), [("prompt_tokens_details", False), ("my-completion-key", True)])
def test_names_in_an_answer_are_not_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, is_kept: bool
) -> None:
    """Where the key is a field's name, there is no cassette; where it shares a word with what was sent, it is one."""
    monkeypatch.setenv("MY_KEY", key)
    body = {**B, "max_completion_tokens": 3}
    report, kept = recorded(tmp_path, delta("x"), a={**A, "max_completion_tokens": 3}, b=body)
    assert (report.verdict, kept.exists()) == ("confirmed", is_kept)
    if is_kept:
        assert "completion_tokens" in kept.read_text("utf-8")


@given(st.text(alphabet='abc\\"/u0061%62 é\n', max_size=60), st.sampled_from(["abcabcabc", "a/b/c/a/b/c", "aaaaaaaab"]))
def test_hiding_keeps_the_length_and_json(text: str, key: str) -> None:
    whole = f"{text}{key}{json.dumps(key)}{text}"
    clean = hidden(whole, key)
    assert len(clean) == len(whole)
    assert not holds(clean, key)
    row = json.dumps({"text": whole, "n": 1})
    again = json.loads(hidden(row, key))
    assert list(again) == ["text", "n"]
    assert not holds(again["text"], key)


@pytest.mark.parametrize(
    "call",
    [
        Call("GET", f"https://x.example/v1/models?k={KEY}"),
        Call("POST", "https://x.example/v1", json.dumps({"model": KEY}).replace("sk-", r"\u0073k-")),
        Call("POST", "https://x.example/v1", "{}", (("anthropic-beta", KEY),)),
    ],
)
def test_nothing_with_the_key_in_it_goes_out_while_recording(call: Call) -> None:
    """However it came there: as the id of an answer, as the name that a server gives its model."""

    class Inner:
        def send(self, call: Call) -> Answer:
            pytest.fail("it was sent")

        def close(self) -> None:
            pass

    with pytest.raises(PromptlintError, match="a request holds the key"):
        Recording("kept.json", Inner(), KEY).send(call)
