"""Requests inside HAR archives and VCR cassettes, and requests written in YAML."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.prompt import CharIndex, Request, Spot
from promptlint.read.places import resolve
from promptlint.read.sources import read

BODY = {
    "model": "claude-sonnet-5",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "You answer\n“briefly”.\n", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": 'Where is "A-1042"?'}],
}
TEXT = json.dumps(BODY)
ADDRESS = "https://api.example.test/v1/messages?key=sk-secret"
HEADERS = {
    "Content-Type": "application/json",
    "X-Api-Key": "sk-secret",
    "Anthropic-Beta": "a,b",
    "OpenAI-Organization": "o",
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def har(*bodies: Any, address: str = ADDRESS, **more: Any) -> dict[str, Any]:
    """A HAR whose entries have these bodies; None for a GET."""
    headers = [{"name": name, "value": value} for name, value in HEADERS.items()]
    entries = [
        {
            "request": {
                "method": "GET" if body is None else "POST",
                "url": address,
                "headers": headers,
                **({} if body is None else {"postData": {"mimeType": "application/json", "text": body, **more}}),
            },
            "response": {"content": {"text": '{"id": "msg_1", "type": "message", "usage": {}}'}},
        }
        for body in bodies
    ]
    return {"log": {"version": "1.2", "entries": entries}}


def cassette(*bodies: Any, field: str = "body") -> dict[str, Any]:
    headers = {name: [value] for name, value in HEADERS.items()}
    return {
        "interactions": [
            {"request": {"method": "POST", "uri": ADDRESS, "headers": headers, field: body}, "response": {}}
            for body in bodies
        ],
        "version": 1,
    }


def loaded(name: str, content: Any) -> Request:
    file = name.split("#")[0]
    Path(file).write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return load(read(name))


def fault(name: str, content: Any) -> str:
    with pytest.raises(PromptlintError) as caught:
        loaded(name, content)
    return str(caught.value)


def written(request: Request, *path: str | int | None, part: str) -> str:
    """What stands in the file where `part` of the text at `path` of the request is."""
    value: Any = request.body
    for step in path:
        value = value[step]
    at = value.index(part)
    spot = Spot((*request.path, *path), "value", CharIndex(at), CharIndex(at + len(part)))
    (place,) = resolve(request.document, [spot])
    data = Path(request.document.path).read_bytes()
    assert place.line == data[: place.start].count(b"\n") + 1
    return data[place.start : place.end].decode()


def same_request(found: Request) -> None:
    reference = load(read_text(TEXT))
    assert (found.format, found.provider, found.model, found.body) == (
        reference.format,
        reference.provider,
        reference.model,
        reference.body,
    )
    assert [segment.content for item in found.items for segment in item.segments] == [
        segment.content for item in reference.items for segment in item.segments
    ]


def read_text(text: str) -> Any:
    Path("reference.json").write_text(text)
    return read("reference.json")


# HAR.


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("number", ["", "#1"])
def test_har(indent: int | None, number: str) -> None:
    found = loaded(f"a.har{number}", json.dumps(har(None, TEXT, "x=1"), indent=indent))
    same_request(found)
    assert found.path == ("log", "entries", 1, "request", "postData", "text", None)
    assert written(found, "messages", 0, "content", part='"A-1042"') == r"\\\"A-1042\\\""
    assert written(found, "system", 0, "text", part="“briefly”") == r"\\u201cbriefly\\u201d"
    assert found.document.record is None


def test_headers_that_may_key_a_cache_have_their_place() -> None:
    found = loaded("a.har", har(TEXT))
    path = ("log", "entries", 0, "request", "headers")
    assert {name: found.settings[place] for place, name in found.named.items()} == {
        ("headers", "anthropic-beta"): "a,b",
        ("headers", "openai-organization"): "o",
    }
    assert set(found.named) == {(*path, 2, "value"), (*path, 3, "value")}
    assert "sk-secret" not in repr((found.settings, found.notes, found.items, found.named))


def test_one_of_several() -> None:
    content = har(None, TEXT, "x=1", TEXT.replace("1042", "1043"))
    assert fault("a.har", content) == "a.har: a HAR with 2 requests to a model, not one; add one of #1, #3 to its name"
    assert "1043" in json.dumps(loaded("a.har#3", content).body)
    assert fault("a.har", har(*[TEXT] * 9)).endswith("add one of #0, #1, #2, #3, #4, #5, … to its name")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.har#0", har(None, TEXT), "entry #0 of a HAR, GET api.example.test/v1/messages, has no body"),
        ("a.har#0", har("a=1&b=2", TEXT), "has a body that is not JSON; name one that asks a model"),
        ("a.har#0", har('{"q": 1}', TEXT), "is no request to a model; name one that asks a model"),
        ("a.har#0", har('{"q": ', TEXT), "has a body that is not JSON; name one that asks a model"),
        ("a.har#4", har(None, TEXT), "a HAR without an entry #4; it has the entries #0 to #1"),
        ("a.har", har(None, "x=1"), "a HAR of which none of the 2 entries can be read as a request to a model"),
        ("a.har", {"log": {"entries": []}}, "a HAR without entries; record a request to a model"),
        ("a.har#1", {"log": {"entries": []}}, "a HAR without an entry #1; it has none"),
        ("a.har#0", {"log": {"entries": [5, {"request": []}]}}, "entry #0 of a HAR, without an address, has no body"),
        ("a.har#0", {"log": {"entries": [{"request": {"url": "http://[", "headers": [1]}}]}}, "has no body"),
    ],
)
def test_entries_that_are_no_request(name: str, content: Any, message: str) -> None:
    found = fault(name, content)
    assert found.startswith(name.split("#")[0])
    assert message in found
    assert "sk-secret" not in found


@pytest.mark.parametrize("address", ["v1/embeddings", "v1/messages/count_tokens", "v1beta/models/gemini-3:countTokens"])
def test_addresses_that_cache_nothing(address: str) -> None:
    content = har('{"model": "m", "input": ["a"]}', address=f"https://api.example.test/{address}")
    assert "asks a model for no answer, so nothing is cached" in fault("a.har#0", content)


@pytest.mark.parametrize(
    ("address", "model"),
    [
        ("v1beta/models/gemini-3-flash:generateContent?key=x", "gemini-3-flash"),
        ("model/us.anthropic.claude-sonnet-5-v1%3A0/converse", "us.anthropic.claude-sonnet-5-v1:0"),
        ("openai/deployments/team-gpt/chat/completions?api-version=1", "team-gpt"),
        ("v1/chat/completions", None),
    ],
)
def test_the_address_may_name_the_model(address: str, model: str | None) -> None:
    body = '{"contents": [{"role": "user", "parts": [{"text": "x"}]}]}'
    found = loaded("a.har", har(body, address=f"https://api.example.test/{address}"))
    assert found.model == model
    assert ("model",) in found.named.values() or model is None
    named = json.dumps({"model": "own", "messages": [{"role": "user", "content": "x"}]})
    assert loaded("a.har", har(named, address=f"https://api.example.test/{address}")).model == "own"


# Encoded bodies.


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    "body",
    [
        b64(TEXT.encode()),
        b64(gzip.compress(TEXT.encode())),
        base64.encodebytes(gzip.compress(TEXT.encode())).decode(),
        gzip.compress(TEXT.encode()).decode("latin-1"),
    ],
)
def test_packed_bodies(body: str) -> None:
    for content in (har("x", body), cassette("x", body)):
        found = loaded("a.json#1", content)
        same_request(found)
        assert any("every place in it is that of its beginning" in note for note in found.notes)
        assert found.path[-1] is None
        spot = Spot((*found.path, "messages", 0, "content"), "value", CharIndex(3), CharIndex(5))
        whole = Spot(found.path[:-1], "value", CharIndex(0), CharIndex(0))
        inner, outer = resolve(found.document, [spot, whole])
        assert inner.line == outer.line
        assert inner.start == inner.end == outer.start - 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b64(gzip.compress(b"[1, 2")), "has a body that is not JSON"),
        (b64(gzip.compress(b"x" * 1000)[:-20]), "has a compressed body that is broken"),
        (b64(b"\x1f\x8bnot gzip at all"), "has a compressed body that is broken"),
        (
            b64(b"\x28\xb5\x2f\xfd" + b"x"),
            "has a body compressed with zstd, which cannot be read: record it uncompressed",
        ),
        (b64(bytes(range(256))), "has a body that is not JSON"),
        ("just text", "has a body that is not JSON"),
        ("漢字", "has a body that is not JSON"),
        ("  ", "has no body"),
        (5, "has no body"),
    ],
)
def test_bodies_that_cannot_be_read(body: Any, message: str) -> None:
    assert message in fault("a.har#0", har(body))
    assert message in fault("a.json#0", cassette(body))


def test_a_body_that_unpacks_to_too_much() -> None:
    bomb = gzip.compress(gzip.compress(b"") + b" " * (65 << 20), 9)
    assert "has a body of more than 64 MiB" in fault("a.har#0", har(b64(bomb)))


# Cassettes.


@pytest.mark.parametrize("style", [None, '"', "'", "|"])
@pytest.mark.parametrize("feed", ["\n", "\r\n"])
def test_cassette(style: str | None, feed: str) -> None:
    content = yaml.dump(cassette(TEXT, TEXT.replace("1042", "1043")), default_style=style).replace("\n", feed)
    Path("a.yaml").write_text(content, newline="")
    found = load(read("a.yaml#1"))
    assert found.path == ("interactions", 1, "request", "body", None)
    assert found.named == {
        ("interactions", 1, "request", "headers", "Anthropic-Beta"): ("headers", "anthropic-beta"),
        ("interactions", 1, "request", "headers", "OpenAI-Organization"): ("headers", "openai-organization"),
    }
    assert set(found.settings.values()) >= {"a,b", "o"}
    assert written(found, "messages", 0, "content", part="A-1043") == "A-1043"
    assert any("keeps the dates of its recording" in note for note in found.notes)
    with pytest.raises(PromptlintError) as caught:
        load(read("a.yaml"))
    assert str(caught.value) == "a.yaml: a cassette with 2 requests to a model, not one; add one of #0, #1 to its name"


@pytest.mark.parametrize(
    "request_",
    [
        {"uri": ADDRESS, "body": TEXT},
        {"uri": ADDRESS, "body": TEXT.encode()},
        {"uri": ADDRESS, "body": gzip.compress(TEXT.encode())},
        {"uri": ADDRESS, "body": {"string": TEXT, "encoding": "UTF-8"}},
        {"uri": ADDRESS, "body": {"base64_string": b64(TEXT.encode()), "encoding": "ASCII-8BIT"}},
        {"uri": ADDRESS, "body": {"string": TEXT.encode()}},
        {"uri": ADDRESS, "parsed_body": BODY},
        {"uri": ADDRESS, "parsed_body": BODY, "body": None},
        {"url": ADDRESS, "body": TEXT, "form": {}},
    ],
)
@pytest.mark.parametrize("name", ["interactions", "http_interactions"])
def test_the_shapes_of_cassettes(request_: dict[str, Any], name: str) -> None:
    text = yaml.dump({name: [{"request": {"method": "post", **request_}}], "recorded_with": "VCR 6"}, sort_keys=False)
    for file in ("a.yaml", "cassette.txt", "a.yml#0"):
        same_request(loaded(file, f"---\n{text}"))
    if not isinstance(request_.get("body"), bytes) and "encoding" not in str(request_.get("body")):
        found = load(read("a.yaml"))
        parsed = any("order of its keys" in note for note in found.notes)
        assert parsed == ("parsed_body" in request_)


def test_parsed_bodies_have_places() -> None:
    found = loaded("a.yaml", yaml.dump(cassette(BODY, field="parsed_body"), allow_unicode=True))
    assert found.path == ("interactions", 0, "request", "parsed_body")
    assert written(found, "messages", 0, "content", part='"A-1042"') == '"A-1042"'
    assert written(found, "system", 0, "text", part="“briefly”") == "“briefly”"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "interactions:\n- request: {body: !!python/unicode 'x'}\n",
            "a.yaml:2:19: the tag !!python/unicode stands for",
        ),
        ("interactions:\n- request: {body: x\n", "a.yaml:3:1: not YAML ("),
        ("interactions:\n- 5\n", "a.yaml: a cassette of which none of the 1 entries can be read"),
        ("interactions:\n", "a.yaml: no known request: an object with interactions"),
    ],
)
def test_faults_of_cassettes(content: str, message: str) -> None:
    assert fault("a.yaml", content).startswith(message)


# Requests in YAML.

REQUEST = """\
model: claude-sonnet-5
max_tokens: 100
system:
- type: text
  text: |
    You answer
    “briefly”.
  cache_control: {type: ephemeral}
