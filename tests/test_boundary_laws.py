"""Laws that hold for every pair of requests."""

import json
from typing import Any

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from documents import rendered
from promptlint.boundary import Divergence, text_divergences
from promptlint.cache.meaning import harmless
from promptlint.prompt import Spot
from promptlint.read.raw import common_prefix

LAW = settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))

WORDS = (
    "read",
    "the file",
    "turn 4",
    "10:05",
    "<hint>x</hint>",
    "é",
    "7f3a91c2",
    "ok",
    "{}",
    "a much longer sentence here",
)
text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
value = st.recursive(
    text | st.integers(0, 20) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)
tool = st.fixed_dictionaries(
    {
        "name": st.sampled_from(("read", "write", "find")),
        "description": text,
        "input_schema": st.dictionaries(st.sampled_from(("type", "properties", "x")), value, max_size=3),
    }
)
block = st.fixed_dictionaries({"type": st.just("text"), "text": text}) | st.fixed_dictionaries(
    {
        "type": st.just("tool_use"),
        "id": text,
        "name": st.just("read"),
        "input": st.dictionaries(text, value, max_size=2),
    }
)
message = st.fixed_dictionaries(
    {
        "role": st.sampled_from(("user", "assistant")),
        "content": text | st.lists(block, min_size=1, max_size=3),
    }
)
request = st.fixed_dictionaries(
    {
        "model": st.just("claude-sonnet-4-5"),
        "max_tokens": st.just(8),
        "tools": st.lists(tool, max_size=3),
        "system": st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": text}), min_size=1, max_size=3),
        "messages": st.lists(message, min_size=1, max_size=5),
    }
)


