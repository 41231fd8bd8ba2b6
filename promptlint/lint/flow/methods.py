"""Methods of lists, mappings, texts and moments."""

from dataclasses import replace

from promptlint.facts import flow_tables
from promptlint.lint.flow import known, texts
from promptlint.lint.flow.calls import Given
from promptlint.lint.flow.code import Call, Member, Name
from promptlint.lint.flow.messages import filled_template, sent_template
from promptlint.lint.flow.objects import changed_by_method
from promptlint.lint.flow.outside import answer, function
from promptlint.lint.flow.queries import ONE_ROW, ROWS, unordered_rows
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.values import (
    Changing,
    Code,
    Element,
    Fields,
    Outside,
    Plain,
    Several,
    Thing,
    Unknown,
    Value,
    Written,
    either,
    options,
)

_ADDS = frozenset({"append", "push", "add", "appendleft", "unshift", "insert", "extend", "update", "prepend", "write"})
_CALLS_BACK = frozenset({"map", "flatMap", "forEach", "filter", "reduce", "sort", "toSorted"})
_REPLACES = frozenset({"replace", "replaceAll", "replace_all"})
_SENDS = frozenset({"ainvoke", "stream", "astream", "format_messages", "formatMessages", "format_prompt", "batch"})
_COPIES = frozenset(
    {"copy", "slice", "filter", "concat", "flat", "values", "reverse", "toReversed", "union", "difference"}
)
_FILLS = frozenset({"format", "format_map", "substitute", "safe_substitute", "render", "render_async", "invoke"})


