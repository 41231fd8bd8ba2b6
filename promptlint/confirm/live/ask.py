"""A, then B: what a server reports is set beside what was predicted, with a control."""

import secrets
from typing import NamedTuple

from promptlint.confirm.live.agreement import Judged, Observed, Predicted, by_ids, in_its_tokens, judged
from promptlint.confirm.live.session import Answered, Prompt, Session
from promptlint.confirm_facts import Seen, Speed


class Asked(NamedTuple):
    """What came of one pair."""

    seen: Seen
    control: Seen | None
    judged: Judged
    speed: Speed | None
    note: str = ""  # what the times stand for


class Pair(NamedTuple):
    """Two requests, and what the rules say of them."""

    a: Prompt
    b: Prompt
    predicted: Predicted


def ask(pair: Pair, session: Session) -> Asked:
    """Send A, then B; what does not agree is tried once more, and where the server can reuse nothing, B is the control.

    Raises PromptlintError for an error of the server, and where more would be spent than may be.
    """
    server = session.server
    first_tokens = 1 if server.can_start_afresh else session.tokens  # what A answers would be in the cache as well
    salt = salt_for(session)
    cold, warm = _once(pair, session, first_tokens, salt)
    own = own_prediction(pair, session, cold)
    observed = observation(cold, warm)
    verdict = judged(pair.predicted, own, observed)
    if verdict.agrees is not True:
        cold, warm, observed = _again(pair, session, (cold, warm), observed, verdict, salt)
    fresh = (
        session.send(pair.b, session.tokens, salt=salt_for(session), fresh=True) if server.can_start_afresh else None
    )
    if fresh is not None:
        observed = observed._replace(control=fresh.said.cached_tokens)
    verdict = judged(pair.predicted, own, observed)
    note = "" if fresh is not None else "cold: the first request, warm: the second, which is another prompt"
    return Asked(
        seen_of(pair, warm, own, verdict, observed),
        None if fresh is None else _control(pair, fresh),
        verdict,
        speed(cold if fresh is None else fresh, warm),
        note,
    )


def _once(pair: Pair, session: Session, first_tokens: int, salt: str) -> tuple[Answered, Answered]:
    cold = session.send(pair.a, first_tokens, salt=salt)
    return cold, session.send(pair.b, session.tokens, salt=salt, after=cold.said.id)


def _again(
    pair: Pair, session: Session, both: tuple[Answered, Answered], seen: Observed, verdict: Judged, salt: str
) -> tuple[Answered, Answered, Observed]:
    """A second try: with a salt of its own the whole pair, else the request that tells most."""
    cold, warm = both
    if seen.warm is None or seen.is_sum:
        return cold, warm, seen
    if session.server.salts and verdict.expected:
        cold, warm = _once(pair, session, 1, salt_for(session))
        return cold, warm, observation(cold, warm)
    if seen.warm == 0 and verdict.expected:  # is A there at all?
        again = session.send(pair.a, 1, salt=salt)
        return cold, warm, seen._replace(again=again.said.cached_tokens, again_is_first=True)
    if seen.warm == 0:  # does it report reads at all?
        again = session.send(pair.b, 1, salt=salt)
        return cold, warm, seen._replace(again=again.said.cached_tokens, again_is_first=False)
    return cold, warm, seen


def salt_for(session: Session) -> str:
    """A new salt, where the server has them: what others have sent does not count then."""
    return secrets.token_hex(8) if session.server.salts else ""


def own_prediction(pair: Pair, session: Session, cold: Answered) -> int | None:
    """The prediction from the ids that the server itself makes of both prompts; None where it does not tell."""
    a = session.ids(pair.a)
    b = session.ids(pair.b) if a is not None else None
    if a is None or b is None:
        return None
    unit = session.server.block or pair.predicted.unit
    return by_ids(a, cold.said.output_ids, b, 1 if session.server.kind == "llama-cpp" else unit)


def observation(cold: Answered, warm: Answered) -> Observed:
    """What two requests that were sent one after the other showed."""
    return Observed(
        cold=cold.said.cached_tokens,
        warm=warm.said.cached_tokens,
        prompt_tokens=warm.said.prompt_tokens,
        is_sum=cold.said.is_sum or warm.said.is_sum,
        first_tokens=cold.said.prompt_tokens,
        left=(cold.said.cached_tokens or 0) + sum(cold.said.written.values()),
    )


def seen_of(pair: Pair, warm: Answered, own: int | None, verdict: Judged, observed: Observed) -> Seen:
    """One row of the report."""
    said = warm.said
    return Seen(
        pair.a.name,
        pair.b.name,
        in_its_tokens(pair.predicted, observed)[0],
        said.cached_tokens,
        said.prompt_tokens,
        said.source,
        verdict.gap,
        said.miss_reason,
        own,
    )


def _control(pair: Pair, fresh: Answered) -> Seen:
    said = fresh.said
    gap = f"it was told to reuse nothing and reports {said.cached_tokens:,} tokens" if said.cached_tokens else ""
    return Seen(
        "nothing", pair.b.name, 0, said.cached_tokens, said.prompt_tokens, said.source, gap, is_control=True
    )  # fmt: skip


def speed(cold: Answered, warm: Answered) -> Speed | None:
    """The times of one pair; None where an answer did not stream."""
    a, b = cold.timing, warm.timing
    if a.first is None or b.first is None:
        return None
    return Speed(a.first, b.first, a.per_token, b.per_token, a.whole, b.whole, spread=0.0, pairs=1)
