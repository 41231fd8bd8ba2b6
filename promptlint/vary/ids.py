"""Variations of a prompt that is given as token ids."""

from collections.abc import Iterator

from promptlint.prompt import Json, Number, Path
from promptlint.vary.edit import put
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
        extra = source.value.get("extra")
        held = extra if isinstance(extra, dict) else {}
        at: Path = (*path[:-1], "extra")
        salt = "tenant-c" if held.get("cache_salt") == "tenant-b" else "tenant-b"
        new = put(source.value, at, {**held, "cache_salt": salt})
        yield Variation("cache-salt", "engine", "another cache_salt", new, (*at, "cache_salt"))
        name = "adapter-c" if held.get("lora_name") == "adapter-b" else "adapter-b"
        adapter: dict[str, Json] = {"lora_name": name, "lora_path": f"/adapters/{name}", "lora_int_id": Number("2")}
        yield Variation("adapter", "engine", "another adapter", put(source.value, at, {**held, **adapter}), at)
