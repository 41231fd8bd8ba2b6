"""`promptlint confirm A B --endpoint URL`, and of a log: what a server reports, beside what the rules predict."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from promptlint.commands.confirm.live_requests import LivePair, Named, follow, named, predicted
from promptlint.commands.loss import billing_settings
from promptlint.commands.options import Options, served
from promptlint.commands.own_facts import own_facts
from promptlint.commands.single import opened
from promptlint.commands.templates import TemplateOptions
from promptlint.confirm.live import bill, servers
from promptlint.confirm.live.apis import Api, answer_limit, api_for
from promptlint.confirm.live.ask import Asked, Pair, ask
from promptlint.confirm.live.calls import Carrier
from promptlint.confirm.live.cassette import Recording, Replaying, carrier
from promptlint.confirm.live.endpoint import Endpoint, endpoint, key_for
from promptlint.confirm.live.log import Step, ask_log
from promptlint.confirm.live.session import Session
from promptlint.confirm_facts import ConfirmFacts
from promptlint.errors import PromptlintError
from promptlint.facts.models import model_of
from promptlint.facts.prices import modifiers_of
from promptlint.facts.providers import is_known
from promptlint.finding import Report, Table, Verdict
from promptlint.read.names import shown

Progress = Callable[[int, int], None]


class LiveOptions(NamedTuple):
    """What the command line says."""

    endpoint: str
    api: str | None = None
    model: str | None = None
    key_env: str | None = None
    max_usd: Decimal | None = None  # None: one dollar, and only at known prices
    dry_run: bool = False
    cassette: str | None = None
    tokens: int = 8  # of each answer
    seconds: float = 120.0  # for each answer
    provider: str | None = None
    tokenizer: str | None = None
    chat_template: str | None = None
    template_kwargs: Mapping[str, Any] = {}
    now: datetime | None = None  # the clock that templates see
    block_size: int | None = None
    input_format: str | None = None
    request_path: str | None = None
    facts: str | None = None


class _Plan(NamedTuple):
    """What is to be asked, and how; nothing is sent yet."""

    place: Endpoint
    api: Api
    options: Options
    pairs: tuple[LivePair, ...]
    is_log: bool
    tariff: bill.Tariff | None  # None: a cassette is replayed
    cap: Decimal
    notes: tuple[str, ...]


def confirm_live(a: str, b: str | None, wanted: LiveOptions, progress: Progress | None = None) -> Report:
    """Ask a server for both requests, or for all of a log (`b` None), and judge what it reports.

    A dry run sends nothing and returns the bill alone. Raises PromptlintError for what cannot be asked or paid, and for
    every error of the server.
    """
    plan = _plan(a, b, wanted)
    tables: tuple[Table, ...] = ()
    if plan.tariff is not None:
        planned = _bill(plan, wanted)
        tables = () if plan.place.is_local and not wanted.dry_run else (_table(planned),)
        if wanted.dry_run:
            total = f"nothing was sent; it may cost about ${bill.shown_usd(planned.usd)}, {planned.note}"
            return Report("confirm", None, tables=tables, notes=(*plan.notes, total))
        bill.refuse_above(planned, plan.cap)
    key, variable = key_for(plan.place, wanted.key_env) if plan.tariff is not None else ("", "")
    header = plan.api.field(key) if key else None
    found = carrier(wanted.cassette, lambda: _connection(header, wanted.seconds), key)
    try:
        report = _asked(plan, wanted, found, (key, variable), progress)
    finally:
        found.close()
    if isinstance(found, Recording):
        found.keep()
    return report._replace(tables=tables)


def _connection(header: tuple[str, str] | None, seconds: float) -> Carrier:
    from promptlint.confirm.live.http import Connection

    return Connection(key_header=header, seconds=seconds)


def _plan(a: str, b: str | None, wanted: LiveOptions) -> _Plan:
    if wanted.tokens < 1 or wanted.seconds <= 0:
        raise PromptlintError("an answer has one token or more, and some time", "see --tokens and --timeout")
    place = endpoint(wanted.endpoint)
    own = own_facts(os.curdir, wanted.facts)
    provider = wanted.provider
    if provider is None and place.provider is not None and is_known(place.provider):
        provider = place.provider
    templates = None
    if wanted.chat_template is not None:
        templates = TemplateOptions(chat_template=wanted.chat_template, kwargs=wanted.template_kwargs, now=wanted.now)
        provider = wanted.provider
    provider, block = served(None, wanted.block_size, provider)
    options = opened(wanted.tokenizer, provider=provider, templates=templates, own=own, block_size=block)
    if b is None:
        pairs, notes = follow(a, options, wanted.input_format)
    else:
        pairs, notes = named(a, b, options, wanted.input_format, wanted.request_path)
    api = api_for(pairs[0].b.request.format, wanted.api)
    for pair in pairs:
        api_for(pair.b.request.format, api.name)
    replays = wanted.cassette is not None and os.path.exists(wanted.cassette)
    tariff = _tariff(pairs[0].b, place, wanted, options) if wanted.dry_run or not replays else None
    cap = bill.DEFAULT_CAP if wanted.max_usd is None else wanted.max_usd
    return _Plan(place, api, options, pairs, b is None, tariff, cap, notes)


def _tariff(one: Named, place: Endpoint, wanted: LiveOptions, options: Options) -> bill.Tariff:
    name = wanted.model or one.request.model or "a model without a name"
    model = model_of(name, options.provider or place.provider or one.request.provider, options.own)
    modifiers = None if model is None else modifiers_of(model, billing_settings(one.request))
    return bill.tariff(
        name,
        model,
        modifiers,
        is_local=place.is_local,
        day=date.today(),
        has_cap=wanted.max_usd is not None,
        exact=options.chosen,
        own=options.own,
    )


def _bill(plan: _Plan, wanted: LiveOptions) -> bill.Bill:
    """Everything that may be sent: a pair that does not agree is looked at once more."""
    assert plan.tariff is not None
    lines = []
    each = {id(one): one for pair in plan.pairs for one in (pair.a, pair.b)} if plan.is_log else {}
    asked = [(one, "") for one in each.values()]
    for pair in () if plan.is_log else plan.pairs:
        larger = max(pair.a, pair.b, key=lambda one: one.counted)
        asked += [(pair.a, ""), (pair.b, ""), (larger, ", once more if they do not agree")]
    for one, why in asked:
        lines.append(
            bill.line(
                f"{one.name}{why}", one.counted, answer_limit(one.body, one.request.format, wanted.tokens), plan.tariff
            )
        )
    return bill.Bill(tuple(lines), plan.tariff.note)


def _table(planned: bill.Bill) -> Table:
    rows = tuple(
        (line.name, line.prompt_tokens, line.output_tokens, bill.shown_usd(line.usd)) for line in planned.lines
    )
    prompts, answers = (sum(each) for each in zip(*(row[1:3] for row in rows), strict=True))
    total = ("all", prompts, answers, bill.shown_usd(planned.usd))
    return Table("what asking may cost", ("request", "prompt_tokens", "output_tokens", "usd"), (*rows, total))


def _asked(plan: _Plan, wanted: LiveOptions, found: Carrier, key: tuple[str, str], progress: Progress | None) -> Report:
    server = servers.found(plan.place, found, plan.api.name, plan.pairs[0].b.request.format)
    session = Session(
        found, plan.place, plan.api, key=key[0], variable=key[1], tokens=wanted.tokens, cap=plan.cap,
        tariff=plan.tariff, server=server,
    )  # fmt: skip
    options = _for_server(plan, server, wanted)
    model = wanted.model or plan.pairs[0].b.request.model or server.model
    if model is None:
        raise PromptlintError("no request names a model, and the server names none", "give it with --model")
    notes = list(plan.notes)
    if plan.is_log:
        steps = _steps(plan.pairs, options, wanted.model or server.model or "")
        told = ask_log(steps, session, progress)
        results, more = told.pairs, [told.note] if told.note else []
    else:
        pair = plan.pairs[0]
        guess, said = predicted(pair, options)
        notes += said
        one = ask(Pair(pair.a.prompt(model), pair.b.prompt(model), guess), session)
        results, more = (one,), [one.note] if one.note else []
    if isinstance(found, Replaying):
        more.append(f"replayed from {shown(wanted.cassette or '')}: nothing was sent")
    elif plan.tariff is not None and not plan.place.is_local:
        more.append(f"spent about ${bill.shown_usd(session.spent)}; {plan.tariff.note}")
    more += _said(server, results)
    return _report(plan, options, model, results, (*notes, *more))


def _for_server(plan: _Plan, server: servers.Server, wanted: LiveOptions) -> Options:
    """The rules of the engine that answers, with its own block, unless the user says whose hold."""
    if not server.kind or wanted.provider is not None:
        return plan.options
    provider, block = served(server.kind, wanted.block_size or server.block, None)
    return plan.options._replace(provider=provider, block_size=block)


def _steps(pairs: Sequence[LivePair], options: Options, model: str) -> list[Step]:
    """Every request of a log once, in its order."""
    order: dict[int, Named] = {}
    for pair in pairs:
        order |= {pair.a.number: pair.a, pair.b.number: pair.b}
    place = {number: index for index, number in enumerate(sorted(order))}
    by_second = {pair.b.number: pair for pair in pairs}
    steps = []
    for number in sorted(order):
        follower = by_second.get(number)
        prompt = order[number].prompt(model or order[number].request.model or "")
        if follower is None:
            steps.append(Step(prompt, None))
        else:
            steps.append(Step(prompt, place[follower.a.number], predicted(follower, options)[0]))
    return steps


def _said(server: servers.Server, results: Sequence[Asked]) -> list[str]:
    notes = []
    if server.salts:
        block = f" with blocks of {server.block}" if server.block else ""
        notes.append(f"{server.title}{block}; each try has a random salt of its own")
    elif not server.can_start_afresh and results:
        notes.append("no salt: one in the prompt would change it; what others have sent may be in the cache")
    if any(one.judged.agrees and one.judged.expected != one.seen.observed_tokens for one in results):
        notes.append("counted with another vocabulary or template: 10 % of the prompt, or one step, is taken as equal")
    if any(one.seen.source.startswith("/metrics") for one in results):
        notes.append("counted by the server's counter, which is right as long as nobody else asks")
    return notes


def _report(plan: _Plan, options: Options, model: str, results: Sequence[Asked], notes: tuple[str, ...]) -> Report:
    known = [one.judged.agrees for one in results if one.judged.agrees is not None]
    verdict: Verdict = "not_shown" if not known else "confirmed" if all(known) else "contradicted"
    errors = [
        one.judged.expected - one.seen.observed_tokens
        for one in results
        if one.judged.expected is not None and one.seen.observed_tokens is not None
    ]
    first = results[0].seen if len(results) == 1 else None
    facts = ConfirmFacts(
        backend=plan.api.name,
        model=model,
        device="",
        dtype="",
        attention="",
        tokenizer=options.tokenizer.name,
        predicted_tokens=results[0].judged.expected if first is not None else None,
        observed_tokens=first.observed_tokens if first is not None else None,
        kv_first_difference=None,
        kv_noise=None,
        kv_difference=None,
        logit_diff=None,
        control_diff=None,
        noise=None,
        tolerance=None,
        speed=results[0].speed if first is not None else None,
        seen=tuple(seen for one in results for seen in (one.seen, one.control) if seen is not None),
        calibration=sum(known) / len(known) if known else None,
        calibration_error=sum(errors) / len(errors) if errors else None,
    )
    return Report("confirm", verdict, notes=tuple(dict.fromkeys(notes)), confirm=facts)
