"""Symbolic places -> what is printed: file, line, column, pointer, excerpt."""

import os
from collections.abc import Sequence

from promptlint.boundary.divergence import item_at, origin_at, piece_at
from promptlint.boundary.settings import is_private, json_text
from promptlint.boundary.shown import literal_place, template_place
from promptlint.finding import Place, TemplateLine
from promptlint.prompt import Document, Json, Location, Path, Rendered, Request, Spot, TemplateSource
from promptlint.read.descend import descend
from promptlint.read.places import pointer, resolve

Stretch = tuple[int, int]
_BEFORE, _AFTER = 120, 60  # characters of an excerpt; so many before, that a secret is seen whole and can be masked


def places(
    request: Request, spots: Sequence[Spot], values: Sequence[str | None], template: TemplateSource | None = None
) -> list[Place]:
    """One place for each spot; `values` are the decoded values (or keys) there, None where there is nothing."""
    document = request.document
    locations = resolve(document, spots, request.ends)
    done = [_place(document, *parts) for parts in zip(spots, values, locations, strict=True)]
    if template is not None and any(spot.in_template for spot in spots):
        held = template.document
        here = [_place(held, *parts) for parts in zip(spots, values, resolve(held, spots), strict=True)]
        done = [y if spot.in_template else x for spot, x, y in zip(spots, done, here, strict=True)]
    return done


def number(document: Document) -> int | None:
    """What `#N` named: a line of a JSONL, or a request inside one document."""
    return document.entry if document.record is None else document.record


def _place(document: Document, spot: Spot, value: str | None, location: Location) -> Place:
    char = min(spot.char, len(value)) if value is not None else spot.char
    excerpt, mark = _excerpt(value, char, spot.end)
    return Place(
        path=location.path,
        revision=document.revision,
        record=number(document),
        pointer=pointer(spot.path),
        atom=spot.atom,
        line=location.line,
        column=location.column,
        start=location.start,
        end=location.end,
        char=char,
        byte=len(value[:char].encode()) if value is not None else char,
        excerpt=excerpt,
        mark=mark,
    )


def _excerpt(value: str | None, char: int, end: int) -> tuple[str | None, tuple[int, int]]:
    if value is None:
        return None, (0, 0)
    low, high = max(0, char - _BEFORE), min(len(value), char + _AFTER)
    return value[low:high], (char - low, max(char, min(end, high)) - low)


def text_value(rendered: Rendered, char: int) -> str | None:
    """The atom of the prompt that holds this character."""
    item = item_at(rendered, char)
    found = piece_at(item, char, len(rendered.separator)) if item else None
    return found[0].text if found else None


def printed_value(rendered: Rendered, spot: Spot) -> str | None:
    """The value (or key) at a spot of a request or of the template that rendered it; None if there is none."""
    if spot.in_template:
        return rendered.template.source if rendered.template is not None else None
    if spot.atom == "key":
        return str(spot.path[-1])
    steps = spot.path[len(rendered.request.path) :]
    value = descend(rendered.request.body, steps[:-1] if steps[-1:] == ("-",) else steps)
    return _as_text(value)


def in_prompts(
    a: Place, b: Place, prompts: tuple[Rendered, Rendered], at: tuple[Stretch, Stretch]
) -> tuple[Place, Place]:
    """Both places with what the two prompts print there, where the values do not show the difference.

    A clock stands in the template's text, and a filter changes equal values. `at`: characters of the prompts.
    """
    if (a.excerpt, a.mark) != (b.excerpt, b.mark):
        return a, b
    shown = [_excerpt(prompt.text, *stretch) for prompt, stretch in zip(prompts, at, strict=True)]
    x, y = (place._replace(excerpt=e, mark=m) for place, (e, m) in zip((a, b), shown, strict=True))
    return x, y


def template_line(rendered: Rendered, char: int) -> TemplateLine | None:
    """The line of the template that printed a character of the prompt; None where that is not known."""
    template = rendered.template
    if template is None or char >= len(rendered.text):
        return None
    document = template.document
    file = document.path if document.revision is None else f"{document.revision}:{document.path}"
    origin = rendered.origins[origin_at(rendered, char)]
    if origin.kind == "template" and origin.name and origin.line is not None:
        path = os.path.join(os.path.dirname(template.document.path), origin.name)
        return TemplateLine(path.replace(os.sep, "/"), "", None, *literal_place(rendered, origin, char), "")
    place = template_place(rendered, char)
    if place is None:
        return None
    line, column = place
    excerpt = template.source.splitlines()[line - 1].strip()
    return TemplateLine(file, pointer(template.path), template.name, line, column, excerpt)


def setting_value(request: Request, path: Path) -> str | None:
    """The value of a setting as text; None if it was not sent. What may be a key or a password is hidden."""
    if is_private(path):
        return "(hidden)"
    for known, value in request.settings.items():
        if path[: len(known)] == known:
            return _as_text(descend(value, path[len(known) :]))
    return request.model


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json_text(value)
