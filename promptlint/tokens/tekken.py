"""Mistral's tekken.json through tiktoken alone, as mistral-common itself tokenizes with it, in a third of the time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from promptlint.errors import PromptlintError
from promptlint.tokens.blank import has_long_blank, too_blank
from promptlint.tokens.cuts import is_boundary
from promptlint.tokens.interface import WRONG_IDS
from promptlint.tokens.patterns import SPLIT_PATTERNS, Rule

if TYPE_CHECKING:
    import tiktoken

# fmt: off
_UNLISTED = (  # the first ids of a file that does not list its control tokens, as up to version 7
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]",
    "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
)
# fmt: on
_MOST = 100_000  # control tokens; files have a thousand


class Tekken:
    """Exact. Control tokens spelled out in a text are ordinary text; they take the first ids."""

    notes: tuple[str, ...] = ()
    added_tokens: frozenset[str] = frozenset()
    has_cuts = True

    def __init__(self, name: str, data: bytes) -> None:
        """`data`: the bytes of the file. PromptlintError if it is no tekken.json, or splits texts in an unknown way."""
        from hashlib import sha256

        self.name = name
        self.digest = sha256(data).hexdigest()
        try:
            self._control, ranks, pattern = _parse(data)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise PromptlintError(f"{name}: not a tekken.json: {_reason(error)}", _HINT) from None
        self._rule = _rule(name, pattern)
        self._encoding = _build(pattern, ranks)
        self.size = len(self._control) + len(ranks)

    def encode(self, text: str) -> Sequence[int]:
        if has_long_blank(text):
            raise too_blank(self.name)
        shift = len(self._control)
        return [number + shift for number in self._encoding.encode_ordinary(text)]

    def count(self, text: str, *, ahead: int = 0) -> int:
        if has_long_blank(text):
            raise too_blank(self.name)
        return len(self._encoding.encode_ordinary(text))

    def is_cut(self, text: str, c: int) -> bool:
        return is_boundary(text, c, self._rule)

    def decode(self, ids: Sequence[int]) -> bytes:
        return b"".join(map(self._token, ids))

    def start(self, text: str, index: int) -> int:
        return len(self.decode(self.encode(text)[:index]))

    def _token(self, number: int) -> bytes:
        if 0 <= number < len(self._control):
            return self._control[number]
        try:
            return self._encoding.decode_single_token_bytes(number - len(self._control))
        except (KeyError, OverflowError):
            raise PromptlintError(f"{self.name}: no token has the id {number}", WRONG_IDS) from None


def _parse(data: bytes) -> tuple[list[bytes], dict[bytes, int], str]:
    """The spelling of each control token, the ranks of all others, and the pattern; any fault raises."""
    import json
    from operator import index

    file = json.loads(data)
    config, vocab = file["config"], file["vocab"]
    control, size = index(config["default_num_special_tokens"]), index(config["default_vocab_size"])
    if not 0 <= control <= min(size, _MOST) or size > control + len(vocab):
        raise ValueError(f"{control} control tokens and {len(vocab)} others do not make {size}")
    return _spellings(control, file.get("special_tokens")), _ranks(vocab[: size - control]), config["pattern"]


def _spellings(control: int, listed: list[dict[str, Any]] | None) -> list[bytes]:
    known = dict(enumerate(_UNLISTED[:control]))
    if listed is not None:
        known = {token["rank"]: token["token_str"] for token in listed}
    names = {number: f"<SPECIAL_{number}>" for number in range(control)} | known
    if len(names) != control:
        raise ValueError("a control token lies outside their range")
    return [names[number].encode() for number in range(control)]


def _ranks(vocab: list[dict[str, Any]]) -> dict[bytes, int]:
    from binascii import a2b_base64

    ranks = {a2b_base64(token["token_bytes"], strict_mode=True): rank for rank, token in enumerate(vocab)}
    if len(ranks) != len(vocab) or any(token["rank"] != rank for rank, token in enumerate(vocab)):
        raise ValueError("its tokens are not unique, or not in the order of their ranks")
    if list(ranks)[:256] != [bytes([byte]) for byte in range(256)]:
        raise ValueError("its first tokens are not the 256 bytes")
    return ranks


def _rule(name: str, pattern: Any) -> Rule:
    """Only a known pattern is taken: another may leave out text, or make the pattern engine give up."""
    if not isinstance(pattern, str) or pattern not in SPLIT_PATTERNS:
        raise PromptlintError(f"{name}: an unknown pattern splits its texts", _HINT)
    return SPLIT_PATTERNS[pattern]


def _build(pattern: str, ranks: dict[bytes, int]) -> "tiktoken.Encoding":
    from tiktoken import Encoding

    return Encoding("tekken", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def _reason(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())


_HINT = "give the tekken.json of a Mistral model"
