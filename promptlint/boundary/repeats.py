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
    groups: list[list[Divergence]] = []
    known: dict[object, list[Divergence]] = {}
    for divergence in found:
        keys = _keys(divergence)
        group = next((known[key] for key in keys if key in known), None)
        if group is None:
            group = []
            groups.append(group)
        group.append(divergence)
        known.update(dict.fromkeys(keys, group))
    return [first._replace(repeats=tuple(rest)) for first, *rest in groups]


def _keys(divergence: Divergence) -> list[object]:
    """Two divergences with a key in common are the same change at two places."""
    cause = divergence.cause
    if cause == "content-shape":  # what prints alike is another thing than what does not
        return [(cause, divergence.level, divergence.a_start == divergence.a_end)]
    if cause in _BY_LEVEL:
        return [(cause, divergence.level)]
    if cause == "item-edited":
        return [(cause, divergence.within)]
    keys: list[object] = []
    if cause == "environment":
        keys.append((cause, divergence.level, divergence.b.path))
    if cause == "identifier":
        field = divergence.b.path[-1] if divergence.b.path else None
        if isinstance(field, str) and field.lower().endswith("id") and divergence.level == "messages":
            return [(cause, "id field")]
    if divergence.old and (cause == "identifier" or cause in _BY_WORDS):
        keys.append((cause, divergence.old, divergence.new))
    return keys
