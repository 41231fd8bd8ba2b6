"""Servers that are asked: what is sent, what is read, what is refused, and what follows. No network is needed."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import certifi
import httpx
import pytest

from confirm_servers import (
    KEY,
    MUCH,
    VLLM,
    A,
    B,
    Fake,
    Reply,
    asked,
    chat,
    events,
    models,
    plain,
    serving,
    without_keys,
    written,
)  # fmt: skip
from promptlint.commands.confirm.live import LiveOptions, confirm_live
from promptlint.confirm.live.calls import Call
from promptlint.confirm.live.endpoint import endpoint
from promptlint.confirm.live.http import Connection, unanswered
from promptlint.errors import PromptlintError


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_keys(monkeypatch)
    monkeypatch.chdir(tmp_path)


def fault(folder: Path, *replies: Reply, **options: Any) -> str:
    """The line that an error of the server becomes."""
    with serving(*replies) as fake, pytest.raises(PromptlintError) as error:
        asked(folder, fake.address, max_usd=MUCH, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_pair_that_agrees_is_confirmed(tmp_path: Path) -> None:
    with serving(chat(400, 0), chat(420, 384), chat(420, 0), at=VLLM) as fake:
        report = asked(tmp_path, fake.address)
    facts = report.confirm
    assert facts is not None
    assert (report.verdict, facts.predicted_tokens, facts.observed_tokens) == ("confirmed", 384, 384)
    assert [(one.is_control, one.observed_tokens) for one in facts.seen] == [(False, 384), (True, 0)]
    assert facts.seen[0].source == "usage.prompt_tokens_details.cached_tokens"
    assert facts.calibration == 1.0
    assert facts.speed is not None
    assert 0 < facts.speed.ttft_cold <= (facts.speed.end_to_end_cold or 0)
    first, second, control = (one.body for one in fake.prompts)
    assert first["cache_salt"] == second["cache_salt"] != control["cache_salt"]
    assert (first["max_tokens"], second["max_tokens"]) == (1, 8)
    assert second["messages"] == B["messages"]
    assert second["stream_options"] == {"include_usage": True}


def test_a_pair_that_does_not_agree_is_tried_again_and_contradicted(tmp_path: Path) -> None:
    with serving(chat(400, 0), chat(420, 128), chat(400, 0), chat(420, 128), chat(420, 0), at=VLLM) as fake:
        report = asked(tmp_path, fake.address)
    assert report.verdict == "contradicted"
    assert report.confirm is not None
    assert "template or vocabulary" in report.confirm.seen[0].gap
    salts = [one.body["cache_salt"] for one in fake.prompts]
    assert len(salts) == 5
    assert len(set(salts)) == 3


def test_a_miss_now_and_then_is_not_hidden(tmp_path: Path) -> None:
    with serving(chat(400, 0), chat(420, 0), chat(400, 0), chat(420, 384), chat(420, 0), at=VLLM) as fake:
        report = asked(tmp_path, fake.address)
    facts = report.confirm
    assert facts is not None
    assert (report.verdict, len(fake.prompts)) == ("not_shown", 5)
    rows = [(one.b.rpartition("/")[2], one.observed_tokens) for one in facts.seen]
    assert rows == [("b.json (first try)", 0), ("b.json", 384), ("b.json", 0)]
    assert facts.seen[1].gap == "1 of 2 tries read nothing: another replica, or evicted in between"
    assert facts.calibration is None


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ([chat(400, None), chat(420, None), chat(420, None)], "does not say"),
        ([chat(400, 0), chat(420, 384), chat(420, 384)], "told to reuse nothing"),
    ],
)
def test_without_a_control_nothing_is_shown(tmp_path: Path, replies: list[Reply], why: str) -> None:
    with serving(*replies, at=VLLM) as fake:
        report = asked(tmp_path, fake.address)
    assert report.verdict == "not_shown"
    assert report.confirm is not None
    assert why in report.confirm.seen[0].gap


def test_salts_are_sent_where_the_interface_has_them(tmp_path: Path) -> None:
    usage = {"input_tokens": 20, "cache_read_input_tokens": 0, "output_tokens": 1}
    message = plain({"id": "m", "type": "message", "content": [], "usage": usage})
    body = {"model": "m", "max_tokens": 9, "system": "s", "messages": [{"role": "user", "content": "x"}]}
    with serving(message, at=VLLM) as fake:
        report = asked(tmp_path, fake.address, body, body)
    assert report.verdict == "not_shown"
    assert all(set(one.body) <= {*body, "stream"} for one in fake.prompts)


def test_counters_stand_in_for_usage(tmp_path: Path) -> None:
    class Counting(dict[str, Reply]):
        """A counter that grows with what the second request reads."""

        rising = iter([0, 0, 0, 0, 384, 384, 384])

        def __getitem__(self, path: str) -> Reply:
            if path != "/metrics":
                return super().__getitem__(path)
            rows = f'vllm:cache_config_info{{block_size="16"}} 1\nvllm:prefix_cache_hits_total {next(self.rising)}.0\n'
            return Reply((rows.encode(),), kind="text/plain")

    with serving(chat(400, None), chat(420, None), chat(420, None), at=Counting(VLLM)) as fake:
        report = asked(tmp_path, fake.address)
    assert report.confirm is not None
    assert (report.verdict, report.confirm.observed_tokens) == ("confirmed", 384)
    assert report.confirm.seen[0].source == "/metrics vllm:prefix_cache_hits_total"


def test_a_server_of_an_unknown_kind_has_its_first_request_as_control(tmp_path: Path) -> None:
    with serving(chat(280, 0), chat(290, 275)) as fake:
        report = asked(tmp_path, fake.address, max_usd=MUCH)
    assert report.verdict == "confirmed"
    assert len(fake.prompts) == 2
    assert any("no salt" in note for note in report.notes)
    with serving(chat(280, 280), chat(290, 275)) as fake:
        report = asked(tmp_path, fake.address, max_usd=MUCH)
    assert report.verdict == "not_shown"
    with serving(chat(280, 0), chat(290, 0), chat(280, 256)) as fake:
        report = asked(tmp_path, fake.address, max_usd=MUCH)
    assert report.verdict == "contradicted"
    assert report.confirm is not None
    assert "reads 256 tokens" in report.confirm.seen[0].gap
    with serving(chat(280, 0), chat(290, 0), chat(280, 0)) as fake:
        report = asked(tmp_path, fake.address, max_usd=MUCH)
    assert report.verdict == "not_shown"


@pytest.mark.parametrize(
    ("reply", "parts"),
    [
        (plain({"error": {"message": f"bad key {KEY}\nsecond line"}}, 401), ("refuses the key (401)", "[key]")),
        (plain({"error": {"message": f"bad key {KEY[:14]}..."}}, 401), ("bad key **************...",)),
        (plain({"error": {"message": f"a\x1b[31m\u202eb {KEY * 400}"}}, 400), ("a\\x1b[31m\\u202eb [key]",)),
        (Reply((b"x",), kind=f"text/{KEY}"), ("answers with text/",)),
        (plain({}, 302, headers=(("Location", f"https://{KEY}.example/x"),)), ("not carried",)),
        (plain({"error": {"message": "no"}}, 403), ("does not allow it (403): no",)),
        (plain({"detail": "Not Found"}, 404), ("/v1/chat/completions", "(404)", "base address")),
        (plain({"error": {"message": "slow down"}}, 429, headers=(("Retry-After", "17"),)), ("(429)", "in 17 s")),
        (plain({"message": "oops"}, 500), ("fails (500): oops",)),
        (Reply((b"<html>",), 503, "text/html"), ("fails (503)",)),
        (plain({}, 302, headers=(("Location", "https://u:p@evil.example/x"),)), ("evil.example (302)", "not carried")),
        (Reply((b"<html></html>",), kind="text/html; charset=utf-8"), ("a web page",)),
        (Reply((b"hello",), kind="text/plain"), ("answers with text/plain",)),
        (Reply((b"{",), kind="application/json"), ("is not JSON",)),
        (Reply((b"data: {\n\n",)), ("is not JSON",)),
        (Reply((b"data: " + b"[" * 100_000 + b"\n\n",)), ("is not JSON",)),
        (Reply(()), ("ended its answer before it began",)),
        (Reply((b": ping\n\ndata: [DONE]\n\n",)), ("ended its answer before it began",)),
        (Reply((events({"error": {"message": "no memory"}}),)), ("fails within its answer: no memory",)),
        (Reply((b"x" * (5 << 20),)), ("a line without an end",)),
    ],
)
def test_errors_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: Reply, parts: tuple[str]) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    line = fault(tmp_path, reply, key_env="MY_KEY")
    assert all(part in line for part in parts), line
    assert KEY[:12] not in line
    assert "u:p" not in line


def test_a_key_is_in_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that says the key wherever it can: as its model, as a reason, as an id."""
    monkeypatch.setenv("MY_KEY", KEY)
    reason = {"type": "cache_miss", "reason": f"\x1b[2J{KEY}\n"}
    replies = [chat(280, 0), chat(290, 275)]
    said = Reply((events({"id": KEY, "prompt_cache_diagnostics": reason}, end=False) + replies[1].parts[0],))
    bodies = [{"messages": one["messages"]} for one in (A, B)]
    with serving(replies[0], said, at={"/v1/models": models("x", f"m-{KEY}\x07")}) as fake:
        report = asked(tmp_path, fake.address, *bodies, max_usd=MUCH, key_env="MY_KEY")
    assert report.confirm is not None
    assert KEY[:8] not in str(report)
    assert report.confirm.model.startswith("m-*")
    assert report.confirm.model.endswith("\\x07")
    assert report.confirm.seen[0].miss_reason == "\\x1b[2J[key]"


