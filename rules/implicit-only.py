"""Where entries are written at the latest message only, and the author has set none behind the fixed part."""

from collections.abc import Iterator

from promptlint.cache.positions import Position
from promptlint.cache.refusals import name
from promptlint.lint.edits import Edit
from promptlint.lint.hit import Hit, Place
from promptlint.lint.marker_edits import marked
from promptlint.lint.markers import answers, fixed, in_batch, is_long, messages, positions, setting
from promptlint.lint.subject import RequestSubject

_HELD = ("previous_response_id", "conversation", "prompt")  # text that stands in front and is not seen


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The last block of the fixed part."""
    if subject.rule.kind != "message-ends" or subject.request.may_lack_markers or not messages(subject):
        return
    if any(setting(subject, field) is not None for field in _HELD):
        return
    found = positions(subject)
    front = [position for position in found if position.level != "messages"]
    if not front or not is_long(subject, front[-1].end):
        return
    if any(position.marker is not None for position in found[:-1]):
        return  # the author decides where entries end
    options = setting(subject, "prompt_cache_options")
    explicit = isinstance(options, dict) and options.get("mode") == "explicit"
    if not explicit:
        yield _hit(subject, front[-1], fixed(subject).last)
    elif found[-1].marker is None:
        yield _nothing(subject, front[-1])


def _hit(subject: RequestSubject, last: Position, fit: Position | None) -> Hit:
    tokens = subject.count(last.end)
    values = {"about": "about " if subject.band else "", "tokens": f"{tokens:,}"}
    fix = f"Set a breakpoint at {name(fit.path)}." if fit is not None and fit.end == last.end else None
    hit = Hit(Place(last.path), values, lost_tokens=tokens, fix=fix)
    if answers(subject) or in_batch(subject):  # the conversation itself goes on reading its own entries
        hit = hit._replace(severity="info", lost_tokens=None)
    return hit


def _nothing(subject: RequestSubject, last: Position) -> Hit:
    """Breakpoints only, and none: the documented way to cache nothing, by intention or not."""
    path = (*subject.request.path, "prompt_cache_options", "mode")
    message = "the request asks for explicit breakpoints only and sets none: nothing of it is cached"
    fix = "Set a breakpoint, unless nothing is meant to be cached."
    related = (Place(last.path),)
    return Hit(Place(path), related=related, message=message, fix=fix, severity="info", confidence="possible")


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """A breakpoint on the last block of the fixed part, which costs nothing: what is written is written at one price.

    Nothing where that block cannot carry one, and nothing for a request that asks for breakpoints only and sets none:
    so caching is switched off on purpose.
    """
    assert isinstance(hit.at, Place)
    fit = fixed(subject).last
    if fit is not None and fit.path == hit.at.path:
        yield from marked(subject, fit.path)
