"""The first block, or entry, of two requests whose key differs, and which part of the key it is."""

from promptlint.cache import keys
from promptlint.commands.compare import compare
from promptlint.commands.key_request import Keyed
from promptlint.finding import Change, Diff
from promptlint.key_facts import KeyParting


def parting(a: Keyed, b: Keyed) -> tuple[KeyParting | None, tuple[str, ...]]:
    """None: every key of A is one of B. With an engine both were made in one way. Besides, notes of the comparison."""
    if a.chain is None or b.chain is None or a.facts.blocks is None:
        diff, notes = compare(a.single.request, b.single.request, a.single.options)
        return _of_entries(a, diff), notes
    found = keys.parted(a.chain, b.chain, a.ids, b.ids)
    if found is None:
        return None, ()
    unit, size = a.facts.blocks.engine.unit, a.chain.block_tokens
    start = found.block * size
    longer = max((a.chain, b.chain), key=lambda chain: len(chain.keys))
    part, message, notes = _part(found, a, b)
    return KeyParting(unit, found.block, start, longer.end(found.block), part, message), notes


def _part(found: keys.Parting, a: Keyed, b: Keyed) -> tuple[str, str, tuple[str, ...]]:
    """Which part of a key differs, what is to be said of it, and notes."""
    assert a.chain is not None
    assert b.chain is not None
    if found.part == "end":
        short, long = ("a", "b") if len(a.chain.keys) < len(b.chain.keys) else ("b", "a")
        count = len(a.chain.keys) if short == "a" else len(b.chain.keys)
        return "length", f"{short} ends with {count:,} full blocks, all of which are those of {long}", ()
    if found.part == "tokens":
        options = a.single.options._replace(block_size=a.chain.block_tokens)
        diff, notes = compare(a.single.request, b.single.request, options)
        first = _first(diff)
        why = f": {first.cause}: {first.message}" if first is not None else ""
        return "tokens", f"token {found.token:,} is the first that differs{why}", notes
    old, new = keys.extra_of(a.single.request), keys.extra_of(b.single.request)
    parts = [
        ("adapter", (old.lora_name, old.lora_path, old.lora_int_id), (new.lora_name, new.lora_path, new.lora_int_id)),
        ("media", old.media, new.media),
        ("namespace", old.extra_key, new.extra_key),
        ("salt", old.cache_salt, new.cache_salt),
    ]
    named = [name for name, x, y in parts if x != y]
    held = [", ".join(chain.extras.get(found.block, ())) or "nothing" for chain in (a.chain, b.chain)]
    beside = f"; beside tokens and parent a holds {held[0]}, b {held[1]}" if held[0] != held[1] else ""
    return named[0], f"the tokens are equal, and the {' and '.join(named)} differ{'s' * (len(named) == 1)}{beside}", ()


def _of_entries(a: Keyed, diff: Diff) -> KeyParting | None:
    """Under the rules of a provider: the first entry of A that B does not find."""
    first = _first(diff)
    if first is None:
        return None
    usable = diff.boundary.usable_tokens or 0
    part = _named_part(first)
    message = f"{first.cause}: {first.message}"
    start = 0
    for index, marker in enumerate(a.facts.markers):
        if marker.tokens > usable:
            return KeyParting(diff.boundary.unit, index, start, marker.tokens, part, message)
        start = marker.tokens
    end = usable + (diff.boundary.lost_tokens or 0)
    return KeyParting(diff.boundary.unit, len(a.facts.markers), usable, end, part, message)


def _named_part(change: Change) -> str:
    if change.cause == "model-changed":
        return "model"
    if change.cause.startswith("marker-"):
        return "markers"
    return "setting" if change.level == "settings" else change.level


def _first(diff: Diff) -> Change | None:
    """The first change that reaches what is cached; of several that cost, the one that stands first in the prompt."""
    costly = [change for change in diff.changes if change.affects in ("prefix", "key")]
    return min(costly, key=lambda change: change.alone_tokens or 0, default=None)
