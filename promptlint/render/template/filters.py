"""The filters that Jinja writes in a way that loses origins, written so that they keep them."""

from typing import Any

from jinja2.filters import FILTERS, do_indent
from jinja2.nodes import EvalContext
from jinja2.utils import htmlsafe_json_dumps, pass_eval_context

from promptlint.render.template import serialise
from promptlint.render.template.tracked import Tracked, checked, concat
from promptlint.render.template.values import TrackedMarkup


def called(text: str, name: str, line: int | None = None) -> Tracked:
    """What the function `name`, called on a line of the template, answered."""
    return Tracked(text, ((len(text), "call", name, None, line),) if text else ())


def html_tojson(value: Any, indent: int | None = None) -> TrackedMarkup:
    """Jinja's own `tojson`."""
    options: dict[str, Any] = {} if indent is None else {"indent": indent}
    text = str.__str__(htmlsafe_json_dumps(value, sort_keys=True, **options))
    return TrackedMarkup(serialise.html_tojson(value, text, indent))


@pass_eval_context
def _join(context: EvalContext, values: Any, separator: Any = "", attribute: Any = None) -> Any:
    tracked = Tracked(separator) if type(separator) is str else separator
    return FILTERS["join"](context, values, tracked, attribute)


def _indent(text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> Any:
    plain = do_indent(text, width, first, blank)
    if type(text) is not Tracked:
        return plain
    padding = width if type(width) is Tracked else called(width if isinstance(width, str) else " " * width, "indent")
    feed = called("\n", "indent")

    def build() -> str:
        head, *tail = (text + feed).splitlines()
        parts = [padding if first else "", head]
        for line in tail:
            parts += (feed, padding if line or blank else "", line)
        return concat(parts)

    return checked(plain, build)


def _safe(value: Any) -> TrackedMarkup:
    return TrackedMarkup(
        value if type(value) is Tracked else value.__html__() if hasattr(value, "__html__") else str(value)
    )


filters: dict[str, Any] = {"join": _join, "indent": _indent, "safe": _safe}
