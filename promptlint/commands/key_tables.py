"""The tables of `promptlint key`."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from promptlint.finding import Side, Table
from promptlint.key_facts import KeyBlocks, KeyFacts, KeyParting, KeySetting, Pointer

if TYPE_CHECKING:
    from promptlint.commands.key_request import Keyed

_FIRST, _LAST = 16, 8  # blocks that are printed of a long prompt
_WHOLE = 20  # digits of a key that is printed whole in a table
_DIGITS = 12  # that are printed of a longer one
_EXCERPT, _NARROW, _WIDE = 24, 14, 56  # characters
_UNKNOWN = "unknown"
_BY_ENTRIES = ("markers", "message-ends")
_CACHES = {
    "markers": "entries at markers",
    "message-ends": "an entry at the end of a message, and at explicit breakpoints",
    "steps": "the longest equal prefix",
    "objects": "named objects, and the longest equal prefix at best effort",
    "prefix": "the longest equal prefix",
}
_SIZES = {"below": "is below it", "unlikely": "is below it", "near": "is near it", "above": "reaches it"}
_LONG_ENOUGH = {"below": "no", "unlikely": "unlikely", "near": "perhaps", "above": "yes"}

Row = tuple[str | int | None, ...]


def tables(found: "Keyed", *, excerpts: bool) -> tuple[Table, ...]:
    """All about one request."""
    facts = found.facts
    done = [Table(_source(facts.side), ("key", "value"), tuple(_about(facts)))]
    sent = [setting for setting in facts.settings if setting.value is not None]
    if sent:
        done.append(_settings(sent))
    if facts.levels:
        rows = tuple((run.level, run.start, run.end, run.end - run.start) for run in facts.levels)
        done.append(Table(f"Levels, in {_tokens(facts)}", ("level", "from", "to", "tokens"), rows))
    if facts.markers:
        done.append(_entries(facts))
    if facts.blocks is not None and facts.blocks.keys:
        done.append(_blocks(facts.blocks, _Text(found) if excerpts else None))
        if facts.blocks.extras:
            done.append(_beside(facts.blocks))
    return tuple(done)


def table_notes(facts: KeyFacts) -> Iterator[str]:
    """What would be too long for a cell."""
    unsent = [setting for setting in facts.settings if setting.value is None]
    certain = ", ".join(setting.field for setting in unsent if setting.certainty == "certain")
    others = ", ".join(setting.field for setting in unsent if setting.certainty != "certain")
    if certain:
        yield f"not sent, but part of the key once they are: {certain}"
    if others:
        yield f"not sent, and perhaps part of the key once they are: {others}"
    for setting in facts.settings:
        if setting.value is not None and setting.note:
            yield f"{setting.field}: {setting.note}"
    for number, marker in enumerate(facts.markers):
        if marker.refused:
            yield f"entry {number}: {marker.refused}"
    if facts.blocks is not None:
        engine = facts.blocks.engine
        yield f"keys: {engine.source} (checked {engine.checked})"


def parting_table(a: "Keyed", b: "Keyed", found: KeyParting | None, *, excerpts: bool) -> Table:
    """Where the keys of two requests part. Why, which may be long, is a note."""
    rows: list[Row] = [("a", _named(a.facts)), ("b", _named(b.facts))]
    if found is None:
        return Table("No key of a is missing in b", ("what", "value"), (*rows, ("keys", _equal(a, b))))
    rows += [
        ("equal", f"{found.number:,} {found.unit}{'s' * (found.number != 1)}"),
        ("first", f"{found.unit} {found.number:,}, tokens {found.start:,}:{found.end:,}"),
        ("part", found.part),
    ]
    for name, side in (("a", a), ("b", b)):
        if side.chain is None or side.facts.blocks is None or found.number >= len(side.chain.keys):
            continue
        rows.append((f"key of {name}", side.facts.blocks.keys[found.number]))
        if excerpts:
            text = _Text(side).of(found.start, side.chain.end(found.number))
            rows.append((f"text of {name}", _short(text, _WIDE)))
    return Table("Where the keys part", ("what", "value"), tuple(rows))


def _equal(a: "Keyed", b: "Keyed") -> str:
    if a.chain is None or b.chain is None:
        if a.facts.cache in _BY_ENTRIES and not a.facts.markers:
            return "a leaves no entry in the cache"
        return "b has the same text up to the end of each entry of a, or of each whole step"
    count = len(a.chain.keys)
    more = "; a goes on with what has no key here" if not (a.whole and b.whole) else ""
    return f"a has no full block{more}" if not count else f"all {count:,} of a are those of b{more}"


def _source(side: Side) -> str:
    path = side.path if side.revision is None else f"{side.revision}:{side.path}"
    return path if side.record is None else f"{path}#{side.record}"


def _named(facts: KeyFacts) -> str:
    """The input, of a long path its end."""
    path, about = _source(facts.side), f" ({facts.side.model or facts.side.format})"
    most = max(_WIDE - len(about), _NARROW)
    return f"{path if len(path) <= most else '…' + path[1 - most :]}{about}"


def _tokens(facts: KeyFacts) -> str:
    return "tokens" if facts.side.exact else "estimated tokens"


def _about(facts: KeyFacts) -> Iterator[Row]:
    side = facts.side
    about = "" if side.exact else "about "
    yield "provider", side.provider
    yield "model", side.model or "not named"
    yield "prompt", f"{about}{side.prompt_tokens or 0:,} tokens ({side.tokenizer})"
    if facts.blocks is not None:
        engine = facts.blocks.engine
        yield "engine", f"{engine.title} {engine.version}" if engine.version else engine.title
        yield "hash", engine.hash if engine.seed is None else f"{engine.hash}, seed {engine.seed}"
        yield engine.unit, f"{facts.blocks.block_tokens:,} tokens; {len(facts.blocks.keys):,} have a key"
        return
    step = f", in steps of {facts.step:,} tokens" if facts.step > 1 else ""
    yield "cache", f"{_CACHES.get(facts.cache, facts.cache)}{step}"
    if facts.minimum is not None:
        yield "minimum", f"{facts.minimum:,} tokens; the whole prompt {_SIZES.get(facts.size, 'is not compared')}"
    elif facts.cache != "prefix":
        yield "minimum", "not known"


def _settings(sent: Iterable[KeySetting]) -> Table:
    rows = tuple((each.field, each.value, each.level or _UNKNOWN, each.certainty) for each in sent)
    return Table("Settings that key the cache", ("field", "value", "loses from", "certainty"), rows)


def _entries(facts: KeyFacts) -> Table:
    rows = tuple(
        (
            str(number),
            _pointer(each.pointer),
            each.line,
            "you" if each.explicit else "provider",
            each.ttl or _UNKNOWN,
            each.tokens,
            "refused" if each.refused else _LONG_ENOUGH.get(each.size, _UNKNOWN),
        )
        for number, each in enumerate(facts.markers)
    )
    columns = ("entry", "ends at", "line", "set by", "lifetime", "tokens", "long enough")
    return Table(f"Entries, with the {_tokens(facts)} up to each", columns, rows)


def _pointer(pointer: Pointer) -> str:
    return pointer if isinstance(pointer, str) else " > ".join(pointer)


class _Text:
    """The text of tokens: of the prompt's own bytes, or as the vocabulary spells given ids."""

    def __init__(self, found: "Keyed") -> None:
        self._ids = found.ids
        self._tokenizer = found.single.options.tokenizer
        self._prompt = found.single.prompt
        self._spelled = self._prompt is not None or found.single.options.chosen

    def of(self, start: int, end: int) -> str:
        """Of tokens `start:end`; the ids themselves where nobody gave a vocabulary."""
        ids = self._ids[start:end]
        if not self._spelled:
            return " ".join(map(str, ids))
        if self._prompt is not None and self._prompt.tokens is not None:
            ends, data = (0, *self._prompt.tokens.ends), self._prompt.text.encode()
            return data[ends[start] : ends[end]].decode(errors="replace")
        return self._tokenizer.decode(ids).decode(errors="replace")


