"""Lifetimes: those of one request in their order, and each by itself."""

from collections.abc import Iterator

from promptlint.cache.marker_faults import unfit_lifetime
from promptlint.lint.hit import Hit, Place
from promptlint.lint.markers import faults, hit_of, positions, setting
from promptlint.lint.subject import RequestSubject
from promptlint.prompt import Path
from promptlint.read.names import shown


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The marker whose lifetime is refused; the one that it contradicts is related."""
    yield from faults(subject, "marker-ttl-order")
    if subject.rule.kind == "message-ends":
        yield from _not_known(subject)
        fault = unfit_lifetime(subject.prompt, subject.provider)
        if fault is not None and fault.new is not None and fault.new[-1] == "ttl":
            yield hit_of(fault)


def _not_known(subject: RequestSubject) -> Iterator[Hit]:
    """Lifetimes that the type definitions of the provider's library do not have."""
    known = " or ".join(reversed(subject.provider.lifetimes))
    for path, asked in _asked(subject):
        if asked not in subject.provider.lifetimes:
            values = {"asked": shown(asked), "known": known}
            fix = f"Ask for {known}, or leave the lifetime out."
            yield Hit(Place(path), values, fix=fix, severity="warning", confidence="possible")


def _asked(subject: RequestSubject) -> Iterator[tuple[Path, str]]:
    options = setting(subject, "prompt_cache_options")
    if isinstance(options, dict) and isinstance(options.get("ttl"), str):
        yield (*subject.request.path, "prompt_cache_options", "ttl"), options["ttl"]
    for position in positions(subject):
        if position.marker is not None and position.marker.ttl is not None:
            yield (*position.marker.path, "ttl"), position.marker.ttl
