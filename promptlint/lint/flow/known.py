"""Functions of the languages and their libraries that make lists, mappings and texts of others."""

from collections.abc import Callable

from promptlint.facts import flow_tables
from promptlint.lint.flow import objects, texts
from promptlint.lint.flow.calls import Given
from promptlint.lint.flow.code import Call, Language
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.values import (
    Changing,
    Element,
    Fields,
    Kind,
    Plain,
    Several,
    Thing,
    Unknown,
    Value,
    Written,
    either,
    options,
)

Handler = Callable[[Run, list[Given], Call, Frame], Value]


def made_by(
    run: Run, row: flow_tables.Changing, name: str, given: list[Given], node: Call, frame: Frame
) -> Value | None:
    """What a call answers that is another one each time, or does to its argument."""
    at = run.at(node, frame)
    change = run.change(row.kind, name, at, frame, weak=row.kind == "unspecified_order")
    if row.kind == "clock" and given and isinstance(given[0].value, Plain) and given[0].value.text:
        text = given[0].value.text
        if "%" in text and flow_tables.format_is_date(text):
            change = change._replace(kind="date")
    if row.into == "argument" and given:
        for one in options(given[0].value):
            if isinstance(one, Several):
                one.order = change
        return Plain(None)
    if row.kind in flow_tables.ORDER_KINDS:
        if row.kind == "unordered":
            return _set(run, given, node, frame)
        source = given[0].value if given else Unknown()
        made = Several(depth=frame.depth)
        made.items = [Element(texts.element_of(source), repeated=True, loops=frame.loops)]
        made.order = change
        return made
    return Changing(change)


def command(given: list[Given]) -> Kind | None:
    """What the answer of a program is, such as git's."""
    if not given:
        return None
    first = given[0].value
    if isinstance(first, Several) and first.items:
        first = first.items[0].value
    if isinstance(first, Written) and first.parts:
        first = first.parts[0]
    text = first.text if isinstance(first, Plain) else None
    return flow_tables.command_kind(text) if text else None


def carried(run: Run, given: list[Given], node: Call, frame: Frame, *, to_date: bool = False) -> Value:
    """The first argument that matters, in another form."""
    at = run.at(node, frame)
    found: list[Value] = []
    for one in given:
        for value in options(one.value):
            if isinstance(value, Changing):
                moved = value if value.change.kind == "query" else Changing(value.change._replace(at=at))
                found.append(texts.as_date(moved) if to_date else moved)
            elif isinstance(value, Several | Fields):
                found.append(texts.joined(value, at))
            elif isinstance(value, Thing):
                found += texts.printed(run, value, one.node, frame)
            elif isinstance(value, Written) or (isinstance(value, Plain) and value.text is not None):
                found.append(value)
    changing = [one for one in found if not isinstance(one, Plain)]
    return either(*(changing or found)) if found else Unknown()


def carried_in_format(run: Run, given: list[Given], node: Call, frame: Frame, which: int) -> Value:
    """A moment that a function puts into a format, its argument number `which`."""
    pattern = given[which].value if which < len(given) else None
    text = pattern.text if isinstance(pattern, Plain) else None
    rest = [one for number, one in enumerate(given) if number != which]
    return carried(run, rest, node, frame, to_date=bool(text) and flow_tables.format_is_date(text or ""))


def operator(run: Run, name: str, given: list[Given], node: Call, frame: Frame) -> Value:
    """`a | b`, `a - b`, `a & b`, `a / b`: of sets a set, of mappings a mapping, of paths a path, else a number."""
    if name == "Mod":
        return _percent(run, given, node, frame)
    for one in given:
        if isinstance(one.value, Several) and one.value.is_template:  # a chain of LangChain's
            return one.value
    values = [value for one in given for value in options(one.value)]
    sets = [value for value in values if isinstance(value, Several) and value.is_set]
    if sets:
        made = Several([item for one in sets for item in one.items], is_set=True, depth=frame.depth)
        made.order = run.change("unordered", "a set", run.at(node, frame), frame)
        return made
    mappings = [value for value in values if isinstance(value, Fields)]
    if mappings and name == "BitOr":
        return _mapping(run, given, node, frame)
    for value in values:
        if isinstance(value, Changing):
            return Changing(value.change._replace(at=run.at(node, frame)))
    return Unknown()


