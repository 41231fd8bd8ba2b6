"""What every report says of its inputs, and how sure a statement is."""

from typing import Literal, NamedTuple

Certainty = Literal["certain", "possible", "unknown"]


class Side(NamedTuple):
    """One input, as reports name it."""

    path: str
    revision: str | None
    record: int | None
    format: str
    provider: str
    model: str | None
    tokenizer: str
    exact: bool  # the counts are those of the model itself
    prompt_bytes: int | None
    prompt_tokens: int | None
