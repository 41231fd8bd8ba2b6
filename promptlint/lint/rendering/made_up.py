"""Values for the arguments of a template: made up from how it uses them."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from promptlint.lint.rendering.expressions import Use

_WORDS = ("amber", "basil", "cedar", "delta", "ember", "fjord")  # no two begin alike
_DEEPEST = 8
_STEPS = (timedelta(0), timedelta(seconds=61), timedelta(days=1, hours=1, seconds=61))


class Making(NamedTuple):
    """How values are made up."""

    variant: int  # equal numbers make equal values
    now: datetime
    unclear: str = "text"  # what a value is of which the template shows no more than that it prints it


def made_up(use: Use, name: str, how: Making, depth: int = 0) -> Any:
    """JSON data that fits the use of an argument; it differs from that of other variants at its first character."""
    if depth > _DEEPEST:
        return _WORDS[how.variant % len(_WORDS)]
    if "clock" in use.kinds:
        return _clock(use, name, how, depth)
    if use.answer is not None and not use.attributes:
        return made_up(use.answer, name, how, depth + 1)
    if use.attributes or use.member is not None:
        return _object(use, name, how, depth)
    if use.item is not None:
        return [made_up(use.item, name, how._replace(variant=how.variant + n), depth + 1) for n in (0, 2)]
    return _plain(use, name, how)


def _clock(use: Use, name: str, how: Making, depth: int) -> Any:
    """A moment: the renderer knows how to format a text; for other methods there is what they answer."""
    text = (how.now + _STEPS[how.variant % len(_STEPS)]).isoformat()
    if not use.attributes:
        return text[:10] if name.endswith((".date", ".today")) else text
    found = _object(use, name, how, depth)
    return {**found, "strftime": text} if isinstance(found, dict) else found


def _object(use: Use, name: str, how: Making, depth: int) -> Any:
    if use.member is not None and not use.attributes and how.unclear == "list" and "mapping" not in use.kinds:
        return [made_up(use.member, name, how._replace(variant=how.variant + n), depth + 1) for n in (0, 2)]
    found = {key: made_up(held, f"{name}.{key}", how, depth + 1) for key, held in use.attributes.items()}
    if use.answer is not None:
        found |= _merged(made_up(use.answer, name, how, depth + 1))
    if use.member is not None:
        for number in (0, 2):
            word = _WORDS[(how.variant + number) % len(_WORDS)]
            found[word] = made_up(use.member, name, how._replace(variant=how.variant + number), depth + 1)
    if use.item is not None and all(key.isdigit() for key in use.attributes):
        return list(found.values())
    return found


def _merged(answer: Any) -> dict[str, Any]:
    return answer if isinstance(answer, dict) else {}


def _plain(use: Use, name: str, how: Making) -> Any:
    """A text, a number or a switch."""
    constants = [each for each in use.constants if isinstance(each, str)]
    numbers = [each for each in use.constants if isinstance(each, int | float) and not isinstance(each, bool)]
    word = _WORDS[how.variant % len(_WORDS)]
    if constants:
        return (*constants, f"{word} {name}")[min(how.variant, len(constants))]
    if "number" in use.kinds or numbers:
        near = max((round(each) for each in numbers), default=6)
        return near + 1 + how.variant if how.variant % 2 == 0 else near - how.variant
    if "few" in use.kinds:
        return 2 + how.variant
    if is_switch(use):
        return how.variant % 2 == 0
    if how.unclear == "list" or ("sized" in use.kinds and "printed" not in use.kinds and "text" not in use.kinds):
        return [f"{word} {name}"] * (1 + how.variant)
    if how.unclear == "number":
        return 7 + how.variant
    return f"{word} {name}"


def is_switch(use: Use) -> bool:
    """Whether a template only asks if a value is there, or is true."""
    below = use.attributes or use.item or use.member or use.answer
    return not below and not use.kinds and all(isinstance(each, bool) for each in use.constants)


def falsy(value: Any) -> Any:
    """The empty value of the same kind."""
    return type(value)()
