"""Calls of what is from elsewhere: what is known of libraries, and what is taken for granted of all others."""

from promptlint.facts import flow_tables
from promptlint.lint.flow import known, messages, texts
from promptlint.lint.flow.calls import Given, dotted, instance, run_code
from promptlint.lint.flow.code import Call, Expression
from promptlint.lint.flow.prompts import seen_call, seen_given
from promptlint.lint.flow.queries import unordered_rows
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.values import (
    Changing,
    Class,
    Code,
    Outside,
    Plain,
    Several,
    Unknown,
    Value,
    either,
    options,
)

_STARTERS = frozenset(
    {"submit", "create_task", "ensure_future", "start_soon", "run_in_executor", "to_thread", "spawn", "apply_async"}
)
"""Last names of calls that run a function alongside others."""


def function(run: Run, target: Value, given: list[Given], node: Call, frame: Frame) -> Value:
    """The answer of a function that is not of the project. `target`: what the callee stands for."""
    written = dotted(node.callee)
    name = target.name if isinstance(target, Outside | Unknown) and target.name else written
    if isinstance(target, Outside) and name.startswith("operator:"):
        return known.operator(run, name.removeprefix("operator:"), given, node, frame)
    seen_call(run, written, name, given, node, frame)
    if written == "sql" and (rows := unordered_rows(run, "query", given, node, frame)) is not None:
        return rows  # sql`SELECT ...`
    if written.rpartition(".")[2] in ("from_messages", "fromMessages") and given:
        return messages.template(given[0].value, frame)
    if (made := messages.message(name, given)) is not None:
        return made
    if isinstance(target, Outside):
        found = _changing(run, name, given, node, frame)
        if found is not None:
            return found
        handler = known.FUNCTIONS[run.language(frame)].get(name)
        if handler is not None:
            return handler(run, given, node, frame)
        return _passing(run, name, given, node, frame)
    return _called_back(run, written, given, node, frame)


def _changing(run: Run, name: str, given: list[Given], node: Call, frame: Frame) -> Value | None:
    language, count, at = run.language(frame), len(given), run.at(node, frame)
    if name in flow_tables.passing(language).seeds and given and not frame.frozen:
        if not any(isinstance(one, Changing) for one in options(given[0].value)):
            run.seeded.add(name.rpartition(".")[0])
        return Plain(None)
    if name.rpartition(".")[0] in run.seeded:
        return Unknown()
    row = flow_tables.change_of(language, "new" if node.is_new else "call", name, count)
    row = row or flow_tables.change_of(language, "object", name, count)
    if row is not None:
        return known.made_by(run, row, f"{name}()", given, node, frame)
    if name in flow_tables.passing(language).command_runners:
        kind = known.command(given)
        return None if kind is None else Changing(run.change(kind, "the answer of a command", at, frame))
    if name in flow_tables.passing(language).environment_readers and given:
        variable = given[0].value
        if isinstance(variable, Plain) and variable.text in flow_tables.environment_variables():
            return Changing(run.change("environment", str(variable.text), at, frame))
        return Unknown()
    return None


def _passing(run: Run, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    passing = flow_tables.passing(run.language(frame))
    if name in passing.cleans:
        return Plain(None)
    if name in passing.cleans_order and given:
        return texts.element_of(given[0].value) if isinstance(given[0].value, Several) else Plain(None)
    if name in passing.to_date.format_functions:
        return known.carried_in_format(run, given, node, frame, passing.to_date.format_functions[name])
    if name in passing.to_date.functions or name in passing.carries or (node.is_new and name in passing.carry_new):
        return known.carried(run, given, node, frame, to_date=name in passing.to_date.functions)
    return _called_back(run, name, given, node, frame)


def _called_back(run: Run, written: str, given: list[Given], node: Call, frame: Frame) -> Value:
    """A call of which nothing is known; functions that it is given may be called."""
    seen_given(run, written, given, node, frame)
    starts = written.rpartition(".")[2] in _STARTERS or written.endswith("Thread")
    answers: list[Value] = []
    for one in given:
        for value in options(one.value):
            if isinstance(value, Code) and (value.function.name == "" or starts):
                rest = [other for other in given if other is not one] if starts else []
                answers.append(run_code(run, value, rest, one.at, frame, alongside=starts, waited=starts))
    if starts and answers:
        return either(*answers)
    last = written.rpartition(".")[2]
    if last in ("cast", "assert_never", "nullcontext") and given:
        return given[-1].value
    return Unknown(f"{written}()")


def answer(run: Run, target: Value, given: list[Given], node: Expression, frame: Frame) -> Value:
    """What a value answers when something else calls it, such as the function of `map`."""
    found: list[Value] = []
    for one in options(target):
        if isinstance(one, Code):
            found.append(run_code(run, one, given, run.at(node, frame), frame, alongside=one.function.is_async))
        elif isinstance(one, Class):
            found.append(instance(run, one, given, run.at(node, frame), frame))
        elif isinstance(one, Outside):
            call = Call(node.span, node, ())
            changing = _changing(run, one.name, given, call, frame)
            handler = known.FUNCTIONS[run.language(frame)].get(one.name)
            if changing is not None:
                found.append(changing)
            elif handler is not None:
                found.append(handler(run, given, call, frame))
            else:
                found.append(_passing(run, one.name, given, call, frame))
        else:
            found.append(Unknown())
    return either(*found) if found else Unknown()
