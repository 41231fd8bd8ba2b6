"""vLLM: H((parent, tokens, extra)) of each full block; the form of all three changed with the release.

Source: vllm/v1/core/kv_cache_utils.py (hash_block_tokens, init_none_hash, generate_block_hash_extra_keys) and
vllm/utils/hashing.py, 0.8.5 to 0.33.0.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from sys import intern
from typing import TypeAlias

from promptlint.cache.keys import cbor, digests
from promptlint.cache.keys.chain import Chain, Key, Wanted
from promptlint.cache.keys.extra import Extra
from promptlint.cache.paged import Medium
from promptlint.errors import PromptlintError
from promptlint.facts.block_keys import KeyRule

_LOW_64 = (1 << 64) - 1
_PROTOCOL = 5  # pickle.HIGHEST_PROTOCOL of Python 3.8 and later

Part: TypeAlias = cbor.Value
Hash = Callable[[Key, int, Part], Key]
"""Parent, first token of the block, extra -> key."""


def chain(ids: Sequence[int], extra: Extra, wanted: Wanted) -> Chain:
    """The keys of all full blocks. Raises PromptlintError for what this release does not take."""
    size, ahead = wanted.block_tokens, wanted.lookahead
    if ahead and not wanted.rule.lookahead:
        raise PromptlintError(
            f"{wanted.rule.title} {wanted.rule.version} is not known to look ahead", "leave out --lookahead"
        )
    parent = root = none_hash(wanted)
    make = _hash(ids, root, wanted)
    extras = _extras(max(len(ids) - ahead, 0) // size, extra, wanted)
    keys: list[Key] = []
    for index, start in enumerate(range(0, len(ids) - size - ahead + 1, size)):
        held: Part = extras.get(index)
        if ahead:
            held = (held, *ids[start + size : start + size + ahead])
        parent = make(parent, start, held)
        keys.append(parent)
    return Chain(
        block_tokens=size,
        tokens=len(ids),
        keys=keys,
        root=root,
        extras={index: tuple(map(_words, parts)) for index, parts in extras.items()},
        events=partial(_events, keys),
    )


def _events(keys: Sequence[Key]) -> list[int]:
    """What KV events call blocks: the low 64 bits of their keys."""
    return [key & _LOW_64 if isinstance(key, int) else int.from_bytes(key[-8:], "big") for key in keys]


def none_hash(wanted: Wanted) -> Key:
    """The parent of a first block. Raises PromptlintError where it is random in each process."""
    seed = wanted.seed
    if seed is None and wanted.rule.unset_seed != "random" and wanted.hash.startswith("sha256"):
        seed = wanted.rule.unset_seed
    if seed is None:
        version = f" {wanted.rule.version}" if wanted.rule.version else ""
        raise PromptlintError(
            f"without a seed, {wanted.rule.title}{version} with {wanted.hash} has other keys in every process",
            "give the server's PYTHONHASHSEED with --seed",
        )
    return _key(hash_of(seed, wanted), wanted)


def hash_of(value: Part, wanted: Wanted) -> bytes:
    """The digest of a value, as this algorithm takes it."""
    return _new(wanted)(_serialise(wanted)(value)).digest()


def _new(wanted: Wanted) -> digests.New:
    if wanted.hash.startswith("xxhash"):
        xxh3: digests.New = digests.xxhash().xxh3_128
        return xxh3
    return sha256


def _serialise(wanted: Wanted) -> Callable[[Part], bytes]:
    return cbor.dumps if "cbor" in wanted.hash else lambda value: pickle.dumps(value, _PROTOCOL)


def _key(digest: bytes, wanted: Wanted) -> Key:
    """What becomes of a digest: up to 0.10.1 a number, of which sha256_cbor_64bit keeps the low half of a half."""
    if wanted.rule.digest == "bytes":
        return digest
    number = int.from_bytes(digest, "big")
    return number & _LOW_64 if wanted.hash == "sha256_cbor_64bit" else number


def _hash(ids: Sequence[int], root: Key, wanted: Wanted) -> Hash:
    """What makes the keys of a prompt, without a detour where its blocks are many."""
    new, numbers, size = _new(wanted), wanted.rule.digest != "bytes", wanted.block_tokens
    if "cbor" in wanted.hash:
        words, joined = cbor.wholes(ids), b"".join
        written = list(map(words.__getitem__, ids))
        opened, block, null = cbor.head(cbor.ARRAY, 3), cbor.head(cbor.ARRAY, size), cbor.dumps(None)
        if isinstance(root, bytes):
            opened += cbor.head(cbor.BYTES, len(root))

        def by_cbor(parent: Key, start: int, extra: Part) -> Key:
            parts = (
                opened,
                parent if isinstance(parent, bytes) else cbor.dumps(parent),
                block,
                *written[start : start + size],
                null if extra is None else cbor.dumps(extra),
            )
            found = new(joined(parts)).digest()
            return _key(found, wanted) if numbers else found

        return by_cbor

    dumps = pickle.dumps

    def by_pickle(parent: Key, start: int, extra: Part) -> Key:
        found = new(dumps((parent, tuple(ids[start : start + size]), extra), _PROTOCOL)).digest()
        return _key(found, wanted) if numbers else found

    return by_pickle


def held(rule: KeyRule) -> tuple[str, ...]:
    """The fields of a request that are part of keys."""
    adapter = {"number": ("lora_int_id",), "name": ("lora_name",), "tagged": ("lora_name", "lora_path")}
    return (*adapter[rule.adapter or "name"], "mm", *(("cache_salt",) if rule.salt else ()))


def _extras(blocks: int, extra: Extra, wanted: Wanted) -> dict[int, tuple[Part, ...]]:
    """What stands in the key of a block beside tokens and parent: adapter, media, salt, in this order."""
    rule, size = wanted.rule, wanted.block_tokens
    adapter, salt = _adapter(extra, rule), _salt(extra, rule)
    found: dict[int, list[Part]] = {index: list(adapter) for index in range(blocks)} if adapter else {}
    for index, media in _media(blocks, extra.media, wanted):
        found.setdefault(index, []).extend(_medium(medium, index * size, rule) for medium in media)
    if salt is not None and blocks:
        found.setdefault(0, []).append(salt)
    return {index: tuple(parts) for index, parts in found.items() if parts}


def _media(blocks: int, media: Sequence[Medium], wanted: Wanted) -> Iterator[tuple[int, list[Medium]]]:
    """The media in the key of each block, as the engine finds them: it goes on from the one that it met last.

    So of media that overlap, what begins inside one that goes on behind the block is not seen in this block. With a
    lookahead the tokens behind the block count, too. Source: _gen_mm_extra_hash_keys and
    generate_lookahead_block_hash_extra_keys.
    """
    ordered = sorted(media, key=lambda medium: medium.start)
    ends = [medium.start + medium.length for medium in ordered]
    at = 0
    for index in range(blocks):
        start = index * wanted.block_tokens
        end = start + wanted.block_tokens
        if not ends or ends[-1] <= start:
            return
        seen: list[Medium] = []
        reach = end + wanted.lookahead
        while at < len(ordered) and reach > ordered[at].start:
            if start < ends[at]:
                seen.append(ordered[at])
                if reach < ends[at]:
                    break
            at += 1
        yield index, seen
        if wanted.lookahead:
            while at and ends[at - 1] > end:
                at -= 1


def _adapter(extra: Extra, rule: KeyRule) -> tuple[Part, ...]:
    if not extra.lora_name and extra.lora_int_id is None:
        return ()
    if rule.adapter == "number":
        return (_needed(extra.lora_int_id, "lora_int_id", rule),)
    name = _fresh(_needed(extra.lora_name, "lora_name", rule))
    if rule.adapter == "name":
        return (name,)
    return ((intern("lora"), name, _fresh(_needed(extra.lora_path, "lora_path", rule))),)


def _needed(value: Part, field: str, rule: KeyRule) -> Part:
    if value in (None, ""):
        raise PromptlintError(
            f"{rule.title} {rule.version} keys an adapter by {field}, which is not given", f"add it to `extra`: {field}"
        )
    return value


def _salt(extra: Extra, rule: KeyRule) -> Part:
    if not extra.cache_salt:
        return None
    if rule.salt is None:
        raise PromptlintError(f"{rule.title} {rule.version} has no cache_salt", "leave it out, or name a later release")
    salt = _fresh(extra.cache_salt)
    return (intern("cache_salt"), salt) if rule.salt == "tagged" else salt


def _medium(medium: Medium, block_start: int, rule: KeyRule) -> Part:
    identifier, offset = _fresh(medium.identifier), medium.start - block_start
    if rule.medium == "identifier":
        return identifier
    return (identifier, offset) if rule.medium == "offset" else (intern("mm"), identifier, offset)


def _fresh(value: Part) -> Part:
    """An object of its own: pickle writes a second reference to one object in another way than an equal object.

    In an engine the tags are one object and the values separate ones (fixtures/vectors/vllm_pickle_identity.json).
    """
    return value.encode().decode() if isinstance(value, str) else value


def _words(part: Part) -> str:
    return " ".join(map(str, part)) if isinstance(part, tuple) else str(part)
