"""The blocks of a paged KV cache: who holds them, under which key each is found, and which is handed out next.

Behaves as vLLM's block pool does (vllm/v1/core/block_pool.py, 0.10.2 to 0.33.0).
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypeAlias

Key: TypeAlias = Hashable
"""Identity of a block: equal for two blocks if all tokens, and all else that counts, are equal up to their ends."""

NULL = 0  # the block that stands where a sliding window needs none; it is never handed out


class Stored(NamedTuple):
    """Blocks got their keys. `tokens` also counts blocks in between that got none."""

    keys: tuple[Key, ...]
    parent: Key | None  # of the first block; None at the start of the prompt
    tokens: int
    group: int


class Removed(NamedTuple):
    """A block lost its key because it was handed out again."""

    key: Key
    group: int


class Cleared(NamedTuple):
    """Every block lost its key."""


Event: TypeAlias = Stored | Removed | Cleared


class BlockPool:
    """`count` blocks, `NULL` among them.

    `free` holds the blocks that nobody holds, those that are handed out first in front. A free block keeps its key,
    and so can be found, until it is handed out. `unhashed_first`: blocks without a key go to the front of it.
    """

    def __init__(self, count: int, *, unhashed_first: bool = True) -> None:
        self.count = count
        self.free: OrderedDict[int, None] = OrderedDict.fromkeys(range(1, count))
        self.events: list[Event] | None = None  # a list, once someone wants to know
        self._unhashed_first = unhashed_first
        self._holders = [0] * count
        self._entries: list[tuple[Key, int] | None] = [None] * count  # key and group of a block
        self._found: dict[int, dict[Key, int]] = {}  # group -> key -> the block that has it longest
        self._copies: dict[tuple[Key, int], list[int]] = {}  # other blocks with that key, oldest first

    def find(self, keys: Iterable[Key], group: int) -> list[int]:
        """The blocks of the leading keys that are known."""
        known = self._found.get(group, {})
        blocks = []
        for key in keys:
            block = known.get(key)
            if block is None:
                break
            blocks.append(block)
        return blocks

    def find_one(self, key: Key, group: int) -> int | None:
        """The block that has `key` longest."""
        return self._found.get(group, {}).get(key)

    def idle(self, blocks: Iterable[int]) -> int:
        """How many of them nobody holds."""
        return sum(1 for block in blocks if block != NULL and not self._holders[block])

    def hold(self, blocks: Iterable[int]) -> None:
        """One more holder for each."""
        for block in blocks:
            if block == NULL:
                continue
            if not self._holders[block]:
                del self.free[block]
            self._holders[block] += 1

    def take(self, count: int) -> list[int]:
        """Hand out blocks, at most `len(free)`; those among them that had a key are found no more."""
        blocks = [self.free.popitem(last=False)[0] for _ in range(count)]
        for block in blocks:
            self._holders[block] = 1
            if self._entries[block] is not None:
                self._forget(block)
        return blocks

    def release(self, blocks: Iterable[int]) -> None:
        """One holder less for each. Of those that nobody holds then, the first given are the first handed out."""
        unhashed = []
        for block in blocks:
            if block == NULL:
                continue
            self._holders[block] -= 1
            if self._holders[block]:
                continue
            self.free[block] = None
            if self._unhashed_first and self._entries[block] is None:
                unhashed.append(block)
        for block in reversed(unhashed):
            self.free.move_to_end(block, last=False)

    def register(self, block: int, key: Key, group: int) -> None:
        """Let `block`, which has no key yet, be found. Several blocks may have one key."""
        self._entries[block] = (key, group)
        if self._found.setdefault(group, {}).setdefault(key, block) != block:
            self._copies.setdefault((key, group), []).append(block)

    def record(self, event: Event) -> None:
        if self.events is not None:
            self.events.append(event)

    def reset(self) -> bool:
        """Let no block be found any more; False, and nothing is done, while any is held."""
        if len(self.free) != self.count - 1:
            return False
        self._entries = [None] * self.count
        self._found.clear()
        self._copies.clear()
        self.record(Cleared())
        return True

    def _forget(self, block: int) -> None:
        entry = self._entries[block]
        assert entry is not None
        key, group = entry
        self._entries[block] = None
        copies = self._copies.get(entry)
        if self._found[group][key] != block:
            assert copies is not None
            copies.remove(block)
        elif copies:
            self._found[group][key] = copies.pop(0)
        else:
            del self._found[group][key]
        if copies is not None and not copies:
            del self._copies[entry]
        self.record(Removed(key, group))


def usage(pool: BlockPool) -> float:
    """The part of the blocks that someone holds, from 0 to 1."""
    return 1 - len(pool.free) / max(pool.count - 1, 1)
