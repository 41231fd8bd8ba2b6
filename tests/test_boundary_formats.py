"""Laws of comparison, on random edits of recorded requests of every format."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from documents import rendered
from promptlint.boundary import text_divergences
from promptlint.boundary.divergence import shared_chars
from promptlint.cache.meaning import harmless
from promptlint.errors import PromptlintError
from promptlint.prompt import Rendered

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FORMATS = [*(FIXTURES / "formats").glob("*.request.json"), FIXTURES / "formats" / "13_mcp_tools_list.json"]
REQUESTS = [*sorted((FIXTURES / "corpus").glob("*/before.json")), *sorted(FORMATS)]
STEPS = (str, int)
PUT_IN = ("", "\n", "a", "\n\nzz ", " ", "7")
ROUNDS = 40  # edits of each request

Steps = tuple[str | int, ...]


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
        turned = chance.sample(value, len(value))
        return chance.choice([turned, without, [*value[:at], entry, *value[at:]], [*value, entry], value[:at], None])
    if isinstance(value, dict) and value:
        names = chance.sample(list(value), len(value))
        turned, without = {name: value[name] for name in names}, {name: value[name] for name in names[1:]}
        return chance.choice([turned, without, {**value, "name": "ann"}, {**value, "new": {}}, {**value, names[0]: {}}])
    return chance.choice([1, 1.0, "1", True, None, {}, [], ["1"]])


def pairs(path: Path) -> Iterator[tuple[Rendered, Rendered]]:
    """Edits of one request that can still be read, in both directions."""
    request, chance = json.loads(path.read_text("utf-8")), random.Random(path.parent.name)
    for _ in range(ROUNDS):
        try:
            a, b = rendered(edited(request, chance)), rendered(edited(request, chance))
        except PromptlintError:
            continue
        if a.request.format == b.request.format:
            yield a, b


def printed(prompt: Rendered) -> list[object]:
    """What is read, and where it stands inside its item."""
    return [
        (item.item.level, [(piece.path[len(item.item.path) :], piece.atom, piece.text) for piece in item.pieces])
        for item in prompt.items
        if item.pieces
    ]


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_laws(path: Path) -> None:
    for a, b in pairs(path):
        assert text_divergences(a, a) == []
        found, shared = text_divergences(a, b), shared_chars(a, b)
        weighty = [d for d in found if not harmless(d)]
        assert found or printed(a) == printed(b)
        if a.text != b.text:
            assert min(d.a_start for d in found) <= shared
        if shared < min(len(a.text), len(b.text)):
            assert min(d.a_start for d in weighty) <= shared
        for d in weighty:
            assert d.a_start >= shared or a.text[d.a_start : d.a_end] == b.text[d.b_start : d.b_end], d
