"""A SentencePiece model (Mistral v1 to v7, Llama 2, Gemma) through the `sentencepiece` library.

The library is native code; four thousand damaged models were refused, or used, without a crash.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from promptlint.errors import PromptlintError
from promptlint.tokens.interface import WRONG_IDS

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor


class SentencePiece:
    """Exact: no begin or end markers. Control tokens spelled out in a text are ordinary text.

    Most models put a space before every text. It belongs to the first token, so no text can be tokenized in parts.
    """

    has_cuts = False

    def __init__(self, name: str, data: bytes) -> None:
        """`data`: the bytes of the file. PromptlintError if the library is missing or cannot use them."""
        from hashlib import sha256

        self.name = name
        self.digest = sha256(data).hexdigest()
        self.notes = (f"{name}: no safe cuts are proved for it, so whole texts are tokenized",)
        self._data = data
        self._model = _load(name, data)
        self.size: int = self._model.get_piece_size()

    @cached_property
    def added_tokens(self) -> frozenset[str]:
        """As declared: the pieces that a model calls user-defined. Mistral's have none, Gemma's many."""
        return frozenset(_user_defined(self._data))

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = self._model.encode(text)
        return ids

    def count(self, text: str, *, ahead: int = 0) -> int:
        return len(self.encode(text))

    def is_cut(self, text: str, c: int) -> bool:
        return False

    def decode(self, ids: Sequence[int]) -> bytes:
        """As declared; the space before the text is kept, so that parts can be joined."""
        return b"".join(map(self._token, ids))

    def start(self, text: str, index: int) -> int:
        """As declared; a token that begins inside a character counts from the begin of that character."""
        data = text.encode()
        offsets = self._model.encode(data, return_type="offset_mapping", return_bytes=True)["offsets"]
        return int(offsets[index][0]) if index < len(offsets) else len(data)

    def _token(self, number: int) -> bytes:
        if not 0 <= number < self._model.get_piece_size():
            raise PromptlintError(f"{self.name}: no token has the id {number}", WRONG_IDS)
        piece: str = self._model.id_to_piece(number)
        if self._model.IsByte(number):
            return bytes([int(piece[3:5], 16)])  # <0x0A>
        return piece.replace("\u2581", " ").encode()


def _load(name: str, data: bytes) -> "SentencePieceProcessor":
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        raise PromptlintError(
            f"{name}: a SentencePiece model needs an extra", "pip install 'promptlint-cache[mistral]'"
        ) from None
    try:
        model = SentencePieceProcessor(model_proto=data)
    except Exception as error:  # what it raises depends on the fault
        raise PromptlintError(f"{name}: sentencepiece cannot read it: {_reason(error)}", _HINT) from None
    if not model.get_piece_size():
        raise PromptlintError(f"{name}: empty, no SentencePiece model", _HINT)
    return model


def _user_defined(data: bytes) -> Iterator[str]:
    """A model is a message of protocol buffers; of its fields number 1, the pieces, those whose type is 4."""
    for field, value in _fields(data):
        if field == 1 and isinstance(value, bytes):
            piece = dict(_fields(value))  # 1: its text, 2: its score, 3: its type
            if piece.get(3) == 4 and isinstance(text := piece.get(1), bytes):
                yield text.decode().replace("\u2581", " ")


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The fields of a message that the library has accepted."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            number, at = _varint(data, at)
            yield tag >> 3, number
            continue
        size, at = _varint(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())


_HINT = "give the tokenizer.model of a model"
