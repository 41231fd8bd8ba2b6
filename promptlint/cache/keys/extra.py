"""What a request adds to the tokens of its prompt and engines keep apart: adapters, salts, media."""

from typing import NamedTuple

from promptlint.cache.paged import Medium
from promptlint.errors import PromptlintError
from promptlint.prompt import Json, Number, Path, Request
from promptlint.read.names import shown
from promptlint.read.places import pointer

_TEXTS = ("lora_name", "lora_path", "cache_salt", "extra_key")
FIELDS = (*_TEXTS, "lora_int_id", "mm", "prompt_embeds")


class Extra(NamedTuple):
    """None, and no media: the request has none."""

    lora_name: str | None = None
    lora_path: str | None = None
    lora_int_id: int | None = None
    cache_salt: str | None = None
    extra_key: str | None = None
    media: tuple[Medium, ...] = ()


def extra_of(request: Request) -> Extra:
    """The fields of a request, or of the `extra` of given token ids.

    Raises PromptlintError for a field of another kind than engines take.
    """
    held = {_name(request, path): (path, value) for path, value in request.settings.items()}
    if "prompt_embeds" in held:
        path, _ = held["prompt_embeds"]
        raise PromptlintError(
            f"{_at(path)}: keys of prompt_embeds hold the hash of a tensor", "such requests have no keys here"
        )
    texts = {name: _text(*held[name]) for name in _TEXTS if name in held}
    number = _whole(*held["lora_int_id"]) if "lora_int_id" in held else None
    return Extra(**texts, lora_int_id=number, media=_media(*held["mm"]) if "mm" in held else ())


def _name(request: Request, path: Path) -> str:
    """A field at the top of the request, or of its `extra`."""
    named = request.named.get(path)
    return ".".join(named) if named else ".".join(str(step) for step in path[len(request.path) :])


def _text(path: Path, value: Json) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise PromptlintError(f"{_at(path)} is no text", "write it in quotation marks")


def _whole(path: Path, value: Json) -> int | None:
    if value is None:
        return None
    if isinstance(value, Number) and value.text.isdigit() and len(value.text) < 20:
        return int(value.text)
    raise PromptlintError(f"{_at(path)} is no whole number", "give tokens, or an id, as in 16")


def _media(path: Path, value: Json) -> tuple[Medium, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise PromptlintError(f"{_at(path)} is no list", 'write [{"identifier": …, "offset": …, "length": …}]')
    return tuple(_medium((*path, i), entry) for i, entry in enumerate(value))


def _medium(path: Path, value: Json) -> Medium:
    fields = value if isinstance(value, dict) else {}
    identifier = fields.get("identifier")
    if isinstance(identifier, Number):
        identifier = identifier.text
    start, length = (_whole((*path, name), fields.get(name)) for name in ("offset", "length"))
    if not isinstance(identifier, str) or start is None or not length:
        raise PromptlintError(
            f"{_at(path)} is no medium", 'write {"identifier": …, "offset": …, "length": …}, in tokens of the prompt'
        )
    return Medium(start, length, identifier)


def _at(path: Path) -> str:
    found = pointer(path)
    return shown(found if isinstance(found, str) else " ".join(found))
