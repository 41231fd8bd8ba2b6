"""The sets of variables with which a template is rendered, under the same names in both states of a project."""

from collections.abc import Iterator, Mapping
from typing import Any

from promptlint.commands.check.found import Source
from promptlint.commands.check.trees import Tree, document
from promptlint.config.selection import stability_of
from promptlint.errors import PromptlintError
from promptlint.load import value_of_document
from promptlint.load.variables import load_variables
from promptlint.read.plain import plain
from promptlint.read.trees import matching

Values = dict[str, Any]
Sets = dict[str, Values]
"""Name of a set -> its variables."""


def variable_files(source: Source, tree: Tree) -> tuple[str, ...]:
    """The files with the variables of a template."""
    named = (matching(tree.there, pattern, source.folder) for pattern in source.entry.vars)
    return tuple(dict.fromkeys(path for paths in named for path in paths))


def sets_in(tree: Tree, files: Mapping[str, str]) -> Sets:
    """The sets in files of a state. `files`: under which name each file is known -> its path.

    Raises PromptlintError for a file that is no mapping, nor a list of mappings.
    """
    return {label: values for name, path in files.items() for label, values in _sets(tree, path, name)}


def _sets(tree: Tree, path: str, name: str) -> Iterator[tuple[str, Values]]:
    held = document(tree, path)
    try:
        count = _length(value_of_document(held))
    except PromptlintError:
        count = None
    if count is None:
        yield name, plain(load_variables(held).value)
        return
    for number in range(count):
        yield f"{name}#{number}", plain(load_variables(held._replace(entry=number)).value)


def _length(value: object) -> int | None:
    """Of a list of sets; None for one set."""
    return len(value) if isinstance(value, list) else None


def as_before(old: Sets, new: Sets) -> Sets:
    """The sets of the state after the change, with the values that they had before it.

    A set that is equal to an old one is that one, wherever it stands; else it is the one of the same name, unless that
    is another's; else it is new, and the old state is rendered with it as well.
    """
    taken = [label for label, values in old.items() if values in new.values()]
    return {
        label: values if values in old.values() or label not in old or label in taken else old[label]
        for label, values in new.items()
    }


def without_stable(sets: Sets, source: Source) -> Sets:
    """Variables that are declared to be the same in all requests have their first value in all sets."""
    declared = source.config.variables
    if not declared:
        return sets
    first = next(iter(sets.values()), {})
    stable = {name: held for name, held in first.items() if stability_of(name, declared) == "stable"}
    return {
        label: {**values, **{name: held for name, held in stable.items() if name in values}}
        for label, values in sets.items()
    }
