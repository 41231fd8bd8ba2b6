"""Any Hugging Face tokenizer.json, through the `tokenizers` library and nothing else."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from promptlint.errors import PromptlintError
from promptlint.tokens.interface import WRONG_IDS
from promptlint.tokens.provable import CutTest, cut_test
from promptlint.tokens.recognise import mistaken

if TYPE_CHECKING:
    import tokenizers


class TokenizerJson:
    """Exact: no begin or end markers, no truncation, no padding. Added tokens are recognised in the text.

    `transformers` is left out on purpose: it rebuilds some tokenizers from the name of a class, and differs.
    """

    def __init__(self, name: str, data: bytes, config: dict[str, Any] | None = None) -> None:
        """`data`: the bytes of the file; `config`: the same, parsed. PromptlintError if the library cannot use them."""
        from hashlib import sha256

        self.name = name
        self.digest = sha256(data).hexdigest()
        self._config = parse(name, data) if config is None else config
        self._tokenizer = _build(name, data)

    @property
    def notes(self) -> tuple[str, ...]:
        return () if self.has_cuts else (f"{self.name}: no safe cuts are proved for it, so whole texts are tokenized",)

    @property
    def size(self) -> int:
        size: int = self._tokenizer.get_vocab_size(with_added_tokens=True)
        return size

    @property
    def added_tokens(self) -> frozenset[str]:
        return frozenset(token["content"] for token in self._config.get("added_tokens") or ())

    @property
    def has_cuts(self) -> bool:
        return self._cut_test is not None

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = self._encoding(text).ids
        return ids

    def count(self, text: str, *, ahead: int = 0) -> int:
        return len(self._encoding(text))

    def is_cut(self, text: str, c: int) -> bool:
        return self._cut_test is not None and self._cut_test(text, c)

    def decode(self, ids: Sequence[int]) -> bytes:
        try:
            unknown = next((number for number in ids if self._tokenizer.id_to_token(number) is None), None)
        except OverflowError as error:
            raise PromptlintError(f"{self.name}: {error}", WRONG_IDS) from None
        if unknown is not None:
            raise PromptlintError(f"{self.name}: no token has the id {unknown}", WRONG_IDS)
        text: str = self._tokenizer.decode(ids, skip_special_tokens=False)
        return text.encode()

    def start(self, text: str, index: int) -> int:
        """As declared; a token that begins inside a character counts from the begin of that character."""
        offsets = self._encoding(text).offsets
        return len(text[: offsets[index][0]].encode() if index < len(offsets) else text.encode())

    def _encoding(self, text: str) -> Any:
        return self._tokenizer.encode(text, add_special_tokens=False)

    @cached_property
    def _cut_test(self) -> CutTest | None:
        return cut_test(self._config)


def parse(name: str, data: bytes) -> dict[str, Any]:
    """The members of a tokenizer.json. PromptlintError, with a hint for other JSON files of a model."""
    import json

    try:
        config = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise PromptlintError(f"{name}: not JSON: {error}", _HINT) from None
    if not isinstance(config, dict) or not isinstance(config.get("model"), dict):
        raise PromptlintError(f"{name}: JSON, but no tokenizer.json: it has no `model`", mistaken(config))
    if config["model"].get("dropout"):
        raise PromptlintError(f"{name}: its tokens are drawn by chance (`dropout`)", "set model.dropout to null")
    return config


def _build(name: str, data: bytes) -> "tokenizers.Tokenizer":
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(data)
    except Exception as error:  # the library raises nothing narrower
        reason = " ".join(str(error).split())
        raise PromptlintError(f"{name}: tokenizers cannot read it: {reason}", _HINT) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.post_processor = None  # adds nothing without begin and end markers, but trims the offsets
    return tokenizer


_HINT = "give the tokenizer.json of a Hugging Face model"
