"""Pretokenizers for which safe cuts are proved (the proofs stand in cuts.py), by the text of their pattern."""

from typing import NamedTuple


class Rule(NamedTuple):
    """What distinguishes the proved patterns."""

    camel: bool = False  # a small letter before a capital is a boundary
    slash: bool = False  # a run of punctuation takes the line feeds and slashes behind it
    lone_newline: bool = False  # white space that ends in a line feed is cut before it, unless the text ends there


GPT2 = Rule(lone_newline=True)
CLASSES = Rule()
SLASHES = Rule(slash=True)
O200K = Rule(camel=True, slash=True)

_SHORT = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD = r"[^\r\n\p{L}\p{N}]?"


def _camel(ending: str, digits: str, upper: str = _UPPER, lower: str = _LOWER) -> str:
    words = f"{_LEAD}{upper}*{lower}+{ending}|{_LEAD}{upper}+{lower}*{ending}"
    return words + "|" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _SPACES


def _words(short: str, digits: str) -> str:
    return short + "|" + _LEAD + r"\p{L}+|" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n]*" + _SPACES


def _marked_words(short: str) -> str:
    return short + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*" + _SPACES


O200K_PATTERN = _camel(_SHORT + "?", r"\p{N}{1,3}")
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
TEKKEN_PATTERN = _camel("", r"\p{N}")  # Mistral
LLAMA3_PATTERN = _words(_SHORT, r"\p{N}{1,3}")
QWEN2_PATTERN = _words(_SHORT, r"\p{N}")  # Qwen 2 to 3
QWEN35_PATTERN = _marked_words(_SHORT)
R50K_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"

# What llama.cpp takes for them: letters have a case in ASCII only, no marks stand among them in words that have one,
# and contractions know no long s.
_ASCII_SHORT = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_ASCII_CASE = (r"(?:(?=\p{L})[^a-z])", r"(?:(?=\p{L})[^A-Z])")
LLAMA_CPP_O200K = _camel(_ASCII_SHORT + "?", r"\p{N}{1,3}", *_ASCII_CASE)
LLAMA_CPP_TEKKEN = _camel("", r"\p{N}", *_ASCII_CASE)
LLAMA_CPP_LLAMA3 = _words(_ASCII_SHORT, r"\p{N}{1,3}")
LLAMA_CPP_QWEN2 = _words(_ASCII_SHORT, r"\p{N}")
LLAMA_CPP_QWEN35 = _marked_words(_ASCII_SHORT)

# As they stand in a tokenizer.json. Each matches every character, so that `Isolated` and `Removed` inverted agree.
SPLIT_PATTERNS: dict[str, Rule] = {
    O200K_PATTERN: O200K,  # gpt-oss, Llama 4
    TEKKEN_PATTERN: O200K,
    LLAMA3_PATTERN: CLASSES,  # and cl100k
    QWEN2_PATTERN: CLASSES,
    QWEN35_PATTERN: CLASSES,
    LLAMA_CPP_O200K: SLASHES,
    LLAMA_CPP_TEKKEN: SLASHES,
    LLAMA_CPP_LLAMA3: CLASSES,
    LLAMA_CPP_QWEN2: CLASSES,
    LLAMA_CPP_QWEN35: CLASSES,
}

# DeepSeek 3 and 4 split three times, each time what the splits before have left.
DEEPSEEK_PATTERNS = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)
