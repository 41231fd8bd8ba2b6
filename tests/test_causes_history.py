"""Small edits of old messages: the label, both places, and the smallest value that explains it."""

from typing import Any

import pytest

from documents import rendered
from promptlint.boundary import text_divergences
from request_edits import BASE, RESULT, USER, Edit, Seen, at, both, divergences, edit, messages, same, seen, text

CALL = "/messages/1/content/2"
HISTORY: dict[str, tuple[Edit, list[Seen]]] = {
    "content as one block": (
        edit("messages", 0, "content", to=[text(USER)]),
        [("content-shape", "/messages/0/content:0", "/messages/0/content/0/text:0", "/messages/0")],
    ),
    "content as two blocks": (
        edit("messages", 0, "content", to=[text(USER[:10]), text(USER[10:])]),
        [("content-shape", "/messages/0/content:10", "/messages/0/content/0/text:10", "/messages/0")],
    ),
    "two messages of one role": (
        at(
            "messages",
            do="__setitem__",
            args=(slice(0, 1), [{"role": "user", "content": w} for w in ("Please ", USER[7:])]),
        ),
        [("content-shape", "/messages/0/content:7", "/messages/0/content:7", "/messages")],
    ),
    "a result as one block": (
        edit("messages", 2, "content", 0, "content", to=[text(RESULT)]),
        [
            (
                "content-shape",
                "/messages/2/content/0/content:0",
                "/messages/2/content/0/content/0/text:0",
                "/messages/2/content/0/content",
            )
        ],
    ),
    "thinking dropped": (
        at("messages", 1, "content", do="pop", args=(0,)),
        [
            (
                "reasoning-dropped",
                "/messages/1/content/0/type#0",
                "/messages/1/content/0/text:0",
                "/messages/1/content/0",
            )
        ],
    ),
    "thinking emptied": (
        edit("messages", 1, "content", 0, "thinking", to=""),
        [same("reasoning-dropped", "/messages/1/content/0/thinking:0", "/messages/1/content/0/thinking")],
    ),
    "thinking redacted": (
        edit("messages", 1, "content", 0, to={"type": "redacted_thinking", "data": "xx"}),
        [same("history-rewritten", "/messages/1/content/0/type:0", "/messages/1/content/0")],
    ),
    "thinking edited": (
        edit("messages", 1, "content", 0, "thinking", to="Let me look at that"),
        [same("history-rewritten", "/messages/1/content/0/thinking:17", "/messages/1/content/0/thinking")],
    ),
    "a call id minted again, at call and result": (
        both(
            edit("messages", 1, "content", 2, "id", to="toolu_01ZZZ9xQ"),
            edit("messages", 2, "content", 0, "tool_use_id", to="toolu_01ZZZ9xQ"),
        ),
        [("identifier", f"{CALL}/id:8", f"{CALL}/id:8", f"{CALL}/id")],
    ),
    "arguments in another order": (
        edit("messages", 1, "content", 2, "input", to={"n": 1, "q": "a"}),
        [("key-order", f"{CALL}/input/q#0", f"{CALL}/input/n#0", f"{CALL}/input")],
    ),
    "another argument": (
        edit("messages", 1, "content", 2, "input", "q", to="b"),
        [("history-rewritten", f"{CALL}/input/q:0", f"{CALL}/input/q:0", f"{CALL}/input/q")],
    ),
    "1 became 1.0": (
        edit("messages", 1, "content", 2, "input", "n", to=1.0),
        [("number-form", f"{CALL}/input/n:1", f"{CALL}/input/n:1", f"{CALL}/input/n")],
    ),
    "1 became true": (
        edit("messages", 1, "content", 2, "input", "n", to=True),
        [("history-rewritten", f"{CALL}/input/n:0", f"{CALL}/input/n:0", f"{CALL}/input/n")],
    ),
    "a result stubbed": (
        edit("messages", 2, "content", 0, "content", to="[output removed]"),
        [same("content-stubbed", "/messages/2/content/0/content:0", "/messages/2/content/0/content")],
    ),
    "a result cut short is no stub": (
        edit("messages", 2, "content", 0, "content", to=RESULT[:22]),
        [same("history-rewritten", "/messages/2/content/0/content:22", "/messages/2/content/0/content")],
    ),
    "another short result is no stub": (
        edit("messages", 2, "content", 0, "content", to='{"ok": true}'),
        [same("history-rewritten", "/messages/2/content/0/content:0", "/messages/2/content/0/content")],
    ),
    "an answer that says removed is no stub": (
        edit("messages", 3, "content", 0, "text", to="I removed it."),
        [same("history-rewritten", "/messages/3/content/0/text:0", "/messages/3/content/0/text")],
    ),
    "another role": (
        edit("messages", 3, "role", to="user"),
        [("role-changed", "/messages/3/role:0", "/messages/3/role:0", "/messages/3")],
    ),
    "an answer edited": (
        edit("messages", 3, "content", 0, "text", to="There are 3 lines in that result."),
        [same("history-rewritten", "/messages/3/content/0/text:10", "/messages/3/content/0/text")],
    ),
    "a tagged section in front": (
        edit("messages", 0, "content", to=f"<hint>be quick</hint>\n{USER}"),
        [same("history-rewrapped", "/messages/0/content:0", "/messages/0/content")],
    ),
    "a line in front": (
        edit("messages", 0, "content", to=f"Question of the user:\n{USER}"),
        [same("history-rewrapped", "/messages/0/content:0", "/messages/0/content")],
    ),
    "a few more words are no wrapper": (
        edit("messages", 0, "content", to=f"{USER} Go!"),
        [same("history-rewritten", "/messages/0/content:40", "/messages/0/content")],
    ),
    "a reminder block in front": (
        edit("messages", 0, "content", to=[text("<reminder>be quick</reminder>"), text(USER)]),
        [("history-rewrapped", "/messages/0/content:0", "/messages/0/content/0/text:0", "/messages/0/content/0/text")],
    ),
    "a reminder block behind": (
        edit("messages", 0, "content", to=[text(USER), text("<reminder>be quick</reminder>")]),
        [("history-rewrapped", "/messages/1/role:0", "/messages/0/content/1/text:0", "/messages/0/content/1/text")],
    ),
    "the oldest dropped": (
        at("messages", do="pop", args=(0,)),
        [("history-trimmed", "/messages/0/role:0", "/messages/0/role:0", "/messages/0")],
    ),
    "the oldest dropped, the first kept": (
        at("messages", do="__delitem__", args=(slice(1, 3),)),
        [("history-trimmed", "/messages/1/content/0/type#0", "/messages/1/content/0/text:0", "/messages/1")],
    ),
    "one dropped from the middle": (
        at("messages", do="pop", args=(3,)),
        [("history-rewritten", "/messages/3/role:0", "/messages/3/role:0", "/messages/3")],
    ),
    "the oldest dropped and the rest edited": (
        both(at("messages", do="pop", args=(0,)), edit("messages", 3, "content", to="Now what about Paris, France?")),
        [
            ("history-rewritten", "/messages/0/role:0", "/messages/0/role:0", "/messages/0"),
            ("history-rewritten", "/messages/4/content:15", "/messages/3/content:15", "/messages/3/content"),
        ],
    ),
    "a stretch summed up": (
        at("messages", do="__setitem__", args=(slice(0, 4), [{"role": "user", "content": "We looked at a file."}])),
        [("history-compacted", "/messages/0/content:0", "/messages/0/content:0", "/messages/0")],
    ),
    "all summed up": (
        edit("messages", to=[{"role": "user", "content": "Summary: we looked at a file."}]),
        [("history-compacted", "/messages/0/content:0", "/messages/0/content:0", "/messages/0")],
    ),
    "another conversation": (
        edit("messages", to=[{"role": r, "content": c} for r, c in (("user", "Tell a joke."), ("assistant", "Ha!"))]),
        [("history-rewritten", "/messages/0/content:0", "/messages/0/content:0", "/messages/0")],
    ),
    "in another order": (
        at("messages", do="reverse"),
        [("list-order", "/messages/0/content:0", "/messages/0/content:0", "/messages")],
    ),
    "one twice": (
        at("messages", do="insert", args=(1, BASE["messages"][0])),
        [("history-rewritten", "/messages/1/role:0", "/messages/1/role:0", "/messages/1")],
    ),
    "more": (
        at("messages", do="append", args=({"role": "assistant", "content": "Sunny."},)),
        [("turn-appended", "/messages/-:0", "/messages/5/role:0", "/messages/5")],
    ),
    "fewer": (at("messages", do="pop"), [("turn-appended", "/messages/4/role:0", "/messages/-:0", "/messages/4")]),
    "none": (edit("messages", to=[]), [("turn-appended", "/messages/0/role:0", "/-:0", "/messages/0")]),
    "trimmed and more": (
        both(
            at("messages", do="__delitem__", args=(slice(0, 2),)),
            at("messages", do="append", args=({"role": "assistant", "content": "Sunny."},)),
        ),
        [
            ("history-trimmed", "/messages/0/content:0", "/messages/0/content/0/type#0", "/messages/0"),
            ("turn-appended", "/messages/-:0", "/messages/3/role:0", "/messages/3"),
        ],
    ),
}


