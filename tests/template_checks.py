"""Whether the origins of a rendering are true, judged without the code that made them."""

import json
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import Any

from promptlint.prompt import Origin, Rendering

Places = dict[str, tuple[tuple[Any, ...], int]]


def at(variables: Any, path: tuple[Any, ...]) -> Any:
    """What stands at a path of the variables; a step of None enters the JSON text reached so far."""
    for step in path:
        variables = json.loads(variables) if step is None else variables[step]
    return variables


def assert_true(rendering: Rendering, variables: Any, sources: dict[str, str]) -> Counter[str]:
    """Every origin leads to its text; gives characters by kind. `sources`: by name, "" for the main template."""
    assert rendering.notes == ()
    assert_covering(rendering)
    kinds: Counter[str] = Counter()
    for origin in rendering.origins:
        text = rendering.text[origin.start : origin.end]
        assert holds(origin, text, variables, sources), (origin, text)
        kinds[origin.kind] += len(text)
    return kinds


def assert_covering(rendering: Rendering) -> None:
    """The origins follow each other over the whole text, and none goes on where the one before it ends."""
    ends = [0, *(origin.end for origin in rendering.origins)]
    assert [origin.start for origin in rendering.origins] == ends[:-1]
    assert ends[-1] == len(rendering.text)
    assert all(start < end for start, end in pairwise(ends))
    for left, right in pairwise(rendering.origins):
        same = left.kind == right.kind and left.path == right.path and left.line == right.line
        if same and left.kind in ("value", "key"):
            assert left.char is not None
            assert right.char != left.char + left.end - left.start, (left, right)
        elif same and left.kind in ("serialised", "computed", "call"):
            assert left.name != right.name, (left, right)


def holds(origin: Origin, text: str, variables: Any, sources: dict[str, str]) -> bool:
    """Whether an origin is true of its text."""
    if origin.kind == "template":
        return origin.path is None and _stands(text, origin, sources)
    if origin.column is not None or (origin.line is None and len(sources) == 1):  # no line of what is included
        return False
    if origin.kind in ("call", "computed"):
        return origin.path is None and bool(origin.name) == (origin.kind == "call")
    if origin.path is None or origin.kind == "unknown":
        return False
    value = at(variables, origin.path)
    if origin.kind == "serialised":
        return origin.char is None
    assert origin.char is not None
    if origin.kind == "key":
        return str(origin.path[-1]).startswith(text, origin.char)
    if not isinstance(value, str):
        return False
    if origin.kind == "value":
        return value.startswith(text, origin.char)
    return text in spellings(value[origin.char]) or _same_letters(value[origin.char : origin.char + len(text)], text)


def spellings(character: str) -> set[str]:
    """How JSON, Python and HTML may spell a character."""
    spelled = {json.dumps(character)[1:-1], json.dumps(character, ensure_ascii=False)[1:-1], repr(character)[1:-1]}
    html = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"}
    return spelled | {html.get(character, ""), f"\\u{ord(character):04x}", f"\\{character}"}


def _same_letters(before: str, after: str) -> bool:
    return len(before) == len(after) and all(
        one in (other, other.upper(), other.lower(), other.title(), other.swapcase(), other.casefold())
        or one.lower() == other.lower()
        for one, other in zip(after, before, strict=True)
    )


def _stands(text: str, origin: Origin, sources: dict[str, str]) -> bool:
    """Whether the template's source has this text at line and column, literally or as an escape."""
    assert origin.line is not None
    assert origin.column is not None
    lines = sources[origin.name].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    rest = "\n".join(lines[origin.line - 1 :])[origin.column - 1 :]
    longest = 40 if rest[1:2] in "xuUN01234567" else 2
    return rest.startswith(text) or (rest.startswith("\\") and text in _decoded(rest[:longest]))


@cache
def _decoded(rest: str) -> set[str]:
    """What the escape at the beginning of `rest` may mean."""
    meanings = set()
    for length in range(2, len(rest) + 1):
        with suppress(UnicodeDecodeError), warnings.catch_warnings(action="ignore"):  # of an unknown escape
            meanings.add(rest[:length].encode("ascii", "backslashreplace").decode("unicode-escape"))
    return meanings


def unique(value: Any, path: tuple[Any, ...], places: Places, free: bool = False) -> Any:
    """A copy whose texts have a character of their own at every place; `places` says which stands where.

    What templates look at stays: roles, types, names, and the marks of reasoning.
    """
    if isinstance(value, dict):
        return {
            key: unique(item, (*path, key), places, free or key in ("content", "description", "arguments"))
            if key not in ("role", "type", "name", "id", "tool_call_id")
            else item
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [unique(item, (*path, index), places, free) for index, item in enumerate(value)]
    if not isinstance(value, str) or not (free or path[-1] in ("text", "reasoning_content", "reasoning")):
        return value
    done = []
    for index, character in enumerate(value):
        kept = character.isspace() or character in '{}[]:,"\\<>|/' or "<think>" in value or "</think>" in value
        if not kept:
            character = chr(0x20000 + len(places))
            places[character] = (path, index)
        done.append(character)
    return "".join(done)


def misplaced(rendering: Rendering, places: Places) -> Iterator[tuple[str, Origin]]:
    """Unique characters whose origin is another place than theirs."""
    for origin in rendering.origins:
        for index in range(origin.start, origin.end):
            place = places.get(rendering.text[index])
            if place is None or origin.kind in ("unknown", "computed"):
                continue
            path, char = place
            if origin.kind == "serialised":
                true = origin.path is not None and path[: len(origin.path)] == origin.path
            else:
                true = origin.kind == "value" and (origin.path, origin.char) == (path, char - index + origin.start)
            if not true:
                yield rendering.text[index], origin
