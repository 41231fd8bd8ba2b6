"""LMCache: its server hashes with BLAKE3, the connector inside an engine with vLLM's functions.

Source: lmcache/v1/multiprocess/token_hasher.py (TokenHasher) and lmcache/v1/token_database.py (ChunkedTokenDatabase),
0.5.6. Neither takes adapters or salts into the hash; the names of entries hold the model beside it.
"""

from collections.abc import Sequence

from promptlint.cache.keys import digests, vllm
from promptlint.cache.keys.chain import Chain, Key, Wanted
from promptlint.cache.keys.extra import Extra
from promptlint.cache.keys.numbers import big_endian
from promptlint.errors import PromptlintError
from promptlint.facts.block_keys import KeyRule


def chain(ids: Sequence[int], extra: Extra, wanted: Wanted) -> Chain:
    """BLAKE3: all full chunks. The others: all chunks, the last one too where it is not full."""
    if extra.media:
        raise PromptlintError("LMCache puts hashes in the place of media", "give the token ids as it has them")
    if wanted.lookahead:
        raise PromptlintError("LMCache is not known to look ahead", "leave out --lookahead")
    found = _of_server(ids, wanted) if wanted.hash == "blake3" else _in_process(ids, wanted)
    unused = () if extra == Extra() else ("LMCache hashes tokens only: adapters and salts are not part of its keys",)
    return found._replace(unused=unused)


def held(rule: KeyRule) -> tuple[str, ...]:
    """The fields of a request that are part of keys: none."""
    return ()


def _of_server(ids: Sequence[int], wanted: Wanted) -> Chain:
    blake3, size = digests.blake3(), wanted.block_tokens
    parent = root = blake3(bytes(8 + 4)).digest()
    data = big_endian("I", ids)
    keys: list[bytes] = []
    for start in range(0, len(ids) // size * size * 4, size * 4):
        parent = blake3(parent + data[start : start + size * 4]).digest()
        keys.append(parent)
    return Chain(size, len(ids), keys, root)


def _in_process(ids: Sequence[int], wanted: Wanted) -> Chain:
    size = wanted.block_tokens
    none = vllm.none_hash(wanted)
    parent = root = _folded(none) if isinstance(none, bytes) else none
    keys: list[Key] = []
    for start in range(0, len(ids), size):
        parent = _folded(vllm.hash_of((parent, tuple(ids[start : start + size]), ()), wanted))
        keys.append(parent)
    return Chain(size, len(ids), keys, root)


def _folded(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big")