def test_nothing_is_tried_twice_after_429(tmp_path: Path) -> None:
    with serving(plain({}, 429)) as fake, pytest.raises(PromptlintError):
        asked(tmp_path, fake.address, max_usd=MUCH)
    assert len(fake.prompts) == 1


def test_a_slow_server_is_left(tmp_path: Path) -> None:
    dripping = Reply(tuple(b": x\n" for _ in range(100_000)), pause=0.01)
    with serving(dripping) as fake:
        with pytest.raises(PromptlintError, match=r"has not answered within 0.3 s"):
            asked(tmp_path, fake.address, max_usd=MUCH, seconds=0.3)
        assert fake.left.wait(30)
        fake.left.clear()
        connection = Connection(seconds=0.3)
        with pytest.raises(PromptlintError, match=r"has not answered within 0.3 s"):
            connection.send(Call("POST", f"{fake.address}/v1/chat/completions"))
        assert fake.left.wait(30)  # it could not send all: nobody reads on
        connection.close()


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}"
        for cap in (None, MUCH):
            with pytest.raises(PromptlintError, match="cannot be reached"):
                asked(tmp_path, address, max_usd=cap)


def test_a_certificate_that_is_not_to_be_trusted() -> None:
    call = Call("GET", "https://inside.example:8443/v1/models")
    error = httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate")
    line = str(unanswered(error, call, httpx))
    assert line.startswith("the certificate of inside.example:8443 is not to be trusted; nothing was sent to it")


