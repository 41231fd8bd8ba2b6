"""Which bodies of HTTP requests are prompts."""

import json
import re
from typing import Any

_LARGEST = 64 << 20  # bytes
# Ends of an address that stand for something else than a prompt, whatever the body looks like: a text that is
# embedded, rated, drawn or counted leaves nothing in a prompt cache.
_OTHER = frozenset(
    (
        *("embed", "embeddings", "embedcontent", "batchembedcontents", "rerank", "classify", "classifications"),
        *("moderations", "moderation", "files", "uploads", "images", "audio", "speech", "ocr", "search"),
        *("count_tokens", "counttokens", "input_tokens", "tokenize", "detokenize", "predict"),
        *("batches", "batch", "fine_tuning", "ingestion", "traces", "feedback"),
    )
)
_PART = re.compile(r"[/:]")
# Formats that a log or a tool's listing has, and no request to a model.
_NO_REQUEST = frozenset(("record", "span", "tools", "mcp-tools", "sharegpt"))


def is_json(content_type: str) -> bool:
    """Whether a body of this type is JSON."""
    return "json" in content_type.lower()


def body_of(url: str, content: bytes, encoding: str) -> tuple[str, dict[str, Any] | None, bytes]:
    """The body as a value and as bytes without compression; or why it is no prompt, and None."""
    other = no_prompt(url)
    if other:
        return other, None, b""
    plain = _unpacked(content, encoding.strip().lower())
    if plain is None:
        return f"its compression {encoding!r} cannot be read", None, b""
    from promptlint.load.recognise import format_of
    from promptlint.prompt import Number

    try:
        body = json.loads(plain)
        known = isinstance(body, dict) and format_of(json.loads(plain, parse_int=Number, parse_float=Number))
    except (ValueError, RecursionError):
        return "no JSON", None, b""
    return ("no prompt", None, b"") if not known or known in _NO_REQUEST else ("", body, plain)


def no_prompt(url: str) -> str:
    """The one of the last two parts of the path that says that this is no prompt, else nothing."""
    path = url.partition("://")[2].partition("/")[2].lower().rstrip("/")
    return next((part for part in _PART.split(path)[-2:] if part in _OTHER), "")


def _unpacked(content: bytes, encoding: str) -> bytes | None:
    if encoding in ("", "identity"):
        return content
    if encoding not in ("gzip", "x-gzip", "deflate"):
        return None
    import zlib

    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)  # either of the two
    try:
        plain = unpacking.decompress(content, _LARGEST)
    except zlib.error:
        return None
    return plain if unpacking.eof else None
