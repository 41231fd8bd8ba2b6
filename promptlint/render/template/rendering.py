"""One template over one set of variables, inside the child: the text, and where it comes from."""

import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import jinja2
from jinja2 import TemplateError, TemplateSyntaxError

from promptlint.render.template import environment, llama_cpp, prepare, vllm
from promptlint.render.template.audit import audit
from promptlint.render.template.frames import LARGEST_TEXT
from promptlint.render.template.pieces import Piece
from promptlint.render.template.tracked import concat, pieces_of
from promptlint.render.template.types import Dialect
from promptlint.render.template.values import track, untrack

_T = TypeVar("_T")

OLDEST_JINJA = (3, 1, 6)  # older ones have known ways out of the sandbox


class Failure(Exception):
    """No rendering. `template`: None for the main one."""

    def __init__(self, reason: str, hint: str = "", template: str | None = None, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.hint, self.template, self.line = reason, hint, template, line


class Job(NamedTuple):
    """What to render."""

    source: str
    dialect: Dialect
    roots: tuple[str, ...]
    variables: dict[str, Any]
    now: datetime
    profile: str


class Compiled(NamedTuple):
    """A template compiled both ways."""

    plain: jinja2.Template
    tracking: jinja2.Template | None
    sources: dict[str | None, str]


def compiled(job: Job) -> Compiled:
    """The template of the job; raises Failure."""
    if tuple(map(int, re.findall(r"\d+", jinja2.__version__)[:3])) < OLDEST_JINJA:
        raise Failure(
            f"Jinja {jinja2.__version__} lets templates out of its sandbox", "pip install 'jinja2>=3.1.6,<3.2'"
        )
    chat = job.dialect == "chat"
    plain = environment.Chat(job.now) if chat else environment.Application(job.roots)
    tracking = environment.TrackingChat(job.now) if chat else environment.TrackingApplication(job.roots)
    if job.profile == "llama-cpp":
        for each in (plain, tracking):
            each.filters.update(llama_cpp.FILTERS)
    template = _told(lambda: plain.from_string(job.source))
    try:
        return Compiled(template, tracking.from_string(job.source), tracking._sources)
    except Exception:
        return Compiled(template, None, {})


def prepared(job: Job, template: Compiled) -> prepare.Prepared:
    """What the template's caller hands on, tracked. Raises Failure."""
    variables = track(job.variables, ())
    notes: list[str] = []
    if job.dialect != "chat":
        return prepare.Prepared(variables, notes)
    try:
        if job.profile == "llama-cpp":
            return llama_cpp.as_sent(variables, template.plain, job.source, job.now)
        if job.profile == "vllm":
            variables, notes = vllm.as_sent(variables, template.plain.environment.parse(job.source))
        return prepare.Prepared(prepare.transformers(variables), notes)
    except prepare.Refused as error:
        raise Failure(str(error)) from None


def plain_text(template: Compiled, given: prepare.Prepared) -> tuple[str, list[str]]:
    """The text that the template makes, and notes; raises Failure."""
    random.seed(0)
    before = random.getstate()
    text = _told(lambda: "".join(_bounded(template.plain, untrack(given.variables)))) + untrack(given.tail)
    chance = random.getstate() != before
    return text, ["the template picks at random: this is one of its possible texts"] if chance else []


def pieces(template: Compiled, job: Job, given: prepare.Prepared, text: str) -> tuple[list[Piece], list[str]]:
    """The pieces of the text, audited, or none; and notes."""
    if template.tracking is None:
        return [], ["where the text comes from is not known: the template cannot be compiled for it"]
    random.seed(0)
    try:
        tracked = concat([*_bounded(template.tracking, given.variables), given.tail], most=10 * LARGEST_TEXT)
    except Exception as error:
        return [], [f"where the text comes from is not known: {type(error).__name__} while it was followed"]
    if tracked != text:
        return [], ["where the text comes from is not known: following it gave another text"]
    found, wrong = audit(text, pieces_of(tracked), job.variables, template.sources)
    return found, [f"{wrong} origins did not hold and are given as unknown"] if wrong else []


def too_long() -> Failure:
    """The text is larger than a rendering may be."""
    return Failure(f"its text is longer than {LARGEST_TEXT // 2**20} MiB")


def _bounded(template: jinja2.Template, variables: dict[str, Any]) -> Iterator[str]:
    """The parts of the rendering, as long as they are not too many."""
    size = 0
    for part in template.root_render_func(template.new_context(dict(variables))):
        size += len(part)
        if size > LARGEST_TEXT:
            raise too_long()
        yield part


def _told(run: Callable[[], _T]) -> _T:
    """What `run` answers; what it raises as a Failure that names the template, the line and the reason."""
    try:
        return run()
    except (Failure, MemoryError):
        raise
    except TemplateSyntaxError as error:
        raise Failure(*_worded(error), error.name, error.lineno) from None
    except Exception as error:
        name, line, chain = _place(error)
        if isinstance(error, SyntaxError) and "nested" not in error.msg:  # Python's, of what Jinja compiled
            raise Failure(error.msg, "", name, line) from None
        if isinstance(error, RecursionError | SyntaxError):
            raise Failure(*_too_deep(chain), name, line) from None
        raise Failure(*_worded(error), name, line) from None


def _place(error: Exception) -> tuple[str | None, int | None, list[str | None]]:
    """Template and line that raised the error, and the templates that were being rendered, outermost first."""
    name, line = None, None
    chain: list[str | None] = []
    step = error.__traceback__
    while step is not None:
        template = step.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            name, line = template.name, template.get_corresponding_lineno(step.tb_lineno)
            if step.tb_frame.f_code.co_name == "root":
                chain.append(name)
        step = step.tb_next
    return name, line, chain


def _worded(error: Exception) -> tuple[str, str]:
    """Reason and hint."""
    reason = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, environment.Uncallable):
        return (
            f"the template calls {reason}, which only the application knows",
            f"give what it answers as {reason} in --vars",
        )
    if "set_int_max_str_digits" in reason:
        return "a number has more digits than Python turns into text", "write it as text"
    if isinstance(error, environment.Unprintable):
        return reason, "give it a value with --vars"
    return (reason if isinstance(error, TemplateError) else f"{type(error).__name__}: {reason}"), ""


def _too_deep(chain: list[str | None]) -> tuple[str, str]:
    again = next((name for name in chain if name is not None and chain.count(name) > 1), None)
    if again is not None:
        return f"{again!r} includes, imports or extends itself", ""
    return "it calls itself, or is nested, too deeply", ""