def test_certificates_of_ones_own_are_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates = Path(certifi.where()).read_text("utf-8")
    mark = "-----END CERTIFICATE-----"
    one = tmp_path / "own.pem"
    one.write_text(certificates[certificates.index("-----BEGIN") : certificates.index(mark)] + mark + "\n")
    given: list[Any] = []
    monkeypatch.setattr(httpx, "Client", lambda **options: given.append(options))
    Connection()
    monkeypatch.setenv("SSL_CERT_FILE", str(one))
    Connection()
    assert [options["trust_env"] for options in given] == [False, False]
    assert given[0]["verify"] is True
    assert len(given[1]["verify"].get_ca_certs()) == 1


def test_an_address_without_tls(tmp_path: Path) -> None:
    with serving(chat(1, 0)) as fake, pytest.raises(PromptlintError, match="TLS"):
        asked(tmp_path, fake.address.replace("http:", "https:"), max_usd=MUCH)
    assert fake.asked == []


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://example.com/v1", "without encryption"),
        ("http://10.0.0.1", "without encryption"),
        ("http://127.0.0.1.example.com", "without encryption"),
        ("https://user:pw@example.com", "a user or a password"),
        ("https://example.com/?key=abc", "holds key"),
        ("ftp://example.com", "no address"),
        ("example.com", "no address"),
        ("https://[::1", "no address"),
        ("https://a\nb", "no address"),
    ],
)
def test_addresses_that_are_not_asked(address: str, said: str) -> None:
    with pytest.raises(PromptlintError, match=said) as error:
        endpoint(address)
    assert "abc" not in str(error.value)
    assert "pw@" not in str(error.value)


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/openai/v1", "/openai/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
    ],
)
def test_addresses_are_bases_or_whole(tmp_path: Path, base: str, path: str) -> None:
    with serving(chat(280, 0), chat(290, 275)) as fake:
        asked(tmp_path, fake.address + base, max_usd=MUCH)
    assert {one.path for one in fake.prompts} == {path}


