"""Lifetimes: those of one request in their order, and each by itself."""

from collections.abc import Iterator

from promptlint.cache.marker_faults import unfit_lifetime
from promptlint.cache.markers import rank
from promptlint.cache.positions import can_carry
from promptlint.lint.edits import Edit, Put, Remove
from promptlint.lint.hit import Hit, Place
from promptlint.lint.markers import faults, hit_of, positions, setting
from promptlint.lint.subject import RequestSubject
from promptlint.prompt import Marker, Path
from promptlint.read.names import shown

_OPTIONS = "prompt_cache_options"


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
    options = setting(subject, _OPTIONS)
    if isinstance(options, dict) and isinstance(options.get("ttl"), str):
        yield (*subject.request.path, _OPTIONS, "ttl"), options["ttl"]
    for position in positions(subject):
        if position.marker is not None and position.marker.ttl is not None:
            yield (*position.marker.path, "ttl"), position.marker.ttl


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """No lifetime is longer than one ahead of it, and one that does not exist is not asked for.

    A longer one is shortened, never a shorter one made longer: to write for an hour costs more than for five minutes,
    and what costs more is the author's to choose.
    """
    assert isinstance(hit.at, Place)
    if subject.rule.kind != "markers":
        if hit.at.path[-1] == "ttl":
            options = setting(subject, _OPTIONS)
            alone = hit.at.path[-2] == _OPTIONS and isinstance(options, dict) and len(options) == 1
            yield Remove(hit.at.path[:-1] if alone else hit.at.path)
        return
    for marker, ttl in _fitting(subject):
        path = (*marker.path, "ttl")
        if ttl != marker.ttl:
            yield Remove(path) if ttl is None else Put(path, ttl)


def _fitting(subject: RequestSubject) -> Iterator[tuple[Marker, str | None]]:
    """Each marker with the lifetime that it may have, None for the default."""
    provider, automatic = subject.provider, subject.request.automatic
    found = [p.marker for p in positions(subject) if p.marker is not None and can_carry(p, provider)]
    fit: list[tuple[Marker, str | None]] = []
    shortest = provider.lifetimes[0]
    for marker in found:
        ttl = marker.ttl if marker.ttl in provider.lifetimes else None
        if rank(ttl or provider.default_lifetime, provider) < rank(shortest, provider):
            ttl = shortest
        shortest = ttl or provider.default_lifetime
        fit.append((marker, ttl))
    if automatic is not None and automatic not in found and _on_last(subject):
        # both fall on one block, which has one lifetime
        asked = automatic.ttl if automatic.ttl in provider.lifetimes else None
        life = max(shortest, asked or provider.default_lifetime, key=lambda one: rank(one, provider))
        fit[-1:] = [
            (marker, None if marker.ttl is None and life == provider.default_lifetime else life)
            for marker in (fit[-1][0], automatic)
        ]
    yield from fit


def _on_last(subject: RequestSubject) -> bool:
    """Whether the last block that may carry a marker has one."""
    fit = [position for position in positions(subject) if can_carry(position, subject.provider)]
    return bool(fit) and fit[-1].marker is not None
