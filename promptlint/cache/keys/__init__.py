"""The keys under which engines, KV stores and routers keep the blocks of a prompt: one file each, byte for byte theirs.

What differs by release is data (data/block_keys.yaml).
"""

from promptlint.cache.keys.chain import Chain, Key, Parting, Spelled, Wanted, parted, spelled
from promptlint.cache.keys.extra import FIELDS, Extra, extra_of
from promptlint.cache.keys.make import chain, held, wanted

__all__ = [
    "FIELDS",
    "Chain",
    "Extra",
    "Key",
    "Parting",
    "Spelled",
    "Wanted",
    "chain",
    "extra_of",
    "held",
    "parted",
    "spelled",
    "wanted",
]
