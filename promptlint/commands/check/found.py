"""The prompts of a project: entries of its configurations, each with the files that it names, before and after."""

import os
import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
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


def candidates(sides: Sides, configured: Sequence[tuple[Config, str]]) -> list[Candidate]:
    """All prompts, those of the state after the change first. `configured`: the configurations after the change."""
    after = named_apart([one for config, folder in configured for one in sources(sides.after, config, folder)])
    before = named_apart(list(_before(sides, configured)))
    pairs: dict[int, Source] = {}
    left = dict(enumerate(before))
    for same in (_same_entry, _same_file, _same_name):
        for number, one in enumerate(after):
            if number not in pairs:
                found = next((at for at, old in left.items() if same(old, one, sides)), None)
                if found is not None:
                    pairs[number] = left.pop(found)
    known = [Candidate(pairs.get(number) or _as_it_was(one, sides), one) for number, one in enumerate(after)]
    return known + [Candidate(one, None) for one in (*left.values(), *_unconfigured(sides, configured))]


def _unconfigured(sides: Sides, configured: Sequence[tuple[Config, str]]) -> Iterator[Source]:
    """The prompts of configurations that are gone."""
    still = {sides.old(_own_path(config, folder)) for config, folder in configured}
    for path in sides.gone | {*sides.renamed.values()}:
        if path.rpartition("/")[2] in (YAML, TOML) and path not in still:
            sides.before.fetch((path,))
            try:
                config = read_configuration(sides.before, path)
            except PromptlintError:
                continue
            if config is not None:
                yield from sources(sides.before, config, path.rpartition("/")[0])


def _same_entry(old: Source, new: Source, sides: Sides) -> bool:
    return _same_name(old, new, sides) and _same_file(old, new, sides)


def _same_file(old: Source, new: Source, sides: Sides) -> bool:
    """Whether both render one file; a command renders none."""
    one = old.entry.kind, old.part, old.path
    return bool(new.paths) and one == (new.entry.kind, new.part, sides.old(new.path))


def _same_name(old: Source, new: Source, sides: Sides) -> bool:
    return (old.folder, old.name) == (new.folder, new.name)


def named_apart(found: list[Source]) -> list[Source]:
    """The prompts of several configurations; where two bear one name, with the folder in front."""
    counts = Counter(one.name for one in found)
    return [one._replace(name=f"{one.folder or '.'}: {one.name}") if counts[one.name] > 1 else one for one in found]


def _as_it_was(source: Source, sides: Sides) -> Source | None:
    """A prompt that no entry named before the change, if its files were there."""
    old = tuple(sides.old(path) for path in source.paths)
    return source._replace(paths=old) if old and sides.before.there.issuperset(old) else None


def _before(sides: Sides, configured: Sequence[tuple[Config, str]]) -> Iterator[Source]:
    """As the configuration said then; where there was none, as it says now."""
    for config, folder in configured:
        path = _own_path(config, folder)
        old = sides.old(path)
        said = None
        if old in sides.before.there:
            sides.before.fetch((old,))
            try:
                said = read_configuration(sides.before, old)
            except PromptlintError:  # what is not in order any more, or was not yet
                said = None
        yield from sources(sides.before, said if said is not None and said.prompts else config, folder)


def configurations(tree: Tree, start: str) -> list[tuple[Config, str]]:
    """The configurations that name prompts, each with its folder from the top. `start`: the folder from which they are
    looked for: the nearest one above, and all below. Raises PromptlintError for one that is not in order."""
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
        named = [(pattern, _matching(tree, pattern, folder)) for pattern in entry.paths]
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


def _matching(tree: Tree, pattern: str, folder: str) -> list[str]:
    key = f"{folder}\n{pattern}"
    if ("files", key) not in tree.known:
        tree.known["files", key] = matching(tree.there, pattern, folder)
    found: list[str] = tree.known["files", key]
    return found


def unmatched(tree: Tree, config: Config, folder: str, *, wild: bool) -> Iterator[str]:
    """Patterns (`wild`), or paths, that name no file."""
    for entry in config.prompts:
        named = (path for path in (*entry.paths, *entry.vars) if any(sign in path for sign in "*?") == wild)
        yield from (path for path in named if not _matching(tree, path, folder))


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
