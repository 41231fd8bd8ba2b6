"""What one request sends beside the text and a provider's cache depends on."""

from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary.settings import Field, flat
from promptlint.cache.meaning import is_outside, setting_row
from promptlint.cache.traits import traits
from promptlint.facts.providers import Provider, fits
from promptlint.finding import Certainty
from promptlint.prompt import Level, Request


class KeySetting(NamedTuple):
    """A field that the cache depends on, or may depend on."""

    name: str  # dotted
    field: Field  # without a path where it is not sent
    level: Level | None  # the first one that is lost when it changes; None: not known
    certainty: Certainty
    beyond: str  # what else there is to say of it, or ""


def key_settings(request: Request, provider: Provider) -> Iterator[KeySetting]:
    """The fields that are sent, `model` first, then the provider's others, which keep their defaults.

    What is known to be part of neither prompt nor key is left out.
    """
    seen: set[str] = set()
    for name, field in flat(request):
        dotted = ".".join(name)
        if dotted == "model":
            yield KeySetting(dotted, field, "tools", "certain", "")
            continue
        row = setting_row(dotted, provider, request)
        if is_outside(dotted, row, provider):
            continue
        if row is None:
            yield KeySetting(dotted, field, None, "unknown", "")
            continue
        seen.add(row.field)
        certainty = "certain" if fits(row.certain_models, request.model) else row.certainty
        yield KeySetting(dotted, field, row.level, certainty, row.beyond)
    present = dict(traits(request, provider))
    for row in provider.settings:
        if row.field not in seen and (not row.models or fits(row.models, request.model)):
            seen.add(row.field)
            path = present.get(row.field)
            field = Field(path, None if path is None else "present")
            yield KeySetting(row.field, field, row.level, row.certainty, row.beyond)
