"""Objects of libraries that are messages, and templates of messages."""

from promptlint.lint.flow import texts
from promptlint.lint.flow.calls import Given
from promptlint.lint.flow.code import Call
from promptlint.lint.flow.judge import Prompt, Seen, judge
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.values import Element, Fields, Plain, Several, Unknown, Value, Written, options

_ROLES = {
    "system": "system",
    "developer": "developer",
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "tool": "tool",
}
_CONTENT = ("content", "text", "parts", "template", "prompt")


def message(name: str, given: list[Given]) -> Fields | None:
    """What `SystemMessage(...)`, `ChatMessage(role=..., content=...)` and the like make; None for all else."""
    last = name.rpartition(".")[2]
    if last in ("from_template", "fromTemplate"):
        last = name.split(".")[-2] if "." in name else last
    if not last[:1].isupper():
        return None
    named = {str(one.name): one.value for one in given if one.name not in (None, "**")}
    for one in given:
        if one.name is None and isinstance(one.value, Fields):
            named = {**one.value.entries, **named}
    content = next((named[each] for each in _CONTENT if each in named), None)
    role = _role_of(last)
    if role is None and not ("role" in named and content is not None):
        return None
    if content is None:
        content = next((one.value for one in given if one.name is None), Unknown())
    entries = {"role": Plain(role) if role else named["role"], **named, "content": content}
    return Fields({key: value for key, value in entries.items() if key not in _CONTENT[1:]})


def _role_of(name: str) -> str | None:
    """The role that the name of a class of messages says: `SystemMessagePromptTemplate` -> system."""
    lowered = name.lower()
    if "message" not in lowered:
        return None
    for word, role in _ROLES.items():
        if lowered.startswith((word, f"chat{word}", f"chatcompletion{word}", f"chatrequest{word}")):
            return role
    return None


def template(value: Value, frame: Frame) -> Several:
    """The messages of `ChatPromptTemplate.from_messages([("system", "..."), ...])`."""
    made = Several(depth=frame.depth, loops=frame.loops, is_template=True)
    for one in options(value):
        if isinstance(one, Several):
            made.order = made.order or one.order
            for item in one.items:
                each = item.value
                if isinstance(each, Several) and len(each.items) == 2 and isinstance(each.items[0].value, Plain):
                    role = _ROLES.get(each.items[0].value.text or "", "user")
                    each = Fields({"role": Plain(role), "content": each.items[1].value})
                made.items.append(Element(each, item.repeated, item.spread, item.maybe, item.loops))
    return made


def sent_template(run: Run, base: Several, given: list[Given], node: Call, frame: Frame) -> Value:
    """Messages whose holes are filled where they are sent."""
    from promptlint.lint.flow.calls import dotted

    filled = filled_template(base, given, frame)

    judge(run, Prompt(messages=(filled,)), Seen(run.at(node, frame), f"{dotted(node.callee)}()", True), frame)
    return filled


def filled_template(base: Several, given: list[Given], frame: Frame) -> Several:
    """Messages in which the holes are filled that arguments name: a template still, for others may be left."""
    named: dict[str, Value] = {str(one.name): one.value for one in given if one.name not in (None, "**")}
    for one in given:
        for value in options(one.value):
            if isinstance(value, Fields):
                named = {**value.entries, **named}
    filled = Several(order=base.order, depth=frame.depth, loops=base.loops, is_template=True)
    for item in base.items:
        value = item.value
        if isinstance(value, Fields) and "content" in value.entries:
            value = Fields({**value.entries, "content": _filled(value.entries["content"], named)})
        filled.items.append(Element(value, item.repeated, item.spread, item.maybe, item.loops))
    return filled


def _filled(value: Value, named: dict[str, Value]) -> Value:
    parts: list[Value] = []
    for piece in value.parts if isinstance(value, Written) else (value,):
        if isinstance(piece, Plain) and piece.text is not None:
            parts += texts.filled_braces(piece.text, [], named, piece.at, keeps=True).parts
        else:
            parts.append(piece)
    return Written(tuple(parts))
