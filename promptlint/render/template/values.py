"""The variables of a template as copies whose strings, keys, numbers, arrays and objects know their path."""

from typing import Any

from markupsafe import Markup

from promptlint.prompt import Path
from promptlint.render.template.serialise import escaped, representation
from promptlint.render.template.tracked import Tracked, checked, concat


class TrackedDict(dict[Any, Any]):
    """An object of the variables."""

    __slots__ = ("_path",)

    def __init__(self, items: Any, path: Path) -> None:
        super().__init__(items)
        self._path = path

    def __str__(self) -> str:
        return representation(self)


class TrackedList(list[Any]):
    """An array of the variables."""

    __slots__ = ("_path",)

    def __init__(self, items: Any, path: Path) -> None:
        super().__init__(items)
        self._path = path

    def __str__(self) -> str:
        return representation(self)


class TrackedInt(int):
    """An integer of the variables: known where it is printed, plain in arithmetic."""

    _path: Path

    def __str__(self) -> str:
        return written(int.__repr__(self), self._path)


class TrackedFloat(float):
    """A float of the variables."""

    _path: Path

    def __str__(self) -> str:
        return written(float.__repr__(self), self._path)


for _kind, _like in ((TrackedDict, dict), (TrackedList, list), (TrackedInt, int), (TrackedFloat, float)):
    _kind.__name__, _kind.__module__ = _like.__name__, "builtins"  # as the template's author knows them


class TrackedMarkup(Markup):
    """What `safe` answers: Markup in every operation, but printed it gives the tracked text back."""

    __slots__ = ("_text",)
    _text: str

    def __new__(cls, text: str) -> "TrackedMarkup":
        self = super().__new__(cls, text)
        self._text = text if type(text) is Tracked else str.__str__(self)
        return self

    def __str__(self) -> str:
        return self._text

    def __add__(self, other: Any) -> Any:
        plain = super().__add__(other)
        return plain if plain is NotImplemented else _added(plain, self, other)

    def __radd__(self, other: Any) -> Any:
        plain = super().__radd__(other)
        return plain if plain is NotImplemented else _added(plain, other, self)


TrackedMarkup.__name__, TrackedMarkup.__module__ = "Markup", "markupsafe"


def track(value: Any, path: Path) -> Any:
    """A copy of JSON data that knows where each part stands."""
    if isinstance(value, str):
        return Tracked(value, ((len(value), "value", path, 0, None),) if value else ())
    if isinstance(value, dict):
        members = {}
        for key, item in value.items():
            inside = (*path, key)
            members[Tracked(key, ((len(key), "key", inside, 0, None),) if key else ())] = track(item, inside)
        return TrackedDict(members, path)
    if isinstance(value, list):
        return TrackedList([track(item, (*path, index)) for index, item in enumerate(value)], path)
    if isinstance(value, bool) or value is None:
        return value
    number = TrackedInt(value) if isinstance(value, int) else TrackedFloat(value)
    number._path = path
    return number


def untrack(value: Any) -> Any:
    """The same data as plain Python values."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, dict):
        return {untrack(key): untrack(item) for key, item in value.items()}
    if isinstance(value, list):
        return [untrack(item) for item in value]
    if isinstance(value, TrackedInt):
        return int(value)
    return float(value) if isinstance(value, TrackedFloat) else value


def written(text: str, path: Path) -> Tracked:
    """What a value of the variables was written as."""
    return Tracked(text, ((len(text), "serialised", path, None, None),) if text else ())


def _added(plain: Markup, left: Any, right: Any) -> TrackedMarkup:
    text = str.__str__(plain)
    return TrackedMarkup(checked(text, lambda: concat((_escaped(left), _escaped(right)))))


def _escaped(value: Any) -> str:
    """The text that Markup makes of an operand, with its origins."""
    return str(value) if hasattr(value, "__html__") else escaped(value)
