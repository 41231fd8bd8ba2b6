"""The prompts of a promptfoo configuration with the variables of its tests."""

import itertools
import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.commands.check.trees import Tree, document
from promptlint.commands.check.variables import Sets
from promptlint.errors import PromptlintError
from promptlint.load import value_of_document
from promptlint.load.prompt_files import promptfoo
from promptlint.prompt import Json
from promptlint.read.descend import descend
from promptlint.read.names import shown
from promptlint.read.plain import plain

_MOST = 16  # sets of variables; lists of values are combined with each other


class Asked(NamedTuple):
    """One prompt."""

    text: str  # a template of Nunjucks, which is read as Jinja
    file: str | None  # of the text, from the top, where it has one of its own


def prompts_of(tree: Tree, path: str) -> list[Asked]:
    """The prompts; raises PromptlintError for a file that is no configuration of promptfoo, or lacks texts."""
    value = _value(tree, path)
    found = promptfoo.prompts(value)
    if not found:
        raise PromptlintError(f"{shown(tree.shown(path))}: no prompts of promptfoo", "it has `prompts` and `tests`")
    asked = []
    for stored in found:
        for text in stored.texts:
            asked.append(Asked(str(descend(value, text.path)), None))
        for _, name in stored.files:
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if file not in tree.there:  # nor is what lies outside of the project
                raise PromptlintError(f"{shown(tree.shown(path))}: there is no file {shown(name)}", "correct its path")
            asked.append(Asked(document(tree, file).text, file))
    return asked


def tests_of(tree: Tree, path: str) -> Sets:
    """The sets of variables; one without any where there are no tests in the file itself."""
    value = _value(tree, path)
    assert isinstance(value, dict)
    common = _vars(value.get("defaultTest"))
    tests = value.get("tests")
    found = list(itertools.islice(_sets(tests if isinstance(tests, list) else [], common), _MOST))
    return {name: plain(values) for name, values in found or [("no test", common)]}


def model_of(tree: Tree, path: str) -> str | None:
    """The model of the first provider, such as gpt-5.5 of `openai:chat:gpt-5.5`."""
    value = _value(tree, path)
    assert isinstance(value, dict)
    held = value.get("providers", value.get("targets"))
    first = held[0] if isinstance(held, list) and held else held
    name = first.get("id") if isinstance(first, dict) else first
    return name.rpartition(":")[2] or None if isinstance(name, str) and ":" in name else None


def _sets(tests: list[Json], common: dict[str, Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    for number, test in enumerate(tests, 1):
        own = {**common, **_vars(test)}
        lists = {name: held for name, held in own.items() if isinstance(held, list)}
        for part, values in enumerate(itertools.product(*lists.values()), 1):
            name = f"test {number}.{part}" if lists else f"test {number}"
            yield name, {**own, **dict(zip(lists, values, strict=True))}


def _vars(test: Json) -> dict[str, Json]:
    held = test.get("vars") if isinstance(test, dict) else None
    return held if isinstance(held, dict) else {}


def _value(tree: Tree, path: str) -> Json:
    value: Json = value_of_document(document(tree, path))
    return value
