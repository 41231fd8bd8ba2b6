"""Vocabularies in the form of tiktoken that are known: ranks by their hash, with what a file of ranks leaves out."""

from typing import NamedTuple

from promptlint.tokens.patterns import (
    CL100K_PATTERN,
    CLASSES,
    GPT2,
    LLAMA3_PATTERN,
    O200K,
    O200K_PATTERN,
    QWEN2_PATTERN,
    QWEN35_PATTERN,
    R50K_PATTERN,
    Rule,
)
from promptlint.tokens.table import SHA256


class Encoding(NamedTuple):
    """One vocabulary."""

    name: str
    sha256: str  # of the official file of ranks
    ranks: int  # how many
    pattern: str
    rule: Rule
    special: dict[str, int]
    recognised: bool = False  # special tokens spelled out in a text are taken as what they spell
    nfc: bool = False  # what stands between them is brought to Unicode's NFC first

    @property
    def size(self) -> int:
        """Tokens, special ones among them; two names of one token count once."""
        return self.ranks + len(set(self.special.values()))


def _numbered(start: int, *names: str) -> dict[str, int]:
    return {name: start + index for index, name in enumerate(names)}


def _reserved(kind: str, start: int, end: int) -> list[str]:
    return [f"<|{kind}reserved_special_token_{number}|>" for number in range(start, end)]


O200K_BASE = Encoding(
    "o200k_base",
    SHA256,
    199_998,
    O200K_PATTERN,
    O200K,
    {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018},
)
CL100K_BASE = Encoding(
    "cl100k_base",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    100_256,
    CL100K_PATTERN,
    CLASSES,
    {
        **_numbered(100_257, "<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"),
        "<|endofprompt|>": 100_276,
    },
)
P50K_BASE = Encoding(
    "p50k_base",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    50_280,
    R50K_PATTERN,
    GPT2,
    {"<|endoftext|>": 50_256},
)
P50K_EDIT = P50K_BASE._replace(
    name="p50k_edit",
    special=P50K_BASE.special | _numbered(50_281, "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"),
)
R50K_BASE = Encoding(
    "r50k_base",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    50_256,
    R50K_PATTERN,
    GPT2,
    {"<|endoftext|>": 50_256},
)
GPT2_ENCODING = R50K_BASE._replace(name="gpt2")  # its own two files give the same ranks

# gpt-oss: o200k_base in which every id from 199998 to 201087 that is no rank has a name.
_HARMONY = {
    "<|startoftext|>": 199_998,
    "<|return|>": 200_002,
    "<|constrain|>": 200_003,
    "<|channel|>": 200_005,
    "<|start|>": 200_006,
    "<|end|>": 200_007,
    "<|message|>": 200_008,
    "<|call|>": 200_012,
}
O200K_HARMONY = O200K_BASE._replace(
    name="o200k_harmony",
    special={f"<|reserved_{number}|>": number for number in range(200_000, 201_088) if number not in _HARMONY.values()}
    | O200K_BASE.special
    | _HARMONY,
    recognised=True,
)

_QWEN = (  # of Qwen 3; Qwen 2.5 has those up to <|file_sep|>
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>"),
    *("<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>"),
    *("<|vision_pad|>", "<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>", "<|fim_prefix|>"),
    *("<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"),
    *("<tool_response>", "</tool_response>", "<think>", "</think>"),
)
_QWEN_AUDIO = (
    *("<|audio_start|>", "<|audio_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>"),
    *("<tts_text_bos_single>", "<|audio_pad|>"),
)
QWEN3 = Encoding(
    "qwen3",
    "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
    151_643,
    QWEN2_PATTERN,
    CLASSES,
    _numbered(151_643, *_QWEN),
    recognised=True,
    nfc=True,
)
QWEN25 = QWEN3._replace(name="qwen2.5", special=_numbered(151_643, *_QWEN[:22]))
QWEN35 = Encoding(
    "qwen3.5",
    "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd",
    248_044,
    QWEN35_PATTERN,
    CLASSES,
    _numbered(248_044, *_QWEN, *_QWEN_AUDIO),
    recognised=True,
    nfc=True,
)

LLAMA3 = Encoding(
    "llama3",
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
    128_000,
    LLAMA3_PATTERN,
    CLASSES,
    _numbered(
        128_000,
        *("<|begin_of_text|>", "<|end_of_text|>", *_reserved("", 0, 2), "<|finetune_right_pad_id|>", "<|step_id|>"),
        *("<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>", "<|eot_id|>", "<|python_tag|>", "<|image|>"),
        *_reserved("", 2, 246),
    ),
    recognised=True,
)
LLAMA4 = Encoding(
    "llama4",
    "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed",
    200_000,
    O200K_PATTERN,
    O200K,
    _numbered(
        200_000,
        *("<|begin_of_text|>", "<|end_of_text|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"),
        *("<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>", "<|step|>", *_reserved("text_post_train_", 0, 6)),
        *("<|python_start|>", "<|python_end|>", "<|finetune_right_pad|>", *_reserved("text_post_train_", 8, 69)),
        *("<|image_start|>", "<|image_end|>", *_reserved("vision_", 0, 2), "<|tile_x_separator|>"),
        *("<|tile_y_separator|>", *_reserved("vision_", 2, 6), "<|image|>", *_reserved("vision_", 6, 7), "<|patch|>"),
        *(*_reserved("vision_", 7, 1048), *_reserved("reasoning_", 0, 8), "<|reasoning_thinking_start|>"),
        *("<|reasoning_thinking_end|>", *_reserved("", 0, 904)),
    ),
    recognised=True,
)

# By name. Of two with the same ranks the first is meant where only the ranks are given.
ENCODINGS = {
    encoding.name: encoding
    for encoding in (
        *(O200K_BASE, O200K_HARMONY, CL100K_BASE, P50K_BASE, P50K_EDIT, R50K_BASE, GPT2_ENCODING),
        *(QWEN3, QWEN25, QWEN35, LLAMA3, LLAMA4),
    )
}
