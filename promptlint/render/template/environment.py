"""Jinja as the two kinds of templates are used with it, plain or with the origins of all text.

"chat": the environment of transformers 5.24.0 (`_cached_compile_jinja_template` in utils/chat_template_utils.py).
"application": Jinja's defaults with the extensions `do` and `loopcontrols`, in the same immutable sandbox. A name that
has no value is an error where it is printed or walked, and calling a plain value gives that value.
"""

import json
import sys
from collections.abc import Callable
from datetime import datetime
from types import FrameType
from typing import Any, NoReturn

from jinja2 import FunctionLoader, TemplateError, Undefined, UndefinedError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, LoopControlExtension, do
from jinja2.lexer import TokenStream
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from promptlint.render.template import compiler, serialise
from promptlint.render.template.files import reader
from promptlint.render.template.filters import called, filters, html_tojson
from promptlint.render.template.formats import braces
from promptlint.render.template.literals import as_read, tokens
from promptlint.render.template.tracked import Tracked, checked, concat, pieces_of


class Generation(Extension):
    """`{% generation %}`: the model's own turns, which training masks; the text is the same with or without it."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Callable[[], str]) -> str:
        return caller()


class ChatDict:
    """`dict` of the chat templates: makes dicts, but gives no way to the class."""

    def __call__(self, *args: Any, **named: Any) -> dict[Any, Any]:
        return dict(*args, **named)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


class ChatNamespace(Namespace):
    """`namespace` of the chat templates: refuses names with an underscore in front."""

    def __init__(*args: Any, **named: Any) -> None:  # so that a name may be `self`
        attributes = dict(*args[1:], **named)
        for name in attributes:
            _refuse_underscore(name)
        Namespace.__init__(args[0], attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_underscore(name)
        super().__setitem__(name, value)


class Unprintable(UndefinedError):
    """A name without a value is printed or walked."""


class Uncallable(UndefinedError):
    """A name without a value is called; the message is the name."""


class Missing(Undefined):
    """A name without a value in an application's template. Tests and `default` work; printing it is an error."""

    def _refuse(self) -> NoReturn:
        raise Unprintable(self._undefined_message)

    __str__ = __iter__ = __len__ = _refuse


class Chat(ImmutableSandboxedEnvironment):
    """The environment of chat templates."""

    def __init__(self, now: datetime, **options: Any) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, LoopControlExtension], **options)
        self.filters["tojson"] = tojson
        self.globals.update(
            raise_exception=_raise_exception, strftime_now=now.strftime, dict=ChatDict(), namespace=ChatNamespace
        )


class Application(ImmutableSandboxedEnvironment):
    """The environment of an application's templates, which may include others out of `roots`."""

    def __init__(self, roots: tuple[str, ...], **options: Any) -> None:
        super().__init__(
            undefined=Missing, loader=FunctionLoader(reader(roots)), extensions=[LoopControlExtension, do], **options
        )

    def call(__self, __context: Any, __obj: Any, *args: Any, **named: Any) -> Any:
        if isinstance(__obj, Undefined):
            raise Uncallable(str(__obj._undefined_name))
        # The value of `now` stands for what the application's own `now()` would answer.
        if isinstance(__obj, str | int | float | dict | list):
            return __obj
        return super().call(__context, __obj, *args, **named)

    def getattr(self, obj: Any, attribute: str) -> Any:
        if attribute == "strftime" and isinstance(obj, str):
            return lambda form: _formatted(obj, form)
        return super().getattr(obj, attribute)


class Tracking(ImmutableSandboxedEnvironment):
    """An environment whose templates answer text with origins; to be put in front of one of the two above.

    `_sources`: template name (None for the main one) -> its source as the lexer reads it.
    """

    code_generator_class = compiler.TrackingGenerator
    concat = staticmethod(concat)
    _printed = staticmethod(compiler.printed)
    _beside = staticmethod(compiler.beside)

    def __init__(self, *args: Any, **options: Any) -> None:
        self._literals: list[Tracked] = []
        self._sources: dict[str | None, str] = {}
        super().__init__(*args, optimized=False, **options)
        self.filters.update(filters)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return compiler.TrackingParser(self, source, name, filename).parse()

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        name = None if name is None else str.__str__(name)
        self._sources[name] = as_read(source, self.lexer.keep_trailing_newline)
        return TokenStream(tokens(self.lexer, source, name, filename, state), name, filename)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        sandboxed: Callable[..., str] | None = super().wrap_str_format(value)
        if sandboxed is None or type(value.__self__) is not Tracked:
            return sandboxed
        form = value.__self__

        def wrapper(*args: Any, **named: Any) -> str:
            text = str.__str__(sandboxed(*args, **named))  # the sandbox decides what the text is
            mapped = value.__name__ == "format_map"
            return checked(text, lambda: braces(form, args, args[0] if mapped else named))

        return wrapper


class TrackingChat(Tracking, Chat):
    """Chat templates, with origins."""

    def __init__(self, now: datetime) -> None:
        super().__init__(now)
        self.filters["tojson"] = serialise.tojson
        self.globals["strftime_now"] = lambda form: called(now.strftime(form), "strftime_now", _running_line())


class TrackingApplication(Tracking, Application):
    """Applications' templates, with origins."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        super().__init__(roots)
        self.filters["tojson"] = html_tojson


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """The chat templates' filter: JSON without escapes for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _running_line() -> int | None:
    """The line of the template that is running; a template's code is the only one that knows its own template."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            line: int = template.get_corresponding_lineno(frame.f_lineno)
            return line
        frame = frame.f_back
    return None


def _raise_exception(message: Any) -> None:
    raise TemplateError(message)


def _refuse_underscore(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace of a chat template takes no name with an underscore in front: {name!r}")


def _formatted(moment: str, form: str) -> str:
    """What `now().strftime(form)` answers where the variables give `now` as an ISO date or time."""
    try:
        text = datetime.fromisoformat(moment).strftime(form)
    except ValueError:
        raise TemplateError(f"strftime needs an ISO date or time, and the variables give {moment[:40]!r}") from None
    known = pieces_of(moment)
    return called(text, str(known[0][2][0])) if type(moment) is Tracked and known[0][1] == "value" else text