def test_keys_go_to_their_own_vendor_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(chat(280, 0), chat(290, 275)) as fake:
        asked(tmp_path, fake.address, max_usd=MUCH)
        asked(tmp_path, fake.address, key_env="OPENAI_API_KEY", max_usd=MUCH)
    assert [one.headers.get("authorization") for one in fake.prompts] == [None, None, f"Bearer {KEY}", f"Bearer {KEY}"]
    with pytest.raises(PromptlintError, match="the environment has no NOWHERE"):
        asked(tmp_path, fake.address, key_env="NOWHERE", max_usd=MUCH)


def test_recorded_headers_are_not_sent_again(tmp_path: Path) -> None:
    log = {"headers": {"authorization": f"Bearer {KEY}", "cookie": "a=b", "anthropic-beta": "x-1"}, "body": A}
    with serving(chat(280, 0), chat(290, 275)) as fake:
        asked(tmp_path, fake.address, log, B, max_usd=MUCH)
    text = json.dumps([one.headers for one in fake.asked])
    assert KEY not in text
    assert "a=b" not in text


def test_a_log_gives_a_calibration(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    third = {
        **B,
        "messages": [*B["messages"], {"role": "assistant", "content": "Blue."}, {"role": "user", "content": "More?"}],
    }
    log.write_text("\n".join(json.dumps(one) for one in (A, B, third)) + '\n{"x": 1}\n')
    with serving(chat(280, 0), chat(290, 275), chat(300, 150)) as fake:
        report = confirm_live(str(log), None, LiveOptions(fake.address, max_usd=MUCH))
    assert len(fake.prompts) == 3
    facts = report.confirm
    assert facts is not None
    assert (report.verdict, facts.calibration, len(facts.seen)) == ("contradicted", 0.5, 2)
    assert (facts.calibration_error or 0) > 50
    assert any("1 record is left out" in note for note in report.notes)


def test_a_log_that_ends_early_tells_what_it_has(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(
        "\n".join(json.dumps(one) for one in (A, B, {**B, "messages": [*B["messages"], *B["messages"][2:]]}))
    )
    with serving(chat(280, 0), chat(290, 275), plain({}, 429)) as fake:
        report = confirm_live(str(log), None, LiveOptions(fake.address, max_usd=MUCH))
    assert report.verdict == "confirmed"
    assert any("ended after 1 pair:" in note for note in report.notes)


def test_httpx_is_asked_for_by_name(tmp_path: Path) -> None:
    code = "import sys; sys.modules['httpx'] = None\nfrom promptlint.confirm.live.http import Connection\nConnection()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'promptlint-cache[live]'" in done.stderr


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = "import sys, promptlint.commands.confirm.live; sys.exit('httpx' in sys.modules or 'torch' in sys.modules)"
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )


def sent(fake: Fake) -> Any:
    return fake.prompts[-1].body


def test_an_answer_without_a_stream_is_read_too(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 290, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 275}}
    with serving(chat(280, 0), plain({"id": "x", "choices": [], "usage": usage})) as fake:
        report = asked(tmp_path, fake.address, max_usd=MUCH)
    assert report.verdict == "confirmed"
    assert report.confirm is not None
    assert report.confirm.speed is None
    assert sent(fake)["stream"] is True


@pytest.mark.parametrize(
    ("replies", "more", "code"),
    [
        ([chat(280, 0), chat(290, 275)], [], 0),
        ([chat(280, 0), chat(290, 100)], [], 1),
        ([chat(280, None), chat(290, None)], [], 0),
        ([chat(280, None), chat(290, None)], ["--strict"], 1),
        ([plain({}, 401)], [], 2),
    ],
)
def test_exit_codes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], replies: list[Reply], more: list[str], code: int
) -> None:
    from promptlint.cli import run

    one, two = written(tmp_path, a=A, b=B)
    with serving(*replies) as fake:
        assert run(["confirm", one, two, "--endpoint", fake.address, "--max-usd", "100", *more]) == code
    printed = capsys.readouterr()
    assert (printed.err.count("\n") == 1) == (code == 2)
