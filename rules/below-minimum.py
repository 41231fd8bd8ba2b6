"""Markers behind too little text."""

from collections.abc import Iterator

from promptlint.cache.reuse import size_of
from promptlint.cache.unread import too_short
from promptlint.lint.hit import Hit
from promptlint.lint.markers import hit_of, positions, refused, setting
from promptlint.lint.subject import RequestSubject


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The last marked block, if even what ends there is too short."""
    rule = subject.rule
    if not rule.by_entries or not rule.minimum.known or refused(subject) or _is_cached_all_the_same(subject):
        return
    fault = too_short(subject.prompt, rule, subject.count, differs=False)
    if fault is None:
        return
    marked = [position for position in positions(subject) if position.marker is not None]
    grows = marked[-1].level == "messages"  # the same marker stands behind more text a few turns later
    yield hit_of(fault)._replace(severity="info" if grows else fault.severity)


def _is_cached_all_the_same(subject: RequestSubject) -> bool:
    """Whether an entry is written at the end of the latest message, whatever is marked in front of it."""
    if subject.rule.kind != "message-ends":
        return False
    options = setting(subject, "prompt_cache_options")
    if isinstance(options, dict) and options.get("mode") == "explicit":
        return False
    return size_of(len(subject.prompt.text), subject.rule, subject.count) != "below"
