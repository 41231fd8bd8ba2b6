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
    if is_cassette(text) or (path.lower().endswith(_NAMES) and not _is_json(text)):
        return "yaml"
    return "json"


def is_cassette(text: str) -> bool:
    """Whether a text begins as a cassette of VCR in YAML does."""
    head = text[:_HEAD]
    begin = r"(?:(?:[ \t]*#.*|---.*|[ \t]*)\r?\n)*(?:http_)?interactions:[ \t]*\r?\n"
    return "interactions:" in head and re.match(begin, head) is not None


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.JSONDecoder(parse_int=str, parse_float=str).decode(text)
    except (ValueError, RecursionError):
        return False
    return True
