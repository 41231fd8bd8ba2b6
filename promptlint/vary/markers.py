"""Variations of the author's markers: one moved, one left out, another lifetime."""

from collections.abc import Iterator

from promptlint.prompt import Json, Path, Segment
from promptlint.vary.edit import inserted, put, removed
from promptlint.vary.variation import Source, Variation, is_entry

_WITH_LIFETIME = ("cache_control", "cachePoint")
_ON_TEXT_ONLY = "prompt_cache_breakpoint"
_MESSAGES = ("messages", "input", "contents")  # their entries are no blocks


def variations(source: Source) -> Iterator[Variation]:
    """Nothing where the request has no markers."""
    automatic = source.request.automatic
    if automatic is not None:
        value = removed(source.value, automatic.path)
        yield Variation("marker-removed", "markers", "the marker of the request left out", value, automatic.path)
        return
    segments = [segment for item in source.request.items for segment in item.segments]
    marked = [number for number, segment in enumerate(segments) if segment.marker is not None]
    if not marked:
        return
    last = segments[marked[-1]]
    assert last.marker is not None
    place, point = last.marker.path, source.at(last.marker.path)
    yield Variation("marker-removed", "markers", "the last marker left out", _taken(source, source.value, place), place)
    front = reversed(segments[: marked[-1]])
    target = next(
        (at for segment in front if segment.marker is None and (at := _carrier(source, segment, place))), None
    )
    if target is not None:
        value = _set(source, _taken(source, source.value, place), target, place, point)
        yield Variation("marker-moved-back", "markers", "the last marker moved to a block in front", value, target)
    target = _carrier(source, segments[-1], place) if segments[-1] is not last else None
    if target is not None:
        value = _taken(source, _set(source, source.value, target, place, point), place)
        yield Variation("marker-moved-on", "markers", "the last marker moved to the newest block", value, target)
    if isinstance(point, dict) and place[-1] in _WITH_LIFETIME:
        yield _other_lifetime(source, place, point, last.marker.ttl)


def _other_lifetime(source: Source, place: Path, point: dict[str, Json], ttl: str | None) -> Variation:
    wanted: dict[str, Json] = {name: held for name, held in point.items() if name != "ttl"}
    does = "the last marker asks for the default lifetime"
    if ttl != "1h":
        wanted, does = {**wanted, "ttl": "1h"}, "the last marker asks for 1h"
    return Variation("marker-lifetime", "markers", does, put(source.value, place, wanted), place)


def _is_block(source: Source, place: Path) -> bool:
    """Whether a marker is a block of its own, as Bedrock's are."""
    holder = source.at(place[:-1])
    return isinstance(holder, dict) and len(holder) == 1 and is_entry(place[:-1])


def _taken(source: Source, value: Json, place: Path) -> Json:
    return removed(value, place[:-1] if _is_block(source, place) else place)


def _set(source: Source, value: Json, target: Path, place: Path, point: Json) -> Json:
    """The document with the marker of `place` at the block `target` too."""
    name = str(place[-1])
    if not _is_block(source, place):
        return put(value, (*target, name), point)
    *holder, index = target
    assert isinstance(index, int)
    marker: Json = {name: point}
    return inserted(value, (*holder, index + 1), marker)


def _carrier(source: Source, segment: Segment, place: Path) -> Path | None:
    """The block that would carry the marker of `place`; None for a bare text, and for what carries none."""
    if segment.kind == "thinking" or segment.content == "":
        return None
    if segment.kind == "text":
        path = segment.path[:-1] if segment.path[-1:] == ("text",) else segment.path
    else:
        path = segment.path
    fits = segment.kind == "text" or place[-1] != _ON_TEXT_ONLY
    in_list = is_entry(path) and path[-2] not in _MESSAGES
    return path if fits and in_list and isinstance(source.at(path), dict) else None
