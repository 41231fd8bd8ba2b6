"""The prompts of a project: entries of its configurations, each with the files that it names, before and after."""

import os
import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.commands.check.trees import Sides, Tree
from promptlint.config import TOML, YAML, Config, parsed
from promptlint.config.prompts import Budget, PromptEntry, Traffic
from promptlint.errors import PromptlintError
from promptlint.read.names import shown
from promptlint.read.trees import matching


class Source(NamedTuple):
    """What renders one prompt in one of two states."""

    name: str
    entry: PromptEntry
    config: Config
    folder: str  # of the configuration, from the top
    paths: tuple[str, ...]  # that the entry names; none for a command
    part: int | None = None  # which prompt of a promptfoo configuration

    @property
    def path(self) -> str:
        """The file that stands for the prompt."""
        return self.paths[0] if self.paths else _own_path(self.config, self.folder)


class Candidate(NamedTuple):
    """A prompt before and after the change; None: it is not there."""

    before: Source | None
    after: Source | None

    @property
    def source(self) -> Source:
        found = self.after or self.before
        assert found is not None
        return found


def candidates(sides: Sides, start: str) -> list[Candidate]:
    """All prompts, those of the state after the change first. `start`: folder from which configurations are looked
    for: the nearest one above, and all below.

    Raises PromptlintError for a configuration that is not in order, after the change.
    """
    after = [
        source
        for config, folder in configurations(sides.after, start)
        for source in sources(sides.after, config, folder)
    ]
    before = list(_before(sides, start))
    by_file = {(one.entry.kind, one.part, one.path): one for one in before if one.paths}
    by_name = {(one.folder, one.name): one for one in before}
    used: set[int] = set()
    found = []
    for one in after:
        old = by_file.get((one.entry.kind, one.part, sides.old(one.path))) or by_name.get((one.folder, one.name))
        if old is not None and id(old) in used:
            old = None
        if old is not None:
            used.add(id(old))
        found.append(Candidate(old or _as_it_was(one, sides), one))
    return found + [Candidate(one, None) for one in before if id(one) not in used]


def _as_it_was(source: Source, sides: Sides) -> Source | None:
    """A prompt that no entry named before the change, if its files were there."""
    there = frozenset(sides.before.paths)
    old = tuple(sides.old(path) for path in source.paths)
    return source._replace(paths=old) if source.paths and all(path in there for path in old) else None


def _before(sides: Sides, start: str) -> Iterator[Source]:
    """As the configuration said then; where there was none, as it says now."""
    there = dict.fromkeys(sides.before.paths)
    for config, folder in configurations(sides.after, start):
        path = _own_path(config, folder)
        old = sides.old(path)
        said = None
        if old in there:
            sides.before.fetch((old,))
            try:
                said = read_configuration(sides.before, old)
            except PromptlintError:  # what is not in order any more, or was not yet
                said = None
        yield from sources(sides.before, said if said is not None and said.prompts else config, folder)


def configurations(tree: Tree, start: str) -> list[tuple[Config, str]]:
    """The configurations that name prompts, each with its folder from the top."""
    found: list[tuple[Config, str]] = []
    begin = f"{start}/" if start else ""
    above = {posixpath.dirname(path) for path in tree.paths if path.rpartition("/")[2] in (YAML, TOML)}
    nearest = start
    while nearest and nearest not in above:
        nearest = posixpath.dirname(nearest)
    for path in tree.paths:
        folder, _, name = path.rpartition("/")
        if name in (YAML, TOML) and (path.startswith(begin) or folder == nearest):
            tree.fetch((path,))
            config = read_configuration(tree, path)
            if config is not None and config.prompts:
                found.append((config, folder))
    return found


def read_configuration(tree: Tree, path: str) -> Config | None:
    """None: it does not speak of promptlint. Raises PromptlintError."""
    try:
        with open(tree.path(path), "rb") as file:
            data = file.read()
    except OSError as error:
        raise PromptlintError(f"{shown(tree.shown(path))}: {error.strerror}", "check its permissions") from None
    if path.endswith(TOML) and b"promptlint" not in data:
        return None
    return parsed(data, tree.shown(path))


def sources(tree: Tree, config: Config, folder: str) -> Iterator[Source]:
    """What the entries of a configuration name in a state of the project."""
    for entry in config.prompts:
        if entry.kind == "command":
            yield Source(entry.name or " ".join(entry.command), entry, config, folder, ())
            continue
        named = [(pattern, matching(tree.paths, pattern, folder)) for pattern in entry.paths]
        files = list(dict.fromkeys(path for _, paths in named for path in paths))
        if entry.kind == "recorded":
            if files:
                yield Source(entry.name or _from(folder, files[0]), entry, config, folder, tuple(files))
            continue
        single = len(entry.paths) == 1 and files == [posixpath.normpath(posixpath.join(folder, entry.paths[0]))]
        for path in files:
            name = _name(entry, folder, path, single=single)
            if entry.kind != "promptfoo":
                yield Source(name, entry, config, folder, (path,))
                continue
            tree.fetch((path,))
            count = _parts(tree, path)
            for part in range(count):
                yield Source(f"{name}#{part}" if count > 1 else name, entry, config, folder, (path,), part)


def unmatched(tree: Tree, config: Config, folder: str, *, wild: bool) -> Iterator[str]:
    """Patterns (`wild`), or paths, that name no file."""
    for entry in config.prompts:
        named = (path for path in (*entry.paths, *entry.vars) if any(sign in path for sign in "*?") == wild)
        yield from (path for path in named if not matching(tree.paths, path, folder))


def rendered_alike(one: Source, two: Source) -> bool:
    """Whether two entries render the same files in the same way; what they may cost does not matter."""
    return _way(one) == _way(two)


def _way(source: Source) -> tuple[object, ...]:
    entry, config = source.entry, source.config
    plain = entry._replace(name=None, paths=(), budget=Budget(), traffic=Traffic())
    return plain, config.model, config.tokenizer, config.facts, tuple(config.variables.items()), source.part


def _parts(tree: Tree, path: str) -> int:
    """Prompts of a promptfoo configuration; 1 where it cannot be read: rendering it says why."""
    from promptlint.commands.check.promptfoo import prompts_of

    try:
        return max(len(prompts_of(tree, path)), 1)
    except PromptlintError:
        return 1


def _name(entry: PromptEntry, folder: str, path: str, *, single: bool) -> str:
    inside = _from(folder, path)
    if entry.name is None or single:
        return entry.name or inside
    begin = os.path.commonpath([_from(folder, posixpath.dirname(path)), *(_literal(each) for each in entry.paths)])
    return f"{entry.name}/{posixpath.relpath(inside, begin or '.')}"


def _literal(pattern: str) -> str:
    """The folders of a pattern in front of its first wildcard."""
    steps = posixpath.normpath(pattern).split("/")[:-1]
    cut = next((index for index, step in enumerate(steps) if any(sign in step for sign in "*?[")), len(steps))
    return "/".join(steps[:cut])


def _from(folder: str, path: str) -> str:
    begin = f"{folder}/" if folder else ""
    return path.removeprefix(begin) if path.startswith(begin) else posixpath.relpath(path, folder or ".")


def _own_path(config: Config, folder: str) -> str:
    name = (config.path or YAML).rpartition("/")[2]
    return f"{folder}/{name}" if folder else name