def places(found: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of every value of a request below the levels that make the prompt."""
    inner = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    below = [place for step, child in inner for place in places(child, (*path, step))]
    return ([path] if path and path[0] in ("tools", "system", "messages") else []) + below


@st.composite
def edited(draw: st.DrawFn) -> tuple[Any, Any]:
    """A request, and the same after up to three edits."""
    old = draw(request)
    new = json.loads(json.dumps(old))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(places(new)))
        _edit(draw, new, path)
    return old, new


def _edit(draw: st.DrawFn, new: Any, path: tuple[Any, ...]) -> None:
    found = new
    for step in path[:-1]:
        found = found[step]
    here = found[path[-1]]
    if isinstance(here, str) and path[-1] not in ("type", "role", "name"):
        found[path[-1]] = draw(text)
    elif isinstance(here, list) and path[-1] in ("tools", "messages", "system"):
        fresh = {"tools": tool, "messages": message, "system": st.builds(lambda t: {"type": "text", "text": t}, text)}
        at = draw(st.integers(0, len(here)))
        kind = draw(st.sampled_from(("add", "drop", "turn")))
        if kind == "add":
            here.insert(at, draw(fresh[path[-1]]))
        elif kind == "drop" and len(here) > 1:
            del here[min(at, len(here) - 1)]
        else:
            here.reverse()
    elif isinstance(here, dict) and path[-1] in ("input", "input_schema", "properties", "x", "a"):
        found[path[-1]] = dict(reversed(here.items())) if draw(st.booleans()) else {**here, "z": 1}


def divergences(old: Any, new: Any) -> list[Divergence]:
    return text_divergences(rendered(old), rendered(new))


def start(found: list[Divergence]) -> int | None:
    """Where the first difference of text begins; None if the prompts are equal or one goes on."""
    return min((d.a_start for d in found if not harmless(d)), default=None)


@LAW
@given(edited())
def test_nothing_diverges_exactly_where_the_requests_are_equal(pair: tuple[Any, Any]) -> None:
    old, new = pair
    assert (divergences(old, new) == []) == (json.dumps(old) == json.dumps(new))


@LAW
@given(st.tuples(request, request) | edited())
def test_both_directions_start_at_one_place(pair: tuple[Any, Any]) -> None:
    old, new = pair
    assert start(divergences(old, new)) == start(divergences(new, old))


@LAW
@given(st.tuples(request, request) | edited())
def test_the_first_divergence_stands_where_the_prompts_part(pair: tuple[Any, Any]) -> None:
    a, b = map(rendered, pair)
    shared = common_prefix(a.text, b.text)
    weighty = [d for d in text_divergences(a, b) if not harmless(d)]
    alike = [d for d in weighty if a.text[d.a_start : d.a_end] == b.text[d.b_start : d.b_end]]  # `1` and `"1"`
    others = [d.a_start for d in weighty if d not in alike]
    if shared < min(len(a.text), len(b.text)) or others:
        assert min(others) == shared


@LAW
@given(st.tuples(request, request) | edited())
def test_divergences_come_in_order_and_inside_the_prompts(pair: tuple[Any, Any]) -> None:
    a, b = map(rendered, pair)
    found = text_divergences(a, b)
    assert [d.a_start for d in found] == sorted(d.a_start for d in found)
    for one in found:
        for d in (one, *one.repeats):
            assert 0 <= d.a_start <= d.a_end <= len(a.text), d
            assert 0 <= d.b_start <= d.b_end <= len(b.text), d
            assert inside(pair[0], d.a), d
            assert inside(pair[1], d.b), d


def inside(value: Any, spot: Spot) -> bool:
    """The spot lies in a value (or key) of the request, or at the end of a list or object of it."""
    *parents, last = spot.path or (None,)
    for step in parents:
        value = value[step]
    if last == "-":
        return isinstance(value, list | dict)
    if spot.atom == "key":
        return last in value and 0 <= spot.char <= spot.end <= len(str(last))
    value = value[last] if last is not None else value
    size = len(value) if isinstance(value, str) else len(json.dumps(value))
    return bool(0 <= spot.char <= size)


@LAW
@given(request, st.lists(message, min_size=1, max_size=3))
def test_an_append_is_one_turn(old: Any, more: list[Any]) -> None:
    found = divergences(old, {**old, "messages": [*old["messages"], *more]})
    assert [d.cause for d in found] == ["turn-appended"]
    assert not found[0].a_present
    assert found[0].b.path[:2] == ("messages", len(old["messages"]))


FRONT = "Seventeen letters"
SAMPLES = (
    ("It is 09:14.", "It is 09:15."),
    ("Today: 3 May", "Today: 4 May"),
    ("run: 7f3a91", "run: c04b2e"),
    ("Turn 4 of 20", "Turn 5 of 20"),
    ("branch: main", "branch: fix-tax"),
    ("done. ", "done."),
    ("a\r\nb", "a\nb"),
    ("ñ", "n\u0303"),
    ("plan", "\ufeffplan"),
    ("weighs 2.50 kg", "weighs 2.5 kg"),
    ("R&amp;D", "R&D"),
    ("Be brief.", "Be very brief."),
)


@LAW
@given(st.sampled_from(SAMPLES), st.sampled_from(("system", "messages")), text)
@example(SAMPLES[0], "messages", "ok")
def test_seventeen_characters_in_front_move_the_place_and_keep_the_cause(
    pair: tuple[str, str], level: str, behind: str
) -> None:
    near = [divergences(*(placed(level, f"\n{side}\n{behind}") for side in pair))]
    far = [divergences(*(placed(level, f"{FRONT}\n{side}\n{behind}") for side in pair))]
    for (x,), (y,) in zip(near, far, strict=True):
        assert (x.cause, x.a.path, x.b.path) == (y.cause, y.a.path, y.b.path)
        assert (y.a.char - x.a.char, y.b.char - x.b.char) == (17, 17)


def placed(level: str, words: str) -> Any:
    messages = [{"role": "user", "content": words if level == "messages" else "Hello there"}]
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8,
        "system": words if level == "system" else "You help.",
        "messages": [*messages, {"role": "assistant", "content": "Good."}],
    }


@LAW
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_are_told_apart(old: str, new: str) -> None:
    assume(old and new)
    found = divergences(placed("system", old), placed("system", new))
    assert bool(found) == (old != new)
    if found:
        assert found[0].a.char == found[0].b.char == common_prefix(old, new)
