"""One pair of requests -> a Diff: differences named, their meaning, tokens, places."""

from promptlint.boundary import Divergence, text_divergences
from promptlint.boundary.counts import count
from promptlint.boundary.divergence import shared_chars
from promptlint.boundary.settings import setting_differences
from promptlint.cache.marker_faults import moved, out_of_reach, refused_before, standing_still
from promptlint.cache.meaning import first_level, harmless, merged, setting_meaning, text_meaning
from promptlint.cache.refusals import MarkerFault, refusals
from promptlint.cache.reuse import Reuse, guarded, left_readable, reuse, sure_up_to
from promptlint.commands.changes import Found, benign_form, changes, fault_found, judged
from promptlint.commands.figures import Compared, boundary, is_exact, side
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.facts.providers import Provider, is_known, names
from promptlint.facts.providers import provider as provider_row
from promptlint.facts.tokenizers import family_of
from promptlint.finding import Diff
from promptlint.prompt import Level, Rendered, Request
from promptlint.render import render


def compare(old: Request, new: Request, options: Options) -> tuple[Diff, tuple[str, ...]]:
    """The difference of two requests of one format, and notes on both inputs."""
    if old.format != new.format:
        formats = f"{old.format} and {new.format}"
        raise PromptlintError(f"the inputs are of two formats, {formats}", "read both as one with --input-format")
    provider = provider_of_pair(old, new, options)
    options, said = _with_vocabulary(old, new, options)
    if old.token_ids is not None and new.token_ids is not None:
        from promptlint.commands.compare_ids import compare_ids

        return compare_ids(old, new, provider, options), old.notes + new.notes
    if options.sides is not None:
        from promptlint.commands.templates import spelled_tokens, through_templates

        a, b = through_templates(old, new, options.sides)
        said = (*said, *spelled_tokens(a, options), *spelled_tokens(b, options))
    else:
        a = render(old)
        b = render(new, like=a)
    return compare_prompts(a, b, provider, options), (*old.notes, *a.notes, *new.notes, *b.notes, *said)


def _with_vocabulary(old: Request, new: Request, options: Options) -> tuple[Options, tuple[str, ...]]:
    """The vocabulary that a public source names for the model, where the user names none; and what to say about it."""
    model = new.model or old.model
    family = family_of(model) if model and not options.chosen else None
    if family is None or family.tokenizer == options.tokenizer.name:
        return options, ()
    from promptlint.tokens.choose import tokenizer_for

    tokenizer, note = tokenizer_for(model)
    return options._replace(tokenizer=tokenizer), (note,)


def provider_of_pair(old: Request, new: Request, options: Options) -> Provider:
    """Whose rules hold: what the user says, else what the requests show."""
    name = options.provider or (old.provider if old.provider != "unknown" else new.provider)
    if options.sides is not None and options.provider is None:
        name = "unknown"  # who has the template serves the model, whatever its name makes one think
    if options.provider and not is_known(name):
        raise PromptlintError(f"unknown provider {name}", f"one of {', '.join(names())}")
    row = provider_row(name)
    if old.may_lack_markers:
        row = row._replace(implicit=True)
    if options.sides is not None and row.cache == "markers":
        raise PromptlintError(
            f"{name} reads entries at markers, and does not say how it renders a request",
            "leave out --chat-template or --provider",
        )
    if options.block_size is not None:
        if row.cache == "markers":
            raise PromptlintError(f"{name} reads entries at markers, not in blocks", "leave out --block-size")
        if options.block_size < 1:
            raise PromptlintError("a block holds at least one token", "give --block-size a positive number")
    return row


def compare_prompts(a: Rendered, b: Rendered, provider: Provider, options: Options) -> Diff:
    """The difference of two rendered prompts."""
    entries, found, shared = _entries(a, b, provider)
    compared = Compared(count(options.tokenizer, a, b), found, shared, provider, options)
    # The totals first: the tokenizer then sees how much there is to do, and picks its engine once.
    tokens_a, tokens_b = (compared.counts.total_a, compared.counts.total_b) if options.counts else (None, None)
    limits, tokenizer = boundary(compared), options.tokenizer.name
    done = changes(entries if options.counts else entries[:1], compared)
    # Entries that are not counted still have their say.
    verdict = judged(
        done if options.counts else [entry.meaning for entry in entries],
        lost=found.usable < found.readable and limits.lost_tokens != 0,
        same=a.text == b.text and all(entry.meaning.affects == "nothing" and not entry.is_fault for entry in entries),
    )
    if any(entry.refused for entry in entries):
        verdict = "refused"
        limits = limits._replace(why=f"the provider refuses the second request; were it taken, {limits.why}")
    return Diff(
        verdict=verdict,
        a=side(a.request, provider, tokenizer, a.size, tokens_a, exact=is_exact(a, options)),
        b=side(b.request, provider, tokenizer, b.size, tokens_b, exact=is_exact(b, options)),
        boundary=limits,
        changes=done[:1] if options.first else done,
    )


def _entries(a: Rendered, b: Rendered, provider: Provider) -> tuple[list[Found], Reuse, int]:
    """Everything that differs, with its meaning; what can be reused; equal characters at the start.

    What costs something comes first: refusals, fields that key the cache, text in prompt order, markers.
    """
    cached = left_readable(a, provider)
    differences = setting_differences(a.request, b.request)
    keyed = [(d, setting_meaning(d, a, b.request, provider, cached)) for d in differences]
    lost_level = first_level([meaning for _, meaning in keyed])
    text, hidden = _differences(a, b)
    shared = min([shared_chars(a, b), *(d.a_start for d in text if not harmless(d))])
    found = reuse(a, b, shared, provider, lost_level)
    limit, sure = guarded(found, provider), sure_up_to(a, provider)
    if shared < len(b.text):  # else the second prompt is a start of the first, and asks for no more
        limit = max(limit, cached)
    faults = [fault_found(fault, a, b) for fault in _faults(found, shared, a, b, provider, lost_level)]
    entries = [fault for fault in faults if fault.refused]
    entries += [Found(d, m) for d, m in merged(keyed)]
    entries += [Found(d, text_meaning(d, limit, sure, provider)) for d in text]
    entries += hidden
    entries += [fault for fault in faults if not fault.refused]
    if not entries and a.request.document.data != b.request.document.data:
        entries.append(benign_form(a, b))
    return sorted(entries, key=lambda entry: entry.meaning.severity == "info"), found, shared


def _differences(a: Rendered, b: Rendered) -> tuple[list[Divergence], list[Found]]:
    """The differences of two prompts; what a template prints on neither side."""
    if a.template is None:
        return text_divergences(a, b), []
    from promptlint.commands.templates import divergences, passing_times, unseen

    shown, hidden = divergences(a, b)
    return shown, [*passing_times(a, b), *(unseen(one, a, b) for one in hidden)]


def _faults(
    found: Reuse, shared: int, a: Rendered, b: Rendered, provider: Provider, lost_level: Level | None
) -> list[MarkerFault]:
    if provider.cache != "markers":
        return []
    faults = [*refusals(found.new, provider), *refused_before(found.old, provider)]
    if lost_level is None and not faults:
        candidates = (
            out_of_reach(found, provider, shared),
            standing_still(found, len(a.text), len(b.text), shared),
        )
        faults += [fault for fault in candidates if fault is not None]
        faults += moved(found, provider)
    return faults
