"""`promptlint confirm A B --endpoint URL`, and of a log: what a server reports, beside what the rules predict."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from promptlint.commands.confirm.live_requests import LivePair, Sendable, follow, forecast, not_paid, two
from promptlint.commands.loss import billing_settings
from promptlint.commands.options import Options, served
from promptlint.commands.own_facts import own_facts
from promptlint.commands.single import opened
from promptlint.commands.templates import TemplateOptions
from promptlint.confirm.live import bill, servers
from promptlint.confirm.live.agreement import BAND
from promptlint.confirm.live.apis import Api, answer_limit, api_for
from promptlint.confirm.live.ask import Asked, Question, Step, ask, ask_log, log_sends, may_send
from promptlint.confirm.live.calls import Carrier, dumps
from promptlint.confirm.live.cassette import Recording, Replaying, carrier, refuse_key
from promptlint.confirm.live.endpoint import Endpoint, endpoint, key_for
from promptlint.confirm.live.keys import LEAST_KEY, hidden
from promptlint.confirm.live.session import Session
from promptlint.confirm_facts import ConfirmFacts, Speed
from promptlint.errors import PromptlintError
from promptlint.facts.models import model_of
from promptlint.facts.prices import modifiers_of
from promptlint.facts.providers import is_known
from promptlint.facts.servers import paid_extra
from promptlint.finding import Report, Table, Verdict
from promptlint.read.names import shown

_PLACES = 6  # of dollars in a bill, so that it can be checked by hand
_LONGEST = 86_400.0  # seconds that one answer may take
_SAME = 2.0  # times: reuse leaves the time of a further token as it is, so that it cannot differ more
_LEAST = 0.001  # seconds: a smaller difference is none
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
    cap: Decimal
    notes: tuple[str, ...]


class _Paid(NamedTuple):
    """What may be paid."""

    tariff: bill.Tariff
    table: Table | None  # None: nothing is paid


def confirm_live(a: str, b: str | None, wanted: LiveOptions, progress: Progress | None = None) -> Report:
    """Ask a server for both requests, or for all of a log (`b` None), and judge what it reports.

    A dry run sends nothing and returns the bill alone. Raises PromptlintError for what cannot be asked or paid, and for
    every error of the server.
    """
    plan = _plan(a, b, wanted)
    if wanted.dry_run:
        return _dry(plan, wanted)
    replays = wanted.cassette is not None and os.path.exists(wanted.cassette)
    # What is on this machine may be a gateway, which is asked first; elsewhere the bill comes before all else.
    paid = None if replays or plan.place.is_local else _paid(plan, wanted, None)
    key, variable = ("", "") if replays else key_for(plan.place, wanted.key_env)
    if wanted.cassette is not None:
        for pair in plan.pairs:
            refuse_key(dumps((pair.a.body, pair.b.body)), key)
    header = plan.api.field(key) if key else None
    found = carrier(wanted.cassette, lambda: _connection(header, wanted.seconds), key)
    try:
        server = servers.found(plan.place, found, plan.api.name, plan.pairs[0].b.request.format)
        if paid is None and not replays:
            paid = _paid(plan, wanted, server)
        session = Session(
            found, plan.place, plan.api, key=key, variable=variable, tokens=wanted.tokens, cap=plan.cap,
            tariff=paid.tariff if paid else None, server=server, seconds=wanted.seconds,
        )  # fmt: skip
        report, ended = _asked(plan, wanted, session, progress)
    except BaseException as error:
        raise _kept(found, error, key) from None
    finally:
        found.close()
    notes = report.notes
    if 0 < len(key) < LEAST_KEY:
        notes += (f"the key is shorter than {LEAST_KEY} characters, so it is a word like any other, and not hidden",)
    if isinstance(found, Recording):
        if found.refused:
            notes += (found.refused,)
        else:
            found.keep(hidden(ended, key))
    report = report._replace(notes=notes)
    return report._replace(tables=(paid.table,) if paid is not None and paid.table is not None else ())


def _kept(found: Carrier, error: BaseException, key: str) -> BaseException:
    """The error, without a key; what was answered, and paid for, until then is kept."""
    more = ""
    if isinstance(found, Recording) and found.is_paid:
        try:
            found.keep(hidden(str(error), key) or type(error).__name__)
            more = f"what was answered until then is kept in {shown(found.path)}, as an incomplete recording"
        except PromptlintError as other:
            more = str(other)
    elif isinstance(found, Replaying) and found.ended:
        more = f"the recording is incomplete ({found.ended}): delete it to record anew"
    if not isinstance(error, PromptlintError):
        return error
    hint = "; ".join(filter(None, (error.hint, more)))
    return PromptlintError(hidden(error.message, key), hidden(hint, key))


def _connection(header: tuple[str, str] | None, seconds: float) -> Carrier:
    from promptlint.confirm.live.http import Connection

    return Connection(key_header=header, seconds=seconds)


def _plan(a: str, b: str | None, wanted: LiveOptions) -> _Plan:
    if wanted.tokens < 1 or not 0 < wanted.seconds <= _LONGEST:  # nor nan
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
        pairs, notes = two(a, b, options, wanted.input_format, wanted.request_path)
    api = api_for(pairs[0].b.request.format, wanted.api)
    for pair in pairs:
        api_for(pair.b.request.format, api.name)
    extra = paid_extra({}, api.name, wanted.model or "")
    if extra is not None:
        raise PromptlintError(not_paid(extra), "name another --model")
    cap = bill.DEFAULT_CAP if wanted.max_usd is None else wanted.max_usd
    return _Plan(place, api, options, pairs, b is None, cap, notes)


def _dry(plan: _Plan, wanted: LiveOptions) -> Report:
    """The bill alone. Whether a server on this machine is paid is not known before it is asked."""
    tariff = _tariff(plan, wanted, "", plan.place.is_local or wanted.max_usd is not None)
    planned = _bill(plan, wanted, tariff, None)
    total = f"nothing was sent; it may cost about ${bill.shown_usd(planned.usd)}, {planned.note}"
    if plan.place.is_local:
        total += f"; nothing, if {plan.place.host} says that it is vLLM, SGLang or llama.cpp"
    reckoning = (f"usd of a request: {planned.reckoning}",) if planned.reckoning else ()
    return Report("confirm", None, tables=(_table(planned),), notes=(*plan.notes, *reckoning, total))


def _paid(plan: _Plan, wanted: LiveOptions, server: servers.Server | None) -> _Paid:
    """What may be paid. Raises PromptlintError if that is more than may be spent, or cannot be told.

    `server`: the one on this machine, if it is there. Only an engine that says of itself what it is costs nothing:
    anything else may be a gateway to a model that is paid. An amount that the user names holds in any case.
    """
    is_free = server is not None and server.is_itself and wanted.max_usd is None
    free = f"{server.title} on this machine: nothing is paid" if is_free and server is not None else ""
    try:
        tariff = _tariff(plan, wanted, free, wanted.max_usd is not None)
    except PromptlintError as error:
        if server is None:
            raise
        if server.unheard is not None:
            raise server.unheard from None
        who = f"{plan.place.host} does not say that it is vLLM, SGLang or llama.cpp, so it may be a gateway"
        raise PromptlintError(f"{error.message}; {who}", error.hint) from None
    planned = _bill(plan, wanted, tariff, server)
    bill.refuse_above(planned, plan.cap)
    return _Paid(tariff, None if free else _table(planned))


def _tariff(plan: _Plan, wanted: LiveOptions, free: str, has_cap: bool) -> bill.Tariff:
    one, options, place = plan.pairs[0].b, plan.options, plan.place
    name = wanted.model or one.request.model or "a model without a name"
    model = model_of(name, options.provider or place.provider or one.request.provider, options.own)
    modifiers = None if model is None else modifiers_of(model, billing_settings(one.request))
    return bill.tariff(
        name,
        model,
        modifiers,
        free=free,
        day=date.today(),
        has_cap=has_cap,
        exact=options.chosen,
        own=options.own,
    )


def _bill(plan: _Plan, wanted: LiveOptions, tariff: bill.Tariff, server: servers.Server | None) -> bill.Bill:
    """Everything that may be sent, what is tried again and the control among it.

    `server`: if it is known; of a vendor it is known that it is none of the engines.
    """
    if server is None and plan.place.provider is not None:
        server = servers.Server()
    if plan.is_log:
        order, follows = _order(plan.pairs)
        said = {"": "", "control": ", as the control", "again": ", once more"}
        asked = [(order[sending.step], said[sending.why]) for sending in log_sends(follows, server)]
    else:
        (pair,) = plan.pairs
        larger = max(pair.a, pair.b, key=lambda one: one.counted)
        asked = [({"a": pair.a, "b": pair.b, "larger": larger}[which], why) for which, why in may_send(server)]
    lines = []
    for one, why in asked:
        most = answer_limit(one.body, one.request.format, wanted.tokens)
        lines.append(bill.line(f"{one.name}{why}", one.counted, most, tariff))
    return bill.Bill(tuple(lines), tariff.note)


def _table(planned: bill.Bill) -> Table:
    rows = tuple(
        (line.name, line.prompt_tokens, line.output_tokens, bill.shown_usd(line.usd, _PLACES)) for line in planned.lines
    )
    prompts, answers = (sum(each) for each in zip(*(row[1:3] for row in rows), strict=True))
    total = ("all", prompts, answers, bill.shown_usd(planned.usd, _PLACES))
    return Table("what asking may cost", ("request", "prompt_tokens", "output_tokens", "usd"), (*rows, total))


def _asked(plan: _Plan, wanted: LiveOptions, session: Session, progress: Progress | None) -> tuple[Report, str]:
    """The report, and why a log ended early."""
    server, found = session.server, session.carrier
    options = _for_server(plan, server, wanted)
    model = wanted.model or plan.pairs[0].b.request.model or server.model
    if model is None:
        raise PromptlintError("no request names a model, and the server names none", "give it with --model")
    notes, ended = list(plan.notes), ""
    if plan.is_log:
        told = ask_log(_steps(plan.pairs, options, wanted.model or server.model or ""), session, progress)
        results, ended = told.pairs, told.note
        more = [ended] if ended else []
    else:
        pair = plan.pairs[0]
        guess, said = forecast(pair, options)
        notes += said
        one = ask(Question(pair.a.prompt(model), pair.b.prompt(model), guess), session)
        results, more = (one,), [one.note] if one.note else []
    if isinstance(found, Replaying):
        more.append(f"replayed from {shown(wanted.cassette or '')}: nothing was sent")
        if found.ended:
            more.append(f"the recording is incomplete: {found.ended}")
    elif session.tariff is not None and (session.tariff.prices or session.tariff.ceiling):
        more.append(f"spent about ${bill.shown_usd(session.spent)}; {session.tariff.note}")
    more += _said(server, results)
    if any(one.speed is not None for one in results) and len(results) == 1:
        more.append("one time each, cold and warm: no proof of speed")
    shown_model = shown(hidden(model, session.key))
    told_notes = tuple(hidden(note, session.key) for note in (*notes, *more))
    return _report(plan, options, shown_model, results, told_notes), ended


def _for_server(plan: _Plan, server: servers.Server, wanted: LiveOptions) -> Options:
    """The rules of the engine that answers, with its own block, unless the user says whose hold."""
    if not server.kind or wanted.provider is not None:
        return plan.options
    provider, block = served(server.kind, wanted.block_size or server.block, None)
    return plan.options._replace(provider=provider, block_size=block)


def _order(pairs: Sequence[LivePair]) -> tuple[list[Sendable], list[int | None]]:
    """Every request of a log once, in its order, and which one of them each follows."""
    held = {one.number: one for pair in pairs for one in (pair.a, pair.b)}
    numbers = sorted(held)
    place = {number: index for index, number in enumerate(numbers)}
    before = {pair.b.number: place[pair.a.number] for pair in pairs}
    return [held[number] for number in numbers], [before.get(number) for number in numbers]


def _steps(pairs: Sequence[LivePair], options: Options, model: str) -> list[Step]:
    order, follows = _order(pairs)
    by_second = {pair.b.number: pair for pair in pairs}
    steps = []
    for one, before in zip(order, follows, strict=True):
        prompt = one.prompt(model or one.request.model or "")
        guess = (forecast(by_second[one.number], options)[0],) if before is not None else ()
        steps.append(Step(prompt, before, *guess))
    return steps


def _said(server: servers.Server, results: Sequence[Asked]) -> list[str]:
    notes = []
    if server.salts:
        block = f" with blocks of {server.block}" if server.block else ""
        notes.append(f"{server.title}{block}; each try has a random salt of its own")
    elif not server.isolates and results:
        notes.append("no salt: one in the prompt would change it; what others have sent may be in the cache")
    if any(one.judged.agrees and one.judged.expected != one.seen.observed_tokens for one in results):
        notes.append(
            "counted with another vocabulary or template: within "
            f"{BAND * 100:.0f} % of the prediction, or one step, is taken as equal"
        )
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
        noisy=noisy(results[0].speed) if first is not None else "",
        seen=tuple(seen for one in results for seen in (one.earlier, one.seen, one.control) if seen is not None),
        calibration=sum(known) / len(known) if known else None,
        calibration_error=sum(errors) / len(errors) if errors else None,
    )
    return Report("confirm", verdict, notes=tuple(dict.fromkeys(notes)), confirm=facts)


def noisy(speed: Speed | None) -> str:
    """Why the times of one pair say nothing, or ""."""
    if speed is None or speed.tpot_cold is None or speed.tpot_warm is None:
        return ""
    less, more = sorted((speed.tpot_cold, speed.tpot_warm))
    if more <= _SAME * less or more - less <= _LEAST:
        return ""
    return (
        f"a further token took {speed.tpot_cold * 1000:,.1f} ms cold and {speed.tpot_warm * 1000:,.1f} ms warm, where "
        "reuse changes nothing: the machine or the network was busy, and the times say nothing"
    )
