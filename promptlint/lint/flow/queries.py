"""Queries of databases whose rows come in no order."""

from promptlint.lint.flow.calls import Given
from promptlint.lint.flow.code import Call, Member, Name
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.values import Changing, Element, Fields, Plain, Several, Unknown, Value, Written, options

_QUERIES = frozenset({"execute", "executemany", "query", "prepare", "fetch", "all", "raw", "read_sql", "$queryRaw"})
ROWS = frozenset({"fetchall", "fetchmany", "all", "scalars", "mappings", "toArray", "rows"})
"""Methods of an answer that give its rows."""
ONE_ROW = frozenset({"fetchone", "first", "one", "one_or_none", "scalar", "scalar_one", "get"})
"""Methods of an answer that give one row."""


def unordered_rows(run: Run, name: str, given: list[Given], node: Call, frame: Frame) -> Value | None:
    """The rows of an SQL query without an order; None where a call is no such query."""
    if name == "findMany" and not any("orderBy" in value.entries for one in given for value in _fields(one.value)):
        return _rows(run, name, "", node, frame)
    if name not in (*_QUERIES, "scalars") or not given:
        return None
    if any(isinstance(one, Unknown) and _is_unordered_select(one.name) for one in options(given[0].value)):
        return _rows(run, name, "", node, frame)
    text = _constant_text(given[0].value)
    if text is None or not is_unordered_query(text):
        if (cursor := _cursor(name, node)) is not None:
            frame.scope.names[cursor] = Unknown(cursor)  # the rows of its last query are gone
        return None
    return _rows(run, name, text, node, frame)


def _fields(value: Value) -> list[Fields]:
    return [one for one in options(value) if isinstance(one, Fields)]


def _is_unordered_select(name: str) -> bool:
    """Whether what a value is named after is SQLAlchemy's `select(...)` without `order_by`."""
    steps = name.removesuffix("()").split(".")
    return "select" in steps[:2] and not {"order_by", "count", "group_by"} & set(steps)


def _rows(run: Run, name: str, text: str, node: Call, frame: Frame) -> Several:
    change = run.change("query", "a query without ORDER BY", run.at(node, frame), frame)
    words = text.upper().split()
    item: Value = Changing(change) if "LIMIT" in words or "TOP" in words else Unknown()
    rows = Several([Element(item, repeated=True)], change, depth=frame.depth)
    if (cursor := _cursor(name, node)) is not None:
        frame.scope.names[cursor] = rows  # they are fetched later
    return rows


def _cursor(name: str, node: Call) -> str | None:
    """The name of the cursor that executes a query."""
    owner = node.callee.of if isinstance(node.callee, Member) and name == "execute" else None
    return owner.name if isinstance(owner, Name) and owner.name in ("cur", "cursor", "csr", "crsr") else None


def _constant_text(value: Value) -> str | None:
    if isinstance(value, Written):
        return "".join(part.text if isinstance(part, Plain) and part.text else " ? " for part in value.parts)
    return value.text if isinstance(value, Plain) else None


_SINGLE = ("LIMIT 1", "FETCH FIRST 1 ", "COUNT(", "SUM(", "MAX(", "MIN(", "AVG(", "EXISTS(", "EXISTS (")


def is_unordered_query(text: str) -> bool:
    """Whether a text is an SQL query whose rows come in no order and may be several."""
    words = " ".join(text.upper().split())
    if not words.startswith(("SELECT ", "WITH ")) or " FROM " not in words or "ORDER BY" in words:
        return False
    if words.endswith("LIMIT 1") or "LIMIT 1 " in words or "LIMIT 1;" in words:
        return False
    head = words.partition(" FROM ")[0]
    return "GROUP BY" in words or not any(each in head for each in _SINGLE)
