"""One pair of requests -> a Diff: differences named, their meaning, tokens, places."""

from collections.abc import Iterator
from functools import partial

from promptlint.boundary import Divergence, text_divergences
from promptlint.boundary.counts import Counts, count
from promptlint.boundary.divergence import shared_chars
from promptlint.boundary.settings import setting_differences
from promptlint.cache import objects
from promptlint.cache.marker_faults import moved, out_of_reach, refused_before, standing_still, unfit_lifetime
from promptlint.cache.meaning import first_level, harmless, merged, setting_meaning, text_meaning
from promptlint.cache.newest import start_of_question, without_question
from promptlint.cache.refusals import MarkerFault, name, refusals
from promptlint.cache.reuse import SPARSE, Left, Reuse, guarded, left, reuse
from promptlint.cache.rule import Rule, has_markers, rule_of
from promptlint.cache.stripping import dropped
from promptlint.cache.traits import other_tools, trait_differences
from promptlint.cache.unread import STANDING, after_volatile, ignored, missing, too_short
from promptlint.commands.changes import Found, benign_form, changes, fault_found, judged
from promptlint.commands.figures import Compared, boundary, is_exact, side, tokens_in_b
from promptlint.commands.options import Options
from promptlint.errors import PromptlintError
from promptlint.facts import engines
from promptlint.facts.models import model_of
from promptlint.facts.providers import Provider, is_known, names
from promptlint.facts.providers import provider as provider_row
from promptlint.facts.tokenizers import family_of
from promptlint.finding import Change, Diff
from promptlint.prompt import Level, Rendered, Request
from promptlint.read.names import nearest, shown
from promptlint.render import render

_KEYS = ("model-changed", "setting-changed", "cache-key-changed", "beta-header-changed")


def compare(old: Request, new: Request, options: Options) -> tuple[Diff, tuple[str, ...]]:
    """The difference of two requests of one format, and notes on both inputs."""
    if old.format != new.format:
        formats = f"{old.format} and {new.format}"
        raise PromptlintError(f"the inputs are of two formats, {formats}", "read both as one with --input-format")
    provider = provider_of_pair(old, new, options)
    options, said = with_vocabulary(old, new, options)
    options, in_blocks = with_blocks(provider, options)
    said += in_blocks
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


def with_blocks(provider: Provider, options: Options) -> tuple[Options, tuple[str, ...]]:
    """The block of an engine that reuses whole blocks, where the user gives none; and what to say about it."""
    if options.block_size is not None or provider.name not in engines.names():
        return options, ()
    row = engines.engine(provider.name)
    if row.unit_tokens == 1:
        return options, ()
    note = f"{row.title} reuses whole {row.unit}s, by default of {row.unit_tokens} tokens: give yours with --block-size"
    return options._replace(block_size=row.unit_tokens), (note,)


def with_vocabulary(old: Request, new: Request, options: Options) -> tuple[Options, tuple[str, ...]]:
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
    shown_by = (name for name in (old.provider, new.provider) if name != "unknown")
    name = options.provider or next(shown_by, None)
    if options.sides is not None and options.provider is None:
        name = "unknown"  # who has the template serves the model, whatever its name makes one think
    row = provider_named(name, old.model or new.model)
    name = row.name
    if options.own.providers:
        from promptlint.facts.overrides import with_overrides

        row = with_overrides(row, options.own)
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


def provider_named(name: str | None, model: str | None) -> Provider:
    """The row of a provider; without a name, of who serves the model. PromptlintError for one that is not known."""
    if name not in (None, "unknown") and not is_known(name):
        close = nearest(name, names())
        raise PromptlintError(
            f"unknown provider {shown(name)}", f"nearest: {close}" if close else f"one of {', '.join(names())}"
        )
    return provider_row(name or _by_model(model))


def _by_model(model: str | None) -> str:
    """Who serves a model, where its name says so."""
    known = model_of(model or "")
    serving = () if known is None else (known.platform, known.provider)
    return next((name for name in serving if is_known(name)), "unknown")


