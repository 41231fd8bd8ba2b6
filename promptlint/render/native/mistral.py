"""Mistral's chat format, by mistral-common itself; the version of the tokenizer file says which."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from promptlint.errors import PromptlintError
from promptlint.render.native.chat import chat, is_refusal, reason
from promptlint.render.native.marks import claims, plant
from promptlint.render.native.prompt import NativePrompt, Vocabulary, native_prompt, stretches

if TYPE_CHECKING:
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    Engine: TypeAlias = MistralTokenizer[Any, Any, Any, Any, Any]

# What stands in or before the last user message, so that the next one moves it; mistral-common's encoders by version.
_MOVED = {
    "v2": "the tools, the system text, and earlier calls and results",
    "v3": "the tools and the system text",
    "v7": "the tools",
    "v11": "the tools",
}


def render_mistral(body: Any, path: str) -> NativePrompt:
    """A Chat Completions request (plain Python data) as the model of the tokenizer file at `path` reads it.

    `path` ends as mistral-common wants it: `tekken*.json`, `*.model.v3`, or `*.model`, which means v1.
    PromptlintError: mistral-common is not installed, cannot read the file, or refuses the request.
    """
    request = chat(body, "mistral-common")
    tokenizer = _tokenizer(path)
    vocabulary = _vocabulary(path)
    try:
        ids = _encode(tokenizer, request)
    except BaseException as error:  # validators, encoders, pydantic and Rust raise what they like
        if not is_refusal(error):
            raise
        raise PromptlintError(f"mistral-common refuses the request: {reason(error)}", _HINT) from None
    marked, marks = plant(request, schemas=True)
    try:
        found = claims(stretches(ids, vocabulary), stretches(_encode(tokenizer, marked), vocabulary), marks)
    except Exception:  # a mark that is refused shows nothing
        found = []
    return native_prompt(ids, vocabulary, found, _notes(request, tokenizer, path))


def _encode(tokenizer: "Engine", request: dict[str, Any]) -> list[int]:
    from mistral_common.protocol.instruct.request import ChatCompletionRequest

    last = request["messages"][-1] if request["messages"] else {}
    settings = {name: request[name] for name in ("reasoning_effort", "response_format") if request.get(name)}
    parsed: Any = ChatCompletionRequest.from_openai(
        request["messages"],
        request.get("tools"),
        bool(request.get("continue_final_message") or last.get("prefix")),
        **settings,
    )
    return list(tokenizer.encode_chat_completion(parsed).tokens)


@cache
def _tokenizer(path: str) -> "Engine":
    try:
        from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
    except ImportError:
        raise PromptlintError(
            "Mistral's chat format needs mistral-common", "pip install 'promptlint-cache[mistral]'"
        ) from None
    try:
        return MistralTokenizer.from_file(path)
    except Exception as error:  # asserts, keys, JSON, protobuf
        raise PromptlintError(
            f"{path}: mistral-common cannot read it: {reason(error)}",
            "give tekken.json, or a model whose name ends in its version, such as tokenizer.model.v3",
        ) from None


@cache
def _vocabulary(path: str) -> Vocabulary:
    from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
    from mistral_common.tokens.tokenizers.tekken import is_tekkenizer

    tokenizer = _tokenizer(path).instruct_tokenizer.tokenizer
    spelled: Callable[[int], bytes]
    if is_tekkenizer(tokenizer):
        keep, as_bytes = SpecialTokenPolicy.KEEP, tokenizer.id_to_byte_piece
        spelled = lambda number: as_bytes(number, keep)  # noqa: E731
    else:
        spelled = lambda number: _spelled(tokenizer.id_to_piece(number))  # noqa: E731
    return Vocabulary(cache(spelled), cache(tokenizer.is_special))


def _spelled(piece: str) -> bytes:
    """A piece of a SentencePiece model: some are bytes, written <0x0A>."""
    if len(piece) == 6 and piece.startswith("<0x"):
        return bytes([int(piece[3:5], 16)])
    return piece.replace("\u2581", " ").encode()


def _notes(request: dict[str, Any], tokenizer: "Engine", path: str) -> list[str]:
    from importlib.metadata import version

    name = tokenizer.instruct_tokenizer.tokenizer.version.value
    notes = [f"rendered by mistral-common {version('mistral-common')} for tokenizer version {name}"]
    if path.endswith(".model"):
        notes.append(f"{path}: its name says no version, which mistral-common takes for v1")
    system = any(message.get("role") in ("system", "developer") for message in request["messages"])
    if name in _MOVED and (request.get("tools") or (system and name in ("v2", "v3"))):
        notes.append(f"{name} puts {_MOVED[name]} at the last user message, so each new user message moves them")
    return notes


_HINT = "change it as it says; a server that takes it has rewritten it first"
