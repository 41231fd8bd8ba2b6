"""Laws of comparison, on random edits of recorded requests of every format."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path as File
from typing import Any, NamedTuple

import pytest

from documents import rendered
from promptlint.boundary import text_divergences
from promptlint.boundary.divergence import shared_chars
from promptlint.cache.meaning import harmless
from promptlint.errors import PromptlintError
from promptlint.prompt import Path, Rendered

FIXTURES = File(__file__).resolve().parent.parent / "fixtures"
FORMATS = [*(FIXTURES / "formats").glob("*.request.json"), FIXTURES / "formats" / "13_mcp_tools_list.json"]
REQUESTS = [*sorted((FIXTURES / "corpus").glob("*/before.json")), *sorted(FORMATS)]
PUT_IN = ("", "\n", "a", "\n\nzz ", " ", "7")
ROUNDS = 40  # edits of each request

Steps = tuple[str | int, ...]


class Side(NamedTuple):
    """A request as JSON, and its prompt."""

    value: Any
    prompt: Rendered


def places(value: Any, path: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, held in inner:
        yield from places(held, (*path, step))


def edited(request: Any, chance: random.Random) -> Any:
    """`request` with one to three edits anywhere."""
    request = copy.deepcopy(request)
    for _ in range(chance.choice((1, 1, 2, 3))):
        path, value = chance.choice([place for place in places(request) if place[0]])
        parent = request
        for step in path[:-1]:
            parent = parent[step]
        parent[path[-1]] = _other(value, chance)
    return request


def _other(value: Any, chance: random.Random) -> Any:
    if isinstance(value, str):
        start = chance.randrange(len(value) + 1)
        end = start + chance.choice((0, 1, 5, 40))
        parts = [{"type": "text", "text": value[:start]}, {"type": "text", "text": value[start:]}]
        edit = value[:start] + chance.choice(PUT_IN) + value[end:]
        return chance.choice([edit, edit, edit, edit, None, parts, parts[1:], [parts[0], {}]])
    if isinstance(value, list) and value:
        at, entry = chance.randrange(len(value)), copy.deepcopy(chance.choice(value))
        without = [held for i, held in enumerate(value) if i != at]
        mixed = chance.sample(value, len(value))
        return chance.choice([mixed, without, [*value[:at], entry, *value[at:]], [*value, entry], value[:at], None])
    if isinstance(value, dict) and value:
        names = chance.sample(list(value), len(value))
        turned = {name: value[name] for name in names}
        less = {name: value[name] for name in names[1:]}
        return chance.choice([turned, less, {**value, "name": "ann"}, {**value, "new": {}}, {**value, names[0]: {}}])
    return chance.choice([1, 1.0, "1", True, None, {}, [], ["1"]])


def pairs(path: File) -> Iterator[tuple[Side, Side]]:
    """Two edits each of one request that can still be read."""
    request, chance = json.loads(path.read_text("utf-8")), random.Random(path.parent.name)
    for _ in range(ROUNDS):
        old, new = edited(request, chance), edited(request, chance)
        try:
            a, b = Side(old, rendered(old)), Side(new, rendered(new))
        except PromptlintError:
            continue
        if a.prompt.request.format == b.prompt.request.format:
            yield a, b


def printed(side: Side) -> list[object]:
    """What is read, of which JSON type it is, and where it stands inside its item."""
    shown: list[object] = []
    for item in side.prompt.items:
        depth = len(item.item.path)
        atoms = [(p.path[depth:], p.atom, p.text, p.atom == "key" or _type(side.value, p.path)) for p in item.pieces]
        shown += [(item.item.level, atoms)] if atoms else []
    return shown


def _type(value: Any, path: Path) -> str:
    for step in path:
        value = value[step]
    return type(value).__name__


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_laws(path: File) -> None:
    for old, new in pairs(path):
        a, b = old.prompt, new.prompt
        assert text_divergences(a, a) == []
        found, shared = text_divergences(a, b), shared_chars(a, b)
        weighty = [d for d in found if not harmless(d)]
        assert found or printed(old) == printed(new)
        if a.text != b.text:
            assert min(d.a_start for d in found) <= shared
        if shared < min(len(a.text), len(b.text)):
            assert min(d.a_start for d in weighty) <= shared
