"""Images, documents and sounds inside a prompt: recognised by their shape, told apart by hash, never printed."""

from promptlint.prompt import Json

_TYPES = frozenset(
    (
        "image",
        "image_url",
        "input_image",
        "document",
        "file",
        "input_file",
        "input_audio",
        "audio",
        "video",
        "container_upload",
    )
)
_FIELDS = frozenset(("inlineData", "inline_data", "fileData", "file_data", "image", "document", "video", "image_url"))
_DATA_FIELDS = frozenset(("data", "bytes", "url", "file_data", "fileUri", "file_uri", "file_id", "image_url"))


def is_media(value: Json) -> bool:
    """Whether a block holds an image, a file or a sound rather than text."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if isinstance(kind, str):
        return kind in _TYPES
    return len(value) <= 2 and any(isinstance(value.get(field), dict) for field in _FIELDS)


def describe(value: Json) -> str:
    """What kind of media a block holds, its size and the start of its SHA-256."""
    kind = value.get("type") if isinstance(value, dict) else None
    name = kind if isinstance(kind, str) else "media"
    data = max(_payloads(value), key=len, default="")
    import hashlib

    digest = hashlib.sha256(data.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{name} ({len(data):,} characters, sha256 {digest})"


def _payloads(value: Json) -> list[str]:
    if isinstance(value, dict):
        own = [field for name, field in value.items() if name in _DATA_FIELDS and isinstance(field, str)]
        return own + [found for field in value.values() for found in _payloads(field)]
    if isinstance(value, list):
        return [found for entry in value for found in _payloads(entry)]
    return []
