"""Prefix caching in fixed blocks of tokens, as vLLM does it.

A full block is found under a key that stands for all tokens up to its end. A prompt adopts the blocks of its leading
keys, except that its last token is always computed; so a whole block is computed again where the prompt ends with one.
Blocks are registered as soon as they are allocated, and stay findable after their request is done, until they are
handed out again: the longest unused first, and of one request its end first.

Sources: vllm/v1/core/{kv_cache_manager,kv_cache_coordinator,single_type_kv_cache_manager}.py. Not modelled: Mamba and
chunked local attention, groups of different block sizes, speculative decoding, connectors to other stores.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from promptlint.cache.blocks import NULL, BlockPool, Key, Stored
from promptlint.errors import PromptlintError


class Medium(NamedTuple):
    """An image or the like that stands for `length` tokens from `start` on."""

    start: int
    length: int
    identifier: str


def block_keys(
    tokens: Sequence[int], block_size: int, namespace: Hashable = None, media: Sequence[Medium] = ()
) -> list[Key]:
    """The keys of the full blocks of a prompt: equal for equal prompts, whatever the engine's own keys look like.

    `namespace`: all that keeps whole prompts apart, such as an adapter and a salt.
    """
    parent = blake2b(repr(namespace).encode(), digest_size=16).digest()
    keys: list[Key] = []
    for end in range(block_size, len(tokens) + 1, block_size):
        start = end - block_size
        seen = [(m.start - start, m.identifier) for m in media if m.start < end and m.start + m.length > start]
        content = repr((tuple(tokens[start:end]), seen)).encode()
        parent = blake2b(parent + content, digest_size=16).digest()
        keys.append(parent)
    return keys


class Group(NamedTuple):
    """Layers that share a table of blocks."""

    window: int | None = None  # tokens that a token attends to, itself among them; None: all


class Admitted(NamedTuple):
    """A request that got its blocks."""

    reused_tokens: int
    # Tokens up to the place where this prompt left an earlier one, if a sliding window kept too little there to reuse:
    # from now on the place is kept. Otherwise 0.
    junction: int


class _Request:
    def __init__(self, keys: list[Key], prompt_tokens: int, junction: int, tables: list[list[int]]) -> None:
        self.keys = keys
        self.prompt_tokens = prompt_tokens
        self.junction = junction
        self.tables = tables  # by group
        self.tokens = 0  # that have slots
        self.registered = [len(table) for table in tables]  # leading blocks that were given keys, by group


class PagedCache:
    """A pool of `blocks` blocks (the null block among them) of `block_size` tokens, and the requests that run.

    `retention`: where a sliding window keeps blocks findable. None: everywhere; 0: in front of the end of a prompt and
    of junctions only; N: also at every N tokens. `unhashed_first`: see `BlockPool`. Raises PromptlintError for sizes
    that an engine would refuse.
    """

    def __init__(
        self,
        blocks: int,
        block_size: int,
        groups: Sequence[Group] = (Group(),),
        *,
        retention: int | None = None,
        unhashed_first: bool = True,
    ) -> None:
        _check(blocks, block_size, groups, retention)
        self.pool = BlockPool(blocks, unhashed_first=unhashed_first)
        self.block_size = block_size
        self._groups = tuple(groups)
        self._retention = retention
        self._running: dict[str, _Request] = {}
        # Groups with the same window are looked up together, full attention first.
        windows = sorted(dict.fromkeys(group.window for group in groups), key=lambda window: window is not None)
        self._kinds = [(w, [i for i, group in enumerate(groups) if group.window == w]) for w in windows]

    def start(self, name: str, keys: Sequence[Key], tokens: int) -> Admitted | None:
        """Give a prompt its blocks; None, and nothing is changed, if there are too few.

        `keys`: of its full blocks, so `tokens // block_size` of them.
        """
        if name in self._running or tokens < 1 or len(keys) != tokens // self.block_size:
            raise PromptlintError(
                f"request {name!r} of {tokens} tokens and {len(keys)} block keys cannot start",
                f"give each running request its own name, and one key for every {self.block_size} tokens",
            )
        tables, reused, longest = self.lookup(keys, tokens)
        held = [block for table in tables for block in table]
        if self._missing(tables, tokens) + self.pool.idle(held) > len(self.pool.free):
            return None
        self.pool.hold(held)
        request = _Request(list(keys), tokens, longest if longest > reused else 0, tables)
        self._allocate(request, tokens)
        self._running[name] = request
        return Admitted(reused, request.junction)

    def append(self, name: str, tokens: int, keys: Sequence[Key] = ()) -> bool:
        """Give a running request slots for more tokens, one after the other; False if there are too few blocks.

        `keys`: of the blocks that these tokens fill.
        """
        request = self._request(name)
        if len(request.keys) + len(keys) != (request.tokens + tokens) // self.block_size:
            raise PromptlintError(
                f"request {name!r} cannot get {tokens} tokens more with {len(keys)} block keys",
                f"give one key for every block of {self.block_size} tokens that becomes full",
            )
        request.keys += keys
        for _ in range(tokens):
            self._leave_behind(request)
            if self._missing(request.tables, request.tokens + 1) > len(self.pool.free):
                return False
            self._allocate(request, request.tokens + 1)
        return True

    def free(self, name: str) -> None:
        """The request is done, or was preempted."""
        request = self._request(name)
        del self._running[name]
        for table in request.tables:
            self.pool.release(reversed(table))

    def tables(self, name: str) -> list[list[int]]:
        """The blocks of a running request, by group."""
        return self._request(name).tables

    def lookup(self, keys: Sequence[Key], tokens: int) -> tuple[list[list[int]], int, int]:
        """What a prompt would find: blocks by group, tokens that all groups have, most tokens that one kind has."""
        tables: list[list[int]] = [[] for _ in self._groups]
        hit, longest = (tokens - 1) // self.block_size, 0
        while True:
            limit = hit
            for window, members in self._kinds:
                found = self._find(window, members, keys[:hit])
                hit = len(found[0])
                longest = max(longest, hit)
                for group, table in zip(members, found, strict=True):
                    tables[group] = table
            # A kind that has less than the others may cut off the window that those need in front of the end.
            if hit == limit or len(self._kinds) == 1:
                break
        return tables, hit * self.block_size, longest * self.block_size

    def _find(self, window: int | None, members: list[int], keys: Sequence[Key]) -> list[list[int]]:
        if window is None:
            found = [self.pool.find(keys, group) for group in members]
            shortest = min(map(len, found))
            return [table[:shortest] for table in found]
        tables = [[NULL] * len(keys) for _ in members]
        run = 0
        for i in range(len(keys) - 1, -1, -1):
            blocks = [self.pool.find_one(keys[i], group) for group in members]
            if None in blocks:
                run = 0
                continue
            run += 1
            for table, block in zip(tables, blocks, strict=True):
                table[i] = block or NULL
            if run >= self._needed(window):
                return [table[: i + run] for table in tables]
        return [table[:run] for table in tables]

    def _needed(self, window: int) -> int:
        """Blocks in front of a place that its next token attends to."""
        return -(-(window - 1) // self.block_size)

    def _missing(self, tables: list[list[int]], tokens: int) -> int:
        needed = -(-tokens // self.block_size)
        return sum(max(needed - len(table), 0) for table in tables)

    def _allocate(self, request: _Request, tokens: int) -> None:
        for table in request.tables:
            table += self.pool.take(max(-(-tokens // self.block_size) - len(table), 0))
        request.tokens = tokens
        full = tokens // self.block_size
        for group, window in enumerate(self._groups):
            if request.registered[group] < full:
                self._register(request, group, window.window, full)
                request.registered[group] = full

    def _register(self, request: _Request, group: int, window: int | None, full: int) -> None:
        start, table, keys = request.registered[group], request.tables[group], []
        for i in range(start, full):
            if table[i] != NULL and (window is None or self._kept(window, i, request)):
                self.pool.register(table[i], request.keys[i], group)
                keys.append(request.keys[i])
        if self.pool.events is not None:
            parent = request.keys[start - 1] if start else None
            self.pool.record(Stored(tuple(keys), parent, (full - start) * self.block_size, group))

    def _kept(self, window: int, block: int, request: _Request) -> bool:
        """Whether a hit can end within `needed` blocks behind this one."""
        needed = self._needed(window)
        if self._retention != 0:
            segment = 1 if self._retention is None else self._retention // self.block_size
            if block % segment >= segment - needed:
                return True
        if self._retention is None:
            return False
        ends = (place // self.block_size for place in (request.prompt_tokens - 1, request.junction))
        return any(end - needed <= block < end for end in ends)

    def _leave_behind(self, request: _Request) -> None:
        """Release what lies in front of the window of the next token."""
        for group, table in zip(self._groups, request.tables, strict=True):
            if group.window is None:
                continue
            left = []
            for i in range(max(request.tokens - group.window + 1, 0) // self.block_size - 1, -1, -1):
                if table[i] == NULL:
                    break
                left.append(table[i])
                table[i] = NULL
            self.pool.release(left)

    def _request(self, name: str) -> _Request:
        if name not in self._running:
            raise PromptlintError(f"request {name!r} does not run", "start it first")
        return self._running[name]


def reused_without_limit(requests: Iterable[tuple[Sequence[Key], int]], block_size: int) -> Iterator[int]:
    """Tokens that each request, its block keys and its tokens, reuses of all earlier ones if nothing is evicted."""
    known: set[Key] = set()
    for keys, tokens in requests:
        shared = len(keys)
        # From behind: a known key implies those in front of it, and the unknown ones have to be visited anyway.
        while shared and keys[shared - 1] not in known:
            shared -= 1
        known.update(keys[shared:])
        yield min(shared, (tokens - 1) // block_size) * block_size


def _check(blocks: int, block_size: int, groups: Sequence[Group], retention: int | None) -> None:
    windows = [group.window for group in groups if group.window is not None]
    if blocks < 2 or block_size < 1 or not groups or any(window < 1 for window in windows):
        raise PromptlintError(
            f"no cache has {blocks} blocks of {block_size} tokens, {len(groups)} groups and windows {windows}",
            "take at least 2 blocks (the null block is one), 1 token a block, 1 group, and windows of at least 1 token",
        )
    if retention is not None and (retention < 0 or retention % block_size or (retention and not windows)):
        raise PromptlintError(
            f"a retention interval of {retention} tokens is refused by the engine",
            f"take 0, or, for groups with a sliding window, a multiple of {block_size}",
        )
