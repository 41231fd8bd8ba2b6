"""Facts about providers, formats and causes: the YAML of data/, read from one generated JSON file."""

import json
import os
from functools import cache
from typing import Any

_FACTS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "facts.json")


@cache
def _facts() -> dict[str, Any]:
    with open(_FACTS, encoding="utf-8") as file:
        facts: dict[str, Any] = json.load(file)
    return facts


def table(name: str) -> Any:
    """The content of data/NAME.yaml as plain lists, dicts and scalars; dates are ISO strings. Never change it."""
    return _facts()[name]
