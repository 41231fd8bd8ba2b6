"""The prompts of a promptfoo configuration with the variables of its tests."""

import itertools
import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.commands.check.trees import Tree
from promptlint.errors import PromptlintError
from promptlint.load import value_of_document
from promptlint.load.prompt_files import promptfoo
from promptlint.prompt import Json
from promptlint.read.descend import descend
from promptlint.read.names import shown
from promptlint.read.plain import plain
from promptlint.read.sources import read

_MOST = 16  # sets of variables; lists of values are combined with each other


class Asked(NamedTuple):
    """One prompt."""

    text: str  # a template of Nunjucks, which is read as Jinja
    file: str | None  # of the text, from the top, where it has one of its own


class Tested(NamedTuple):
    """Variables of one test, or of one combination of their values."""

    name: str  # "test 1"
    values: dict[str, Json]


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
            tree.fetch((file,))
            asked.append(Asked(read(tree.path(file)).text, file))
    return asked


def tests_of(tree: Tree, path: str) -> list[Tested]:
    """The sets of variables; one without any where there are no tests in the file itself."""
    value = _value(tree, path)
    assert isinstance(value, dict)
    common = _vars(value.get("defaultTest"))
    tests = value.get("tests")
    found = list(itertools.islice(_sets(tests if isinstance(tests, list) else [], common), _MOST))
    return found or [Tested("no test", common)]


def model_of(tree: Tree, path: str) -> str | None:
    """The model of the first provider, such as gpt-5.5 of `openai:chat:gpt-5.5`."""
    value = _value(tree, path)
    assert isinstance(value, dict)
    held = value.get("providers", value.get("targets"))
    first = held[0] if isinstance(held, list) and held else held
    name = first.get("id") if isinstance(first, dict) else first
    return name.rpartition(":")[2] or None if isinstance(name, str) and ":" in name else None


def _sets(tests: list[Json], common: dict[str, Json]) -> Iterator[Tested]:
    for number, test in enumerate(tests, 1):
        own = {**common, **_vars(test)}
        lists = {name: held for name, held in own.items() if isinstance(held, list)}
        for values in itertools.product(*lists.values()):
            yield Tested(f"test {number}", {**own, **dict(zip(lists, values, strict=True))})


def _vars(test: Json) -> dict[str, Json]:
    held = test.get("vars") if isinstance(test, dict) else None
    return held if isinstance(held, dict) else {}


def _value(tree: Tree, path: str) -> Json:
    tree.fetch((path,))
    value: Json = value_of_document(read(tree.path(path)))
    return value


def plain_values(tested: Tested) -> dict[str, object]:
    """The variables as a template takes them."""
    found: dict[str, object] = plain(tested.values)
    return found
