"""Texts and edits on which tokenizers have been seen to differ, drawn from a seed."""

import json
import random
from collections.abc import Sequence

# fmt: off
_WORDS = (
    "the", "of", "and", "to", "in", "is", "you", "that", "it", "for", "on", "are", "with", "his", "be", "this", "from",
    "one", "had", "word", "but", "not", "what", "all", "were", "when", "your", "said", "there", "each", "which",
    "their", "will", "about", "many", "cache", "prefix", "token", "prompt", "message", "system", "assistant", "user",
    "tool", "schema", "required", "properties", "description", "getWeather", "HTTPServer", "parseJSON", "I'm", "don't",
    "snake_case_name", "you're", "HE'LL", "we've", "It'S", "O'Neill", "naïve", "café", "Straße", "Zażółć", "gęślą",
)
_SCRIPTS = (
    "你好世界我们的中文字符漢語模型数据，。！？、（）",
    "こんにちは世界カタカナ・ー。、",
    "안녕하세요세계",
    "Привет, мир! Ёлка",
    "مرحبا بالعالم ٠١٢٣",
    "नमस्ते दुनिया १२३",
    "สวัสดีชาวโลก",
    "שלום עולם",
    "Tiếng Việt có dấu",
)
_RUNS = (
    " ", "\n", " \n", " \n\t\r", " \u00a0\u3000\u2009\n", "\r\n", "0123456789", "0123456789.,", "abcdefghij",
    "ABCDEFGH", "aAbBcC", "AAAAAAAz", "abc '", "'sStTrReElLvVdDmM", "\u017fsS'", "\u01c5\u01c8aA", "\u02b0\u02b1aA",
    "\u00aa\u00baaA1", "中文ABC", "中文abcABC", "。，中文", "e\u0301a\u0308n\u0303", "\u0e33\u0e34", "-=_*#", "/\\\n",
    "😀👍🏽\u200d\ufe0f👩", "\n/a ", '{}[]":,', "<|>im_endoftext", "\x00\x01\x02\x03\x1c\x7f", "¹²³½¼",
    "\u2581 a", "\u30fb中a", "\u1100\u1161가", "\u0958\u095e. 1",
)
_BITS = (
    "the", " the", "ing", "'s", "'re", "'LL", " ", "  ", "\n", "\n\n", "\t", "    ", "0", "12", "2026-11-29", "A", "z",
    "。", "中", "!", "...", '"', '","', '{"', "e\u0301", "\u0301", "😀", "\u3000", "/", "//", "_", "\r\n", "d", "D",
    "\u017f", "'", "<|im_start|>", "<|fim_", "\u0378", "\ufeff",
)
# fmt: on


def natural(rng: random.Random, size: int) -> str:
    """Prose, code, JSON and several scripts, `size` characters or a little more."""
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        parts.append(rng.choice((_sentence, _code, _json, _script))(rng))
    return "".join(parts)


def _sentence(rng: random.Random) -> str:
    words = [rng.choice(_WORDS) for _ in range(rng.randint(4, 20))]
    return " ".join(words).capitalize() + rng.choice((". ", ".\n", ", ", "?\n\n", ": "))


def _code(rng: random.Random) -> str:
    name, other = rng.choice(_WORDS), rng.choice(_WORDS)
    return f"def {name}({other}, n={rng.randint(0, 99999)}):\n    # {other}\n    return {other}[n] / 2\n\n"


def _json(rng: random.Random) -> str:
    value = {rng.choice(_WORDS): [rng.random(), rng.choice(_WORDS), rng.randint(-9, 10**6)] for _ in range(3)}
    return json.dumps(value, indent=rng.choice((None, 2)), ensure_ascii=rng.random() < 0.5) + "\n"


def _script(rng: random.Random) -> str:
    return "".join(rng.choices(rng.choice(_SCRIPTS), k=rng.randint(3, 25))) + rng.choice(" \n")


def text(rng: random.Random) -> str:
    """One text of 20 to 400 characters: natural, or runs over small alphabets, or any characters at all."""
    kind = rng.random()
    if kind < 0.4:
        whole = natural(rng, 400)
        start = rng.randrange(len(whole) - 300)
        return whole[start : start + rng.randint(20, 300)]
    if kind < 0.9:
        runs = (rng.choices(rng.choice(_RUNS), k=int(2 ** (rng.random() * 6))) for _ in range(rng.randint(2, 12)))
        return "".join(character for run in runs for character in run)
    blocks = ((0x20, 0x7E), (0xA0, 0x2FFF), (0x3000, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x1FBFF))
    return "".join(chr(rng.randint(*rng.choice(blocks))) for _ in range(80))


def edit(rng: random.Random, before: str) -> str:
    """`before` with something inserted, removed, replaced, or cut off."""
    place = rng.randrange(len(before) + 1)
    end = min(len(before), place + rng.choice((0, 0, 1, 1, 2, 5, 20)))
    bit = rng.choice(_BITS) if rng.random() < 0.7 else rng.choice(rng.choice(_RUNS))
    kinds = (before[:place] + bit + before[place:], before[:place] + before[end:], before[:place] + bit + before[end:])
    return rng.choice((*kinds, before[:place]))


def shared(a: Sequence[object], b: Sequence[object]) -> int:
    """Characters, or ids, that both begin with."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
