"""The requests of a log, sent once each in their order: every one that follows another shows what it reads of it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from promptlint.confirm.live.agreement import Predicted, judged
from promptlint.confirm.live.ask import Asked, Pair, observation, own_prediction, salt_for, seen_of, speed
from promptlint.confirm.live.session import Answered, Prompt, Session
from promptlint.errors import PromptlintError

Progress = Callable[[int, int], None]


class Step(NamedTuple):
    """One request of a log."""

    prompt: Prompt
    follows: int | None  # the number of an earlier one, from 0
    predicted: Predicted = Predicted(None)


class Told(NamedTuple):
    """What a log has shown."""

    pairs: tuple[Asked, ...]
    note: str = ""  # why it ends early


class _Done(NamedTuple):
    step: Step
    pair: Pair
    before: Answered
    after: Answered
    own: int | None


def ask_log(steps: Sequence[Step], session: Session, progress: Progress | None = None) -> Told:
    """Send a log. Raises PromptlintError if not even one pair comes to an end."""
    salt = salt_for(session)
    needed = {step.follows for step in steps if step.follows is not None}
    answers: dict[int, Answered] = {}
    done: list[_Done] = []
    control: int | None = None
    last, note = -1, ""
    try:
        for number, step in enumerate(steps):
            if progress is not None:
                progress(number, len(steps))
            if step.follows is None and number not in needed:
                continue
            if not answers and session.server.can_start_afresh:
                control = session.send(step.prompt, 1, salt=salt_for(session), fresh=True).said.cached_tokens
            if session.server.kind == "llama-cpp" and step.follows not in (None, last):
                assert step.follows is not None  # a slot holds one prompt: the one that is followed must be the last
                answers[step.follows] = session.send(steps[step.follows].prompt, 1, salt=salt)
            before = answers.get(step.follows) if step.follows is not None else None
            after_id = before.said.id if before is not None else None
            tokens = 1 if session.server.can_start_afresh else session.tokens
            answers[number] = session.send(step.prompt, tokens, salt=salt, after=after_id)
            last = number
            if step.follows is not None and before is not None:
                pair = Pair(steps[step.follows].prompt, step.prompt, step.predicted)
                done.append(_Done(step, pair, before, answers[number], own_prediction(pair, session, before)))
    except PromptlintError as error:
        if not done:
            raise
        note = f"ended after {len(done)} pair{'s' if len(done) > 1 else ''}: {error}"
    return Told(_judged(done, control, next(iter(answers.values()))) if done else (), note)


def _judged(done: Sequence[_Done], control: int | None, first: Answered) -> tuple[Asked, ...]:
    """The pairs, once it is known whether the server reports reads at all, and whether it began with an empty cache."""
    reads = max((one.after.said.cached_tokens or 0 for one in done), default=0)
    found = []
    for one in done:
        seen = observation(one.before, one.after)._replace(cold=first.said.cached_tokens, control=control)
        if seen.warm == 0 and reads:
            seen = seen._replace(again=reads, again_is_first=False)
        verdict = judged(one.step.predicted, one.own, seen)
        found.append(
            Asked(seen_of(one.pair, one.after, one.own, verdict, seen), None, verdict, speed(first, one.after))
        )
    return tuple(found)
