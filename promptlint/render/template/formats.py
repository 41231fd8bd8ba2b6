"""`'%s' % value` and `'{}'.format(value)` with the origins of their parts; only plain forms keep them."""

import re
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

from promptlint.render.template.tracked import Tracked, concat, slices

_PERCENT = re.compile(r"%(?:\((\w+)\))?s|%%")


def percent(form: Tracked, values: Any) -> str:
    """`form % values` for `%s`, `%(name)s` and `%%`."""
    found = list(_PERCENT.finditer(form))
    literals = _around(form, [match.span() for match in found])
    signs = slices(form, [(match.start(), match.start() + 1) for match in found])
    following = iter(values if isinstance(values, tuple) else (values,))
    parts = [literals[0]]
    for match, sign, literal in zip(found, signs, literals[1:], strict=True):
        if match[0] != "%%":
            sign = str(values[match[1]] if match[1] else next(following))
        parts += (sign, literal)
    return concat(parts)


def braces(form: Tracked, values: Sequence[Any], named: Mapping[str, Any]) -> str:
    """`form.format(*values, **named)` for `{}`, `{0}` and `{name}`; raises ValueError for other fields."""
    spans: list[tuple[int, int]] = []
    printed: list[str] = []
    place = counted = 0
    for literal, field, spec, conversion in Formatter().parse(str.__str__(form)):
        place += len(literal)
        if "{" in literal or "}" in literal or spec or conversion:
            raise ValueError("not a plain field")
        if field is None:
            continue
        if not field or field.isdigit():
            printed.append(str(values[int(field) if field else counted]))
            counted += not field
        else:
            printed.append(str(named[field]))
        spans.append((place, place + len(field) + 2))
        place += len(field) + 2
    literals = _around(form, spans)
    parts = [literals[0]]
    for value, literal in zip(printed, literals[1:], strict=True):
        parts += (value, literal)
    return concat(parts)


def _around(form: Tracked, spans: Sequence[tuple[int, int]]) -> list[str]:
    """What stands before, between and behind the spans."""
    edges = [0, *(edge for span in spans for edge in span), len(form)]
    return slices(form, zip(edges[::2], edges[1::2], strict=True))