def compare_prompts(
    a: Rendered, b: Rendered, provider: Provider, options: Options, memo: dict[str, int] | None = None
) -> Diff:
    """The difference of two rendered prompts. `memo`: see `count`."""
    rule = rule_for(a, b, b.request.model or a.request.model, provider, options)
    if options.block_size is not None and rule.by_entries:
        ends = "markers" if rule.kind == "markers" else "the ends of messages"
        raise PromptlintError(f"{provider.name} reads entries at {ends}, not in blocks", "leave out --block-size")
    if rule.step > 1 and len(a.text) - shared_chars(a, b) < rule.step * SPARSE:
        options = options._replace(decides=True)
    counts, tokenizer = count(options.tokenizer, a, b, memo), options.tokenizer.name
    # The totals first: the tokenizer then sees how much there is to do, and picks its engine once.
    tokens_a, tokens_b = (counts.total_a, counts.total_b) if options.counts else (None, None)
    before = rule  # of the first request, which another model may have served
    if a.request.model not in (None, b.request.model):
        before = rule_for(a, b, a.request.model, provider, options)
    entries, found, shared = _entries(counts, rule, before)
    compared = Compared(counts, found, shared, before, options)
    limits = boundary(compared)
    done = changes(entries if options.counts else entries[:1], compared)
    if limits.exact and limits.shared_tokens is not None and limits.shared_tokens == tokens_a:
        done = tuple(map(_same_tokens, done))
    # Entries that are not counted still have their say.
    verdict = judged(
        done if options.counts else [entry.meaning for entry in entries],
        lost=found.usable < found.readable and limits.lost_tokens != 0,
        same=a.text == b.text and not any(map(_differs, entries)),
    )
    if limits.lost_tokens and tokens_b is not None and a.template is None:
        from promptlint.commands.loss import priced

        limits = priced(limits, rule, found.new, b.request, tokens_b, options.own)
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


def _same_tokens(change: Change) -> Change:
    """A difference of text in spite of which all tokens of the first prompt are shared."""
    if change.affects != "prefix":
        return change
    message = f"{change.message}; the vocabulary makes the same tokens of both"
    return change._replace(affects="nothing", severity="info", message=message, lost_tokens=0)


def _differs(entry: Found) -> bool:
    """Whether an entry tells two requests of one text apart: a field of the key does, even if nothing is lost."""
    if entry.divergence.level == "settings" and entry.meaning.cause in _KEYS:
        return True
    return not _stands(entry) and (entry.is_fault or entry.meaning.affects != "nothing")


def _stands(entry: Found) -> bool:
    """Whether an entry is true of one request, whatever the other is."""
    return entry.meaning.cause in STANDING


def rule_for(a: Rendered, b: Rendered, model: str | None, provider: Provider, options: Options) -> Rule:
    """How a model that serves these prompts caches them."""
    rule = rule_of(provider, model, marked=has_markers(a, b), exact=is_exact(a, options), own=options.own)
    if a.template is not None and rule.by_entries:  # who has the template serves the model
        return rule._replace(kind="prefix")
    return rule


