"""Pretokenizers for which safe cuts are proved (the proofs stand in cuts.py), by the text of their pattern."""

from typing import NamedTuple


class Rule(NamedTuple):
    """What distinguishes the proved patterns."""

    camel: bool = False  # a small letter before a capital is a boundary
    slash: bool = False  # a run of punctuation takes the line feeds and slashes behind it
    lone_newline: bool = False  # white space that ends in a line feed is cut before it, unless the text ends there


GPT2 = Rule(lone_newline=True)
CLASSES = Rule()
O200K = Rule(camel=True, slash=True)

_SHORT = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD = r"[^\r\n\p{L}\p{N}]?"


def _camel(ending: str, digits: str) -> str:
    words = f"{_LEAD}{_UPPER}*{_LOWER}+{ending}|{_LEAD}{_UPPER}+{_LOWER}*{ending}"
    return words + "|" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _SPACES


def _words(digits: str) -> str:
    return _SHORT + "|" + _LEAD + r"\p{L}+|" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n]*" + _SPACES


O200K_PATTERN = _camel(_SHORT + "?", r"\p{N}{1,3}")
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
R50K_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"

# As they stand in a tokenizer.json. Each matches every character, so that `Isolated` and `Removed` inverted agree.
SPLIT_PATTERNS: dict[str, Rule] = {
    O200K_PATTERN: O200K,  # gpt-oss, Llama 4
    _camel("", r"\p{N}"): O200K,  # Mistral tekken
    _words(r"\p{N}{1,3}"): CLASSES,  # Llama 3, cl100k
    _words(r"\p{N}"): CLASSES,  # Qwen 2 to 3
    (  # Qwen 3.5
        _SHORT + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*" + _SPACES
    ): CLASSES,
}

# DeepSeek 3 and 4 split three times, each time what the splits before have left.
DEEPSEEK_PATTERNS = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)


class Encoding(NamedTuple):
    """A *.tiktoken file that is known."""

    name: str
    sha256: str  # of the official file
    pattern: str
    rule: Rule
    special: dict[str, int]  # never found in a text; ids that the user gives may hold them


O200K_BASE = Encoding(
    "o200k_base",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    O200K_PATTERN,
    O200K,
    {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
)
CL100K_BASE = Encoding(
    "cl100k_base",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    CL100K_PATTERN,
    CLASSES,
    {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
)
P50K_BASE = Encoding(
    "p50k_base",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    R50K_PATTERN,
    GPT2,
    {"<|endoftext|>": 50256},
)
R50K_BASE = Encoding(
    "r50k_base",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    R50K_PATTERN,
    GPT2,
    {"<|endoftext|>": 50256},
)
ENCODINGS = (O200K_BASE, CL100K_BASE, P50K_BASE, R50K_BASE)

# gpt-oss (tiktoken's o200k_harmony): the ranks of o200k_base with these names; the rest from 199998 to 201087 is
# reserved.
HARMONY = {
    199998: "<|startoftext|>",
    200002: "<|return|>",
    200003: "<|constrain|>",
    200005: "<|channel|>",
    200006: "<|start|>",
    200007: "<|end|>",
    200008: "<|message|>",
    200012: "<|call|>",
}
