"""The keys of one prompt, block by block, and where two of them part."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, overload

from promptlint.facts.block_keys import KeyRule

Key: TypeAlias = bytes | int
"""A digest, or the number that an engine makes of one."""


class Wanted(NamedTuple):
    """Whose keys are asked for, and how that engine is set up."""

    rule: KeyRule
    hash: str  # one of the rule's
    block_tokens: int
    seed: str | None = None  # PYTHONHASHSEED of the server
    lookahead: int = 0  # tokens that a draft model sees and that are part of a key


class Chain(NamedTuple):
    """The keys of one prompt in order. Block i holds the tokens from `i * block_tokens` on."""

    block_tokens: int
    tokens: int  # of the prompt
    keys: Sequence[Key]
    root: Key | None = None  # what the first block has as its parent
    extras: Mapping[int, tuple[str, ...]] = {}  # block -> what its key holds beside tokens and parent, in words
    events: Callable[[], Sequence[int]] | None = None  # works out what the engine's events call the blocks
    sequence: Sequence[int] | None = None  # a second, chained name, where `keys` are not chained
    unused: tuple[str, ...] = ()  # what the keys do not depend on though the request has it, in words

    def end(self, index: int) -> int:
        """The token behind block `index`; the last block may be a partial one."""
        return min((index + 1) * self.block_tokens, self.tokens)

    def parent(self, index: int) -> Key | None:
        """The key of the block in front."""
        return self.keys[index - 1] if index else self.root

    @property
    def partial(self) -> bool:
        """Whether the last key is that of a block that is not full."""
        return len(self.keys) * self.block_tokens > self.tokens


def spelled(key: Key) -> str:
    """Digests in lower-case hexadecimal, numbers in decimal."""
    return str(key) if isinstance(key, int) else key.hex()


class Spelled(Sequence[str]):
    """Keys as they are printed, each spelled when it is asked for: of a long prompt a table shows a few."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return map(spelled, self._keys)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> "Spelled": ...
    def __getitem__(self, index: int | slice) -> "str | Spelled":
        return Spelled(self._keys[index]) if isinstance(index, slice) else spelled(self._keys[index])


class Parting(NamedTuple):
    """The first block that two prompts do not have in common, and the first part of its key that differs."""

    block: int
    part: str  # root, tokens, extra, or end: B has no such block
    token: int | None = None  # of tokens: the first that differs


def parted(a: Chain, b: Chain, ids_a: Sequence[int], ids_b: Sequence[int]) -> Parting | None:
    """Where the keys of two prompts part, both made in one way; None if every key of A is one of B."""
    first = next((i for i, (x, y) in enumerate(zip(a.keys, b.keys, strict=False)) if x != y), None)
    if first is None:
        return None if len(a.keys) <= len(b.keys) else Parting(len(b.keys), "end")
    if first == 0 and a.root != b.root:
        return Parting(0, "root")
    start, end = first * a.block_tokens, max(a.end(first), b.end(first))
    held = ids_a[start:end], ids_b[start:end]
    if a.extras.get(first) == b.extras.get(first):
        # With a lookahead, or in pairs of tokens, a key also depends on tokens behind its block.
        here = next((i for i, (x, y) in enumerate(zip(*held, strict=False)) if x != y), min(map(len, held)))
        return Parting(first, "tokens", start + here)
    same = next((i for i, (x, y) in enumerate(zip(*held, strict=False)) if x != y), None)
    return Parting(first, "extra") if same is None else Parting(first, "tokens", start + same)
