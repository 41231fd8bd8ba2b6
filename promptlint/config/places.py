"""Where in its file a configuration says something."""

import re

from promptlint.config import Config
from promptlint.prompt import CharIndex, Spot


def pardon_line(config: Config, index: int) -> int:
    """The line, from 1, of an entry of `suppress`; in a TOML file without a table for each, that of the whole list."""
    from promptlint.read.places import resolve
    from promptlint.read.sources import read

    assert config.path is not None
    document = read(config.path)
    if document.syntax == "yaml":
        (place,) = resolve(document, [Spot(("suppress", index), "value", CharIndex(0), CharIndex(0))])
        return place.line
    heads = [*re.finditer(r"^[ \t]*\[\[[ \t]*tool\.promptlint\.suppress[ \t]*\]\]", document.text, re.MULTILINE)]
    found = heads[index] if index < len(heads) else re.search(r"^[ \t]*suppress\b", document.text, re.MULTILINE)
    return document.text.count("\n", 0, found.start()) + 1 if found else 1
