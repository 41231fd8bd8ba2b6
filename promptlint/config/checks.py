"""Checks of single values of the user's: what is wrong is said in one line, with the place and the nearest name."""

from collections.abc import Callable, Mapping
from typing import Any

from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Number
from promptlint.read.names import nearest, shown

Check = Callable[[Json, str], Any]
"""A value as it was written, and where -> as the program has it; raises PromptlintError."""


def fields(value: Json, where: str, known: Mapping[str, Check], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """A mapping of known keys, each checked."""
    found = mapping(value, where)
    for key in found:
        choice(key, where, list(known), "key")
    for key in required:
        if key not in found:
            raise PromptlintError(f"{where}: {key} is missing", f"needed are {', '.join(required)}")
    return {key: known[key](item, below(where, key)) for key, item in found.items()}


def below(where: str, key: str | int) -> str:
    """The place of a member."""
    return f"{where}.{shown(str(key))}" if ": " in where else f"{where}: {shown(str(key))}"


def mapping(value: Json, where: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise wrong(value, where, "a mapping")
    return value


def choice(value: Json, where: str, options: list[str], what: str = "") -> str:
    if isinstance(value, str) and value in options:
        return value
    close = nearest(value, options) if isinstance(value, str) else None
    hint = f"did you mean {close}?" if close else f"one of {', '.join(options)}"
    raise PromptlintError(f"{where}: unknown {what} {in_words(value)}".replace("  ", " "), hint)


def one_of(*options: str) -> Check:
    return lambda value, where: choice(value, where, list(options))


def text(value: Json, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise wrong(value, where, "a text")
    return value


def flag(value: Json, where: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(value, where, "true or false")
    return value


def list_of(of: Check) -> Check:
    """A list, each entry of which is checked, as a tuple."""

    def check(value: Json, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise wrong(value, where, "a list")
        return tuple(of(item, below(where, index)) for index, item in enumerate(value))

    return check


def mapping_of(key: Check, of: Check) -> Check:
    """A mapping whose keys and values are checked."""

    def check(value: Json, where: str) -> dict[str, Any]:
        return {key(name, where): of(item, below(where, name)) for name, item in mapping(value, where).items()}

    return check


def wrong(value: Json, where: str, wanted: str) -> PromptlintError:
    return PromptlintError(f"{where}: {in_words(value)} is not {wanted}")


def in_words(value: Json) -> str:
    if isinstance(value, Number):
        return shown(value.text)
    if isinstance(value, str):
        return shown(value) if value.strip() else "an empty text"
    return {bool: str(value).lower(), dict: "a mapping", list: "a list"}.get(type(value), "nothing")
