"""Small edits of tools and system text: the label, both places, and the smallest value that explains it."""

import pytest

from request_edits import BASE, Edit, Seen, at, both, divergences, edit, messages, same, seen, text, tool

SCHEMA = ("tools", 1, "input_schema")
IN_SCHEMA = "/tools/1/input_schema"
TOOLS: dict[str, tuple[Edit, list[Seen]]] = {
    "renamed": (
        edit("tools", 1, "name", to="scribe"),
        [("items-changed", "/tools/1/name:0", "/tools/1/name:0", "/tools")],
    ),
    "added in the middle": (
        at("tools", do="insert", args=(1, tool("mid"))),
        [("items-changed", "/tools/1/name:0", "/tools/1/name:0", "/tools/1")],
    ),
    "added at the start": (
        at("tools", do="insert", args=(0, tool("aaa"))),
        [("items-changed", "/tools/0/name:0", "/tools/0/name:0", "/tools/0")],
    ),
    "added at the end": (
        at("tools", do="append", args=(tool("zzz"),)),
        [("items-changed", "/tools/-:0", "/tools/3/name#0", "/tools/3")],
    ),
    "removed in the middle": (
        at("tools", do="pop", args=(1,)),
        [("items-changed", "/tools/1/name:0", "/tools/1/name:0", "/tools")],
    ),
    "removed at the end": (
        at("tools", do="pop"),
        [("items-changed", "/tools/2/name#0", "/tools/-:0", "/tools")],
    ),
    "removed altogether": (at("tools", do="clear"), [("items-changed", "/tools/0/name#0", "/-:0", "/tools")]),
    "a second one of the same name": (
        at("tools", do="append", args=(tool("read", "another"),)),
        [("items-changed", "/tools/-:0", "/tools/3/name#0", "/tools/3")],
    ),
    "turned round": (
        at("tools", do="reverse"),
        [("list-order", "/tools/0/name:0", "/tools/0/name:0", "/tools")],
    ),
    "described otherwise": (
        edit("tools", 1, "description", to="does things better"),
        [("item-edited", "/tools/1/description:12", "/tools/1/description:12", "/tools/1")],
    ),
    "required in another order": (
        edit(*SCHEMA, "required", to=["n", "q"]),
        [("list-order", f"{IN_SCHEMA}/required/0:0", f"{IN_SCHEMA}/required/0:0", f"{IN_SCHEMA}/required")],
    ),
    "one property more": (
        edit(*SCHEMA, "properties", "z", to={"type": "string"}),
        [("item-edited", f"{IN_SCHEMA}/properties/-:0", f"{IN_SCHEMA}/properties/z#0", "/tools/1")],
    ),
    "properties in another order": (
        edit(*SCHEMA, "properties", to={"n": {"type": "integer", "default": 1}, "q": {"type": "string"}}),
        [("key-order", f"{IN_SCHEMA}/properties/q#0", f"{IN_SCHEMA}/properties/n#0", f"{IN_SCHEMA}/properties")],
    ),
    "nested keys in another order": (
        edit(*SCHEMA, "properties", "n", to={"default": 1, "type": "integer"}),
        [
            (
                "key-order",
                f"{IN_SCHEMA}/properties/n/type#0",
                f"{IN_SCHEMA}/properties/n/default#0",
                f"{IN_SCHEMA}/properties/n",
            )
        ],
    ),
    "1 became 1.0": (
        edit(*SCHEMA, "properties", "n", "default", to=1.0),
        [same("number-form", f"{IN_SCHEMA}/properties/n/default:1", f"{IN_SCHEMA}/properties/n/default")],
    ),
    "1 became 2, which counts nothing": (
        edit(*SCHEMA, "properties", "n", "default", to=2),
        [same("item-edited", f"{IN_SCHEMA}/properties/n/default:0", "/tools/1")],
    ),
    "1 became the string 1": (
        edit(*SCHEMA, "properties", "n", "default", to="1"),
        [same("item-edited", f"{IN_SCHEMA}/properties/n/default:0", "/tools/1")],
    ),
    "a list became its one string": (
        edit(*SCHEMA, "required", to="n"),
        [("item-edited", f"{IN_SCHEMA}/required/0:0", f"{IN_SCHEMA}/required:0", "/tools/1")],
    ),
    "two edits of one tool are one": (
        both(edit("tools", 1, "description", to="other"), edit(*SCHEMA, "properties", "q", "type", to="number")),
        [("item-edited", "/tools/1/description:0", "/tools/1/description:0", "/tools/1")],
    ),
    "order, an edit and the system text": (
        both(
            at("tools", do="reverse"),
            edit("tools", 0, "description", to="changed"),
            edit("system", 0, "text", to="You are a helpful pirate."),
        ),
        [
            ("list-order", "/tools/0/name:0", "/tools/0/name:0", "/tools"),
            ("item-edited", "/tools/2/description:0", "/tools/0/description:0", "/tools/0"),
            ("text-edited", "/system/0/text:18", "/system/0/text:18", "/system/0/text"),
        ],
    ),
}

SYSTEM: dict[str, tuple[Edit, list[Seen]]] = {
    "a block at the end": (
        at("system", do="append", args=(text("Third."),)),
        [("text-edited", "/system/-:0", "/system/2/text:0", "/system")],
    ),
    "a block removed": (
        at("system", do="pop", args=(0,)),
        [("text-edited", "/system/0/text:0", "/system/0/text:0", "/system")],
    ),
    "turned round": (at("system", do="reverse"), [("list-order", "/system/0/text:0", "/system/0/text:0", "/system")]),
    "split": (
        edit("system", to=[text("You are "), text("a helpful assistant."), BASE["system"][1]]),
        [("content-shape", "/system/0/text:8", "/system/0/text:8", "/system")],
    ),
    "merged": (
        edit("system", to=[text("".join(block["text"] for block in BASE["system"]))]),
        [("content-shape", "/system/0/text:28", "/system/0/text:28", "/system")],
    ),
    "merged by a line feed, as it is printed": (
        edit("system", to=[text("\n".join(block["text"] for block in BASE["system"]))]),
        [("content-shape", "/system/1/text:0", "/system/0/text:29", "/system")],
    ),
    "merged and edited": (
        edit("system", to=[text("You are a helpful assistant. Second block about style.")]),
        [
            ("text-edited", "/system/0/text:28", "/system/0/text:28", "/system/0/text"),
            ("text-edited", "/system/1/text:0", "/system/-:0", "/system"),
        ],
    ),
}


@pytest.mark.parametrize(("change", "expected"), [*TOOLS.values(), *SYSTEM.values()], ids=[*TOOLS, *SYSTEM])
def test_an_edit(change: Edit, expected: list[Seen]) -> None:
    assert seen(divergences(change)) == expected


def test_tools_that_came_and_went_are_named() -> None:
    swap = both(at("tools", do="pop", args=(0,)), at("tools", do="append", args=(tool("new1"),)))
    assert messages(swap) == ["added new1; removed read"]
