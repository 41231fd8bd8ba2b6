"""What a configuration says of the prompts of a project, checked: `prompts`, `budget` and `allow`."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, get_args

from promptlint.config.checks import Check, below, fields, in_words, list_of, mapping, one_of, text, wrong
from promptlint.config.prompts import Allow, Budget, Markers, PromptEntry, PromptKind, Traffic
from promptlint.config.settings import is_reason
from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Number
from promptlint.read.names import shown

KINDS: tuple[PromptKind, ...] = get_args(PromptKind)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LARGEST, _SMALLEST = 10**9, Decimal("1e-9")
_DIGITS = 40  # of a number that is taken
_SENT: tuple[PromptKind, ...] = ("request", "recorded", "command")
_ONLY: Mapping[str, tuple[tuple[PromptKind, ...], str]] = {
    "vars": (("template",), "only a template has sets of variables"),
    "chat-template": (_SENT, f"a chat template renders what is sent: {', '.join(_SENT)}"),
}
"""A key that not every kind of prompt has -> those that have it, and what to say of the others."""


def prompts_of(value: Json, where: str) -> tuple[PromptEntry, ...]:
    """The entries of `prompts`. Raises PromptlintError for a wrong one, and for a name that is there twice."""
    found: tuple[PromptEntry, ...] = list_of(_entry)(value, where)
    names: set[str] = set()
    for index, entry in enumerate(found):
        if entry.name is not None and entry.name in names:
            hint = "give each prompt a name of its own"
            raise PromptlintError(f"{where}.{index}.name: {shown(entry.name)} is there twice", hint)
        names |= {entry.name} if entry.name is not None else set()
    return found


def budget_of(value: Json, where: str) -> Budget:
    """A budget; its keys may have underscores in place of dashes. Raises PromptlintError."""
    written = mapping(value, where)
    keys: dict[str, str] = {}  # as it is called -> as it was written
    for key in written:
        name = key.replace("_", "-") if key.replace("_", "-") in _BUDGET else key
        if name in keys:
            raise PromptlintError(f"{where}: {keys[name]} and {key} are one limit", "keep one of them")
        keys[name] = key
    known = {keys.get(name, name): check for name, check in _BUDGET.items()}
    found = fields(value, where, known)
    limits = {name.replace("-", "_"): found[key] for name, key in keys.items()}
    growth, is_share = limits.pop("max_prefix_growth", (None, False))
    return Budget(**limits, max_prefix_growth=growth, growth_is_share=is_share)


def allow_of(value: Json, where: str) -> tuple[Allow, ...]:
    """The losses that are meant to be. Raises PromptlintError for one without a reason or a last day."""
    found: tuple[Allow, ...] = list_of(_allow)(value, where)
    return found


def _entry(value: Json, where: str) -> PromptEntry:
    found = fields(value, where, _ENTRY)
    kind = _kind(found, where)
    for key, (kinds, message) in _ONLY.items():
        if key in found and kind not in kinds:
            raise PromptlintError(f"{where}.{key}: {message}", f"leave it out, or write {' or '.join(kinds)}")
    if "template-kwargs" in found and "chat-template" not in found:
        raise PromptlintError(f"{where}.template-kwargs: nothing is given them", "name the chat-template")
    if found.get("markers") == "comments" and kind not in ("template", "promptfoo"):
        raise PromptlintError(f"{where}.markers: only templates have comments", "write end or none")
    if "provider" in found and "engine" in found:
        raise PromptlintError(f"{where}: a prompt has a provider or an engine, not both", "keep one of them")
    named = found.pop(kind)
    paths, command = ((), named) if kind == "command" else (named, ())
    cells = {key.replace("-", "_"): held for key, held in found.items()}
    return PromptEntry(kind, paths, command=command, **cells)


def _kind(found: Mapping[str, Any], where: str) -> PromptKind:
    kinds = [kind for kind in KINDS if kind in found]
    if not kinds:
        raise PromptlintError(f"{where}: it names nothing to render", f"give it one of {', '.join(KINDS)}")
    if len(kinds) > 1:
        raise PromptlintError(f"{where}: {' and '.join(kinds)} are different kinds of prompts", "make an entry of each")
    return kinds[0]


def _paths(value: Json, where: str) -> tuple[str, ...]:
    """A path or pattern, or a list of them."""
    if isinstance(value, list):
        if not value:
            raise PromptlintError(f"{where}: an empty list names no file", "name one, or leave it out")
        return tuple(_path(item, below(where, index)) for index, item in enumerate(value))
    return (_path(value, where),)


def _path(value: Json, where: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise wrong(value, where, "a path or a pattern of paths")
    return value


def _command(value: Json, where: str) -> tuple[str, ...]:
    hint = "write each word on its own: [python, tools/print_prompt.py]"
    if not isinstance(value, list):
        raise PromptlintError(f"{where}: {in_words(value)} is not a list of texts", hint)
    if not value:
        raise PromptlintError(f"{where}: an empty list is no command", hint)
    for index, item in enumerate(value):
        if not isinstance(item, str) or "\0" in item or (index == 0 and not item.strip()):
            raise wrong(item, below(where, index), "a text: put it in quotes")
    return tuple(str(item) for item in value)


def _arguments(value: Json, where: str) -> dict[str, Any]:
    """What a chat template is given besides, as Python has it."""
    from promptlint.read.plain import plain

    try:
        found: dict[str, Any] = {name: plain(held) for name, held in mapping(value, where).items()}
    except PromptlintError as error:
        raise PromptlintError(f"{where}: {error.message}", error.hint) from None
    return found


def _ttl(value: Json, where: str) -> str:
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,4}[smhd]", value):
        return value
    raise wrong(value, where, "a lifetime such as 5m or 1h")


def _gap(value: Json, where: str) -> int:
    """Seconds."""
    seconds: int | None = None
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,4}[smhd]", value):
        seconds = int(value[:-1]) * _UNITS[value[-1]]
    elif isinstance(value, Number) and (number := _number(value)) is not None and number == int(number):
        seconds = int(number)
    if seconds is None or not 1 <= seconds <= _LARGEST:
        raise wrong(value, where, "a time between two requests, such as 90 (seconds), 90s, 5m, 2h or 1d")
    return seconds


def _traffic(value: Json, where: str) -> Traffic:
    found = fields(value, where, _TRAFFIC)
    return Traffic(found.get("requests-per-day"), found.get("turns"), found.get("gap"))


def _number(value: Json) -> Decimal | None:
    """A number that is not below 0, and neither so large nor so small that it must be a mistake."""
    if not isinstance(value, Number) or len(value.text) > _DIGITS:
        return None
    number = Decimal(value.text)
    return number if number.is_finite() and (number == 0 or _SMALLEST <= number <= _LARGEST) else None


def _count(least: int) -> Check:
    def check(value: Json, where: str) -> int:
        number = _number(value)
        if number is None or number != int(number) or number < least:
            raise wrong(value, where, f"a whole number, not below {least}")
        return int(number)

    return check


def _usd(value: Json, where: str) -> float:
    number = _number(value)
    if number is None:
        raise wrong(value, where, "a sum in USD, not below 0")
    return float(number)


def _percent(value: Json) -> Decimal | None:
    """The share that `20%` means."""
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)[ ]?%", value) if isinstance(value, str) else None
    return Decimal(found[1]) / 100 if found else None


def _share(value: Json, where: str) -> float:
    number = _percent(value) if isinstance(value, str) else _number(value)
    if number is None or number > 1:
        raise wrong(value, where, "a share from 0 to 1, such as 0.5 or 50%")
    return float(number)


def _growth(value: Json, where: str) -> tuple[float, bool]:
    """Tokens, or a share; and whether it is a share."""
    if (share := _percent(value)) is not None:
        return float(share), True
    number = _number(value)
    if number is None or number != int(number):
        raise wrong(value, where, "a whole number of tokens, or a share such as 20%")
    return float(number), False


def _allow(value: Json, where: str) -> Allow:
    known: dict[str, Check] = {"prompt": text, "reason": _reason, "until": _day}
    return Allow(**fields(value, where, known, ("prompt", "reason", "until")))


def _reason(value: Json, where: str) -> str:
    found = text(value, where)
    if not is_reason(found):
        raise wrong(value, where, "a reason: say why the loss is meant to be")
    return found.strip()


def _day(value: Json, where: str) -> str:
    from datetime import date  # where a configuration allows nothing, it is not needed

    try:
        return date.fromisoformat(text(value, where)).isoformat()
    except ValueError:
        raise wrong(value, where, "a day such as 2027-01-31") from None


_TRAFFIC: dict[str, Check] = {"requests-per-day": _count(0), "turns": _count(1), "gap": _gap}
_BUDGET: dict[str, Check] = {
    "max-lost-tokens-per-request": _count(0),
    "min-cacheable-share": _share,
    "max-usd-per-day": _usd,
    "max-prefix-growth": _growth,
    "max-lost-tokens-once": _count(0),
}
_ENTRY: dict[str, Check] = {
    "name": text,
    "request": _paths,
    "template": _paths,
    "recorded": _paths,
    "promptfoo": _paths,
    "command": _command,
    "vars": _paths,
    "chat-template": _path,
    "template-kwargs": _arguments,
    "provider": text,
    "model": text,
    "engine": text,
    "tokenizer": text,
    "markers": one_of(*get_args(Markers)),
    "ttl": _ttl,
    "traffic": _traffic,
    "budget": budget_of,
}
