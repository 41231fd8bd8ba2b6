"""Whether a document is read as JSON or as YAML."""

import json
import re
from typing import Literal

_NAMES = (".yaml", ".yml")
_HEAD = 4096
"""Characters in which a cassette shows that it is one."""


def syntax_of(path: str, text: str) -> Literal["json", "yaml"]:
    """YAML for a file that is named so, unless its text is JSON, and for a recorded cassette of any name.

    Other texts may well be YAML without being meant so: `Note: be brief.` is a prompt.
    """
    head = text[:_HEAD]
    if "interactions:" in head and re.match(
        r"(?:(?:[ \t]*#.*|---.*|[ \t]*)\r?\n)*(?:http_)?interactions:[ \t]*\r?\n", head
    ):
        return "yaml"
    return "yaml" if path.lower().endswith(_NAMES) and not _is_json(text) else "json"


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.JSONDecoder(parse_int=str, parse_float=str).decode(text)
    except (ValueError, RecursionError):
        return False
    return True
