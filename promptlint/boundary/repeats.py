"""One cause that repeats is one divergence: eight call ids minted again are one finding, not eight."""

from promptlint.boundary.divergence import Divergence

_BY_LEVEL = frozenset(
    (
        "white-space",
        "line-endings",
        "unicode-form",
        "invisible-character",
        "escape-form",
        "number-form",
        "key-order",
        "content-shape",
        "content-stubbed",
        "reasoning-dropped",
        "history-rewrapped",
        "image-changed",
        "role-changed",
    )
)
_BY_WORDS = frozenset(("clock", "date-rollover", "counter", "environment", "per-turn-context"))


def merge(found: list[Divergence]) -> list[Divergence]:
    """Divergences in order; each that repeats an earlier one becomes one of its `repeats`."""
    groups: dict[object, list[Divergence]] = {}
    for number, divergence in enumerate(found):
        groups.setdefault(_key(divergence) or number, []).append(divergence)
    return [first._replace(repeats=tuple(rest)) for first, *rest in groups.values()]


def _key(divergence: Divergence) -> object:
    """Equal for divergences that are the same change at several places; None for one that stands alone."""
    cause = divergence.cause
    if cause in _BY_LEVEL:
        return cause, divergence.level
    if cause == "identifier":
        field = divergence.b.path[-1] if divergence.b.path else None
        by_field = isinstance(field, str) and field.lower().endswith("id") and divergence.level == "messages"
        return (cause, "id field") if by_field else (cause, divergence.old, divergence.new)
    if cause in _BY_WORDS and divergence.old:
        return cause, divergence.old, divergence.new
    return None
