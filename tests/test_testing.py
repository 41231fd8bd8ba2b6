"""The pytest plugin: what users' own tests say of the prompts that their code builds and sends."""

import datetime
import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import httpx2
import pytest

from promptlint.errors import PromptlintError
from promptlint.testing import assert_prefix_stable
from promptlint.testing.recorder import Recorder, record_requests

pytest_plugins = ["pytester"]

LONG = "Answer politely, and quote the number of the order. " * 200
CHAT = "https://api.openai.com/v1/chat/completions"


def chat(system: str, *turns: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": turn} for index, turn in enumerate(turns)]
    return {"model": "gpt-5", "messages": [{"role": "system", "content": system}, *messages]}


def claude(system: str, question: str, *, marked: bool = True) -> dict[str, Any]:
    marker = {"cache_control": {"type": "ephemeral"}} if marked else {}
    blocks = [{"type": "text", "text": system, **marker}]
    return {"model": "claude-sonnet-5", "max_tokens": 9, "system": blocks, "messages": [_user(question)]}


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def failure(*requests: Any, **options: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_prefix_stable(*requests, **options)
    return str(caught.value)


@dataclass
class Turn:
    role: str
    content: str


class Model:
    """Looks like one of pydantic's."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        assert mode == "json"
        return {"role": "user", "content": "hi"}


class Held:
    def to_dict(self) -> dict[str, str]:
        return _user("hi")


def test_a_conversation_that_grows_passes_and_gives_its_figures() -> None:
    (found,) = assert_prefix_stable(chat(LONG, "hi"), chat(LONG, "hi", "hello", "and now?"), usable_share=0.9)
    assert (found.first, found.second, found.verdict, found.lost_tokens) == ("requests[0]", "requests[1]", "kept", 0)
    assert found.usable_share is not None
    assert 0.9 < found.usable_share < 1
    assert found.report.diffs[0].b.prompt_tokens == found.prompt_tokens


def test_a_date_in_front_fails_with_the_report_of_diff() -> None:
    said = failure(*(chat(f"Today is 2026-01-{day}. {LONG}", "hi") for day in ("01", "01", "02")))
    assert said.startswith("requests[2] after requests[1]: loses what is cached\n\nbust  about ")
    assert "date-rollover" in said
    assert "a | Today is 2026-01-01. Answer" in said
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize("build", [chat, claude, lambda *a: claude(*a, marked=False)], ids=["chat", "marked", "bare"])
def test_short_prompts_of_tests_are_judged_by_their_prefix(build: Any) -> None:
    (found,) = assert_prefix_stable(build("Be kind.", "hi"), build("Be kind.", "ho"))
    assert found.usable_tokens == 0
    said = failure(build("At 10:01 be kind.", "hi"), build("At 10:02 be kind.", "hi"))
    assert said.startswith("requests[1] after requests[0]: changes the prefix\n")
    assert "$" not in said
    assert "reads 0 of its" in failure(build("Be kind.", "hi"), build("Be kind.", "ho"), usable_tokens=1)


def test_what_stands_behind_the_marker_of_a_short_prompt_may_vary() -> None:
    requests = [claude("Be kind.", "hi"), claude("Be kind.", "ho")]
    for number, request in enumerate(requests):
        request["system"].append({"type": "text", "text": f"It is 10:0{number}."})
    assert assert_prefix_stable(*requests)[0].cached


def test_blocks_of_an_engine() -> None:
    short = [chat("Be kind.", "hi"), chat("2 Be kind.", "ho")]
    assert "changes the prefix" in failure(*short, engine="vllm")
    (found,) = assert_prefix_stable(chat(LONG, "hi"), chat(LONG, "ho"), engine="vllm==0.33.0", block_size=32)
    assert found.usable_tokens is not None
    assert found.usable_tokens % 32 == 0


def test_a_minimum() -> None:
    said = failure(chat(LONG, "hi"), chat(LONG, "ho"), usable_tokens=9000, usable_share=0.5)
    assert said.startswith("requests[1] after requests[0]: reads about ")
    assert "asked for: usable_tokens=9000, usable_share=0.5\n\nkept " in said


def test_a_text_may_vary_at_its_end_only_with_a_minimum() -> None:
    assert assert_prefix_stable(LONG + "a", LONG + "a b")[0].verdict == "kept"
    assert "say with usable_tokens= or usable_share=" in failure(LONG + "a", LONG + "b")
    assert assert_prefix_stable(LONG + "a", LONG + "b", usable_share=0.9)[0].verdict == "bust"
    assert "reads 0 of its" in failure("1" + LONG, "2" + LONG, usable_share=0.9)
    assert_prefix_stable('{"this": "is no request"}', b'{"this": "is no request"} but a text')


def test_every_kind_of_request_is_the_same() -> None:
    payload = chat("Be kind.", "hi")
    sent = httpx.Request("POST", CHAT, json=payload)
    streamed = httpx2.Request("POST", CHAT, content=iter([json.dumps(payload).encode()]))
    found = assert_prefix_stable(payload, json.dumps(payload), json.dumps(payload).encode(), sent, streamed)
    assert {one.verdict for one in found} == {"same"}
    assert_prefix_stable(payload["messages"], tuple(payload["messages"]), model="gpt-5", provider="openai")


@pytest.mark.parametrize("held", [Turn("user", "hi"), Model(), Held()], ids=["dataclass", "pydantic", "to_dict"])
def test_objects_are_what_they_say(held: Any) -> None:
    built = chat("Be kind.")
    built["messages"].append(held)
    assert assert_prefix_stable(chat("Be kind.", "hi"), built)[0].verdict == "same"


def test_the_order_of_keys_counts() -> None:
    tool: dict[str, Any] = {
        "type": "function",
        "function": {"name": "f", "parameters": {"type": "object", "properties": {}}},
    }
    turned = json.loads(json.dumps(tool))
    for one, names in ((tool, "ab"), (turned, "ba")):
        one["function"]["parameters"]["properties"] = {name: {"type": "string"} for name in names}
    assert "changes the prefix" in failure(chat("", "hi") | {"tools": [tool]}, chat("", "hi") | {"tools": [turned]})


HOLDS_ITSELF: dict[str, Any] = {}
HOLDS_ITSELF["again"] = HOLDS_ITSELF
WRONG = [
    ((), {}, TypeError, "none was given"),
    (([chat("", "hi"), chat("", "ho")],), {}, TypeError, r"takes a star: assert_prefix_stable\(\*requests\)"),
    ((chat("", "hi"), 3), {}, TypeError, r"requests\[1\] is an int: give a dict"),
    (("a", {"a": [1, {2}]}), {}, TypeError, r"requests\[1\]\['a'\]\[1\] is a set, which JSON"),
    ((chat("", datetime.date(2026, 1, 1)), "a"), {}, TypeError, r"\['content'\] is a date, which JSON"),  # type: ignore[arg-type]
    ((chat("", b"hi"), "a"), {}, TypeError, r"\['content'\] is a bytes, which"),  # type: ignore[arg-type]
    (({"a": float("inf")}, "a"), {}, TypeError, r"requests\[0\]\['a'\] is inf"),
    (({1: 2}, "a"), {}, TypeError, "has the key 1"),
    ((HOLDS_ITSELF, "a"), {}, TypeError, "in a value that holds itself"),
    (("a", "b"), {"usable_share": 50}, ValueError, "usable_share is a part"),
    (("a", "b"), {"usable_tokens": True}, ValueError, "usable_tokens is a number"),
    (("a", ""), {}, PromptlintError, r"requests\[1\] is empty"),
    (("a", b"\xff"), {}, PromptlintError, "byte 0 is not UTF-8"),
    (("a", {"a": 1}), {}, PromptlintError, r"requests\[1\]: no known request.*input_format=$"),
    (("a", chat("", "hi")), {}, PromptlintError, "of the format text.*input_format="),
    (("a", "b"), {"provider": "nobody"}, PromptlintError, "unknown provider"),
    (("a", "b"), {"provider": "openai", "engine": "vllm"}, PromptlintError, "^engine= says who serves.*provider="),
]


@pytest.mark.parametrize(("requests", "options", "kind", "said"), WRONG, ids=[row[3] for row in WRONG])
def test_wrong_arguments(requests: Any, options: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        assert_prefix_stable(*requests, **options)


def test_text_of_prompts_is_escaped() -> None:
    said = failure(chat("\x1b[31m::error::1", "hi"), chat("\x1b[31m::error::2", "hi"))
    assert "\x1b" not in said
    assert not any(row.startswith("::") for row in said.splitlines())


# What is sent.


@pytest.fixture(params=[httpx, httpx2], ids=["httpx", "httpx2"])
def http(request: pytest.FixtureRequest) -> Any:
    return request.param


def client(http: Any, *statuses: int) -> Any:
    """A client whose requests are answered with these, then with 200."""
    answers = iter(statuses)
    return http.Client(transport=http.MockTransport(lambda _: http.Response(next(answers, 200), json={})))


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with record_requests() as made:
        yield made


def test_only_prompts_are_recorded(http: Any, recorder: Recorder) -> None:
    sending = client(http)
    host = "https://user:secret@x.test"
    sending.post(f"{host}/v1/chat/completions?key=secret#secret", json=chat("Be kind.", "hi"))
    sending.post(f"{host}/v1/embeddings", json={"model": "text-embedding-3-small", "input": "hi"})
    sending.post(f"{host}/v1/messages/count_tokens", json=claude("Be kind.", "hi"))
    sending.post(f"{host}/v1/files", files={"file": b"{}"})
    sending.post(f"{host}/log", json={"batch": [chat("Be kind.", "hi")], "metadata": {}})
    sending.post(f"{host}/v1/chat/completions", content=b"{", headers={"content-type": "application/json"})
    sending.get(f"{host}/v1/models")
    (only,) = recorder.requests
    assert only.url == "https://x.test/v1/chat/completions"
    assert only.body == chat("Be kind.", "hi")
    assert len(recorder.left_out) == 6
    assert "secret" not in repr((recorder.requests, recorder.left_out))
    with pytest.raises(AssertionError, match=r"1 was recorded; left out: POST https://x\.test/v1/embeddings \(emb"):
        recorder.assert_prefix_stable()
    recorder.clear()
    assert not recorder.requests
    assert not recorder.left_out


def test_bodies_that_stream_or_are_compressed(http: Any, recorder: Recorder) -> None:
    body = json.dumps(chat("Be kind.", "hi")).encode()
    got: list[bytes] = []

    def answer(request: Any) -> Any:
        got.append(request.read())
        return http.Response(200)

    sending = http.Client(transport=http.MockTransport(answer))
    kind = {"content-type": "application/json"}
    sending.post(CHAT, content=iter([body[:9], body[9:]]), headers=kind)
    sending.post(CHAT, content=gzip.compress(body), headers=kind | {"content-encoding": "gzip"})
    sending.post(CHAT, content=gzip.compress(body)[:-9], headers=kind | {"content-encoding": "gzip"})
    sending.post(CHAT, content=body, headers=kind | {"content-encoding": "br"})
    assert [one.content for one in recorder.requests] == [body, body]
    assert got[0] == body
    assert got[1] == gzip.compress(body)


def test_another_try_is_no_other_request(http: Any, recorder: Recorder) -> None:
    sending = client(http, 429, 503, 200, 200)
    for _ in range(4):
        sending.post(CHAT, json=chat("Be kind.", "hi"))
    assert [one.attempts for one in recorder.requests] == [3, 1]

    def broken(_: Any) -> Any:
        raise http.ConnectError("no route")

    with pytest.raises(http.ConnectError):
        http.Client(transport=http.MockTransport(broken)).post(CHAT, json=chat("Be kind.", "ho"))
    sending.post(CHAT, json=chat("Be kind.", "ho"))
    assert [one.attempts for one in recorder.requests] == [3, 1, 2]


def test_a_redirect_is_one_request(http: Any, recorder: Recorder) -> None:
    def answer(request: Any) -> Any:
        if request.url.path == "/old":
            return http.Response(307, headers={"location": "/v1/chat/completions"})
        return http.Response(200)

    with http.Client(transport=http.MockTransport(answer), follow_redirects=True) as sending:
        sending.post("https://x.test/old", json=chat("Be kind.", "hi"))
    assert [one.url for one in recorder.requests] == ["https://x.test/old"]


def test_recordings_may_overlap_and_end_in_any_order(http: Any) -> None:
    before = http.Client.send, http.AsyncClient.send
    first, second = record_requests(), record_requests()
    one = first.__enter__()
    client(http).post(CHAT, json=chat("Be kind.", "1"))
    two = second.__enter__()
    threads = [
        threading.Thread(target=client(http).post, args=(CHAT,), kwargs={"json": chat("Be kind.", str(number))})
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first.__exit__(None, None, None)
    client(http).post(CHAT, json=chat("Be kind.", "3"))
    second.__exit__(None, None, None)
    assert (len(one.requests), len(two.requests)) == (21, 21)
    assert (http.Client.send, http.AsyncClient.send) == before


def test_who_wraps_send_as_well_is_not_undone(http: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with record_requests():
        ours = http.Client.send
        monkeypatch.setattr(http.Client, "send", lambda *args, **kwargs: ours(*args, **kwargs))
    with record_requests() as recorder:
        client(http).post(CHAT, json=chat("Be kind.", "hi"))
    assert len(recorder.requests) == 1


USERS_TESTS = """
import asyncio
import json
import {http} as http

def request(front, question):
    return {{"model": "gpt-5", "messages": [
        {{"role": "system", "content": front + "Be kind."}}, {{"role": "user", "content": question}}]}}

def answer(request):
    if b'"stream": true' in request.content or b'"stream":true' in request.content:
        return http.Response(200, content=b"data: {{}}\\n\\ndata: [DONE]\\n\\n")
    return http.Response(200, json={{}})

def send(*bodies):
    with http.Client(transport=http.MockTransport(answer)) as client:
        for body in bodies:
            with client.stream("POST", "https://x.test/v1/chat/completions", json=body) as got:
                list(got.iter_bytes())

async def send_async(*bodies):
    async def parts(body):
        yield json.dumps(body).encode()
    async with http.AsyncClient(transport=http.MockTransport(answer)) as client:
        for body in bodies:
            headers = {{"content-type": "application/json"}}
            await client.post("https://x.test/v1/chat/completions", content=parts(body), headers=headers)

def test_kept(promptlint_requests):
    send(request("", "a") | {{"stream": True}}, request("", "b") | {{"stream": True}})
    assert [one.body["stream"] for one in promptlint_requests.requests] == [True, True]
    promptlint_requests.assert_prefix_stable()

def test_kept_async(promptlint_requests):
    asyncio.run(send_async(request("", "a"), request("", "b")))
    assert len(promptlint_requests.requests) == 2
    promptlint_requests.assert_prefix_stable()

def test_broken(promptlint_requests):
    send(request("At 10:01. ", "a"), request("At 10:02. ", "b"))
    promptlint_requests.assert_prefix_stable()

def test_broken_async(promptlint_requests):
    asyncio.run(send_async(request("At 10:01. ", "a"), request("At 10:02. ", "b")))
    promptlint_requests.assert_prefix_stable()

def test_nothing(promptlint_requests):
    promptlint_requests.assert_prefix_stable()

def test_restored():
    assert http.Client.send.__module__ == http.AsyncClient.send.__module__ != "promptlint.testing.recorder"
    assert not hasattr(http.Client.send, "__wrapped__")
"""


@pytest.mark.parametrize("package", ["httpx", "httpx2"])
def test_users_tests(pytester: pytest.Pytester, package: str) -> None:
    pytester.makepyfile(USERS_TESTS.format(http=package))
    done = pytester.runpytest_subprocess("-W", "error", "-p", "no:cacheprovider")
    done.assert_outcomes(passed=3, failed=3)
    done.stdout.fnmatch_lines(
        [
            "E *AssertionError: requests[[]1] after requests[[]0]: changes the prefix (sent to https://x.test/v1/*",
            "E *a | At 10:01. Be kind.*",
            "E *AssertionError: two requests or more can be compared, none was recorded; what is not sent with httpx*",
        ]
    )
    done.stdout.no_fnmatch_line("*promptlint/testing/*")  # the traceback ends in the user's test


def test_one_line_says_what_to_install(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(promptlint_requests): pass")
    pytester.makeconftest("import sys\nsys.modules['httpx'] = sys.modules['httpx2'] = None\n")
    done = pytester.runpytest_subprocess("-W", "error", "--tb=short")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["promptlint_requests: neither httpx nor httpx2 is installed; pip install httpx"])


def test_the_plugin_can_be_left_out(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("from promptlint.testing import assert_prefix_stable as same\ndef test_it(): same('a', 'a b')")
    pytester.runpytest_subprocess("-W", "error", "-p", "no:promptlint").assert_outcomes(passed=1)


def test_a_run_that_asks_for_nothing_imports_nothing() -> None:
    probe = "import sys, pytest; old = set(sys.modules); import promptlint.testing; print(*set(sys.modules) - old)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {
        *("promptlint", "promptlint.errors", "promptlint.testing", "promptlint.testing.stable"),
    }
