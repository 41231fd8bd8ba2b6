"""Continuous batching of transformers: BLAKE2b of the page in front and the tokens of a page.

Source: transformers 5.24.0, generation/continuous_batching/cache_allocators/cache_allocator.py (compute_block_hash).
"""

from collections.abc import Sequence
from hashlib import blake2b

from promptlint.cache.keys.chain import Chain, Wanted
from promptlint.cache.keys.extra import Extra
from promptlint.cache.keys.numbers import little_endian
from promptlint.facts.block_keys import KeyRule

_BYTES = 8  # of a digest


def chain(ids: Sequence[int], extra: Extra, wanted: Wanted) -> Chain:
    """The keys of all full pages."""
    size = wanted.block_tokens
    data = little_endian("i", ids)
    keys: list[int] = []
    parent = b""
    for start in range(0, len(ids) // size * size * 4, size * 4):
        parent = blake2b(parent + data[start : start + size * 4], digest_size=_BYTES).digest()
        keys.append(int.from_bytes(parent, "little"))
    unused = () if extra == Extra() else ("keys hold tokens only: adapters, salts and media are not part of them",)
    return Chain(size, len(ids), keys, unused=unused)


def held(rule: KeyRule) -> tuple[str, ...]:
    """The fields of a request that are part of keys: none."""
    return ()
