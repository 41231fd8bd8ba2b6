"""What `promptlint vary` returns, as the report writers know it. Apart from finding.py: no other command loads it."""

from typing import Literal, NamedTuple

from promptlint.side import Certainty, Side

Outcome = Literal["hit", "partial", "miss", "refused"]


class FirstUnit(NamedTuple):
    """The first block, entry or token of the request that a variation does not read."""

    unit: str  # block, entry or token
    number: int  # from 0
    start: int  # tokens in front of it


class Row(NamedTuple):
    """One variation, and what it reads of what the request left in the cache."""

    name: str
    group: str
    does: str
    outcome: Outcome
    certainty: Certainty
    shared_tokens: int | None
    usable_tokens: int | None  # what is read
    lost_tokens: int | None
    lost_usd: str | None
    first: FirstUnit | None  # None: all is read
    why: str  # what the cache can reuse and why not more
    cause: str  # a label of data/causes.yaml, "" where nothing differs
    message: str
    file: str | None = None  # where it was saved


class VaryFacts(NamedTuple):
    """One request and its variations, the harmless ones first."""

    side: Side
    engine: str | None
    block_tokens: int | None
    readable_tokens: int  # what the request leaves in the cache
    nothing: str  # why it leaves nothing, or ""
    rows: tuple[Row, ...]
