"""One pair of requests -> a Diff: differences named, their meaning, tokens, places."""

from promptlint.boundary import text_divergences
from promptlint.boundary.counts import count
from promptlint.boundary.divergence import Divergence, shared_chars
from promptlint.boundary.settings import setting_differences
from promptlint.cache.marker_faults import MarkerFault, moved_forward, out_of_reach, refusals, standing_still
from promptlint.cache.meaning import Meaning, harmless, setting_meaning, text_meaning
from promptlint.cache.reuse import Reuse, left_readable, reuse
from promptlint.commands.changes import Found, benign_form, changes, fault_found
from promptlint.commands.figures import Compared, boundary
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.facts.providers import Provider, is_known, names
from promptlint.facts.providers import provider as provider_row
from promptlint.finding import Boundary, Diff, Side, Verdict
from promptlint.prompt import Level, Rendered, Request
from promptlint.render import render


def compare(old: Request, new: Request, options: Options) -> tuple[Diff, tuple[str, ...]]:
    """The difference of two requests of one format, and notes on both inputs."""
    if old.format != new.format:
        formats = f"{old.format} and {new.format}"
        raise PromptlintError(f"the inputs are of two formats, {formats}", "read both as one with --input-format")
    provider = _provider(old, new, options)
    if old.token_ids is not None and new.token_ids is not None:
        from promptlint.commands.compare_ids import compare_ids

        return compare_ids(old, new, provider, options), old.notes + new.notes
    a = render(old)
    b = render(new, like=a)
    return _compare(a, b, provider, options), (*old.notes, *a.notes, *new.notes, *b.notes)


def _provider(old: Request, new: Request, options: Options) -> Provider:
    name = options.provider or (old.provider if old.provider != "unknown" else new.provider)
    if options.provider and not is_known(name):
        raise PromptlintError(f"unknown provider {name}", f"one of {', '.join(names())}")
    row = provider_row(name)
    if options.block_size is not None:
        if row.cache == "markers":
            raise PromptlintError(f"{name} reads entries at markers, not in blocks", "leave out --block-size")
        if options.block_size < 1:
            raise PromptlintError("a block holds at least one token", "give --block-size a positive number")
    return row


def _compare(a: Rendered, b: Rendered, provider: Provider, options: Options) -> Diff:
    keyed = [(d, setting_meaning(d, b.request, provider)) for d in setting_differences(a.request, b.request)]
    lost_level = _first_level([meaning for _, meaning in keyed])
    text = text_divergences(a, b)
    shared = min([shared_chars(a, b), *(d.a_start for d in text if not harmless(d))])
    found = reuse(a, b, shared, provider, lost_level)
    named = [(d, text_meaning(d, left_readable(a, provider))) for d in text]
    faults = [fault_found(fault, a, b) for fault in _faults(found, shared, a, b, provider, lost_level)]
    entries = [fault for fault in faults if fault.refused]
    entries += [Found(d, m) for d, m in _merged(keyed)] + [Found(d, m) for d, m in named]
    entries += [fault for fault in faults if not fault.refused]
    if not entries and a.request.document.data != b.request.document.data:
        entries.append(benign_form(a, b))
    entries.sort(key=lambda entry: entry.meaning.severity == "info")  # what costs something comes first
    compared = Compared(count(options.tokenizer, a, b), found, shared, provider, options)
    # The totals first: the tokenizer then sees how much there is to do, and picks its engine once.
    tokens_a, tokens_b = (None, None) if options.first else (compared.counts.total_a, compared.counts.total_b)
    limits = boundary(compared)
    return Diff(
        verdict=_verdict(entries, found, limits, a.text == b.text),
        a=_side(a, provider, options, tokens_a),
        b=_side(b, provider, options, tokens_b),
        boundary=limits,
        changes=changes(entries[:1] if options.first else entries, compared),
    )


def _first_level(meanings: list[Meaning]) -> Level | None:
    """The first level that is certainly lost."""
    order: tuple[Level, ...] = ("tools", "system", "messages")
    lost = [meaning.lost_level for meaning in meanings if meaning.lost_level is not None]
    return min(lost, key=order.index, default=None)


def _merged(keyed: list[tuple[Divergence, Meaning]]) -> list[tuple[Divergence, Meaning]]:
    """Fields of one object with one meaning are one change; changes that matter come first."""
    groups: dict[tuple[str, ...], tuple[Divergence, Meaning]] = {}
    for divergence, meaning in keyed:
        top = divergence.field.split(".")[0]
        key = (top if top != "headers" else divergence.field, meaning.cause, meaning.affects, meaning.certainty)
        if key in groups:
            first, said = groups[key]
            merged = said._replace(message=f"{divergence.message}; {said.message}")
            groups[key] = first, merged
        else:
            groups[key] = divergence, meaning
    return sorted(groups.values(), key=lambda entry: entry[1].affects != "key")


def _faults(
    found: Reuse, shared: int, a: Rendered, b: Rendered, provider: Provider, lost_level: Level | None
) -> list[MarkerFault]:
    if provider.cache != "markers":
        return []
    faults = list(refusals(found.new, provider))
    if lost_level is None and not faults:
        candidates = (
            out_of_reach(found, provider, shared),
            standing_still(found, len(a.text), len(b.text), shared),
            moved_forward(found),
        )
        faults += [fault for fault in candidates if fault is not None]
    return faults


def _verdict(entries: list[Found], found: Reuse, limits: Boundary, same_text: bool) -> Verdict:
    if any(entry.refused for entry in entries):
        return "refused"
    if found.usable < found.readable and limits.lost_tokens != 0:
        return "bust"
    if any(entry.meaning.affects == "key" for entry in entries):
        return "unknown"
    moved = any(entry.meaning.cause.startswith("marker-") for entry in entries)
    return "same" if same_text and not moved else "kept"


def _side(rendered: Rendered, provider: Provider, options: Options, tokens: int | None) -> Side:
    request = rendered.request
    return Side(
        path=request.document.path,
        revision=request.document.revision,
        record=request.document.record,
        format=request.format,
        provider=provider.name,
        model=request.model,
        tokenizer=options.tokenizer.name,
        exact=request.format == "text",
        prompt_bytes=rendered.size,
        prompt_tokens=tokens,
    )
