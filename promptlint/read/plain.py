"""JSON as other libraries take it."""

from typing import Any

from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Number


def plain(value: Json) -> Any:
    """The value as `json.loads` gives it: a new dict, list, str, int, float, bool or None.

    Raises PromptlintError for an integer of more digits than Python turns into text again.
    """
    if isinstance(value, Number):
        try:
            return float(value.text) if set(".eE") & set(value.text) else int(value.text)
        except ValueError:
            message = f"a number of {len(value.text):,} digits cannot be rendered"
            raise PromptlintError(message, "put it in quotes") from None
    if isinstance(value, dict):
        return {name: plain(held) for name, held in value.items()}
    return [plain(held) for held in value] if isinstance(value, list) else value
