"""A, then B; or the requests of a log: what a server reports is set beside what was predicted, with a control."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from promptlint.confirm.live.agreement import Forecast, Judged, Observed, by_ids, in_its_tokens, joined, judged
from promptlint.confirm.live.servers import Server
from promptlint.confirm.live.session import Answered, Prompt, Session
from promptlint.confirm_facts import Seen, Speed
from promptlint.errors import PromptlintError

Progress = Callable[[int, int], None]


class Question(NamedTuple):
    """Two requests, and what the rules say of them."""

    a: Prompt
    b: Prompt
    forecast: Forecast


class Asked(NamedTuple):
    """What came of one question."""

    seen: Seen
    control: Seen | None
    judged: Judged
    speed: Speed | None
    note: str = ""  # what the times stand for
    earlier: Seen | None = None  # the first try, where it read another number of tokens


class _Try(NamedTuple):
    cold: Answered
    warm: Answered
    observed: Observed


def may_send(server: Server | None) -> list[tuple[Literal["a", "b", "larger"], str]]:
    """Everything that `ask` may send, and why. `server` None: not known yet, so the most that any one is sent."""
    both: list[tuple[Literal["a", "b", "larger"], str]] = [("a", ""), ("b", "")]
    again: list[tuple[Literal["a", "b", "larger"], str]] = [("larger", ", once more if they do not agree")]
    if server is None or server.salts:
        again = [("a", ", once more if they do not agree"), ("b", ", once more if they do not agree")]
    afresh = server is None or server.isolates
    return both + again + ([("b", ", as the control")] if afresh else [])


def ask(question: Question, session: Session) -> Asked:
    """Send A, then B; what does not agree is tried once more, and where the server can reuse nothing, B is the control.

    Raises PromptlintError for an error of the server, and where more would be spent than may be.
    """
    server = session.server
    first_tokens = 1 if server.isolates else session.tokens  # what A answers would be in the cache as well
    salt = salt_for(session)
    tries = [_once(question, session, first_tokens, salt)]
    own = own_prediction(question, session, tries[0].cold)
    verdict = judged(question.forecast, own, tries[0].observed)
    if verdict.agrees is not True:
        tries = _again(question, session, tries[0], verdict, salt)
    fresh = None
    if server.isolates:
        fresh = session.send(question.b, session.tokens, salt=salt_for(session), fresh=True)
        tries = [_with_control(one, fresh) for one in tries]
    each = [judged(question.forecast, own, one.observed) for one in tries]
    verdict = joined(each, [one.observed.warm for one in tries])
    first, last = tries[0], tries[-1]
    earlier = None
    if first.observed.warm != last.observed.warm:
        earlier = seen_of(question, first.warm, own, each[0], first.observed)
        earlier = earlier._replace(b=f"{earlier.b} (first try)")
    return Asked(
        seen_of(question, last.warm, own, verdict, last.observed),
        None if fresh is None else _control(question, fresh),
        verdict,
        speed(last.cold if fresh is None else fresh, last.warm),
        "" if fresh is not None else "cold: the first request, warm: the second, which is another prompt",
        earlier,
    )


def _once(question: Question, session: Session, first_tokens: int, salt: str) -> _Try:
    cold = session.send(question.a, first_tokens, salt=salt)
    warm = session.send(question.b, session.tokens, salt=salt, after=cold.said.id)
    return _Try(cold, warm, observation(cold, warm))


def _with_control(one: _Try, fresh: Answered) -> _Try:
    seen, said = one.observed, fresh.said
    return one._replace(observed=seen._replace(control=said.cached_tokens, wrong=seen.wrong or said.wrong))


def _again(question: Question, session: Session, first: _Try, verdict: Judged, salt: str) -> list[_Try]:
    """The tries, with a second one: with a salt of its own the whole pair, else the request that tells most."""
    seen = first.observed
    if seen.warm is None or seen.is_sum or seen.wrong:
        return [first]
    if session.server.salts and verdict.expected:
        return [first, _once(question, session, 1, salt_for(session))]
    if seen.warm:
        return [first]
    # Where a read was predicted: is A there at all? Else: does it report reads at all?
    prompt = question.a if verdict.expected else question.b
    again = session.send(prompt, 1, salt=salt).said.cached_tokens
    return [first._replace(observed=seen._replace(again=again, again_is_first=bool(verdict.expected)))]


def salt_for(session: Session) -> str:
    """A new salt, where the server has them: what others have sent does not count then."""
    return secrets.token_hex(8) if session.server.salts else ""


def own_prediction(question: Question, session: Session, cold: Answered) -> int | None:
    """The prediction from the ids that the server itself makes of both prompts; None where it does not tell."""
    a = session.ids(question.a)
    b = session.ids(question.b) if a is not None else None
    if a is None or b is None:
        return None
    unit = session.server.block or question.forecast.unit
    return by_ids(a, cold.said.output_ids, b, 1 if session.server.kind == "llama-cpp" else unit)


def observation(cold: Answered, warm: Answered) -> Observed:
    """What two requests that were sent one after the other showed."""
    return Observed(
        cold=cold.said.cached_tokens,
        warm=warm.said.cached_tokens,
        prompt_tokens=warm.said.prompt_tokens,
        is_sum=cold.said.is_sum or warm.said.is_sum,
        wrong=warm.said.wrong or cold.said.wrong,
        first_tokens=cold.said.prompt_tokens,
        left=(cold.said.cached_tokens or 0) + sum(cold.said.written.values()),
    )


def seen_of(question: Question, warm: Answered, own: int | None, verdict: Judged, observed: Observed) -> Seen:
    """One row of the report."""
    said = warm.said
    return Seen(
        question.a.name,
        question.b.name,
        in_its_tokens(question.forecast, observed)[0],
        said.cached_tokens,
        said.prompt_tokens,
        said.source,
        verdict.gap,
        said.miss_reason,
        own,
    )


def _control(question: Question, fresh: Answered) -> Seen:
    said = fresh.said
    gap = (
        f"it was told to reuse nothing and reports {said.cached_tokens:,} tokens" if said.cached_tokens else said.wrong
    )
    return Seen(
        "nothing", question.b.name, 0, said.cached_tokens, said.prompt_tokens, said.source, gap, is_control=True
    )  # fmt: skip


def speed(cold: Answered, warm: Answered) -> Speed | None:
    """The times of one pair; None where an answer did not stream."""
    a, b = cold.timing, warm.timing
    if a.first is None or b.first is None:
        return None
    return Speed(a.first, b.first, a.per_token, b.per_token, a.whole, b.whole, spread=0.0, pairs=1)


class Step(NamedTuple):
    """One request of a log."""

    prompt: Prompt
    follows: int | None  # the number of an earlier one, from 0
    forecast: Forecast = Forecast(None)


class Told(NamedTuple):
    """What a log has shown."""

    pairs: tuple[Asked, ...]
    note: str = ""  # why it ends early


class Sending(NamedTuple):
    """One request that is sent for a log."""

    step: int
    why: Literal["", "control", "again"]


class _Done(NamedTuple):
    question: Question
    before: Answered
    after: Answered
    own: int | None


def log_sends(follows: Sequence[int | None], server: Server | None) -> Iterator[Sending]:
    """What is sent for a log, in its order: every request that follows another one, or is followed.

    `server` None: not known yet, so the most that any one is sent.
    """
    needed = {before for before in follows if before is not None}
    last: int | None = None
    for number, before in enumerate(follows):
        if before is None and number not in needed:
            continue
        if last is None and (server is None or server.isolates):
            yield Sending(number, "control")
        # A slot of llama.cpp holds one prompt: the one that is followed must be the last.
        if before is not None and before != last and (server is None or server.kind == "llama-cpp"):
            yield Sending(before, "again")
        yield Sending(number, "")
        last = number


def ask_log(steps: Sequence[Step], session: Session, progress: Progress | None = None) -> Told:
    """Send a log. Raises PromptlintError if not even one pair comes to an end."""
    salt = salt_for(session)
    answers: dict[int, Answered] = {}
    done: list[_Done] = []
    control: Answered | None = None
    note = ""
    try:
        for number, why in log_sends([step.follows for step in steps], session.server):
            step = steps[number]
            if progress is not None:
                progress(number, len(steps))
            if why == "control":
                control = session.send(step.prompt, 1, salt=salt_for(session), fresh=True)
                continue
            before = answers.get(step.follows) if step.follows is not None and not why else None
            tokens = 1 if why or session.server.isolates else session.tokens
            after_id = before.said.id if before is not None else None
            answers[number] = session.send(step.prompt, tokens, salt=salt, after=after_id)
            if step.follows is not None and before is not None:
                question = Question(steps[step.follows].prompt, step.prompt, step.forecast)
                done.append(_Done(question, before, answers[number], own_prediction(question, session, before)))
    except PromptlintError as error:
        if not done:
            raise
        note = f"ended after {len(done)} pair{'s' if len(done) > 1 else ''}: {error}"
    return Told(_judged(done, control, next(iter(answers.values()))) if done else (), note)


def _judged(done: Sequence[_Done], control: Answered | None, first: Answered) -> tuple[Asked, ...]:
    """The pairs, once it is known whether the server reports reads at all, and whether it began with an empty cache."""
    reads = max((one.after.said.cached_tokens or 0 for one in done), default=0)
    found = []
    for one in done:
        seen = observation(one.before, one.after)._replace(cold=first.said.cached_tokens)
        if control is not None:
            wrong = seen.wrong or control.said.wrong
            seen = seen._replace(control=control.said.cached_tokens, wrong=wrong)
        if seen.warm == 0 and reads:
            seen = seen._replace(again=reads, again_is_first=False)
        verdict = judged(one.question.forecast, one.own, seen)
        row = seen_of(one.question, one.after, one.own, verdict, seen)
        found.append(Asked(row, None, verdict, speed(first, one.after)))
    return tuple(found)
