"""What `promptlint key` knows, as JSON: every field is written out by hand (schemas/report.schema.json).

A long prompt has a hundred thousand blocks: these are written as lines, one each, not value by value.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from promptlint.finding import Report
from promptlint.key_facts import KeyBlocks, KeyFacts, KeyLevel, KeyMarker, KeyParting, KeySetting, Pointer
from promptlint.report.json_side import side
from promptlint.report.secrets import mask

Object = dict[str, Any]
_PLACE = "blocks of "  # stands for the value of `blocks`, which no other field is called


def key(report: Report) -> tuple[Object, Callable[[str], str]]:
    """The object `key`, and what puts the blocks into the text that is made of it."""
    held = [facts.blocks for facts in report.keys]
    done = [_facts(facts, f"{_PLACE}{number}") for number, facts in enumerate(report.keys)]

    def fill(text: str) -> str:
        for number, blocks in enumerate(held):
            text = text.replace(f'"blocks": "{_PLACE}{number}"', f'"blocks": {_blocks(blocks)}', 1)
        return text

    if len(done) == 1:
        return done[0], fill
    return {"a": done[0], "b": done[1], "parting": _parting(report.parting)}, fill


def _facts(facts: KeyFacts, blocks: str) -> Object:
    return {
        **side(facts.side),
        "cache": facts.cache,
        "step": facts.step,
        "minimum_tokens": facts.minimum,
        "size": facts.size,
        "settings": [_setting(setting) for setting in facts.settings],
        "levels": [_level(level) for level in facts.levels],
        "markers": [_marker(marker) for marker in facts.markers],
        "engine": None if facts.blocks is None else _engine(facts.blocks),
        "blocks": blocks,
    }


def _setting(setting: KeySetting) -> Object:
    return {
        "field": mask(setting.field),
        "value": None if setting.value is None else mask(setting.value),
        "pointer": None if setting.pointer is None else _pointer(setting.pointer),
        "level": setting.level,
        "certainty": setting.certainty,
        "note": setting.note,
    }


def _level(level: KeyLevel) -> Object:
    return {"level": level.level, "start": level.start, "end": level.end}


def _marker(marker: KeyMarker) -> Object:
    return {
        "pointer": _pointer(marker.pointer),
        "line": marker.line,
        "column": marker.column,
        "level": marker.level,
        "kind": marker.kind,
        "explicit": marker.explicit,
        "ttl": marker.ttl or None,
        "tokens": marker.tokens,
        "minimum_tokens": marker.minimum,
        "size": marker.size,
        "refused": mask(marker.refused) or None,
    }


def _engine(blocks: KeyBlocks) -> Object:
    engine = blocks.engine
    return {
        "name": engine.name,
        "version": engine.version,
        "hash": engine.hash,
        "seed": None if engine.seed is None else mask(engine.seed),
        "unit": engine.unit,
        "block_tokens": blocks.block_tokens,
        "source": engine.source,
        "checked": engine.checked,
    }


def _blocks(blocks: KeyBlocks | None) -> str:
    if blocks is None or not blocks.keys:
        return "[]"
    return "[\n" + ",\n".join(_lines(blocks)) + "\n    ]"


def _lines(blocks: KeyBlocks) -> Iterator[str]:
    """Keys are digits only, so they need no escapes; what users named does."""
    count, size = len(blocks.keys), blocks.block_tokens
    ends = [*range(size, size * count, size), blocks.end(count - 1)]
    parents = (f'"{blocks.root}"' if blocks.root is not None else "null", *(f'"{key}"' for key in blocks.keys))
    events, paths = _named(blocks.events and blocks.events(), count), _named(blocks.sequence, count)
    full = blocks.end(count - 1) == size * count
    extras = {index: json.dumps([mask(part) for part in parts]) for index, parts in blocks.extras.items()}
    for index, (end, key, parent, event, path) in enumerate(
        zip(ends, parents[1:], parents, events, paths, strict=False)
    ):
        yield (
            f'      {{"index": {index}, "start": {index * size}, "end": {end}, "key": {key}, "parent": {parent}, '
            f'"event": {event}, "sequence": {path}, "extra": {extras.get(index, "[]")}, '
            f'"full": {"true" if full or index < count - 1 else "false"}}}'
        )


def _named(numbers: Sequence[int] | None, count: int) -> Iterable[str]:
    return ["null"] * count if numbers is None else [f'"{number}"' for number in numbers]


def _parting(found: KeyParting | None) -> Object | None:
    if found is None:
        return None
    return {
        "unit": found.unit,
        "index": found.number,
        "start": found.start,
        "end": found.end,
        "part": found.part,
        "message": mask(found.message),
    }


def _pointer(pointer: Pointer) -> str | list[str]:
    return mask(pointer) if isinstance(pointer, str) else [mask(part) for part in pointer]
