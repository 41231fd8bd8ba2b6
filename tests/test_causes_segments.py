"""Blocks that came, went or moved inside one tool, system text or message, in every format."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from documents import rendered
from promptlint.boundary import Divergence, text_divergences
from promptlint.boundary.divergence import shared_chars
from promptlint.cache.meaning import harmless
from promptlint.read.places import pointer

Edit = Callable[[Any], object]
Seen = tuple[str, str, str]  # cause, where in A, where in B

GEMINI: Any = {
    "systemInstruction": {"parts": [{"text": "Be careful."}, {"text": "Quote the order."}]},
    "contents": [{"role": "user", "parts": [{"text": "Look at the file."}]}],
}
CHAT: Any = {
    "model": "gpt-5",
    "messages": [
        {"role": "developer", "content": [{"type": "text", "text": "Be careful."}]},
        {"role": "user", "content": "Look at the file."},
        {"role": "assistant", "content": "I look.", "refusal": "no", "annotations": [{"a": 1, "b": 2}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "three rows"},
        {"role": "user", "content": "And now?"},
    ],
}
PARTS = ("systemInstruction", "parts")
SYSTEM = "/systemInstruction/parts"


def put(base: Any, *path: Any, to: Any) -> tuple[Any, Edit]:
    def change(request: Any) -> None:
        for step in path[:-1]:
            request = request[step]
        request[path[-1]] = to

    return base, change


def parts(*texts: str) -> tuple[Any, Edit]:
    return put(GEMINI, *PARTS, to=[{"text": text} for text in texts])


def chat(*path: Any, to: Any) -> tuple[Any, Edit]:
    return put(CHAT, "messages", *path, to=to)


EDITS: dict[str, tuple[tuple[Any, Edit], list[Seen]]] = {
    "a part at the end": (
        parts("Be careful.", "Quote the order.", "Be brief."),
        [("text-edited", "/contents/0/role", f"{SYSTEM}/2/text")],
    ),
    "a part in front": (
        parts("Be brief.", "Be careful.", "Quote the order."),
        [("text-edited", f"{SYSTEM}/0/text", f"{SYSTEM}/0/text")],
    ),
    "a part taken out": (parts("Quote the order."), [("text-edited", f"{SYSTEM}/0/text", f"{SYSTEM}/0/text")]),
    "parts turned round": (
        parts("Quote the order.", "Be careful."),
        [("list-order", f"{SYSTEM}/0/text", f"{SYSTEM}/0/text")],
    ),
    "parts joined": (parts("Be careful.Quote the order."), [("content-shape", f"{SYSTEM}/0/text", f"{SYSTEM}/0/text")]),
    "a part put in front and one edited": (
        parts("Be brief.", "Be careful.", "Quote the orders."),
        [
            ("text-edited", f"{SYSTEM}/0/text", f"{SYSTEM}/0/text"),
            ("text-edited", f"{SYSTEM}/1/text", f"{SYSTEM}/2/text"),
        ],
    ),
    "thinking is no thinking in system text": (
        put(GEMINI, *PARTS, 0, "thought", to=True),
        [("text-edited", f"{SYSTEM}/1/text", f"{SYSTEM}/0/thought")],
    ),
    "a second block of a developer message": (
        chat(0, "content", to=[{"type": "text", "text": "Be careful."}, {"type": "text", "text": "Be brief."}]),
        [("text-edited", "/messages/1/role", "/messages/0/content/1/text")],
    ),
    "a name for a developer message": (
        chat(0, "name", to="ann"),
        [("text-edited", "/messages/1/role", "/messages/0/name")],
    ),
    "a developer message without content": (
        chat(0, "content", to=None),
        [("text-edited", "/messages/0/content/0/text", "/messages/1/role")],
    ),
    "a field of a message beside its content": (
        chat(2, "refusal", to="yes"),
        [("history-rewritten", "/messages/2/refusal", "/messages/2/refusal")],
    ),
    "an entry of such a field": (
        chat(2, "annotations", to=[{"a": 1, "b": 2, "c": {}}]),
        [("history-rewritten", "/messages/2/annotations/0/-", "/messages/2/annotations/0/c")],
    ),
    "the content beside such a field": (
        chat(2, "content", to="I looked."),
        [("history-rewritten", "/messages/2/content", "/messages/2/content")],
    ),
    "the role of a result": (
        chat(3, "role", to="function"),
        [("role-changed", "/messages/3/role", "/messages/3/role")],
    ),
    "a text block that is one no more": (
        chat(0, "content", 0, "type", to="texts"),
        [("text-edited", "/messages/0/content/0/text", "/messages/0/content/0/type")],
    ),
}


def compared(old: Any, change: Edit) -> list[Divergence]:
    new = copy.deepcopy(old)
    change(new)
    a, b = rendered(old), rendered(new)
    found = text_divergences(a, b)
    assert min(d.a_start for d in found if not harmless(d)) <= shared_chars(a, b)
    return found


@pytest.mark.parametrize(("edit", "expected"), EDITS.values(), ids=EDITS)
def test_an_edit_of_blocks(edit: tuple[Any, Edit], expected: list[Seen]) -> None:
    found = compared(*edit)
    assert [(d.cause, pointer(d.a.path), pointer(d.b.path)) for d in found] == expected


def test_the_message_of_a_change_without_a_narrower_cause_holds_for_the_newest_message() -> None:
    (found,) = compared(*chat(4, "content", to="And then?"))
    assert (found.cause, found.message) == ("history-rewritten", "the text of this message differs")


def blocks(*texts: str) -> Any:
    return [{"type": "text", "text": text} for text in texts]


def talk(first: Any, second: Any) -> Any:
    return [{"role": "user", "content": first}, {"role": "assistant", "content": second}, *CHAT["messages"][4:]]


def test_a_harmless_shape_does_not_hide_one_that_costs() -> None:
    old = talk("first question", blocks("a long answer"))
    both = talk(blocks("first question"), blocks("a long ", "answer"))
    found = text_divergences(rendered(old), rendered(both))
    assert [(d.cause, harmless(d)) for d in found] == [("content-shape", True), ("content-shape", False)]


SHAPES = {
    "one block": ("a\nb", blocks("a\nb"), True),
    "two blocks that print as one": ("a\nb", blocks("a", "b"), False),
    "an empty block more": ("ab", blocks("ab", ""), False),
    "an empty block more in a list": (blocks("ab"), blocks("ab", ""), False),
}


@pytest.mark.parametrize(("old", "new", "free"), SHAPES.values(), ids=SHAPES)
def test_only_the_same_blocks_are_harmless(old: Any, new: Any, free: bool) -> None:
    for one, other in ((old, new), (new, old)):
        (found,) = text_divergences(rendered(talk("hi", one)), rendered(talk("hi", other)))
        assert (found.cause, harmless(found)) == ("content-shape", free)


TOOL = {"name": "read", "description": "Read one file.", "input_schema": {"type": "object"}}
EMPTY = {"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [TOOL], "messages": CHAT["messages"][1:2]}


@pytest.mark.parametrize("turned", [False, True])
def test_a_level_that_only_one_side_has_begins_behind_those_before_it(turned: bool) -> None:
    a, b = rendered(EMPTY), rendered({**EMPTY, "system": "Be brief."})
    (found,) = text_divergences(b, a) if turned else text_divergences(a, b)
    assert (found.cause, found.a_start, found.b_start) == ("text-edited", shared_chars(a, b), shared_chars(a, b))
    assert found.a_start == len(a.items[0].text)


def test_a_history_that_only_one_side_has_begins_behind_the_tools() -> None:
    a, b = rendered(EMPTY), rendered({**EMPTY, "messages": []})
    (found,) = text_divergences(a, b)
    assert (found.cause, found.a_start, found.b_start) == ("turn-appended", len(b.text), len(b.text))