def _blocks(found: KeyBlocks, text: _Text | None) -> Table:
    count = len(found.keys)
    shown = [*range(count)] if count <= _FIRST + _LAST else [*range(_FIRST), *range(count - _LAST, count)]
    path = found.sequence is not None  # then keys are not chained, and have no parent
    columns = ["block", "tokens", "key", "path" if path else "parent", *["excerpt"] * (text is not None)]
    rows: list[Row] = []
    for index in shown:
        if index == count - _LAST and count > len(shown):
            rows.append(("…", f"{count - len(shown):,} more", *[""] * (len(columns) - 2)))
        start, end = index * found.block_tokens, found.end(index)
        beside = _cut(found.parent(index), _DIGITS) if found.sequence is None else str(found.sequence[index])
        row = [str(index), f"{start}:{end}", _cut(found.keys[index]), beside]
        if text is not None:
            row.append(_short(text.of(start, end), _EXCERPT if len(found.keys[0]) > _WHOLE else _NARROW))
        rows.append(tuple(row))
    cut = count > len(shown) or len(found.keys[0]) > _WHOLE
    hint = " (whole with --format json or --only-hashes)" if cut else ""
    return Table(f"{found.engine.unit.capitalize()}s{hint}", tuple(columns), tuple(rows))


def _beside(found: KeyBlocks) -> Table:
    """What keys hold beside tokens and parent; a run of blocks with the same is one row."""
    runs: list[tuple[int, int, tuple[str, ...]]] = []
    for index, parts in sorted(found.extras.items()):
        if runs and runs[-1][1:] == (index, parts):
            runs[-1] = (runs[-1][0], index + 1, parts)
        else:
            runs.append((index, index + 1, parts))
    rows = [(f"{start}:{end}", ", ".join(parts)) for start, end, parts in runs[:_FIRST]]
    if len(runs) > _FIRST:
        rows.append(("…", f"{len(runs) - _FIRST:,} more (--format json)"))
    return Table("Beside tokens and parent", (f"{found.engine.unit}s", "in the key"), tuple(rows))


def _cut(key: str | None, most: int = _WHOLE) -> str:
    if key is None:
        return "none"
    return key if len(key) <= most else f"{key[:_DIGITS]}…"


def _short(text: str, most: int = _EXCERPT) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
