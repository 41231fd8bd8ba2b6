"""Two lists of token ids: the prompt is known token by token, its text only where a vocabulary is given."""

from collections.abc import Sequence

from promptlint.boundary.align import common_head
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.ids import id_differences
from promptlint.boundary.settings import setting_differences
from promptlint.cache.meaning import first_level, merged, setting_meaning, text_meaning
from promptlint.cache.steps import whole_units
from promptlint.commands.changes import Figures, Found, behind_last_block, judged, ready
from promptlint.commands.figures import side
from promptlint.commands.options import Options
from promptlint.commands.places import places, setting_value
from promptlint.facts.providers import Provider
from promptlint.finding import Boundary, Change, Diff
from promptlint.prompt import Rendered, Request


def compare_ids(old: Request, new: Request, provider: Provider, options: Options) -> Diff:
    """The difference of two requests that are nothing but token ids. Positions of divergences count tokens."""
    a, b = old.token_ids or (), new.token_ids or ()
    nothing = Rendered(old, "", (), "", 0)  # there is no text, so every level starts at 0
    keyed = [(d, setting_meaning(d, nothing, new, provider, len(a))) for d in setting_differences(old, new)]
    shared = 0 if first_level([meaning for _, meaning in keyed]) else common_head(a, b)
    readable = min(len(a), len(b)) if shared in (len(a), len(b)) else len(a)
    found = id_differences(a, b, old.path, new.path, options.tokenizer.decode if options.chosen else None)
    entries = [Found(d, m) for d, m in merged(keyed)]
    entries += [Found(d, text_meaning(d, readable, readable)) for d in found]
    limits = _boundary(a, b, shared, readable, options)
    changes = _changes(old, new, entries, readable, options)
    vocabulary = options.tokenizer.name if options.chosen else "ids as given"
    return Diff(
        verdict=judged(changes, bool(limits.lost_tokens), a == b),
        a=side(old, provider, vocabulary, _size(a, options), len(a), exact=True),
        b=side(new, provider, vocabulary, _size(b, options), len(b), exact=True),
        boundary=limits,
        changes=changes[:1] if options.first else changes,
    )


def _size(ids: Sequence[int], options: Options) -> int | None:
    """Bytes of these tokens; None without a vocabulary."""
    return len(options.tokenizer.decode(ids)) if options.chosen else None


def _boundary(a: Sequence[int], b: Sequence[int], shared: int, readable: int, options: Options) -> Boundary:
    size = options.block_size
    usable = _usable(shared, b, options)
    left = usable if shared == readable else _full(readable, options)
    return Boundary(
        shared_bytes=_size(a[:shared], options),
        shared_tokens=shared,
        usable_tokens=usable,
        lost_tokens=max(left - usable, 0),
        lost_usd=None,
        unit="block" if size else "token",
        exact=True,
        band="",
        why="full blocks of the longest equal prefix are reused" if size else "the longest equal prefix is reused",
        token_note="",
        shared_blocks=shared // size if size else None,
    )


def _usable(shared: int, b: Sequence[int], options: Options) -> int:
    return whole_units(shared, len(b), options.block_size) if options.block_size else shared


def _full(tokens: int, options: Options) -> int:
    """Tokens in full blocks, where there are blocks."""
    return tokens // options.block_size * options.block_size if options.block_size else tokens


def _changes(old: Request, new: Request, entries: list[Found], readable: int, options: Options) -> tuple[Change, ...]:
    a, b = old.token_ids or (), new.token_ids or ()
    places_a = places(old, [e.divergence.a for e in entries], [_value(e.divergence, old, first=True) for e in entries])
    places_b = places(new, [e.divergence.b for e in entries], [_value(e.divergence, new, first=False) for e in entries])
    alone = [_alone(entry, len(a)) for entry in entries]
    done = []
    for i, entry in enumerate(entries):
        lost = 0
        if entry.meaning.affects in ("prefix", "key"):
            lost = max(_full(readable, options) - _usable(alone[i], b, options), 0)
        after = min(alone[i + 1 :], default=len(a))
        figures = Figures(_size(a[: alone[i]], options), alone[i], after, lost)
        done.append(ready(behind_last_block(entry, lost), places_a[i], places_b[i], figures))
    return tuple(done)


def _alone(entry: Found, tokens: int) -> int:
    """Tokens of A that stay shared if this entry were the only change."""
    if entry.divergence.level == "settings":
        return tokens if entry.meaning.lost_level is None else 0
    return tokens if entry.meaning.affects == "nothing" else entry.divergence.a_start


def _value(divergence: Divergence, request: Request, *, first: bool) -> str | None:
    if not (divergence.a_present if first else divergence.b_present):
        return None
    if divergence.level == "settings":
        return setting_value(request, (divergence.a if first else divergence.b).path)
    ids = request.token_ids or ()
    start = divergence.a_start if first else divergence.b_start
    return str(ids[start]) if start < len(ids) else None