def method(run: Run, base: Value, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    """What `base.name(given)` answers."""
    if (rows := unordered_rows(run, name, given, node, frame)) is not None:
        return rows
    if name in ("iterdir", "glob", "rglob") and isinstance(base, Plain | Written | Changing):  # of a path
        return _of_unknown(run, Unknown(), name, given, node, frame)
    match base:
        case Several():
            return _of_list(run, base, name, given, node, frame)
        case Fields():
            return _of_mapping(run, base, name, given, node, frame)
        case Plain(text) if text is not None:
            return _of_text(run, base, name, given, node, frame)
        case Written():
            return _of_text(run, base, name, given, node, frame)
        case Changing():
            return _of_change(run, base, name, given, node, frame)
        case Code() if name in ("call", "apply", "bind"):
            return answer(run, base, given[1:], node, frame)
        case Outside(module):
            return function(run, Outside(f"{module}.{name}"), given, node, frame)
        case Thing() if name in ("_replace", "model_copy", "copy"):
            return changed_by_method(base, given)
        case Thing() if name in ("model_dump", "dict", "_asdict", "to_dict"):
            return Fields(dict(base.fields), depth=frame.depth)
        case _:
            return _of_unknown(run, base, name, given, node, frame)


def _of_unknown(run: Run, base: Value, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    if isinstance(base, Unknown) and base.name.startswith(known.FORMAT) and name in ("format", "formatToParts"):
        return known.carried(run, given, node, frame, to_date=base.name == known.FORMAT_OF_DAY)
    if name in ("then", "finally") and given and run.language(frame) == "typescript":
        return _then(run, given, node, frame)
    if (
        name in _REPLACES
        and len(given) > 1
        and any(isinstance(one, Changing | Written) for one in options(given[1].value))
    ):
        return Written((Unknown(), given[1].value, Unknown()))
    if name in _ADDS and isinstance(node.callee, Member) and isinstance(node.callee.of, Name) and given:
        known_name = node.callee.of.name
        if isinstance(base, Unknown):  # a list that came from elsewhere
            made = Several([Element(Unknown(known_name), spread=True)], parameter=known_name, depth=frame.depth - 1)
            frame.scope.names[known_name] = made
            return _of_list(run, made, name, given, node, frame)
    if name in ("hgetall", "hGetAll"):
        change = run.change("unsorted_keys", "a hash of Redis", run.at(node, frame), frame)
        return Fields(others=[Unknown()], order=change, depth=frame.depth)
    row = flow_tables.change_of(run.language(frame), "method", name, len(given))
    if row is not None:
        return known.made_by(run, row, f"{name}()", given, node, frame) or Unknown()
    if name == "join" or name in _FILLS:
        values = [one.value for one in given]
        changing = [one for one in values if any(isinstance(each, Changing | Written) for each in options(one))]
        if changing:
            function(run, Unknown(), given, node, frame)
            return Written((*changing, Unknown("a template")))
        if name == "join" and given and isinstance(given[0].value, Several):
            return texts.joined(given[0].value, run.at(node, frame))
    if name in _CALLS_BACK and given and any(isinstance(one, Code) for one in options(given[0].value)):
        return _of_list(run, Several([Element(Unknown(), spread=True)], depth=frame.depth), name, given, node, frame)
    full = f"{base.name}.{name}" if isinstance(base, Unknown) and base.name else name
    return function(run, Unknown(full), given, node, frame)


def _then(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`promise.then(f)`: f runs after something has been waited for; alongside others where nobody waits for it."""
    again = frame.loops and not frame.awaiting
    inner = replace(frame, waited=True, alongside=frame.depth if again else frame.alongside)
    argument = given[0]._replace(value=Unknown(), name=None, spread=False)
    return answer(run, given[0].value, [argument], given[0].node, inner)


# Lists.


def _of_list(run: Run, base: Several, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    passing = flow_tables.passing(run.language(frame))
    if name in _ADDS:
        _add(run, base, name, given, node, frame)
        return base
    if base.is_template and name in _FILLS | _SENDS:
        return sent_template(run, base, given, node, frame)
    if base.is_template and name in ("pipe", "partial", "bind", "with_config", "withConfig"):
        return filled_template(base, given, frame)
    if name == "clear" and not frame.conditions:
        base.items.clear()
        base.order = base.order if base.is_set else None
        return Plain(None)
    if name in ("map", "flatMap"):
        return _mapped(run, base, given, node, frame)
    if name == "forEach" and given:
        run_round(run, base, given, node, frame)
        return Plain(None)
    if name in ("sort", "toSorted", "sorted"):
        return _sorted(run, base, name, given, node, frame)
    if name in ("join", "getvalue"):
        return _join(run, base, given, node, frame)
    if name == "execute":
        return base
    if name in ("find", "findLast") and len(base.items) > 1:
        return Unknown(name)  # nobody knows which of them
    if name in ONE_ROW or name in ("pop", "at", "find", "shift"):
        return texts.element_of(base)
    if name in _COPIES or name in ROWS:
        return _copy(run, base, name, given, node, frame)
    if name in ("entries", "items"):
        pair = Several([Element(Plain(None)), Element(texts.element_of(base))])
        return Several([Element(pair, repeated=True)], base.order)
    if name == "reduce" and given:
        start = given[1] if len(given) > 1 else given[0]._replace(value=texts.element_of(base))
        item = given[0]._replace(value=texts.element_of(base))
        return answer(run, given[0].value, [start, item], given[0].node, frame)
    if name in passing.cleans or name in passing.clean_methods:
        return Plain(None)
    return Unknown(name)


def _copy(run: Run, base: Several, name: str, given: list[Given], node: Call, frame: Frame) -> Several:
    """A new list of the items, or of some of them; `reverse` turns the old one round."""
    if name == "filter" and given:
        run_round(run, base, given, node, frame)
    if name == "reverse":
        base.items.reverse()
    made = Several([item.copy() for item in base.items], base.order, base.is_set, depth=frame.depth)
    if name == "toReversed":
        made.items.reverse()
    for one in given if name in ("concat", "union") else ():
        from promptlint.lint.flow.evaluate import spread_into

        spread_into(made, one.value, frame)
    return made


def _add(run: Run, base: Several, name: str, given: list[Given], node: Call, frame: Frame) -> None:
    values = list(given)
    place = 0 if name in ("unshift", "appendleft", "prepend") else len(base.items)
    if name == "insert" and values:
        text = run.text(values.pop(0).at)
        index = texts.whole_number(text)
        place = min(index, place) if index is not None and index >= 0 else place
    added: list[Element] = []
    for one in values:
        if name in ("extend", "update") or one.spread:
            found = Several(depth=frame.depth)
            from promptlint.lint.flow.evaluate import spread_into

            spread_into(found, one.value, frame)
            added += found.items
            order = texts.order_of(one.value)
            base.order = base.order or (texts.entering(order, one.at) if order and not base.is_set else None)
        else:
            repeated = any(loop not in run.short for loop in frame.loops)
            added.append(Element(one.value, repeated, maybe=frame.conditions > 0, loops=frame.loops))
    base.items[place:place] = added
    if base.is_set:
        return
    if frame.alongside is not None and frame.waited and base.depth <= frame.alongside:
        base.order = run.change("arrival_order", "answers as they come in", run.at(node, frame), frame)
    elif frame.loops and frame.loops[-1] in run.orders:
        base.order = base.order or run.orders[frame.loops[-1]]


def run_round(run: Run, base: Several, given: list[Given], node: Call, frame: Frame) -> Value:
    """One call of a function for the items of a list."""
    number = run.loop()
    if base.order is not None and isinstance(node.callee, Member):
        at = run.at(node.callee.of, frame)
        run.orders[number] = texts.entering(base.order, at)
    if texts.few_items(base):
        run.short.add(number)
    frame.loops = (*frame.loops, number)
    item = given[0]._replace(value=texts.element_of(base), name=None, spread=False)
    value = answer(run, given[0].value, [item, item._replace(value=Plain(None))], given[0].node, frame)
    frame.loops = frame.loops[:-1]
    return value


def _mapped(run: Run, base: Several, given: list[Given], node: Call, frame: Frame) -> Value:
    if not given:
        return Unknown()
    value = run_round(run, base, given, node, frame)
    if isinstance(value, Several) and node.callee.name == "flatMap":  # type: ignore[union-attr]
        made = Several([item.copy(repeated=True) for item in value.items], depth=frame.depth)
    else:
        few = texts.few_items(base)
        made = Several(
            [Element(value) for _ in range(few)] if few else [Element(value, repeated=True)], depth=frame.depth
        )
    if base.order is not None:
        at = run.at(node, frame)
        made.order = texts.entering(base.order, at)
    return made


def _sorted(run: Run, base: Several, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    target = base if name == "sort" else Several([item.copy() for item in base.items], depth=frame.depth)
    target.order = None
    if given and isinstance(given[0].value, Code):
        told = answer(run, given[0].value, [], given[0].node, frame)
        text = run.text(given[0].at)
        if any(isinstance(one, Changing) for one in options(told)) or "Math.random" in text:
            target.order = run.change("shuffle", "a random order", run.at(node, frame), frame)
    return target


def _join(run: Run, base: Several, given: list[Given], node: Call, frame: Frame) -> Value:
    if base.is_set and run.language(frame) == "python":
        return Unknown()
    separator = given[0].value if given else Plain(",")
    joined = texts.joined(base, run.at(node, frame))
    return Written((*joined.parts, separator)) if isinstance(separator, Changing) else joined


# Mappings.


def _of_mapping(run: Run, base: Fields, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    key = given[0].value if given else None
    text = key.text if isinstance(key, Plain) else None
    if name in ("get", "pop", "setdefault") and text is not None:
        found = base.entries.get(text)
        default = given[1].value if len(given) > 1 else Plain(None, is_none=True)
        if found is None and name == "setdefault":
            base.entries[text] = default
        elif name == "pop" and found is not None and not frame.conditions:
            del base.entries[text]
        return either(*base.others, default, Unknown(text)) if found is None else found
    if name in ("items", "entries"):
        return known.pairs_of(base, frame)
    if name == "values":
        return Several([Element(one) for one in (*base.entries.values(), *base.others)], base.order, depth=frame.depth)
    if name == "keys":
        return Several([Element(Plain(one)) for one in base.entries], base.order, depth=frame.depth)
    if name in ("update", "set"):
        return _update(run, base, name, given, node, frame)
    if name in ("copy", "model_dump"):
        return known.FUNCTIONS["python"]["dict"](run, [Given(None, base, run.at(node, frame), node)], node, frame)
    found = base.entries.get(name)
    if isinstance(found, Code):
        return answer(run, found, given, node, frame)
    return Unknown(name)


def _update(run: Run, base: Fields, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    if name == "set" and len(given) > 1:
        key = given[0].value
        if isinstance(key, Plain) and key.text is not None:
            base.entries[key.text] = given[1].value
            base.places[key.text] = given[1].at
        else:
            base.others.append(given[1].value)
            if frame.alongside is not None and frame.waited and base.depth <= frame.alongside:
                base.order = run.change("arrival_order", "answers as they come in", run.at(node, frame), frame)
        return base
    added = known.FUNCTIONS["python"]["dict"](run, given, node, frame)
    if isinstance(added, Fields):
        base.entries |= added.entries
        base.places |= added.places
        base.others += added.others
        if frame.conditions:
            base.maybe |= set(added.entries)
    return Plain(None)


# Texts.


def _of_text(run: Run, base: Plain | Written, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    passing = flow_tables.passing(run.language(frame))
    if name == "join" and given:
        return _joined_with(run, base, given, node, frame)
    if name in _FILLS:
        return _filled(run, base, name, given, node, frame)
    if name in _REPLACES and len(given) > 1:
        old = given[0].value
        text = old.text if isinstance(old, Plain) and old.text else ""
        return texts.replaced(base, text, given[1].value)
    if name == "concat":
        return Written((*(base.parts if isinstance(base, Written) else (base,)), *(one.value for one in given)))
    if name in ("split", "splitlines", "encode", "partition") or name in passing.carry_methods:
        return base
    if name in passing.clean_methods:
        return Plain(None)
    return base if isinstance(base, Written) else Unknown()


def _joined_with(run: Run, base: Plain | Written, given: list[Given], node: Call, frame: Frame) -> Value:
    """`separator.join(items)`."""
    found: list[Value] = []
    for one in options(given[0].value):
        if isinstance(one, Several | Fields):
            found.append(texts.joined(one, run.at(node, frame)))
        elif isinstance(one, Changing):
            found.append(one)
        else:
            found.append(Written((Unknown(),)))
    return either(*found)


def _filled(run: Run, base: Plain | Written, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    """A template that is filled: each value comes to stand where its name stands."""
    positional = [one.value for one in given if one.name is None and not one.spread]
    named = {str(one.name): one.value for one in given if one.name not in (None, "**")}
    for one in given:
        for value in options(one.value):
            if isinstance(value, Fields) and (one.name == "**" or name not in ("format",)):
                named = {**value.entries, **named}
    parts: list[Value] = []
    for piece in base.parts if isinstance(base, Written) else (base,):
        if not isinstance(piece, Plain) or piece.text is None:
            parts.append(piece)
        elif name in ("format", "format_map", "invoke"):
            parts += texts.filled_braces(piece.text, positional, named, piece.at).parts
        elif name in ("substitute", "safe_substitute"):
            parts += texts.filled_dollars(piece.text, named, piece.at).parts
        else:
            parts += texts.filled_double(piece.text, named, piece.at).parts
    return Written(tuple(parts))


# Moments, ids.


def _of_change(run: Run, base: Changing, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    language = run.language(frame)
    passing = flow_tables.passing(language)
    if base.change.kind == "query":
        if name in ONE_ROW or name in ROWS or name in passing.carry_methods:
            return base
        return Plain(None) if name in passing.clean_methods else base
    if name in passing.clean_methods:
        return Plain(None)
    moved = Changing(base.change._replace(at=run.at(node, frame)))
    if base.change.kind != "clock":
        return moved
    return texts.as_date(moved) if _is_day(run, name, given, passing.to_date) else moved


def _is_day(run: Run, name: str, given: list[Given], to_date: flow_tables.ToDate) -> bool:
    """Whether a method leaves only the day of a moment."""
    first = given[0].value if given else None
    text = first.text if isinstance(first, Plain) and first.text else ""
    if text and name in to_date.format_methods:
        return flow_tables.format_is_date(text)
    fields = [
        key for one in given for value in options(one.value) if isinstance(value, Fields) for key in value.entries
    ]
    if fields and name.startswith("toLocale"):
        return flow_tables.options_are_date(fields)
    if name in to_date.slices and len(given) > 1:
        last = run.text(given[1].at)
        return 0 < (texts.whole_number(last) or 0) <= to_date.length
    return (
        name in to_date.methods
        or (name in to_date.floors and text in to_date.units)
        or (name == "split" and text in to_date.separators)
    )
