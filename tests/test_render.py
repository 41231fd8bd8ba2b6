"""The prompt: what it says, what it leaves out, which requests are equal in it, and where its pieces stand."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from documents import atoms, document, pieces, rendered
from promptlint.load import load
from promptlint.prompt import CharIndex, Json, Piece, Rendered, Spot
from promptlint.read.places import resolve
from promptlint.read.sources import read
from promptlint.render import render, walk
from promptlint.render.form import form_of

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "fixtures" / "formats"
CORPUS = ROOT / "fixtures" / "corpus"
REQUESTS = sorted([*SAMPLES.rglob("*.request.json"), *CORPUS.glob("*/before.json"), *CORPUS.glob("*/after.json")])

MARK = {"cache_control": {"type": "ephemeral"}}


def anthropic(content: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "claude-opus-5", "messages": [{"role": "user", "content": content}], **fields}


def test_the_order_is_that_of_the_provider() -> None:
    request = anthropic("hi", system="s", tools=[{"input_schema": {"type": "object"}, "description": "d", "name": "n"}])
    assert rendered(request).text == "name\nn\ndescription\nd\ninput_schema\ntype\nobject\ns\nuser\nhi\n"


def test_plain_text_is_itself() -> None:
    prompt = rendered("naïve\r\ntext")
    assert (prompt.text, prompt.separator, prompt.size) == ("naïve\r\ntext", "", 12)


def test_atoms_are_written_as_sent() -> None:
    schema = '{"n": 1.0, "e": 1e2, "t": true, "f": false, "z": null, "o": {}, "a": []}'
    value = f'[{{"name": "t", "input_schema": {schema}}}]'
    assert atoms(value)[3:] == ["n", "1.0", "e", "1e2", "t", "true", "f", "false", "z", "null", "o", "{}", "a", "[]"]


EQUAL: list[tuple[str, Any, Any]] = [
    ("string and one text block", anthropic("a"), anthropic([{"type": "text", "text": "a"}])),
    ("marker", anthropic([{"type": "text", "text": "a"}]), anthropic([{"type": "text", "text": "a", **MARK}])),
    (
        "string and block in a tool result",
        anthropic([{"type": "tool_result", "tool_use_id": "1", "content": "r"}]),
        anthropic([{"content": [{"type": "text", "text": "r", **MARK}], "tool_use_id": "1", "type": "tool_result"}]),
    ),
    (
        "declared fields of a tool",
        anthropic("a", tools=[{"name": "t", "description": "d", "input_schema": {"a": 1}}]),
        anthropic("a", tools=[{"input_schema": {"a": 1}, "description": "d", "name": "t", **MARK}]),
    ),
    ("settings", anthropic("a"), anthropic("a", max_tokens=5, temperature=1, metadata={"user_id": "u"})),
    ("system string and block", anthropic("a", system="s"), anthropic("a", system=[{"type": "text", "text": "s"}])),
    (
        "null and missing",
        {"model": "gpt-5", "messages": [{"role": "assistant", "content": "a"}]},
        {"model": "gpt-5", "messages": [{"role": "assistant", "content": "a", "refusal": None, "tool_calls": None}]},
    ),
    (
        "input string and user message",
        {"model": "gpt-5", "input": "a"},
        {
            "model": "gpt-5",
            "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}],
        },
    ),
    (
        "output-only fields of a text",
        {"model": "gpt-5", "input": [{"role": "assistant", "content": [{"type": "output_text", "text": "a"}]}]},
        {
            "model": "gpt-5",
            "input": [
                {
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "a", "annotations": [], "logprobs": []}],
                }
            ],
        },
    ),
    (
        "cachePoint",
        {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "a"}]}]},
        {
            "modelId": "m",
            "messages": [{"role": "user", "content": [{"text": "a"}, {"cachePoint": {"type": "default"}}]}],
        },
    ),
]

DIFFERENT: list[tuple[str, Any, Any]] = [
    ("number text", '[{"name": "t", "input_schema": {"a": 1}}]', '[{"name": "t", "input_schema": {"a": 1.0}}]'),
    (
        "key order in a schema",
        [{"name": "t", "input_schema": {"a": 1, "b": 2}}],
        [{"name": "t", "input_schema": {"b": 2, "a": 1}}],
    ),
    (
        "key order in a call",
        anthropic([{"type": "tool_use", "id": "1", "name": "t", "input": {"a": 1, "b": 2}}]),
        anthropic([{"type": "tool_use", "id": "1", "name": "t", "input": {"b": 2, "a": 1}}]),
    ),
    ("role", anthropic("a"), {"model": "claude-opus-5", "messages": [{"role": "assistant", "content": "a"}]}),
    ("two blocks", anthropic("ab"), anthropic([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])),
    ("an empty block", anthropic("a"), anthropic([{"type": "text", "text": "a"}, {"type": "text", "text": ""}])),
    (
        "citations of a text",
        anthropic([{"type": "text", "text": "a"}]),
        anthropic([{"type": "text", "text": "a", "citations": [{"cited_text": "c"}]}]),
    ),
    (
        "a schema property named like a marker",
        [{"name": "t", "input_schema": {"properties": {}}}],
        [{"name": "t", "input_schema": {"properties": {"cache_control": {"type": "string"}}}}],
    ),
    (
        "an unknown field of a message",
        {"model": "m", "messages": [{"role": "user", "content": "a"}]},
        {"model": "m", "messages": [{"role": "user", "content": "a", "name": "ann"}]},
    ),
]


@pytest.mark.parametrize(("a", "b"), [case[1:] for case in EQUAL], ids=[case[0] for case in EQUAL])
def test_what_the_provider_treats_alike_is_equal(a: Any, b: Any) -> None:
    assert document(a).text != document(b).text
    assert atoms(a) == atoms(b)


@pytest.mark.parametrize(("a", "b"), [case[1:] for case in DIFFERENT], ids=[case[0] for case in DIFFERENT])
def test_what_the_model_may_read_differs(a: Any, b: Any) -> None:
    assert atoms(a) != atoms(b)


def check_laws(prompt: Rendered) -> None:
    """Pieces cover the text of their item, items that of the prompt, without gap or overlap."""
    assert "".join(item.text for item in prompt.items) == prompt.text
    assert prompt.size == len(prompt.text.encode())
    assert len(prompt.items) == len(prompt.request.items)
    for item in prompt.items:
        assert "".join(piece.text + prompt.separator for piece in item.pieces) == item.text
        assert prompt.text[item.char :].startswith(item.text)
        assert item.byte == len(prompt.text[: item.char].encode())
        assert len(item.segment_ends) == len(item.item.segments)
        assert [0, *item.segment_ends] == sorted([0, *item.segment_ends])
        assert not item.segment_ends or item.segment_ends[-1] == len(item.text)


def check_places(prompt: Rendered) -> None:
    """The place of a piece gives back its text."""
    request = prompt.request
    spots = [Spot(piece.path, piece.atom, CharIndex(0), CharIndex(len(piece.text))) for piece in pieces(prompt)]
    for piece, place in zip(pieces(prompt), resolve(request.document, spots), strict=True):
        source = request.document.data[place.start - request.document.start : place.end - request.document.start]
        if piece.tokens is not None:
            assert piece.text.startswith("sha256:")
            continue
        assert source.decode() in (
            piece.text,
            json.dumps(piece.text)[1:-1],
            json.dumps(piece.text, ensure_ascii=False)[1:-1],
        )


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_laws_hold_for_every_sample(path: Path) -> None:
    prompt = render(load(read(str(path))))
    assert prompt.items
    check_laws(prompt)
    check_places(prompt)


texts = st.text(alphabet='aé\U0001f600\n"\\{}', max_size=4)
free = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
any_block = st.one_of(
    texts.map(lambda text: {"type": "text", "text": text}),
    st.builds(lambda text: {"type": "text", "text": text, **MARK}, texts),
    st.builds(lambda given: {"type": "tool_use", "id": "1", "name": "t", "input": given}, st.dictionaries(texts, free)),
    st.builds(lambda given: {"type": "tool_result", "tool_use_id": "1", "content": given}, texts),
    st.builds(lambda given: {"type": "custom", "odd": given}, free),
)
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": texts | st.lists(any_block, max_size=3)}
    ),
    max_size=3,
)
tools = st.lists(
    st.fixed_dictionaries({"name": texts, "input_schema": st.dictionaries(texts, free, max_size=3)}), max_size=2
)
requests = st.fixed_dictionaries(
    {"model": st.just("claude-opus-5"), "messages": messages}, optional={"tools": tools, "system": texts}
)


@given(requests)
def test_laws_hold_for_any_request(value: dict[str, Any]) -> None:
    prompt = rendered(value)
    check_laws(prompt)
    check_places(prompt)


@given(requests, st.randoms(use_true_random=False))
def test_the_order_of_declared_fields_is_no_text(value: dict[str, Any], random: Any) -> None:
    def shuffled(holder: dict[str, Any]) -> dict[str, Any]:
        fields = list(holder.items())
        random.shuffle(fields)
        return dict(fields)

    other = shuffled(value)
    for level in ("tools", "messages"):
        if level in other:
            other[level] = [shuffled(entry) for entry in other[level]]
    assert atoms(value, "anthropic") == atoms(other, "anthropic")


def test_deep_values_need_no_deep_stack() -> None:
    nested: Json = "x"
    for _ in range(2 * sys.getrecursionlimit()):
        nested = [nested]
    (piece,) = walk.pieces(nested, (), form_of("anthropic"))
    assert piece.text == "x"


def path_of(json_path: str) -> tuple[str | int, ...]:
    """`$.tools[0].name` as a path."""
    steps = re.finditer(r"\.([^.\[]+)|\[(\d+)\]", json_path)
    return tuple(int(step[2]) if step[2] else step[1] for step in steps)


def first_difference(a: list[Piece], b: list[Piece]) -> tuple[Piece, Piece, int] | None:
    for one, other in zip(a, b, strict=False):
        if one.text != other.text:
            pairs = zip(one.text + "\n", other.text + "\n", strict=False)
            return one, other, next(char for char, (x, y) in enumerate(pairs) if x != y)
    return None


def pair_cases() -> list[Any]:
    cases = []
    for path in sorted(CORPUS.glob("*/before.json")):
        expect = yaml.safe_load((path.parent / "expect.yaml").read_text(encoding="utf-8"))
        truth = expect.get("expect", expect)["first_difference"]
        cases.append(pytest.param(path.parent, truth, id=path.parent.name))
    return cases


@pytest.mark.parametrize(("folder", "truth"), pair_cases())
def test_the_first_difference_of_a_labelled_pair(folder: Path, truth: dict[str, Any] | None) -> None:
    before, after = (pieces(render(load(read(str(folder / name))))) for name in ("before.json", "after.json"))
    found = first_difference(before, after)
    if truth is None:
        assert found is None
        return
    assert found is not None
    one, other, char = found
    assert (other.atom == "key") == (truth["atom"] == "key")
    accepted = [truth, *truth.get("also_accept", [])]
    assert any(
        other.path == path_of(place["json_path"])
        and place["char"] == char
        and place.get("byte", char) == len(other.text[:char].encode())
        for place in accepted
    )
    if "json_path_before" in truth:
        assert one.path == path_of(truth["json_path_before"])


def test_the_facts_are_those_of_the_yaml() -> None:
    script = ROOT / "scripts" / "make_facts.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
