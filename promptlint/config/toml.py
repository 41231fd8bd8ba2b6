"""The table [tool.promptlint] of a pyproject.toml."""

from typing import Any

from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Number
from promptlint.read.names import shown


def tool_table(path: str) -> Json:
    """Its value, as JSON has it; None if there is none. A file that does not name promptlint is not parsed."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise PromptlintError(f"{shown(path)} cannot be read ({error.strerror})", "check its permissions") from None
    return table_in(data, path)


def table_in(data: bytes, path: str) -> Json:
    """The same for the bytes of a file; `path` names it in messages."""
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
