"""Dynamo's KV router: a hash of each block alone, under which its tree of prompts keeps it, and one of the path to it.

Source: ai-dynamo-runtime 1.6.1, compute_block_hash_for_seq (run) and lib/kv-router/src/protocols.rs; media:
ai-dynamo 1.6.1, dynamo/common/multimodal/routing_utils.py.
"""

import re
from collections.abc import Sequence

from promptlint.cache.keys import digests
from promptlint.cache.keys.chain import Chain, Wanted
from promptlint.cache.keys.extra import Extra
from promptlint.cache.keys.numbers import little_endian
from promptlint.cache.paged import Medium
from promptlint.errors import PromptlintError
from promptlint.facts.block_keys import KeyRule
from promptlint.read.names import shown

_SEED = 1337
_LOW_64 = (1 << 64) - 1
_PAD, _PAD_MASK = 1_000_000, (1 << 30) - 1  # a medium stands in the tokens as this and the low bits of its hash
_HASH_DIGITS = 16  # hexadecimal, of an engine's hash of a medium


def chain(ids: Sequence[int], extra: Extra, wanted: Wanted) -> Chain:
    """`keys`: local block hashes; `sequence`: those of the path. A salt is the namespace of a request."""
    if wanted.lookahead > 1:
        raise PromptlintError("Dynamo looks ahead one token at most", "give --lookahead 1, or leave it out")
    xxh3 = digests.xxhash().xxh3_64_intdigest
    seed = _SEED
    for number, name in enumerate((extra.lora_name, extra.cache_salt)):
        seed = (seed + (xxh3(name.encode(), seed=number) if name else 0)) & _LOW_64
    size, ahead = wanted.block_tokens, wanted.lookahead
    routed, infos = _media(ids, extra.media, size)
    data = little_endian("I", routed)
    keys: list[int] = []
    for index, start in enumerate(range(0, len(ids) - size - ahead + 1, size)):
        held = data[4 * start : 4 * (start + size + ahead)]
        keys.append(xxh3(held + infos.get(index, b""), seed=seed))
    return Chain(size, len(ids), keys, sequence=_sequence(keys), extras=_words(extra, len(keys), size))


def held(rule: KeyRule) -> tuple[str, ...]:
    """The fields of a request that are part of keys."""
    return ("lora_name", "cache_salt", "mm")


def _sequence(keys: Sequence[int]) -> list[int]:
    xxh3 = digests.xxhash().xxh3_64_intdigest
    done = list(keys[:1])
    for key in keys[1:]:
        done.append(xxh3(little_endian("Q", (done[-1], key)), seed=_SEED))
    return done


def _media(ids: Sequence[int], media: Sequence[Medium], size: int) -> tuple[list[int], dict[int, bytes]]:
    """The tokens with media in their place, and what blocks hold beside them.

    A hash of an engine (hexadecimal) goes into the tokens; a number stands beside those of its blocks, sorted.
    """
    routed, beside = list(ids), dict[int, list[int]]()
    for medium in media:
        end = min(medium.start + medium.length, len(ids))
        if medium.identifier.isdecimal() and int(medium.identifier) <= _LOW_64:
            for index in range(medium.start // size, -(-end // size)):
                beside.setdefault(index, []).append(int(medium.identifier))
            continue
        pad = _PAD + (_hash(medium.identifier) & _PAD_MASK)
        routed[medium.start : end] = [pad] * max(end - medium.start, 0)
    return routed, {index: little_endian("Q", sorted(numbers)) for index, numbers in beside.items()}


def _hash(identifier: str) -> int:
    if re.fullmatch(rf"[0-9a-fA-F]{{{_HASH_DIGITS},}}", identifier):
        return int(identifier[:_HASH_DIGITS], 16)
    raise PromptlintError(
        f"Dynamo takes the hash of a medium, and {shown(identifier[:40])!r} is none",
        "give it in hexadecimal, as the engine does, or as a whole number of 64 bits",
    )


def _words(extra: Extra, blocks: int, size: int) -> dict[int, tuple[str, ...]]:
    """What keys depend on beside the tokens; adapter and namespace are in the seed of every block."""
    named = [f"lora {extra.lora_name}"] * bool(extra.lora_name) + [f"namespace {extra.cache_salt}"] * bool(
        extra.cache_salt
    )
    found = {index: list(named) for index in range(blocks)} if named else {}
    for medium in extra.media:
        for index in range(medium.start // size, min(-(-(medium.start + medium.length) // size), blocks)):
            found.setdefault(index, []).append(f"mm {medium.identifier}")
    return {index: tuple(words) for index, words in found.items()}
