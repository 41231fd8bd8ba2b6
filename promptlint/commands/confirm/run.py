"""`promptlint confirm`: a model is run with the prefix in its cache and without, or a server is asked, and judged."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from promptlint.commands.confirm.subject import USUAL, Say, Subject, subject_of
from promptlint.commands.confirm.wanted import ConfirmOptions, lengths
from promptlint.confirm_facts import ConfirmFacts, Generated, RampRow, Seen
from promptlint.errors import PromptlintError
from promptlint.finding import Report, Verdict

if TYPE_CHECKING:
    from promptlint.commands.confirm.pair import Pair, Window
    from promptlint.confirm.boundary import KvBoundary
    from promptlint.confirm.equivalence import Equivalence, Longer
    from promptlint.prompt import Request


_CHECKED, _FEWER_CHECKED = 256, 128  # tokens of B whose logits are compared: a dozen times, in as many ways
_LONG, _SAVED = 8, 1.5  # a prefix so many times as long as the suffix saves this part of the time at least
_SHORT_PREFIX, _PAIRS, _FEW_PAIRS = 512, 5, 3


def confirm(wanted: ConfirmOptions, say: Say = lambda what: None) -> Report:
    """Run or ask, and judge. Raises PromptlintError for input that cannot be read, and models that cannot be run.

    The verdict is None for a dry run only.
    """
    if wanted.endpoint is not None:
        return _asked(wanted, say)
    if wanted.check is None:
        return _tried(wanted, say)
    try:
        with redirect_stdout(sys.stderr):  # what the user's own code prints is no part of the report
            return _tried(wanted, say)
    except SystemExit as stop:  # of code that is not ours, in the midst of being measured
        raise PromptlintError(f"{wanted.check} ended the program: SystemExit: {stop.code}") from stop


def _tried(wanted: ConfirmOptions, say: Say) -> Report:
    if not wanted.paths:
        return _run_or_shorter(wanted, subject_of(wanted, say), None, say)
    from promptlint.commands.confirm.pair import pair_in_bytes, requests

    both = requests(wanted)  # faults of A and B come before a slow import, and before weights are read
    prompts = pair_in_bytes(wanted, both) if wanted.model is None else None
    subject = subject_of(wanted, say)
    if subject.folder is not None:
        prompts = _pair_of_model(wanted, subject.folder, both)
    return _run_or_shorter(wanted, subject, prompts, say)


def _pair_of_model(wanted: ConfirmOptions, folder: str, both: "tuple[Request, Request]") -> "Pair":
    """A and B in tokens of a model. Lists of ids need no vocabulary, so it may lack one."""
    from promptlint.commands.confirm.pair import pair_in_bytes, pair_of_model, side_of

    try:
        side = side_of(wanted, folder)
    except PromptlintError:
        if wanted.tokenizer is not None or wanted.templates is not None or any(r.token_ids is None for r in both):
            raise
        return pair_in_bytes(wanted, both)
    return pair_of_model(wanted, side, both)


def _run_or_shorter(wanted: ConfirmOptions, subject: Subject, prompts: "Pair | None", say: Say) -> Report:
    """Where an implementation does not say how many tokens it takes, and fails: is it the length of a prompt?"""
    try:
        return _run(wanted, subject, prompts, say)
    except PromptlintError as error:
        if subject.backend != "check" or subject.most is not None or error.__cause__ is None:
            raise
        from promptlint.commands.confirm.afford import longest
        from promptlint.commands.confirm.pair import AROUND

        say("looking for the longest prompt that does not fail")
        most = longest(subject.model, max((USUAL, *lengths(wanted.prefix))) + sum(AROUND))
        if most is None:
            raise
        why = f"prompts of more than {most:,} tokens fail ({error.message}): they were cut to that"
        return _run(wanted, subject._replace(most=most, notes=(*subject.notes, why)), prompts, say)


def _run(wanted: ConfirmOptions, subject: Subject, prompts: "Pair | None", say: Say) -> Report:
    from promptlint.commands.confirm.afford import refuse_too_large
    from promptlint.confirm.device import memory_told

    notes = [*subject.notes, *(prompts.notes if prompts is not None else ())]
    part = boundary = None
    with memory_told(f"a prompt on {subject.model.device or 'this machine'}"):
        if prompts is not None:
            part = _window(prompts, subject)
            refuse_too_large(subject.model, max(len(part.a), len(part.b)), _CHECKED)
            say("computing both prompts whole, to compare their keys and values")
            boundary = _boundary(subject, part)
            notes += filter(None, (part.note, boundary.why))
        say("computing prompts in parts, to compare their logits")
        equal = _equivalence(wanted, subject, prompts, part)
        generated = _generated(wanted, subject, prompts, part, say)
    if equal.verdict == "not_shown" or not equal.splits or (equal.logit_diff <= equal.tolerance and equal.suspect):
        notes.append(equal.why)  # else the figures say it
    elif equal.verdict == "confirmed":
        notes.append(equal.unseen)
    rows, noisy, clock, more = _measured(wanted, subject, say)
    seen = () if prompts is None else (_seen(wanted, prompts, part, boundary),)
    facts = _facts(subject, prompts, seen, boundary, equal)._replace(
        kv_first_difference=None if boundary is None or boundary.by_logits else _first(part, boundary),
        generated=generated, ramp=rows, noisy=noisy, clock=clock,
        speed=rows[-1].speed if rows else None, kv_bytes=rows[-1].kv_bytes if rows else None,
    )  # fmt: skip
    notes += more
    verdict = _verdict(facts, equal.verdict)
    if verdict == "confirmed" and (nothing := _nothing_saved(facts)):
        verdict = "not_shown"
        notes.append(nothing)
    return Report("confirm", verdict, notes=tuple(dict.fromkeys(filter(None, notes))), confirm=facts)


def _nothing_saved(facts: ConfirmFacts) -> str:
    """Equal logits prove no reuse where everything is computed anew each time: the time has to fall. "" if it does."""
    rows = [row for row in facts.ramp if row.prefix_tokens >= _LONG * row.suffix_tokens]
    ratios = [row.speed.ttft_cold / max(row.speed.ttft_warm, 1e-9) for row in rows]
    if facts.noisy or not ratios or max(ratios) >= _SAVED:
        return ""
    row, best = rows[-1], max(ratios)
    return (
        f"nothing is saved: reuse was not seen. With {row.prefix_tokens:,} tokens in the cache and "
        f"{row.suffix_tokens:,} to compute, the first token comes {best:.1f}x sooner at best"
    )


def _window(prompts: "Pair", subject: Subject) -> "Window":
    from promptlint.commands.confirm.pair import AROUND, LESS_AROUND, window

    around = LESS_AROUND if subject.is_slow else AROUND
    return window(prompts, subject.model.vocabulary, subject.most, around)


def _boundary(subject: Subject, part: "Window") -> "KvBoundary":
    from promptlint.confirm.boundary import kv_boundary

    return kv_boundary(subject.recording, part.a, part.b, subject.most)


def _first(part: "Window | None", boundary: "KvBoundary | None") -> int | None:
    """The first position of the whole prompts whose keys or values, or logits, differ."""
    if part is None or boundary is None or boundary.first is None:
        return None
    return part.start + boundary.first


def _equivalence(
    wanted: ConfirmOptions, subject: Subject, prompts: "Pair | None", part: "Window | None"
) -> "Equivalence":
    """The logits of B around the place where it parts from A, or of random tokens; past a window if there is one."""
    from promptlint.confirm.equivalence import Longer, equivalence
    from promptlint.confirm.random_prompts import random_ids

    seed = wanted.seed or 0
    need = 0 if subject.window is None else 2 * subject.window + 64
    need = min(need, subject.most - 32) if subject.most is not None else need
    measured = _last_logits(wanted, subject)
    if prompts is None or part is None:
        ids = random_ids(subject.model.vocabulary, need, seed) if need > 160 else None
        return equivalence(subject.model, ids, seed=seed, most=subject.most, longer=measured)
    length = max(_FEWER_CHECKED if subject.is_slow else _CHECKED, need)
    ahead = prompts.predicted - part.start  # in the window
    start = max(min(ahead - length // 2 + 9, len(part.b) - length), 0)  # 9: a split that is no other one
    ids = part.b[start : start + length]
    ids += random_ids(subject.model.vocabulary, need - len(ids), seed + 1)
    whole = [Longer("predicted", part.b, ahead)] if 0 < ahead < len(part.b) else []
    return equivalence(subject.model, ids, seed=seed, most=subject.most, longer=[*whole, *measured])


def _last_logits(wanted: ConfirmOptions, subject: Subject) -> "list[Longer]":
    """The shortest prefix that is measured, where its logits cost little: an error may begin at some length."""
    from promptlint.confirm.equivalence import Longer
    from promptlint.confirm.measure import SUFFIX
    from promptlint.confirm.precision import precision
    from promptlint.confirm.random_prompts import random_ids

    prefix = min(lengths(wanted.prefix) or (USUAL,))
    total = prefix + SUFFIX
    fits = total <= USUAL + SUFFIX and (subject.most is None or total <= subject.most)
    if not fits or subject.is_slow or precision(subject.model.dtype).half:
        return []
    ids = random_ids(subject.model.vocabulary, total, (wanted.seed or 0) + 3)
    return [Longer("measured", ids, prefix, noise=False)]


def _seen(wanted: ConfirmOptions, prompts: "Pair", part: "Window | None", boundary: "KvBoundary | None") -> Seen:
    from promptlint.commands.confirm.ids import usable

    a, b = wanted.paths
    first = _first(part, boundary)
    observed = None if first is None else usable(first, len(prompts.b))
    gap = ""
    if observed is not None and observed != prompts.predicted:
        what = "logits" if boundary is not None and boundary.by_logits else "keys and values"
        gap = f"the tokens part at {prompts.common:,}, {what} at {first:,}: " + (
            "the model does not see the token that differs"
            if observed > prompts.predicted
            else "something in front of it has a part in them"
        )
    by = "logits" if boundary is not None and boundary.by_logits else "keys or values"
    source = f"the first position whose {by} differ" if first is not None else ""
    return Seen(a, b, prompts.predicted, observed, len(prompts.b), source, gap)


def _facts(
    subject: Subject,
    prompts: "Pair | None",
    seen: tuple[Seen, ...],
    boundary: "KvBoundary | None",
    equal: "Equivalence",
) -> ConfirmFacts:
    model = subject.model
    shown = bool(equal.splits)  # else the runs without a cache differ already
    return ConfirmFacts(
        backend=subject.backend,
        model=model.name,
        device=model.device or "unknown device",
        dtype=model.dtype,
        attention=model.attention,
        tokenizer="" if prompts is None else prompts.tokenizer,
        predicted_tokens=seen[0].predicted_tokens if seen else None,
        observed_tokens=seen[0].observed_tokens if seen else None,
        kv_first_difference=None,
        kv_noise=None if boundary is None or boundary.by_logits else boundary.noise,
        kv_difference=None if boundary is None or boundary.by_logits else boundary.difference,
        logit_diff=equal.logit_diff if shown else None,
        control_diff=equal.control_diff if shown else None,
        noise=equal.noise,
        tolerance=equal.tolerance,
        splits=equal.splits,
        suspect=equal.suspect,
        suspect_why=equal.suspect_why,
        seen=seen,
    )


def _verdict(facts: ConfirmFacts, equal: Verdict) -> Verdict:
    """The worst of: as much is reused as predicted, and it gives the same logits."""
    wrong = facts.observed_tokens is not None and facts.observed_tokens != facts.predicted_tokens
    if wrong or equal == "contradicted":
        return "contradicted"
    unseen = facts.predicted_tokens is not None and facts.observed_tokens is None
    return "not_shown" if unseen else equal


def _measured(wanted: ConfirmOptions, subject: Subject, say: Say) -> tuple[tuple[RampRow, ...], str, str, list[str]]:
    """Rows, why they say nothing, their clock, notes."""
    from promptlint.commands.confirm.afford import in_time
    from promptlint.confirm import machine, measure

    threads = wanted.threads or 1
    prefixes, pairs, notes = _lengths(wanted, subject)
    if subject.most is not None:  # which an implementation of the user's need not say itself
        room = max(subject.most - measure.SUFFIX - measure.OUTPUT, 1)
        prefixes = prefixes if hasattr(subject.model.wrapped, "positions") else [min(n, room) for n in prefixes]
    if wanted.pairs is None and max(prefixes) > USUAL:
        say("timing two short prompts, to see how long the others take")
        prefixes, cut = in_time(subject.model, prefixes, pairs, subject.most)
        notes += cut

    def progress(done: int, of: int) -> None:
        say(f"measuring: {done} of {of} pairs of runs")

    rows = measure.ramp(
        subject.model.wrapped, prefixes, pairs=pairs, threads=threads, seed=wanted.seed or 0, progress=progress
    )
    name = machine.clock(subject.model.device or "cpu", threads).name
    return rows, measure.noisy(rows, name, machine.load(), machine.cores()), name, notes


def _lengths(wanted: ConfirmOptions, subject: Subject) -> tuple[Sequence[int], int, list[str]]:
    """Prefixes and pairs: shorter and fewer where a large model would take minutes and nothing was asked for."""
    asked = lengths(wanted.prefix)
    pairs = wanted.pairs or (_FEW_PAIRS if subject.is_slow else _PAIRS)
    if asked or not subject.is_slow:
        return asked or (USUAL,), pairs, []
    note = f"measured with a prefix of {_SHORT_PREFIX} tokens, as the model is slow here; --prefix {USUAL} takes longer"
    return (_SHORT_PREFIX,), pairs, [note]


def _generated(
    wanted: ConfirmOptions, subject: Subject, prompts: "Pair | None", part: "Window | None", say: Say
) -> Generated | None:
    if wanted.generate is None or prompts is None or part is None:
        return None
    from promptlint.commands.confirm.greedy import generated

    say(f"continuing b by {wanted.generate} tokens, three times")
    return generated(subject.model, part.b, prompts.predicted - part.start, wanted.generate, subject.most)


def _asked(wanted: ConfirmOptions, say: Say) -> Report:
    """A server in place of a model."""
    from decimal import Decimal, InvalidOperation

    from promptlint.commands.confirm.live import LiveOptions, confirm_live

    assert wanted.endpoint is not None
    try:
        most = None if wanted.max_usd is None else Decimal(wanted.max_usd)
    except InvalidOperation:
        most = Decimal("nan")
    if most is not None and not (most.is_finite() and most >= 0):
        raise PromptlintError(f"--max-usd {wanted.max_usd}: not an amount", "write it as 0.50")
    templates = wanted.templates
    options = LiveOptions(
        endpoint=wanted.endpoint, api=wanted.api, model=wanted.model, key_env=wanted.key_env, max_usd=most,
        dry_run=wanted.dry_run, cassette=wanted.cassette, provider=wanted.provider, tokenizer=wanted.tokenizer,
        chat_template=None if templates is None else templates.chat_template,
        template_kwargs={} if templates is None else templates.kwargs,
        now=None if templates is None else templates.now,
        block_size=wanted.block_size, input_format=wanted.input_format, request_path=wanted.request_path,
        facts=wanted.facts, tokens=wanted.tokens or LiveOptions._field_defaults["tokens"],
        seconds=wanted.timeout or LiveOptions._field_defaults["seconds"],
    )  # fmt: skip
    a, b = wanted.paths if len(wanted.paths) == 2 else (wanted.paths[0], None)
    say(f"asking {wanted.endpoint}")
    return confirm_live(a, b, options, lambda done, of: say(f"asking: {done} of {of} requests answered"))
