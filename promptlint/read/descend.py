"""A path -> the value at it."""

from promptlint.prompt import Json, Path
from promptlint.read.json_text import parse_string


def descend(value: Json, steps: Path) -> Json:
    """The value at `steps` below `value`; the last one that exists where the path leads further.

    The step None enters the text reached so far, which must be JSON.
    """
    for step in steps:
        match value, step:
            case dict(), str() if step in value:
                value = value[step]
            case list(), int() if 0 <= step < len(value):
                value = value[step]
            case str(), None:
                value = parse_string(value)
            case _:
                break
    return value
