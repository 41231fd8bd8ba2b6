"""SGLang: SHA-256 of the page in front and the tokens of a page, which name pages in storage (HiCache) and in events.

In the radix tree itself pages have no names: its tokens are compared. Source: sglang/srt/mem_cache/utils.py,
cpp_utils/hash_binding.cpp, 0.5.23.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise

from promptlint.cache.keys.chain import Chain, Wanted
from promptlint.cache.keys.extra import Extra
from promptlint.cache.keys.numbers import little_endian
from promptlint.errors import PromptlintError
from promptlint.facts.block_keys import KeyRule

_WIDE = 1 << 32


def chain(ids: Sequence[int], extra: Extra, wanted: Wanted) -> Chain:
    """The storage keys of all pages; of the last one also where it is not full, which the tree never stores."""
    if extra.media:
        raise PromptlintError("SGLang puts ids of its own in the place of media", "give the token ids as it has them")
    if extra.lora_name:
        raise PromptlintError(
            "SGLang keys an adapter by an id that it makes when the adapter is loaded", "give it as extra_key"
        )
    if wanted.lookahead > 1:
        raise PromptlintError("SGLang looks ahead one token at most", "give --lookahead 1, or leave it out")
    seed = _namespace(extra) if wanted.rule.storage_seed else b""
    event_seed = _salt_seed(extra) if wanted.rule.event_seed else b""
    keys = _pages(ids, wanted, seed)

    def events() -> list[int]:
        named = keys if seed == event_seed else _pages(ids, wanted, event_seed)
        return [int.from_bytes(key[:8], "big", signed=True) for key in named]

    beside = extra.extra_key is not None or extra.cache_salt is not None
    only = "only the names in events depend on the salt" if event_seed else "they keep prompts apart in the tree only"
    unused = [f"keys of this release do not hold extra_key and cache_salt: {only}"] if beside and not seed else []
    return Chain(
        block_tokens=wanted.block_tokens,
        tokens=_entries(ids, wanted),
        keys=keys,
        root=seed or None,
        events=events if wanted.rule.events else None,
        unused=tuple(unused),
    )


def held(rule: KeyRule) -> tuple[str, ...]:
    """The fields of a request that are part of keys."""
    return ("extra_key", "cache_salt") if rule.storage_seed else ()


def _entries(ids: Sequence[int], wanted: Wanted) -> int:
    """Tokens, or, where a draft model looks ahead, pairs of tokens."""
    return max(len(ids) - wanted.lookahead, 0)


def _pages(ids: Sequence[int], wanted: Wanted, seed: bytes) -> list[bytes]:
    size, count = wanted.block_tokens, _entries(ids, wanted)
    flat = [token for pair in pairwise(ids) for token in pair] if wanted.lookahead else ids
    step = size * (1 + wanted.lookahead)
    if max(flat, default=0) >= _WIDE:
        return _wide(flat, step, seed)
    data = little_endian("I", flat)
    keys: list[bytes] = []
    parent, width = seed, 4 * step
    for start in range(0, 4 * count * (1 + wanted.lookahead), width):
        parent = sha256(parent + data[start : start + width]).digest()
        keys.append(parent)
    return keys


def _wide(ids: Sequence[int], step: int, seed: bytes) -> list[bytes]:
    """Pages of which some hold a token that does not fit 32 bits: these are marked, and written in 64."""
    keys: list[bytes] = []
    parent = seed
    for start in range(0, len(ids), step):
        page = ids[start : start + step]
        wide = max(page) >= _WIDE
        data = b"\xff" + little_endian("Q", page) if wide else little_endian("I", page)
        parent = sha256(parent + data).digest()
        keys.append(parent)
    return keys


def _namespace(extra: Extra) -> bytes:
    """What storage chains start from: nothing, or a hash of extra_key and salt."""
    parts = (extra.extra_key, extra.cache_salt)
    if parts == (None, None):
        return b""
    written = (b"\0" if part is None else b"\1" + _counted(part.encode()) for part in parts)
    return sha256(b"sglang-cache-namespace-v1" + b"".join(written)).digest()


def _counted(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data


def _salt_seed(extra: Extra) -> bytes:
    """What chains of events start from: they leave out extra_key."""
    return b"" if extra.cache_salt is None else sha256(b"sglang-cache-salt-v1\0" + extra.cache_salt.encode()).digest()
