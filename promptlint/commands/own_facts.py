"""The user's own rows on models, prices and providers."""

from promptlint.config import find, parse_yaml
from promptlint.facts.own import NONE, Overrides
from promptlint.read.names import shown


def own_facts(near: str, file: str | None = None) -> Overrides:
    """The user's rows: those of `file` (--facts), else of the configuration nearest to a file or folder."""
    if file is None:
        found = find(near)
        where, held = f"{shown(found.path or '')}: facts", found.facts
    else:
        where, held = shown(file), parse_yaml(file)
    if held is None:
        return NONE
    from promptlint.facts.overrides import overrides  # brings dates and decimal numbers

    return overrides(held, where)