@pytest.mark.parametrize(("change", "expected"), HISTORY.values(), ids=HISTORY)
def test_an_edit(change: Edit, expected: list[Seen]) -> None:
    assert seen(divergences(change)) == expected


def test_an_append_says_that_all_before_is_equal_only_where_it_is() -> None:
    more = HISTORY["more"][0]
    assert messages(more) == ["1 message appended; everything before is equal"]
    assert messages(both(more, edit("system", 0, "text", to="Be kind.")))[-1] == "1 message appended"


HELPERS = {
    "quotes": ({"messages": [{"role": "user", "content": f"Sum up this chat: {RESULT}"}]}, ["rebuilt-request"]),
    "quotes nothing": (
        {"messages": [{"role": "user", "content": "Sum up this chat: it was about a result of three lines."}]},
        ["items-changed", "text-edited", "history-rewritten"],
    ),
    "has the tools and the system text": (
        {**BASE, "messages": [{"role": "user", "content": f"Sum up this chat: {RESULT}"}]},
        ["history-rewritten"],
    ),
}


@pytest.mark.parametrize(("helper", "causes"), HELPERS.values(), ids=HELPERS)
def test_a_helper_request(helper: dict[str, Any], causes: list[str]) -> None:
    request = {"model": BASE["model"], "max_tokens": 10, **helper}
    assert [d.cause for d in text_divergences(rendered(BASE), rendered(request))] == causes
