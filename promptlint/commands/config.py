"""`promptlint config show|schema`: the settings that hold for a file, and the schema of all that there are."""

import json
import os
from collections.abc import Callable
from decimal import Decimal

from promptlint.config import Config, find
from promptlint.config.display import as_data, schema_text
from promptlint.errors import PromptlintError
from promptlint.facts.overrides import overrides
from promptlint.prompt import Json, Number
from promptlint.read.names import shown

SCHEMA_VERSION = 1


def config_show(near: str = os.curdir, as_json: bool = False) -> str:
    """The settings that hold for a file or folder, as YAML or JSON, and where they stand.

    Raises PromptlintError for a configuration that is not in order, and for a file or folder that is not there.
    """
    if near != "-" and not os.path.lexists(near):
        raise PromptlintError(f"{shown(near)} is not there", "name a file or folder that is")
    config = find(near)
    if config.facts is not None:
        overrides(config.facts, f"{shown(config.path or '')}: facts")
    said = as_data(config)
    if as_json:
        found: dict[str, Json] = {"schema_version": Number(str(SCHEMA_VERSION)), "path": config.path, "settings": said}
        return _inert(f"{_flow(found, json.dumps)}\n")
    plain = as_data(Config())
    lines = [f"# {shown(config.path)}" if config.path else "# no configuration: what promptlint takes for granted"]
    for key, held in said.items():
        lines.append(f"{key}: {_flow(held, yaml_text)}{'  # default' if held == plain.get(key) else ''}")
    return _inert("\n".join(lines) + "\n")


def config_schema() -> str:
    """The JSON Schema (draft 2020-12) of promptlint.yaml and [tool.promptlint]."""
    return schema_text()


def _inert(text: str) -> str:
    """Without what a CI runner obeys wherever it stands in a line; in quotes it means the same."""
    return text.replace("##[", "#\\u0023[")


def _flow(value: Json, written: Callable[[str], str]) -> str:
    """A value in one line of JSON, which is YAML, too; texts as `written` writes them."""
    if isinstance(value, dict):
        members = (f"{written(key)}: {_flow(item, written)}" for key, item in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_flow(item, written) for item in value)}]"
    if isinstance(value, Number):
        return f"{Decimal(value.text):f}"  # `overrides` has seen that it is one
    return written(value) if isinstance(value, str) else json.dumps(value)


def yaml_text(text: str) -> str:
    """In double quotes, with nothing in it that could act on a terminal."""
    quoted = json.dumps(text, ensure_ascii=False)
    if quoted.isprintable():
        return quoted
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in quoted)
