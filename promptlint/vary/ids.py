"""Variations of a prompt that is given as token ids."""

from collections.abc import Iterator

from promptlint.prompt import Json, Number
from promptlint.vary.edit import changed, put
from promptlint.vary.variation import Source, Variation


def variations(source: Source) -> Iterator[Variation]:
    ids = source.request.token_ids or ()
    path = source.request.path
    if not ids:
        return
    numbers: list[Json] = [Number(str(number)) for number in ids]

    def with_ids(*new: Json) -> Json:
        return put(source.value, path, list(new))

    yield Variation(
        "bos-doubled", "engine", "the first token sent twice, as a second BOS is", with_ids(numbers[0], *numbers)
    )
    yield Variation("bos-missing", "engine", "the first token left out, as a missing BOS is", with_ids(*numbers[1:]))
    middle = len(ids) // 2
    other = Number(str(ids[middle] + 1))
    yield Variation(
        "token-changed",
        "text",
        "the token in the middle changed",
        with_ids(*numbers[:middle], other, *numbers[middle + 1 :]),
    )
    yield Variation("tokens-appended", "messages", "tokens added at the end", with_ids(*numbers, *numbers[:16]))
    if isinstance(source.value, dict) and path and source.salted:
        for name, field in (("cache-salt", "cache_salt"), ("adapter", "lora_name")):
            wanted = "tenant-b" if field == "cache_salt" else "another-adapter"
            at = (*path[:-1], "extra")
            new = changed(source.value, at, lambda held, f=field, w=wanted: _with(held, f, w))  # type: ignore[misc]
            yield Variation(name, "engine", f"another {field}", new, (*at, field))


def _with(extra: Json, field: str, value: str) -> Json:
    held = extra if isinstance(extra, dict) else {}
    beside: dict[str, Json] = (
        {"lora_path": f"/adapters/{value}", "lora_int_id": Number("2")} if field == "lora_name" else {}
    )
    return {**held, field: value, **beside}
