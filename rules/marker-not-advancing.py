"""Markers on the first messages of a long conversation."""

from collections.abc import Iterator

from promptlint.cache.positions import can_carry
from promptlint.cache.refusals import name
from promptlint.lint.hit import Hit, Place
from promptlint.lint.markers import answers, positions, refused, setting
from promptlint.lint.subject import RequestSubject

_TURNS = 3  # answers of the model that have come since
_TAIL = 4096  # characters that earlier requests have sent already (about 1,000 tokens)


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The block of the last marker; the place where one is due is related."""
    if not subject.rule.by_entries or not _only_markers(subject) or refused(subject):
        return
    found = positions(subject)
    marked = [position for position in found if position.marker is not None]
    if not marked:
        return
    last = marked[-1]
    since = [item.char for item in answers(subject) if item.char >= last.end]
    if len(since) < _TURNS or since[-1] - last.end < _TAIL:
        return
    tokens = subject.count(since[-1]) - subject.count(last.end)
    fit = [position for position in found if can_carry(position, subject.provider)][-1]
    hit = Hit(
        Place(last.path),
        {"turns": len(since), "about": "about " if subject.band else "", "tokens": f"{tokens:,}"},
        related=(Place(fit.path),),
        lost_tokens=tokens,
        fix=f"Set a marker at {name(fit.path)}, and move it on with each turn.",
    )
    yield hit._replace(confidence="possible") if subject.provider.implicit else hit


def _only_markers(subject: RequestSubject) -> bool:
    """Whether entries end at markers only."""
    options = setting(subject, "prompt_cache_options")
    explicit = isinstance(options, dict) and options.get("mode") == "explicit"
    return subject.rule.kind == "markers" or explicit
