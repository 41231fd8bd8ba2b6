"""No marker where nothing is cached without one."""

from collections.abc import Iterator

from promptlint.cache.positions import Position, can_carry
from promptlint.cache.refusals import name
from promptlint.lint.edits import Edit
from promptlint.lint.hit import Hit, Place
from promptlint.lint.marker_edits import marked
from promptlint.lint.markers import answers, fixed, in_batch, is_long, messages, positions, setting
from promptlint.lint.subject import RequestSubject

_NATIVE = ("anthropic", "bedrock-converse", "bedrock-invoke")  # what is sent is what the provider reads
_GATEWAY = ("openai-chat",)  # something between may set the markers
_SET_ELSEWHERE = ("cache_control_injection_points", "cache_control", "cachePoint")
_TURNS = 2  # answers of the model from which on the history itself is worth a marker


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The block that a marker should follow."""
    if not _is_asked(subject):
        return
    place = _place(subject)
    if place is None:
        return
    what, position = place
    values = {
        "what": what,
        "about": "about " if subject.band else "",
        "tokens": f"{subject.count(position.end):,}",
    }
    hit = Hit(Place(position.path), values, fix=f"Set a cache marker at {name(position.path)}.")
    if subject.provider.implicit or in_batch(subject) or subject.request.format in _GATEWAY:
        hit = hit._replace(severity="info", confidence="possible")
    yield hit


def _is_asked(subject: RequestSubject) -> bool:
    """Whether the provider caches at markers only, and this request could show them."""
    request = subject.request
    return (
        subject.rule.kind == "markers"
        and request.format in (*_NATIVE, *_GATEWAY)
        and request.automatic is None
        and not request.may_lack_markers
        and bool(messages(subject))
        and all(position.marker is None for position in positions(subject))
        and all(setting(subject, field) is None for field in _SET_ELSEWHERE)
    )


def _place(subject: RequestSubject) -> tuple[str, Position] | None:
    part = fixed(subject)
    if part.last is not None and is_long(subject, part.last.end):
        return "tools and system text", part.last
    if len(answers(subject)) < _TURNS:
        return None
    sent = messages(subject)[-1].char
    if not is_long(subject, sent):
        return None
    fit = [position for position in positions(subject) if can_carry(position, subject.provider)]
    return ("a conversation", fit[-1]) if fit and fit[-1].end > sent else None


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """The marker; none for a gateway, which may set its own, nor in a batch, whose rows may all write and none read."""
    assert isinstance(hit.at, Place)
    if subject.request.format in _NATIVE and not in_batch(subject):
        yield from marked(subject, hit.at.path)
