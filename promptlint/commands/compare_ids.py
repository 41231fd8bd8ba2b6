"""Two lists of token ids: the prompt is known token by token, its text only where a vocabulary is given."""

from collections.abc import Sequence

from promptlint.boundary.align import common_head
from promptlint.boundary.divergence import Divergence
from promptlint.boundary.ids import Decode, id_differences
from promptlint.cache.meaning import Meaning, text_meaning
from promptlint.cache.reuse import block_floor
from promptlint.commands.options import Options
from promptlint.commands.places import places
from promptlint.facts.providers import Provider
from promptlint.finding import Boundary, Change, Diff, Place, Side, Verdict
from promptlint.prompt import Request
from promptlint.read.places import pointer


def compare_ids(old: Request, new: Request, provider: Provider, options: Options) -> Diff:
    """The difference of two requests that are nothing but token ids."""
    a, b = old.token_ids or (), new.token_ids or ()
    decode = options.tokenizer.decode if options.chosen else None
    found = list(id_differences(a, b, old.path, new.path, decode))
    shared = common_head(a, b)
    readable = min(len(a), len(b)) if shared in (len(a), len(b)) else len(a)
    named = [(d, text_meaning(d, readable)) for d in found]
    if options.first:
        named = named[:1]
    boundary = _boundary(a, b, shared, readable, decode, options)
    changes = _changes(old, new, named, decode)
    verdict: Verdict = "bust" if boundary.lost_tokens else "same" if a == b else "kept"
    return Diff(
        verdict, _side(old, provider, options, decode), _side(new, provider, options, decode), boundary, changes
    )


def _boundary(
    a: Sequence[int], b: Sequence[int], shared: int, readable: int, decode: Decode | None, options: Options
) -> Boundary:
    usable, size = shared, options.block_size
    if size:
        usable = block_floor(shared, len(b), size)
        readable = usable if shared == readable else readable // size * size
    return Boundary(
        shared_bytes=len(decode(a[:shared])) if decode else None,
        shared_tokens=shared,
        usable_tokens=usable,
        lost_tokens=max(readable - usable, 0),
        lost_usd=None,
        unit="block" if size else "token",
        exact=True,
        band="",
        why="full blocks of the longest equal prefix are reused" if size else "the longest equal prefix is reused",
        token_note="",
        shared_blocks=shared // size if size else None,
    )


def _changes(
    old: Request, new: Request, named: list[tuple[Divergence, Meaning]], decode: Decode | None
) -> tuple[Change, ...]:
    a, b = old.token_ids or (), new.token_ids or ()
    places_a = places(old, [d.a for d, _ in named], [_id(a, d.a_start) if d.a_present else None for d, _ in named])
    places_b = places(new, [d.b for d, _ in named], [_id(b, d.b_start) if d.b_present else None for d, _ in named])
    starts = [d.a_start for d, _ in named]
    return tuple(
        _change(d, m, places_a[i], places_b[i], min(starts[i + 1 :], default=len(a)), a, decode)
        for i, (d, m) in enumerate(named)
    )


def _id(ids: Sequence[int], i: int) -> str | None:
    return str(ids[i]) if i < len(ids) else None


def _change(
    d: Divergence, m: Meaning, a: Place, b: Place, after: int, ids: Sequence[int], decode: Decode | None
) -> Change:
    return Change(
        cause=m.cause,
        message=m.message,
        level=d.level,
        certainty=m.certainty,
        affects=m.affects,
        severity=m.severity,
        a=a,
        b=b,
        within=pointer(d.within),
        also=(),
        shared_bytes=len(decode(ids[: d.a_start])) if decode else None,
        shared_tokens=d.a_start,
        alone_tokens=d.a_start,
        after_fix_tokens=after,
        fix=m.fix,
        lost_tokens=len(ids) - d.a_start if m.affects == "prefix" else 0,
    )


def _side(request: Request, provider: Provider, options: Options, decode: Decode | None) -> Side:
    ids = request.token_ids or ()
    return Side(
        path=request.document.path,
        revision=request.document.revision,
        record=request.document.record,
        format=request.format,
        provider=provider.name,
        model=request.model,
        tokenizer=options.tokenizer.name if decode else "ids as given",
        exact=True,
        prompt_bytes=len(decode(ids)) if decode else None,
        prompt_tokens=len(ids),
    )
