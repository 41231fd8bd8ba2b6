"""The user's settings: promptlint.yaml, or the table [tool.promptlint] of pyproject.toml, nearest to a file."""

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from promptlint.config.prompts import Allow, Budget, PromptEntry
from promptlint.errors import PromptlintError
from promptlint.prompt import Json
from promptlint.read.names import shown

FailOn = Literal["error", "warning", "info", "never"]
Stability = Literal["stable", "per-session", "per-request"]
"""How often the value of a template's variable changes."""

YAML, TOML = "promptlint.yaml", "pyproject.toml"
_MISNAMED = "promptlint.yml"


class Pardon(NamedTuple):
    """A finding that the user has answered in the configuration, because JSON has no comments."""

    path: str  # which files: a pattern as in a .gitignore, relative to the folder of the configuration
    pointer: str | None  # RFC 6901; what is below it is pardoned too. None: anything in these files
    rule: str  # its id
    reason: str


class Config(NamedTuple):
    """What a configuration says; where there is none, or it says nothing, what holds anyway."""

    path: str | None = None  # of the file, with `/`
    facts: Json = None  # rows of the user's own: see facts/overrides.py
    select: tuple[str, ...] = ("*",)  # ids of rules, in which * and ? stand for other characters
    ignore: tuple[str, ...] = ()  # the same
    per_file_ignores: Mapping[str, tuple[str, ...]] = {}  # pattern of files -> rules
    exclude: tuple[str, ...] = ()  # patterns of files and folders, as in a .gitignore
    respect_gitignore: bool = True
    fail_on: FailOn = "warning"
    variables: Mapping[str, Stability] = {}  # name, in which * and ? stand for other characters
    suppress: tuple[Pardon, ...] = ()
    baseline: str | None = None  # path, relative to the folder of the configuration
    model: str | None = None  # that templates are meant for: how their tokens are counted, unless `tokenizer` says it
    tokenizer: str | None = None  # name, or path relative to the folder of the configuration
    rules: Mapping[str, dict[str, Any]] = {}  # id -> row of a rule with a pattern, complete
    prompts: tuple[PromptEntry, ...] = ()  # what `promptlint check` renders
    budget: Budget = Budget()  # of every prompt
    allow: tuple[Allow, ...] = ()  # losses that are meant to be

    @property
    def folder(self) -> str:
        """Where it lies."""
        return os.path.dirname(self.path or "") or os.curdir


def find(near: str) -> Config:
    """The configuration nearest to a file or folder: in its folder, or the closest one above that has one.

    Raises PromptlintError for one that cannot be read, an unknown key, a wrong value, and two in one folder.
    """
    return finder()(near)


def finder() -> Callable[[str], Config]:
    """`find` for many files: what a folder has is read once."""
    known: dict[str, Config] = {}

    def of(near: str) -> Config:
        folder = os.path.abspath(near if os.path.isdir(near) else os.path.dirname(near))
        passed = []
        while folder not in known:
            passed.append(folder)
            above = os.path.dirname(folder)
            if found := found_in(folder):
                known[folder] = found
            elif above == folder:
                known[folder] = Config()
            else:
                folder = above
        for each in passed:
            known[each] = known[folder]
        return known[folder]

    return of


def beside(config: Config, path: str) -> str:
    """A path that the configuration names, as the current folder sees it."""
    return os.path.join(config.folder, path) if config.folder != os.curdir else path


def relative(path: str, start: str = os.curdir) -> str:
    """A path as a folder sees it, with `/`; absolute where there is no way from there."""
    try:
        found = os.path.relpath(path, start)
    except ValueError:  # another drive
        found = os.path.abspath(path)
    return found.replace(os.sep, "/")


def leads_out(path: str) -> bool:
    """Whether a path, without needless parts, leaves the folder that sees it."""
    return path == ".." or path.startswith("../") or os.path.isabs(path)


def parse_yaml(path: str) -> Json:
    """The value of a YAML file of the user's; nothing for an empty one. Raises PromptlintError."""
    from promptlint.read.sources import read
    from promptlint.read.yaml_text import parse

    if os.path.isfile(path) and not os.path.getsize(path):
        return None
    value, _ = parse(read(path))
    return value


def found_in(folder: str) -> Config | None:
    """The configuration in a folder itself; None: there is none."""
    yaml, toml, misnamed = (relative(os.path.join(folder, name)) for name in (YAML, TOML, _MISNAMED))
    if os.path.isfile(misnamed):
        raise PromptlintError(f"{shown(misnamed)} is not read", f"name it {YAML}")
    in_toml = None
    if os.path.isfile(toml):
        from promptlint.config.toml import tool_table

        in_toml = tool_table(toml)
    if os.path.isfile(yaml):
        if in_toml is not None:
            raise PromptlintError(f"{shown(yaml)} and {shown(toml)} both configure promptlint", "keep one of them")
        return _checked(parse_yaml(yaml), yaml, shown(yaml))
    return None if in_toml is None else _checked(in_toml, toml, f"{shown(toml)}: tool.promptlint")


def parsed(data: bytes, path: str) -> Config | None:
    """The configuration that a file held which is not on disk: what another revision has under its name.

    `path`: that of the file as messages show it; its end says which of the two kinds of file it is. None: a
    pyproject.toml that does not configure promptlint. Raises PromptlintError as `find` does.
    """
    if path.endswith(TOML):
        from promptlint.config.toml import table_in

        in_toml = table_in(data, path)
        return None if in_toml is None else _checked(in_toml, path, f"{shown(path)}: tool.promptlint")
    return _checked(_yaml_value(data, path), path, shown(path))


def _yaml_value(data: bytes, path: str) -> Json:
    """What `parse_yaml` gives for the file that holds these bytes."""
    if not data:
        return None
    from promptlint.prompt import Document, SourceByte
    from promptlint.read.encodings import decode
    from promptlint.read.records import whole
    from promptlint.read.sources import MAX_BYTES
    from promptlint.read.yaml_text import parse

    stretch = whole([data], shown(path), MAX_BYTES)
    text = decode(stretch.data, stretch.codec, name=shown(path), start=stretch.start, line=1)
    start = SourceByte(stretch.start)
    value, _ = parse(Document(path, None, None, stretch.data, text, stretch.codec, start, 1, syntax="yaml"))
    return value


def _checked(value: Json, path: str, where: str) -> Config:
    if value is None:
        return Config(path)
    from promptlint.config.settings import config_of

    return config_of(value, path, where)
