"""The user's settings: promptlint.yaml, or the table [tool.promptlint] of pyproject.toml, nearest to a file."""

import os
from typing import Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Number
from promptlint.read.names import nearest, shown

_YAML, _TOML = "promptlint.yaml", "pyproject.toml"
_KEYS = ("facts",)


class Config(NamedTuple):
    """What a configuration says; nothing where there is none."""

    path: str | None = None  # of the file
    facts: Json = None  # rows of the user's own: see facts/overrides.py


def find(near: str) -> Config:
    """The configuration nearest to a file or folder: in its folder, or the closest one above that has one.

    Raises PromptlintError for one that cannot be read, an unknown key, and two in one folder.
    """
    folder = os.path.abspath(near if os.path.isdir(near) else os.path.dirname(near))
    while True:
        yaml, toml = (os.path.relpath(os.path.join(folder, name)) for name in (_YAML, _TOML))
        in_toml = _tool_table(toml) if os.path.isfile(toml) else None
        if os.path.isfile(yaml):
            if in_toml is not None:
                raise PromptlintError(f"{shown(yaml)} and {shown(toml)} both configure promptlint", "keep one of them")
            return _checked(parse_yaml(yaml), yaml)
        if in_toml is not None:
            return _checked(in_toml, f"{toml}: tool.promptlint")
        above = os.path.dirname(folder)
        if above == folder:
            return Config()
        folder = above


def parse_yaml(path: str) -> Json:
    """The value of a YAML file of the user's; nothing for an empty one. Raises PromptlintError."""
    from promptlint.read.sources import read
    from promptlint.read.yaml_text import parse

    if os.path.isfile(path) and not os.path.getsize(path):
        return None
    value, _ = parse(read(path))
    return value


def _checked(value: Json, where: str) -> Config:
    if value is None:
        return Config(where)
    if not isinstance(value, dict):
        raise PromptlintError(f"{shown(where)}: not a mapping of settings", f"settings are {', '.join(_KEYS)}")
    for key in value:
        if key not in _KEYS:
            close = nearest(key, list(_KEYS))
            hint = f"did you mean {close}?" if close else f"settings are {', '.join(_KEYS)}"
            raise PromptlintError(f"{shown(where)}: unknown key {shown(key)}", hint)
    return Config(where, value.get("facts"))


def _tool_table(path: str) -> Json:
    """The table [tool.promptlint]; None if there is none. A file that does not name promptlint is not parsed."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise PromptlintError(f"{shown(path)} cannot be read ({error.strerror})", "check its permissions") from None
    if b"promptlint" not in data:
        return None
    import tomllib

    try:
        parsed = tomllib.loads(data.decode(), parse_float=Number)
    except (ValueError, RecursionError) as error:
        raise PromptlintError(f"{shown(path)}: not TOML ({error})", "correct it") from None
    tool = parsed.get("tool")
    found = tool.get("promptlint") if isinstance(tool, dict) else None
    return None if found is None else _json(found)


def _json(value: Any) -> Json:
    """A TOML value as YAML and JSON have it: numbers as they were written, dates as text."""
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, (bool, str, Number)):
        return value
    return Number(str(value)) if isinstance(value, int) else str(value)
