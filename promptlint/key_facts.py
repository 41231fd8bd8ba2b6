"""What `promptlint key` returns, as the report writers know it. Apart from finding.py: no other command loads it."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from promptlint.side import Certainty, Side

Pointer = str | tuple[str, ...]


class KeySetting(NamedTuple):
    """A field that the cache depends on, or may depend on."""

    field: str  # dotted
    value: str | None  # shortened; None: not sent
    pointer: Pointer | None
    level: str | None  # the first one that is lost when it changes; None: not known
    certainty: Certainty
    note: str


class KeyLevel(NamedTuple):
    """A run of the prompt: tokens `start:end`, half-open."""

    level: str
    start: int
    end: int


class KeyMarker(NamedTuple):
    """Where an entry ends: a marker of the author's, or a place that the provider chooses."""

    pointer: Pointer
    line: int
    column: int
    level: str
    kind: str  # of the block
    explicit: bool  # the author set it there
    ttl: str  # "" where none is known
    tokens: int  # of the prompt up to its end
    minimum: int | None  # None: not known
    size: str  # below, unlikely, near, above the minimum; unknown
    refused: str  # why the provider refuses it, or ""


class KeyEngine(NamedTuple):
    """Who made the keys, and how."""

    name: str
    title: str
    version: str | None
    hash: str
    seed: str | None  # None: none was given
    unit: str
    source: str
    checked: str


class KeyBlocks(NamedTuple):
    """The blocks of a prompt under the engine's own keys, in hexadecimal or, where they are numbers, in decimal."""

    engine: KeyEngine
    block_tokens: int
    tokens: int  # of the prompt
    keys: Sequence[str]
    root: str | None  # what stands for the parent of the first block
    events: Callable[[], Sequence[int]] | None  # works out what the engine's events call them
    sequence: Sequence[int] | None  # a second, chained name, where the keys are not chained
    extras: Mapping[int, tuple[str, ...]]  # block -> what its key holds beside tokens and parent
    unstored: int  # of the last ones: so many are never stored, because they are not full

    @property
    def stored(self) -> Sequence[str]:
        """The keys under which blocks are stored."""
        return self.keys[: len(self.keys) - self.unstored]

    def parent(self, index: int) -> str | None:
        return self.keys[index - 1] if index else self.root

    def end(self, index: int) -> int:
        """The token behind a block; the last one may be a partial one."""
        return min((index + 1) * self.block_tokens, self.tokens)


class KeyFacts(NamedTuple):
    """Under which key the prefix of one request is stored."""

    side: Side
    cache: str  # kind of cache
    step: int  # tokens; what is read is a multiple of it
    minimum: int | None  # tokens of the shortest prefix that is cached; None: not known, or none
    size: str  # of the whole prompt, compared with it: below, unlikely, near, above; unknown
    settings: tuple[KeySetting, ...]
    levels: tuple[KeyLevel, ...]
    markers: tuple[KeyMarker, ...]
    blocks: KeyBlocks | None  # None: no engine was named


class KeyParting(NamedTuple):
    """The first unit of two prompts whose key differs."""

    unit: str  # block, page, chunk, marker, message, step, token
    number: int  # of the block or entry, from 0
    start: int  # tokens `start:end` of A that it covers; equal ones: there is no such unit
    end: int
    part: str  # model, setting, tools, system, messages, tokens, adapter, salt, namespace, media, length
    message: str
