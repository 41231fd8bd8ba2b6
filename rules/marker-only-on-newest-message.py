"""A request of one turn whose entry ends with the question only."""

from collections.abc import Iterator

from promptlint.cache.refusals import name
from promptlint.lint.hit import Hit, Place
from promptlint.lint.markers import answers, fixed, is_long, positions
from promptlint.lint.subject import RequestSubject


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The marked block; the place where a marker is due is related."""
    if subject.rule.kind != "markers" or answers(subject):
        return
    found = positions(subject)
    marked = [position for position in found if position.marker is not None]
    part = fixed(subject)
    if not marked or marked[0] != found[-1] or part.last is None or not is_long(subject, part.last.end):
        return
    about = "about " if subject.band else ""
    values = {"about": about, "tokens": f"{subject.count(part.last.end):,}"}
    hit = Hit(
        Place(marked[0].path),
        values,
        related=(Place(part.last.path),),
        lost_tokens=subject.count(part.last.end),
        fix=f"Set a marker at {name(part.last.path)} as well.",
    )
    if subject.request.automatic is not None:  # the simple mode for conversations, and this may be one that begins
        hit = hit._replace(severity="info", lost_tokens=None)
    yield hit
