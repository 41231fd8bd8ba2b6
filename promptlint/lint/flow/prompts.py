"""Where a prompt is seen: calls of SDKs, lists of messages, and what is named after a system prompt."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.facts import flow_tables
from promptlint.lint.flow.code import Call
from promptlint.lint.flow.judge import Prompt, Seen, is_conversation, is_system, judge
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.stream import is_prose, stream
from promptlint.lint.flow.values import (
    At,
    Changing,
    Code,
    Fields,
    Several,
    Thing,
    Value,
    Written,
    changes_in,
    options,
)

if TYPE_CHECKING:
    from promptlint.lint.flow.calls import Given

_LOOKS_ON = frozenset(
    {
        "print", "log", "debug", "info", "warning", "warn", "error", "exception", "critical", "trace", "len", "write",
        "encode", "count_tokens", "countTokens", "num_tokens", "hash", "sha256", "md5", "isinstance", "assert_equal",
        "assertEqual", "assertIn", "expect", "toContain", "dumps", "record", "span", "event", "set_attribute",
        "setAttribute", "setAttributes", "insert", "upsert", "stringify", "isEqual",
    }
)  # fmt: skip
"""Last names of calls that look at a prompt without sending it."""
_ONLOOKERS = frozenset(
    {"console", "logger", "log", "logging", "span", "tracer", "telemetry", "metrics", "fs", "Object"}
)
"""What such calls belong to."""
_SHORT, _LONG, _VERY_LONG = 40, 120, 250
"""Words of instructions that make a text a system text: under a telling name, without one, and where little else
says that the module deals with models."""
_SELF_MARKING = frozenset({"cache_control", "cacheControl"})


def seen_call(run: Run, written: str, name: str, given: "list[Given]", node: Call, frame: Frame) -> None:
    """A call of what is not of the project: it may send a prompt, or take one under a telling name."""
    language = run.language(frame)
    modules = run.imports(frame.scope.module)
    row = flow_tables.call_named(language, written, modules) or flow_tables.call_named(language, name, modules)
    into = run.at(node, frame)
    if row is None and _looks_on(written):
        return
    if row is None:
        if system := tuple(_strongly_named(given)):
            judge(run, Prompt(system=system), Seen(into, f"{written}()", False), frame)
        return
    found: dict[str, list[Value]] = {}
    for number, one in enumerate(given):
        slot: str | None = None
        if one.name is None and number < len(row.positional):
            slot = row.positional[number]
        elif one.name is not None:
            slot = row.takes.get(one.name)
        _fill(found, slot, one.value, row.takes)
        if (one.name is None and slot is None) or one.name == "**":
            _fill(found, "options", one.value, row.takes)
        elif one.name is not None:
            _nested(found, one.name, one.value, row.takes)
        if one.name in _SELF_MARKING:
            found["marks"] = [one.value]
    is_request = not name.rpartition(".")[2][:1].isupper() or node.is_new
    for slot in ("tools", "system"):
        found[slot] = [_answered(run, value, into, frame) for value in found.get(slot, ())]
    judge(run, _prompt(found), Seen(into, f"{written}()", True, is_request), frame)


def _answered(run: Run, value: Value, at: At, frame: Frame) -> Value:
    """Instructions may be a function, which is asked for each request."""
    from promptlint.lint.flow.calls import run_code

    if not isinstance(value, Code):
        return value
    return run_code(run, value, [], at, replace(frame, frozen=False, is_script=False, constructs=False))


def _fill(found: dict[str, list[Value]], slot: str | None, value: Value, takes: Mapping[str, str]) -> None:
    """Put a value into its slot; the fields of `options` and of a body into theirs."""
    if slot is None:
        return
    if slot not in ("options", "body"):
        found.setdefault(slot, []).append(value)
        return
    fields_of = takes if slot == "options" else flow_tables.bodies().takes
    for one in _mappings(value):
        if slot == "body" and not flow_tables.is_request(one.entries):
            continue
        for key, each in one.entries.items():
            if key in fields_of:
                _fill(found, fields_of[key], each, takes)
            _nested(found, key, each, fields_of)
            if key in _SELF_MARKING:
                found["marks"] = [each]
        for other in one.others:
            for inner in _mappings(other):
                _fill(found, slot, inner, takes)


def _nested(found: dict[str, list[Value]], name: str, value: Value, takes: Mapping[str, str]) -> None:
    """Fields under dotted names, such as `config.systemInstruction`."""
    for dotted, slot in takes.items():
        first, _, rest = dotted.partition(".")
        if rest and first == name:
            for one in _mappings(value):
                if rest in one.entries:
                    _fill(found, slot, one.entries[rest], takes)
                head, _, tail = rest.partition(".")
                if tail and head in one.entries:
                    _nested(found, head, one.entries[head], {rest: slot})


def _mappings(value: Value) -> Iterator[Fields]:
    """The mappings that a value is, or that were made a text of."""
    for one in options(value):
        if isinstance(one, Fields):
            yield one
        elif isinstance(one, Thing):
            yield Fields(dict(one.fields))
        elif isinstance(one, Written):
            for part in one.parts:
                yield from _mappings(part)


def _prompt(found: Mapping[str, list[Value]]) -> Prompt:
    return Prompt(
        tuple(found.get("tools", ())),
        tuple(found.get("system", ())),
        tuple(found.get("messages", ())),
        tuple(found.get("cache_key", ())),
        "marks" in found,
    )


def _strongly_named(given: "list[Given]") -> Iterator[Value]:
    for one in given:
        if one.name is not None and flow_tables.prompt_name(one.name) == "strong":
            yield one.value
        for value in options(one.value):
            if isinstance(value, Fields):
                for key, each in value.entries.items():
                    if flow_tables.prompt_name(key) == "strong":
                        yield each


def seen_given(run: Run, written: str, given: "list[Given]", node: Call, frame: Frame) -> None:
    """A call of which nothing is known is given a conversation, or a text that is named after a system prompt."""
    if frame.constructs or _looks_on(written):
        return
    system: list[Value] = []
    messages: list[Value] = []
    for one in given:
        for value in options(one.value):
            if isinstance(value, Written) and value.named:
                system.append(value)
            elif is_conversation(value):
                messages.append(value)
    if system or messages:
        seen = Seen(run.at(node, frame), f"{written}()", False)
        judge(run, Prompt(system=tuple(system), messages=tuple(messages)), seen, frame)


def _looks_on(written: str) -> bool:
    """Whether a call, by its name, writes a prompt down, keeps or measures it, but does not send it."""
    *owners, last = written.split(".")
    return last in _LOOKS_ON or "token" in last.lower() or (bool(owners) and owners[-1] in _ONLOOKERS)


def named(name: str, value: Value) -> Value:
    """A value under the name of a variable: a text may become known as a system text."""
    if isinstance(value, Written | Changing) and flow_tables.prompt_name(name) == "strong":
        parts = value.parts if isinstance(value, Written) else (value,)
        return Written(parts, name)
    return value


def seen_answer(run: Run, code: Code, answer: Value, frame: Frame) -> Value:
    """What a function answers: a decorator or its name may say that it is a system text."""
    function = code.function
    at = At(code.scope.module, function.span)
    language = run.module(code.scope.module).language
    for decorator in function.decorators:
        from promptlint.lint.flow.calls import dotted

        row = flow_tables.decorator_named(language, dotted(decorator), run.imports(code.scope.module))
        if row is not None and row.result in ("system", "messages", "tools"):
            judge(run, _prompt({row.result: [answer]}), Seen(at, f"the answer of {function.name}()", True), frame)
    if frame.depth > 1:
        return named(function.name, answer)
    is_strong = flow_tables.prompt_name(function.name) == "strong"
    if not (frame.frozen or frame.constructs) and (is_strong or not frame.yielded):
        seen_from_outside(run, function.name, answer, at, frame)
    return answer


def seen_from_outside(run: Run, name: str, answer: Value, at: At, frame: Frame) -> None:
    """The answer of a function that nobody calls here."""
    seen = Seen(at, f"the answer of {name or 'a function'}()", False)
    for one in options(answer):
        if is_conversation(one):
            judge(run, Prompt(messages=(one,)), seen, frame)
        elif is_system(one) and isinstance(one, Fields) and "content" in one.entries:
            judge(run, Prompt(system=(one.entries["content"],)), seen, frame)
        elif isinstance(one, Fields) and flow_tables.is_request(one.entries):
            found: dict[str, list[Value]] = {}
            _fill(found, "body", one, {})
            judge(run, _prompt(found), seen, frame)
        elif isinstance(one, Several | Written | Changing) and _is_system_text(run, name, one, frame):
            is_whole = flow_tables.prompt_name(name) is None and "prompt" in name.lower()
            prompt = Prompt(messages=(one,)) if is_whole else Prompt(system=(one,))
            judge(run, prompt, seen, frame)


def seen_parameters(run: Run, code: Code, frame: Frame) -> None:
    """Lists that a function was given, and has put texts into: `system.push(...)`."""
    for value in list(frame.scope.names.values()):
        if not isinstance(value, Several) or not value.parameter or all(item.spread for item in value.items):
            continue
        if _is_system_text(run, value.parameter, value, frame, or_function=code.function.name):
            where = f"{value.parameter}, which {code.function.name or 'a function'}() is given"
            added = Several([item for item in value.items if not item.spread], value.order)
            at = At(code.scope.module, code.function.span)
            judge(run, Prompt(system=(added,)), Seen(at, where, False), frame)


def _is_system_text(run: Run, name: str, value: Value, frame: Frame, *, or_function: str = "") -> bool:
    """Whether a name says so; or, where the module is about models, a long text of instructions."""
    if next(changes_in(value), None) is None:
        return False
    if isinstance(value, Several) and any(isinstance(item.value, Thing | Fields) for item in value.items):
        return False
    names = [flow_tables.prompt_name(each) for each in (name, or_function) if each]
    text = "".join(piece.text for piece in stream(value) if piece.kind == "text")
    if isinstance(value, Several) and "strong" in names and not text:
        return False
    if "strong" in names:
        return True
    least = _SHORT if "weak" in names else _LONG
    if not is_prose(text, least):
        return False
    told = run.told_by(frame.scope.module)
    return told.deals_with_prompts or (told.hints and is_prose(text, _VERY_LONG))
