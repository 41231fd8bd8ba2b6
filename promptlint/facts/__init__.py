"""Facts about providers, models, prices, formats and causes: the YAML of data/, read from one generated JSON file.

That file has one line for each YAML file, so what is not asked for is not parsed.
"""

import json
import os
from functools import cache
from typing import Any

_FACTS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "facts.json")


@cache
def _lines() -> dict[str, str]:
    """Name of a table -> its JSON text."""
    with open(_FACTS, encoding="utf-8") as file:
        rows = (line.rstrip(",\n").partition(":") for line in file if line[0] == '"')
        return {name.strip('"'): content for name, _, content in rows}


@cache
def table(name: str) -> Any:
    """The content of data/NAME.yaml as plain lists, dicts and scalars; dates are ISO strings. Never change it."""
    return json.loads(_lines()[name])