def _percent(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`template % values`."""
    left, right = given[0].value, given[1].value
    template = next(
        (one for one in options(left) if isinstance(one, Written) or (isinstance(one, Plain) and one.text)), None
    )
    if template is None:
        changing = next((one for one in (*options(left), *options(right)) if isinstance(one, Changing)), None)
        return Unknown() if changing is None else Changing(changing.change._replace(at=run.at(node, frame)))
    held: list[Value] = [item.value for item in right.items] if isinstance(right, Several) else [right]
    return texts.filled_percent(template, held, right.entries if isinstance(right, Fields) else {})


def _set(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    made = Several(_items(given[0].value, frame) if given else [], is_set=True, depth=frame.depth)
    made.order = run.change("unordered", "a set", run.at(node, frame), frame)
    return made


def _items(value: Value, frame: Frame) -> list[Element]:
    found: list[Element] = []
    for one in options(value):
        if isinstance(one, Several):
            found += [item.copy() for item in one.items]
        elif isinstance(one, Fields):
            found += [Element(Plain(key)) for key in one.entries]
        elif not (isinstance(one, Plain) and one.is_none):
            found.append(Element(one if isinstance(one, Changing) else Unknown(), spread=True, loops=frame.loops))
    return found


def _list(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """A list of the items of the first argument, in their order."""
    made = Several(depth=frame.depth)
    if given:
        made.items = _items(given[0].value, frame)
        order = texts.order_of(given[0].value)
        made.order = order
    callback = given[1].value if len(given) > 1 else None
    if callback is not None and given[1].name is None:  # Array.from(xs, f)
        from promptlint.lint.flow.outside import answer

        argument = Given(None, texts.element_of(made), given[0].at, given[0].node)
        made.items = [Element(answer(run, callback, [argument], given[1].node, frame), repeated=True)]
    return made


def _ordered(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`sorted(xs)`: its order is fixed, its items stay as they are."""
    made = Several(_items(given[0].value, frame) if given else [], depth=frame.depth)
    return made


def _reversed(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    made = _list(run, given, node, frame)
    if isinstance(made, Several):
        made.items.reverse()
    return made


def _first_or_last(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    return texts.element_of(given[0].value) if len(given) == 1 else either(*(one.value for one in given))


def _with_number(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`enumerate(xs)`."""
    source = given[0].value if given else Unknown()
    pair = Several([Element(Plain(None)), Element(texts.element_of(source))], depth=frame.depth)
    return Several([Element(pair, repeated=True)], texts.order_of(source), depth=frame.depth)


def _side_by_side(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`zip(xs, ys)`."""
    row = Several([Element(texts.element_of(one.value)) for one in given], depth=frame.depth)
    order = next((order for one in given if (order := texts.order_of(one.value))), None)
    return Several([Element(row, repeated=True)], order, depth=frame.depth)


def _through(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`map(f, xs)`."""
    from promptlint.lint.flow.outside import answer

    if len(given) < 2:
        return Unknown()
    arguments = [Given(None, texts.element_of(one.value), one.at, one.node) for one in given[1:]]
    value = answer(run, given[0].value, arguments, node, frame)
    return Several([Element(value, repeated=True)], texts.order_of(given[1].value), depth=frame.depth)


def _second(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`filter(f, xs)`."""
    return _list(run, given[1:2], node, frame)


def _mapping(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`dict(x, a=1)`, `Object.assign({}, x)`, `Object.fromEntries(x)`, `new Map(x)`."""
    made = Fields(depth=frame.depth, frozen=frame.frozen)
    for one in given:
        if one.name not in (None, "**"):
            made.entries[str(one.name)] = one.value
            made.places[str(one.name)] = one.at
            continue
        for value in options(one.value):
            if isinstance(value, Fields):
                made.entries |= value.entries
                made.places |= value.places
                made.others += value.others
                made.order = made.order or value.order
            elif isinstance(value, Several):
                made.others += [item.value for item in value.items]
                made.order = made.order or value.order
            elif isinstance(value, Thing):
                made.entries |= value.fields
            elif not isinstance(value, Plain):
                made.others.append(Unknown())
    return made


def _same(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    return given[0].value if given else Unknown()


def _gathered(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`asyncio.gather(*tasks)`: the answers, in the order in which they were asked for."""
    made = Several(depth=frame.depth)
    for one in given:
        if one.name is None:
            made.items += _items(one.value, frame) if one.spread else [Element(one.value)]
            order = texts.order_of(one.value)
            made.order = order or made.order
    return made


def _keys(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`Object.keys(x)`."""
    value = given[0].value if given else Unknown()
    return Several([Element(Unknown(), spread=True)], texts.order_of(value), depth=frame.depth)


def _values(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`Object.values(x)`, and the pairs of `Object.entries(x)`."""
    value = given[0].value if given else Unknown()
    one = next((each for each in options(value) if isinstance(each, Fields)), None)
    if one is None:
        return Several([Element(Unknown(), spread=True)], depth=frame.depth)
    items = [Element(each) for each in (*one.entries.values(), *one.others)]
    return Several(items, one.order, depth=frame.depth)


def _pairs(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    return pairs_of(given[0].value if given else Unknown(), frame)


def pairs_of(value: Value, frame: Frame) -> Several:
    """The pairs of key and value of a mapping, in its order."""
    items: list[Element] = []
    order = None
    for one in options(value):
        if isinstance(one, Fields):
            order = order or one.order
            rows: list[tuple[Value, Value]] = [(Plain(key), each) for key, each in one.entries.items()]
            rows += [(Unknown(), each) for each in one.others]
            items += [Element(Several([Element(key), Element(each)], depth=frame.depth)) for key, each in rows]
    return Several(items or [Element(Unknown(), spread=True)], order, depth=frame.depth)


def json_text(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`json.dumps(x)`, `JSON.stringify(x)`."""
    if not given:
        return Unknown()
    at = run.at(node, frame)
    is_python = run.language(frame) == "python"
    keywords = {one.name: one.value for one in given}
    replaced = not is_python and len(given) > 1 and not (isinstance(given[1].value, Plain) and given[1].value.is_none)
    written = {one.name: run.text(one.at) for one in given}
    sorts = written.get("sort_keys", "False") != "False" or "SORT_KEYS" in written.get("option", "")
    is_sorted = replaced or sorts or "**" in keywords
    value = given[0].value
    if not is_python and isinstance(value, Changing):
        return Changing(value.change._replace(at=at))
    parts: list[Value] = []
    for one in options(value):
        if isinstance(one, Fields) and is_sorted:
            one = sorted_keys(one)
        if isinstance(one, Fields) and one.others and not is_sorted:
            given_in = next((each for each in one.others if isinstance(each, Unknown) and each.is_parameter), None)
            if given_in is not None and one.order is None:
                change = run.change("unsorted_keys", given_in.name or "its argument", at, frame, weak=True)
                parts.append(Written((Changing(change), one)))
                continue
        if isinstance(one, Several | Fields):
            parts.append(texts.joined(one, at))
        elif not is_sorted and isinstance(one, Unknown) and one.is_parameter:
            change = run.change("unsorted_keys", one.name or "its argument", at, frame, weak=True)
            parts.append(Written((Changing(change), one)))
        else:
            parts.append(one)
    return either(*parts) if parts else Unknown()


def sorted_keys(value: Fields) -> Fields:
    """The same mapping, its keys sorted."""
    return Fields(value.entries, value.others, None, value.maybe, value.places, value.depth, value.frozen)


def _print(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`print(a, b, file=buffer)`."""
    for one in given:
        if one.name == "file":
            for value in options(one.value):
                if isinstance(value, Several):
                    value.items += [Element(each.value, loops=frame.loops) for each in given if each.name is None]
    return Plain(None)


def _template(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`string.Template(text)`, `PromptTemplate(template=text)`: the text itself; it is filled later."""
    named = {one.name: one.value for one in given}
    return named.get("template") or (given[0].value if given else Unknown())


FORMAT, FORMAT_OF_DAY = "Intl.DateTimeFormat(", "Intl.DateTimeFormat(day)"


def _format(run: Run, given: list[Given], node: Call, frame: Frame) -> Value:
    """`new Intl.DateTimeFormat(locale, options)`: without options it prints the day."""
    fields = given[1].value if len(given) > 1 else Fields()
    if isinstance(fields, Fields) and (not fields.entries or flow_tables.options_are_date(fields.entries)):
        return Unknown(FORMAT_OF_DAY)
    return Unknown(f"{FORMAT}time)")


FUNCTIONS: dict[Language, dict[str, Handler]] = {
    "python": {
        **dict.fromkeys(("set", "frozenset"), _set),
        **dict.fromkeys(("list", "tuple", "iter", "collections.deque"), _list),
        "reversed": _reversed,
        **dict.fromkeys(("sorted", "natsort.natsorted"), _ordered),
        **dict.fromkeys(("next", "min", "max"), _first_or_last),
        **dict.fromkeys(("dict", "collections.OrderedDict"), _mapping),
        **dict.fromkeys(("vars", "dataclasses.asdict", "attr.asdict", "attrs.asdict"), objects.fields_of),
        **dict.fromkeys(("copy.copy", "copy.deepcopy"), objects.copy),
        **dict.fromkeys(("dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve"), objects.changed),
        "dict.fromkeys": lambda run, given, node, frame: _list(run, given[:1], node, frame),
        "getattr": objects.attribute,
        "functools.partial": objects.partial,
        **dict.fromkeys(("asyncio.gather", "itertools.chain"), _gathered),
        **dict.fromkeys(("json.dumps", "ujson.dumps", "simplejson.dumps", "orjson.dumps"), json_text),
        **dict.fromkeys(("string.Template", "jinja2.Template"), _template),
        "enumerate": _with_number,
        "io.StringIO": _list,
        "print": _print,
        "zip": _side_by_side,
        "map": _through,
        "filter": _second,
    },
    "typescript": {
        **dict.fromkeys(("Array.from", "Set", "Array.of"), _list),
        **dict.fromkeys(("Object.assign", "Object.fromEntries", "Map"), _mapping),
        **dict.fromkeys(("Object.freeze", "Promise.all", "Promise.allSettled"), _same),
        "structuredClone": objects.copy,
        "Promise.resolve": _same,
        "Intl.DateTimeFormat": _format,
        "Object.keys": _keys,
        "Object.values": _values,
        "Object.entries": _pairs,
        "JSON.stringify": json_text,
    },
}
