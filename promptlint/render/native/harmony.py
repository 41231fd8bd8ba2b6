"""gpt-oss's chat format, by openai-harmony itself. How a Chat request becomes a conversation is an interpretation."""

import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from promptlint.errors import PromptlintError
from promptlint.render.native.chat import chat, is_refusal, reason, strings
from promptlint.render.native.conversation import conversation, is_conversation
from promptlint.render.native.marks import claims, plant
from promptlint.render.native.prompt import NativePrompt, Vocabulary, native_prompt, stretches

if TYPE_CHECKING:
    import re

    from openai_harmony import HarmonyEncoding

_LONGEST = 50_000  # characters; 1 s
_FOLDER = "TIKTOKEN_ENCODINGS_BASE"  # the variable by which openai-harmony finds ranks without downloading them


def render_harmony(body: Any, ranks: Callable[[], bytes], today: str) -> NativePrompt:
    """A Chat Completions request, or openai-harmony's own conversation JSON, as gpt-oss reads it.

    `ranks` makes the file o200k_base.tiktoken; it is called once. `today`, such as 2026-11-29, is the date that the
    system message of a Chat request gives. PromptlintError: openai-harmony is missing, or refuses the request.
    """
    request = chat(body, "openai-harmony")
    _check_runs(request)
    encoding = _encoding(ranks)
    vocabulary = _vocabulary(ranks)
    try:
        ids = _encode(encoding, request, today)
        dropped = len(_encode(encoding, request, today, drop=False)) - len(ids) if _thinks(request) else 0
    except PromptlintError:
        raise
    except BaseException as error:  # HarmonyError, and what pydantic, plain look-ups and Rust raise
        if not is_refusal(error):
            raise
        raise PromptlintError(f"openai-harmony refuses the request: {reason(error)}", _HINT) from None
    marked, marks = plant(request, schemas=False)
    try:
        found = claims(stretches(ids, vocabulary), stretches(_encode(encoding, marked, today), vocabulary), marks)
    except Exception:  # a mark that is refused shows nothing
        found = []
    return native_prompt(ids, vocabulary, found, _notes(request, today, dropped))


def _check_runs(request: dict[str, Any]) -> None:
    """openai-harmony takes the square of the time for text that it cannot divide: a minute for 400,000 spaces."""
    for text in strings(request):
        if len(text) >= _LONGEST and _run().search(text):
            raise PromptlintError(
                f"openai-harmony is too slow for a run of {_LONGEST:,} spaces, letters or signs",
                "break it, or shorten it",
            )


@cache
def _run() -> "re.Pattern[str]":
    """White space; signs; or anything in which nothing ends a piece for certain."""
    import re

    long = f"{{{_LONGEST}}}"
    return re.compile(rf"\s{long}|[^\w\s]{long}|[^\s\d,.，。]{long}")  # noqa: RUF001


def _thinks(request: dict[str, Any]) -> bool:
    """Whether there is reasoning that openai-harmony could leave out."""
    names = ("reasoning", "reasoning_content")
    return any(message.get("channel") == "analysis" or any(map(message.get, names)) for message in request["messages"])


def _encode(encoding: "HarmonyEncoding", request: dict[str, Any], today: str, *, drop: bool = True) -> list[int]:
    import json

    from openai_harmony import Conversation, RenderConversationConfig, Role

    messages = request if is_conversation(request) else conversation(request, today)
    parsed = Conversation.from_json(json.dumps(messages))
    config = RenderConversationConfig(auto_drop_analysis=drop)
    ids: list[int] = encoding.render_conversation_for_completion(parsed, Role.ASSISTANT, config)
    return ids


@cache
def _encoding(ranks: Callable[[], bytes]) -> "HarmonyEncoding":
    """openai-harmony reads its ranks from a folder; it gets a private one, for this one load."""
    from tempfile import TemporaryDirectory

    try:
        from openai_harmony import HarmonyEncodingName, load_harmony_encoding
    except ImportError:
        raise PromptlintError(
            "gpt-oss's chat format needs openai-harmony", "pip install 'promptlint-cache[harmony]'"
        ) from None
    before = os.environ.get(_FOLDER)
    with TemporaryDirectory(prefix="promptlint-") as folder:
        with open(os.path.join(folder, "o200k_base.tiktoken"), "wb") as file:
            file.write(ranks())
        os.environ[_FOLDER] = folder
        try:
            return load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
        except Exception as error:
            raise PromptlintError(f"openai-harmony cannot load o200k_base: {reason(error)}", _HINT) from None
        finally:
            if before is None:
                del os.environ[_FOLDER]
            else:
                os.environ[_FOLDER] = before


@cache
def _vocabulary(ranks: Callable[[], bytes]) -> Vocabulary:
    encoding = _encoding(ranks)

    def spelled(number: int) -> bytes:
        text: str = encoding.decode([number], "surrogateescape")
        return text.encode("utf-8", "surrogateescape")

    return Vocabulary(cache(spelled), cache(encoding.is_special_token))


def _notes(request: dict[str, Any], today: str, dropped: int) -> list[str]:
    from importlib.metadata import version

    notes = [f"rendered by openai-harmony {version('openai-harmony')}"]
    if not is_conversation(request):
        notes.append("how a Chat request becomes harmony messages is an interpretation, after vLLM and the template")
        notes.append(f"the system message gives today's date, {today}: every day another prompt")
    if dropped:
        notes.append(f"{dropped} tokens of reasoning before the last final answer are left out")
    return notes


_HINT = "give a Chat Completions request, or a conversation as openai-harmony writes it"
