"""Variations that leave the request as it is: sent again, and written again by another encoder."""

from collections.abc import Iterator

from promptlint.prompt import Json
from promptlint.vary.edit import put
from promptlint.vary.variation import Source, Variation


def variations(source: Source) -> Iterator[Variation]:
    yield Variation("sent-again", "form", "the same request once more", source.value)
    body = source.at(source.request.path)
    if isinstance(body, dict) and len(body) > 1:
        turned: Json = dict(reversed(body.items()))
        yield Variation(
            "fields-reordered",
            "form",
            "the fields of the request in another order",
            put(source.value, source.request.path, turned),
        )
