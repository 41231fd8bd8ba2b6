"""nano-vllm: xxh64 of the block in front and the tokens of a block.

Source: nano-vllm @bb823b3, nanovllm/engine/block_manager.py (BlockManager.compute_hash).
"""

from collections.abc import Sequence

from promptlint.cache.keys import digests
from promptlint.cache.keys.chain import Chain, Wanted
from promptlint.cache.keys.extra import Extra
from promptlint.cache.keys.numbers import little_endian
from promptlint.facts.block_keys import KeyRule


def chain(ids: Sequence[int], extra: Extra, wanted: Wanted) -> Chain:
    """The keys of all full blocks."""
    xxh64, size = digests.xxhash().xxh64_intdigest, wanted.block_tokens
    data = little_endian("q", ids)
    keys: list[int] = []
    parent = b""
    for start in range(0, len(ids) // size * size * 8, size * 8):
        keys.append(xxh64(parent + data[start : start + size * 8]))
        parent = keys[-1].to_bytes(8, "little")
    unused = () if extra == Extra() else ("keys hold tokens only: adapters, salts and media are not part of them",)
    return Chain(size, len(ids), keys, unused=unused)


def held(rule: KeyRule) -> tuple[str, ...]:
    """The fields of a request that are part of keys: none."""
    return ()
