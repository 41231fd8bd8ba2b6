"""The first block, or entry, of a request whose key is none of another request, and which part of the key it is."""

from collections.abc import Iterator
from typing import NamedTuple

from promptlint.boundary import text_divergences
from promptlint.boundary.counts import count, shared_tokens
from promptlint.boundary.divergence import shared_chars
from promptlint.boundary.settings import setting_differences
from promptlint.cache import keys
from promptlint.cache.meaning import harmless, setting_meaning, setting_row
from promptlint.cache.reuse import level_start
from promptlint.cache.traits import trait_differences
from promptlint.commands.compare import compare
from promptlint.commands.key_request import Keyed
from promptlint.key_facts import KeyParting
from promptlint.prompt import Level, Rendered


def parting(a: Keyed, b: Keyed) -> tuple[KeyParting | None, tuple[str, ...]]:
    """None: every key of A is one of B. With an engine both were made in one way. Besides, notes of the comparison."""
    if a.chain is not None and b.chain is not None:
        return _of_blocks(a, b, a.chain, b.chain)
    old, new = a.single.prompt, b.single.prompt
    if old is None or new is None:
        return _of_ids(a, b), ()
    found = sorted(_differences(a, b, old, new), key=lambda each: each.char)
    notes = tuple(each.message for each in found if each.part == "account")
    first = next((each for each in found if each.part != "account"), None)
    if first is None:
        return None, notes
    if a.facts.cache in ("markers", "message-ends"):
        return _of_entries(a, first), notes
    return _of_steps(a, b, old, new, first), notes


def _of_blocks(a: Keyed, b: Keyed, old: keys.Chain, new: keys.Chain) -> tuple[KeyParting | None, tuple[str, ...]]:
    found = keys.parted(old, new, a.ids, b.ids)
    if found is None or a.facts.blocks is None:
        return None, ()
    start = found.block * old.block_tokens
    part, message, notes = _part(found, a, b, old, new)
    return KeyParting(a.facts.blocks.engine.unit, found.block, start, old.end(found.block), part, message), notes


def _part(
    found: keys.Parting, a: Keyed, b: Keyed, old: keys.Chain, new: keys.Chain
) -> tuple[str, str, tuple[str, ...]]:
    """Which part of a key differs, what is to be said of it, and notes."""
    if found.part == "end":
        return "length", f"b has {len(new.keys):,} keys, all of which are those of a", ()
    if found.part == "tokens":
        options = a.single.options._replace(block_size=old.block_tokens)
        diff, notes = compare(a.single.request, b.single.request, options)
        text = [change for change in diff.changes if change.affects in ("prefix", "suffix")]
        first = min(text, key=lambda change: change.shared_tokens or 0, default=None)
        why = f": {first.cause}: {first.message}" if first is not None else ""
        return "tokens", f"token {found.token:,} is the first that differs{why}", notes
    x, y = keys.extra_of(a.single.request), keys.extra_of(b.single.request)
    parts = [
        ("adapter", (x.lora_name, x.lora_path, x.lora_int_id), (y.lora_name, y.lora_path, y.lora_int_id)),
        ("media", x.media, y.media),
        ("namespace", x.extra_key, y.extra_key),
        ("salt", x.cache_salt, y.cache_salt),
    ]
    named = [name for name, one, other in parts if one != other]
    held = [", ".join(chain.extras.get(found.block, ())) or "nothing" for chain in (old, new)]
    beside = f"; beside tokens and parent a holds {held[0]}, b {held[1]}" if held[0] != held[1] else ""
    differ = "differs" if len(named) == 1 else "differ"
    return named[0], f"the tokens are equal, and the {' and '.join(named)} {differ}{beside}", ()


def _of_ids(a: Keyed, b: Keyed) -> KeyParting | None:
    """Ids as given, without an engine: token by token."""
    old, new = a.single.request.token_ids or (), b.single.request.token_ids or ()
    first = next((i for i, (x, y) in enumerate(zip(old, new, strict=False)) if x != y), None)
    if first is None:
        return None if len(old) <= len(new) else KeyParting("token", len(new), len(new), len(old), "length", "b ends")
    return KeyParting("token", first, first, first + 1, "tokens", f"{old[first]} became {new[first]}")


class _Difference(NamedTuple):
    """Something that keys tell apart."""

    char: int  # of the first prompt, up to which keys are equal in spite of it
    part: str  # as in KeyParting; account: perhaps another one, which no request tells
    message: str
    other: int | None = None  # of text: where it stands in the second prompt


def _differences(a: Keyed, b: Keyed, old: Rendered, new: Rendered) -> Iterator[_Difference]:
    provider, request = a.single.provider, b.single.request
    settings = [*setting_differences(old.request, request), *trait_differences(old.request, request, provider)]
    for each in settings:
        meaning = setting_meaning(each, old, request, provider, len(old.text))
        message = f"{meaning.cause}: {meaning.message}"
        row = setting_row(each.field, provider, request)
        if meaning.affects == "key":
            level: Level = "tools" if row is None else row.level
            part = "model" if each.cause == "model-changed" else "setting"
            yield _Difference(level_start(old, level), part, message)
        elif row is not None and meaning.certainty == "unknown":
            yield _Difference(0, "account", message)
    shared = shared_chars(old, new)
    if old.template is None:
        found = [each for each in text_divergences(old, new) if not harmless(each)]
        first = min(found, key=lambda each: each.a_start, default=None)
        if first is not None:
            message = f"{first.cause}: {first.message or 'the text differs'}"
            yield _Difference(min(shared, first.a_start), first.level, message, min(shared, first.b_start))
            return
    if shared < min(len(old.text), len(new.text)):
        level = next((item.item.level for item in reversed(old.items) if item.char <= shared), "messages")
        yield _Difference(shared, level, "the chat template prints another text", shared)
    elif shared < len(old.text):
        yield _Difference(shared, "length", "b ends here", shared)


def _of_entries(a: Keyed, first: _Difference) -> KeyParting | None:
    """The first entry of A behind a difference; None if all of them end in front of it."""
    unit, start = ("marker" if a.facts.cache == "markers" else "message"), 0
    for number, (marker, end) in enumerate(zip(a.facts.markers, a.ends, strict=True)):
        if end > first.char:
            return KeyParting(unit, number, start, marker.tokens, first.part, first.message)
        start = marker.tokens
    return None


def _of_steps(a: Keyed, b: Keyed, old: Rendered, new: Rendered, first: _Difference) -> KeyParting | None:
    """The first step, or token, of A behind a difference; None if it is not a whole one."""
    counts, step = count(a.single.options.tokenizer, old, new), a.facts.step
    tokens = counts.in_a(first.char) if first.other is None else shared_tokens(counts, first.char, first.other)
    total = a.facts.side.prompt_tokens or 0
    number = tokens // step
    if (number + 1) * step > total:
        return None
    unit = "step" if step > 1 else "token"
    return KeyParting(unit, number, number * step, (number + 1) * step, first.part, first.message)
