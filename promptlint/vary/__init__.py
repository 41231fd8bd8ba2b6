"""A request -> realistic variations of it, one edit each. What they mean to a cache is said by who compares them."""

from collections.abc import Iterator
from datetime import date

from promptlint.prompt import Json, Request
from promptlint.vary import form, ids, markers, messages, settings, texts, tools
from promptlint.vary.variation import Group, Source, Variation

__all__ = ["Group", "Variation", "variations"]


def variations(
    request: Request, value: Json, *, today: date, provider: str, hosted: bool = False
) -> Iterator[Variation]:
    """Every variation that fits the request: what it has no place for, such as tools in another order, is left out.

    `value`: the whole document that holds the request; that of a text is the text. `provider` serves it, `hosted`: on
    an engine that one hosts oneself. A variation that changes nothing has `value` itself.
    """
    source = Source(request, value, today, provider, hosted)
    yield from form.variations(source)
    if request.token_ids is not None:
        yield from ids.variations(source)
        return
    for maker in (texts, tools, messages, settings, markers):
        yield from maker.variations(source)
