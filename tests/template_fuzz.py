"""Random expressions over texts whose letters each stand at one place only, against plain Jinja.

`python tests/template_fuzz.py [COUNT [SEED]]` runs COUNT expressions (20000) and prints what became of the letters.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from promptlint.render.template import rendering
from promptlint.render.template.pieces import Piece

NOW = datetime(2031, 2, 3, 4, 5, 6)
DATA: dict[str, Any] = {
    "a": ' ab|cd\r\nef\t<g> & "hi"|JK ',
    "b": "lm\n\nno ",
    "n": 42,
    "l": ["qr", "St ", "ßu"],
    "d": {'v"w': "x\ny", "n": [1, None, {"z": "ä"}], "/x~": ["y"]},
}
Places = dict[str, set[tuple[tuple[Any, ...], int]]]


def unique_data() -> tuple[dict[str, Any], Places]:
    """The data with a letter of its own (a pair of upper and lower case) at every place; and where each stands."""
    places: Places = {}
    point = 0x1E00 - 2

    def made(value: Any, path: tuple[Any, ...]) -> Any:
        nonlocal point
        if isinstance(value, dict):
            return {key: made(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [made(item, (*path, index)) for index, item in enumerate(value)]
        if not isinstance(value, str):
            return value
        letters = []
        for index, letter in enumerate(value):
            if letter.isalpha():
                point += 2
                letter = chr(point + point // 2 % 2)
                for form in {letter, letter.upper(), letter.lower(), letter.title()}:
                    places.setdefault(form, set()).add((path, index))
            letters.append(letter)
        return "".join(letters)

    return made(DATA, ()), places


def expressions(count: int, seed: int) -> Iterator[str]:
    """Templates of one random expression each."""
    chance = random.Random(seed)
    for _ in range(count):
        yield "{{ " + _expression(chance, 0) + " }}"


def _expression(chance: random.Random, depth: int) -> str:
    if depth > 3 or chance.random() < 0.15:
        return chance.choice(["a", "b", "l[0]", "l[1]", "l[2]", "'l|\\n t'", "d['v\"w']", "n", "'<'", "l", "d"])

    def some() -> str:
        return _expression(chance, depth + 1)

    def text() -> str:
        return f"({some()} | string)"

    separator = chance.choice(["'|'", "' '", "'\\n'", "none", "'<g'", "b[:1]", "a[3:4]"])
    start, end = (chance.choice(["", "0", "1", "-1", "3", "-2", "9", "100"]) for _ in "ab")
    forms: list[Callable[[], str]] = [
        lambda: f"{text()}[{start}:{end}]",
        lambda: f"{text()}[{start}:{end}:{chance.choice(['1', '2', '-1'])}]",
        lambda: f"{text()}.{chance.choice(['strip', 'lstrip', 'rstrip'])}({separator})",
        lambda: (
            f"({text()}.{chance.choice(['split', 'rsplit'])}({separator}, {chance.choice(['-1', '1', '2'])}) "
            f"| join({separator} | string))"
        ),
        lambda: f"({text()}.splitlines() | {chance.choice(['first', 'last', 'join'])})",
        lambda: f"{text()}.replace({separator} | string, {text()})",
        lambda: f"({text()} + {text()})",
        lambda: f"({some()} ~ {some()})",
        lambda: f"({some()} | {chance.choice(FILTERS)})",
        lambda: f"('%s=%s' % ({some()}, {some()}))",
        lambda: f"('{{}}={{x}}'.format({some()}, x={some()}))",
        lambda: f"{text()}.{chance.choice(['removeprefix', 'removesuffix'])}({separator} | string)",
        lambda: f"({text()}.{chance.choice(['partition', 'rpartition'])}({separator} | string) | join('+'))",
        lambda: f"([{some()}, {some()}] | join({some()}))",
        lambda: f"({{'k': {some()}}} | {chance.choice(['tojson', 'tojson(indent=1)', 'string'])})",
        lambda: f"({text()} * 2)",
        lambda: f"({some()} if {some()} else {some()})",
    ]
    return chance.choice(forms)()


FILTERS = (
    *(
        "trim",
        "upper",
        "lower",
        "tojson",
        "tojson(ensure_ascii=true)",
        "indent",
        "safe",
        "list | join",
        "string | reverse",
    ),
    *("capitalize", "replace(1, 2)", "e", "title", "first", "last", "length", "string", "list", "center(9)"),
)


def followed(source: str, variables: dict[str, Any], places: Places) -> Counter[str]:
    """What became of the letters: exact, inside, computed; "refused" for a template that fails.

    Raises AssertionError for a letter whose origin is not its place, and for a text that differs from plain Jinja's.
    """
    given = {"messages": [{"role": "user"}], **variables}
    job = rendering.Job(source, "chat", (), given, NOW, "transformers")
    try:
        template = rendering.compiled(job)
        ready = rendering.prepared(job, template)
        text, _ = rendering.plain_text(template, ready)
    except rendering.Failure:
        return Counter({"refused": 1})
    pieces, notes = rendering.pieces(template, job, ready, text)
    assert notes == [], (source, notes)
    assert sum(piece[0] for piece in pieces) == len(text)
    found: Counter[str] = Counter()
    start = 0
    for piece in pieces:
        for ahead in range(piece[0]):
            letter = text[start + ahead]
            if letter in places:
                found[_judged(piece, ahead, places[letter], source)] += 1
        start += piece[0]
    return found


def _judged(piece: Piece, ahead: int, places: set[tuple[tuple[Any, ...], int]], source: str) -> str:
    _, kind, path, char, _ = piece
    if kind in ("computed", "unknown"):
        return "computed"
    if kind == "serialised":
        assert any(place[: len(path)] == path for place, _ in places), (source, piece, places)
        return "inside"
    assert kind in ("value", "changed", "spelled"), (source, piece, places)
    assert char is not None
    assert (path, char if kind == "spelled" else char + ahead) in places, (source, piece, places)
    return "exact" if kind == "value" else "changed"


def run(count: int, seed: int) -> Counter[str]:
    """Follow so many expressions."""
    variables, places = unique_data()
    total: Counter[str] = Counter()
    for source in expressions(count, seed):
        total += followed(source, variables, places)
    return total


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    print(dict(run(*(*arguments, *(20000, 1)[len(arguments) :]))))
