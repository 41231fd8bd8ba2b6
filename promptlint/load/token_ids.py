"""Token ids: a bare array, or an object that holds one, with what an engine keeps apart beside it in `extra`."""

from promptlint.errors import PromptlintError
from promptlint.load.blocks import Body, pointer, text_or_none, wrong
from promptlint.load.recognise import TOKEN_ID_FIELDS
from promptlint.prompt import Json, Number, Path
from promptlint.read.names import shown

_MOST_DIGITS = 10


def load(value: Json, path: Path) -> Body:
    """A prompt given as ids; the items stay empty."""
    model = None
    consumed: frozenset[str] = frozenset()
    beside: dict[Path, Json] = {}
    if isinstance(value, dict):
        name = next((name for name in TOKEN_ID_FIELDS if isinstance(value.get(name), list)), None)
        if name is None:
            raise PromptlintError(f"no token ids: {pointer(path)} has none of {', '.join(TOKEN_ID_FIELDS)}")
        consumed = frozenset({name, "model", "extra"})
        model = text_or_none(value.get("model"))
        extra = value.get("extra")
        if extra is not None and not isinstance(extra, dict):
            raise wrong((*path, "extra"), extra, "an object")
        beside = {(*path, "extra", field): held for field, held in (extra or {}).items()}
        value, path = value[name], (*path, name)
    if not isinstance(value, list):
        raise wrong(path, value, "an array of token ids")
    if len(value) == 1 and isinstance(value[0], list):  # a batch of one, as tokenizers return it
        value, path = value[0], (*path, 0)
    ids = tuple(_id(entry, path, i) for i, entry in enumerate(value))
    named = {place: (str(place[-1]),) for place in beside}
    return Body((), consumed, model, token_ids=ids, at=path, settings=beside, named=named)


def _id(value: Json, path: Path, index: int) -> int:
    if not isinstance(value, Number):
        raise wrong((*path, index), value, "a token id")
    if not (value.text.isdigit() and len(value.text) <= _MOST_DIGITS):
        raise PromptlintError(f"{pointer((*path, index))} is no token id: {shown(value.text[:20])}")
    return int(value.text)
