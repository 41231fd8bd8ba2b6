"""Findings that the configuration answers by path and JSON pointer, for files without comments."""

from collections.abc import Collection, Sequence

from promptlint.config import Config, Pardon
from promptlint.config.selection import covers, within
from promptlint.read.names import shown

Pointer = str | tuple[str, ...]


def pardoned(findings: Sequence[tuple[str, str, Pointer]], config: Config) -> tuple[int | None, ...]:
    """For each finding (rule, path, pointer) the number of the entry of `suppress` that answers it, or None."""
    inside = {path: within(config, path) for path in {path for _, path, _ in findings}}
    return tuple(
        next((n for n, pardon in enumerate(config.suppress) if _holds(pardon, rule, inside[path], pointer)), None)
        for rule, path, pointer in findings
    )


def unused(
    answers: Collection[int | None], config: Config, paths: Collection[str], ran: Collection[str]
) -> tuple[tuple[int, str], ...]:
    """Entries of `suppress` that answer nothing, each with what to say of it.

    Only those for a file that was looked at (`paths`) by their rule (`ran`): of others nobody can say.
    """
    inside = [within(config, path) for path in paths]
    return tuple(
        (number, f"nothing in {shown(pardon.path)} is a case of {pardon.rule}{_where(pardon)}")
        for number, pardon in enumerate(config.suppress)
        if number not in answers and pardon.rule in ran and any(covers(pardon.path, path) for path in inside)
    )


def _holds(pardon: Pardon, rule: str, inside: str, pointer: Pointer) -> bool:
    if pardon.rule != rule or not covers(pardon.path, inside):
        return False
    whole = pointer if isinstance(pointer, str) else "".join(pointer)  # a text that is JSON is entered
    return pardon.pointer is None or whole == pardon.pointer or whole.startswith(f"{pardon.pointer}/")


def _where(pardon: Pardon) -> str:
    return f" at {shown(pardon.pointer)}" if pardon.pointer else ""