def _entries(counts: Counts, rule: Rule, before: Rule) -> tuple[list[Found], Reuse, int]:
    """Everything that differs, with its meaning; what can be reused; equal characters at the start.

    What costs something comes first: refusals, fields that key the cache, text in prompt order, markers.
    """
    a, b, provider = counts.a, counts.b, rule.provider
    old = left(a, before, counts.in_a)
    settings = [*setting_differences(a.request, b.request), *trait_differences(a.request, b.request, provider)]
    keyed = [(d, setting_meaning(d, a, b.request, provider, old.readable)) for d in settings]
    if a.template is not None:
        from promptlint.commands.templates import through_prompt

        keyed = [(d, through_prompt(d, m, a.template)) for d, m in keyed]
    lost_level = first_level([meaning for _, meaning in keyed])
    text, hidden = _differences(a, b, rule)
    shared = min([shared_chars(a, b), *(d.a_start for d in text if not harmless(d))])
    found = reuse(old, b, shared, counts.in_a, lost_level)
    question = start_of_question(a, b, text)
    if question is not None and (less := without_question(old, found, question, shared)) is not None:
        old, found = less, reuse(less, b, shared, counts.in_a, lost_level)
    limit = guarded(found)
    sure = limit if found.sure == found.readable else found.sure
    if shared < len(b.text):  # else the second prompt is a start of the first, and asks for no more
        limit = max(limit, old.readable)
    gone: Level | None = "tools" if provider.tools_whole and other_tools(a, b) else lost_level
    faults = [fault_found(fault, a, b) for fault in _faults(old, found, shared, counts, rule, gone)]
    entries = [fault for fault in faults if fault.refused]
    entries += [Found(d, m) for d, m in merged(keyed)]
    shown = [Found(d, text_meaning(d, limit, sure, unknown=old.unknown)) for d in text]
    entries += sorted([*shown, *hidden], key=lambda entry: entry.divergence.a_start)
    if rule.may_strip_thinking and (gone_maybe := dropped(a, b, shared)) is not None:
        said = "whether this model keeps the thinking of earlier turns is not known: the new message may remove it"
        entries.append(Found(gone_maybe, text_meaning(gone_maybe, limit, 0)._replace(message=said)))
    entries += [fault for fault in faults if not fault.refused]
    if all(map(_stands, entries)) and a.request.document.data != b.request.document.data:
        entries.append(benign_form(a, b))
    return sorted(entries, key=lambda entry: entry.meaning.severity == "info"), found, shared


def _differences(a: Rendered, b: Rendered, rule: Rule) -> tuple[list[Divergence], list[Found]]:
    """The differences of two prompts; what a template prints on neither side."""
    if a.template is None:
        text = text_divergences(a, b)
        if rule.strips_thinking and (gone := dropped(a, b, shared_chars(a, b))) is not None:
            text = [gone, *text]
        return text, []
    from promptlint.commands.templates import divergences, passing_times, unseen

    shown, hidden = divergences(a, b)
    return shown, [*passing_times(a, b), *(unseen(one, a, b) for one in hidden)]


def _faults(
    old: Left, found: Reuse, shared: int, counts: Counts, rule: Rule, lost_level: Level | None
) -> Iterator[MarkerFault]:
    """What is wrong with markers, and with lengths. `rule`: of the second request."""
    a, b = counts.a, counts.b
    if rule.kind == "objects" and (path := objects.beside(b.request)) is not None:
        message = "a request that reads a cached object may be refused with system text, tools or toolConfig of its own"
        fix = f"Put {name(path)} into the object."
        yield MarkerFault(
            "marker-illegal-block",
            message,
            None,
            path,
            fix,
            affects="nothing",
            severity="warning",
            certainty="possible",
        )
    if rule.kind == "markers":
        refused = [
            *refusals(found.new, b.request, rule.provider),
            *refused_before(found.old, a.request, rule.provider),
        ]
        yield from refused
        if refused:
            return
    if rule.kind == "message-ends" and (fault := unfit_lifetime(b, rule.provider)) is not None:
        yield fault
    if (fault := ignored(b, rule)) is not None:
        yield fault
    if lost_level is None:
        if (fault := out_of_reach(found, rule.provider, shared)) is not None:
            yield fault
        if rule.kind == "markers":
            if (fault := standing_still(found, len(a.text), len(b.text), shared)) is not None:
                yield fault
            yield from () if old.question else moved(found, rule.provider)
        if (fault := after_volatile(old, found, counts.in_a, shared)) is not None:
            yield fault
    if (fault := missing(found, rule, counts.in_a, shared)) is not None:
        yield fault
    if (fault := too_short(b, rule, partial(tokens_in_b, counts), differs=a.text != b.text)) is not None:
        yield fault