messages:
- role: user
  content: Where is "A-1042"?
"""


def test_a_request_in_yaml() -> None:
    for name in ("a.yaml", "a.YML", "b.yaml#0"):
        found = loaded(name, REQUEST)
        same_request(found)
        assert written(found, "system", 0, "text", part="“briefly”.\n") == "“briefly”.\n"
    assert "leave out #1" in fault("a.yaml#1", REQUEST)


def test_several_requests_in_yaml() -> None:
    content = "".join("- " + REQUEST.replace("\n", "\n  ").rstrip(" ") for _ in range(2))
    assert fault("a.yaml", content).endswith("name one of them: a.yaml#0 to a.yaml#1")
    found = loaded("a.yaml#1", content)
    same_request(found)
    assert found.path == (1,)


def test_other_texts_stay_texts() -> None:
    prose = "Note: be brief.\nmessages: none\n"
    found = loaded("prompt.txt", prose)
    assert (found.format, found.body, found.notes) == ("text", prose, ())
    found = loaded("prompt.yaml", "role: helper\ntone: 'brief'\n")
    assert (found.format, found.body) == ("text", "role: helper\ntone: 'brief'\n")
    assert found.notes[0].startswith("read as plain text: no known request: an object with role, tone")
    found = loaded("prompt.yaml", "a: {{ x }} {% if %}\n")
    assert found.format == "text"
    assert found.notes[0].startswith("read as plain text: prompt.yaml:1:")
    assert fault("prompt.txt#3", prose) == "prompt.txt#3: a text is one prompt; leave out #3"


def test_who_names_the_format_may_write_yaml_in_any_file() -> None:
    Path("request").write_text(REQUEST)
    found = load(read("request"), input_format="anthropic")
    assert (found.format, found.document.syntax) == ("anthropic", "yaml")
    assert written(found, "messages", 0, "content", part="A-1042") == "A-1042"
    assert load(read("request"), input_format="text").body == REQUEST
    assert load(read("request")).format == "text"


def test_an_explicit_format_inside_a_recording() -> None:
    Path("a.har").write_text(json.dumps(har('{"q": 1}', TEXT), indent=1))
    assert load(read("a.har"), input_format="anthropic").path[2] == 1
    assert load(read("a.har"), request_path="/log/entries/1/request/postData/text").format == "anthropic"
