"""Flows of a source file -> hits: what reaches which part of a prompt, on which way, and what it costs."""

from collections.abc import Collection, Iterator

from promptlint.finding import Certainty, Severity
from promptlint.lint.flow.flow import Flow
from promptlint.lint.flow.values import At, Kind
from promptlint.lint.hit import Hit
from promptlint.lint.stranded import FEW
from promptlint.lint.subject import SourceSubject
from promptlint.template import SourceRange

_SHOWN = 60  # characters of an expression in a message
_WAY = 6  # places on the way that are told
_PARTS = {"tools": "the tools", "system": "the system text", "messages": "an early message"}


def arrivals(subject: SourceSubject, kinds: Collection[Kind]) -> Iterator[Hit]:
    """Each flow of these kinds that moves more than a tail of a prompt."""
    for flow in subject.source.flows:
        if flow.slot in _PARTS and flow.change.kind in kinds:
            tokens = subject.count(flow.behind) if flow.behind else 0
            if flow.more or tokens >= FEW:
                yield _hit(subject, flow, tokens)


def arrivals_at(subject: SourceSubject, slot: str) -> Iterator[Hit]:
    """Each flow that ends in a slot which holds no text of the prompt."""
    for flow in subject.source.flows:
        if flow.slot == slot:
            yield _hit(subject, flow, 0)


def _hit(subject: SourceSubject, flow: Flow, tokens: int) -> Hit:
    change = flow.change
    at = _range(subject, change.at)
    way = dict.fromkeys(_range(subject, each) for each in (change.origin, *flow.also, *change.path, flow.into))
    fixed = f"{tokens:,} token{'' if tokens == 1 else 's'} of fixed text"
    behind = [fixed] if tokens >= FEW or not flow.more else []
    behind += [_followers(flow)] if flow.more else []
    severity: Severity | None = "info" if change.weak else None if flow.certain else "warning"
    confidence: Certainty | None = "possible" if change.weak or not flow.certain else None
    return Hit(
        at,
        {
            "what": _written(subject, change.at),
            "maker": change.name,
            "into": _into(flow),
            "behind": f"{_listed(behind)} behind it",
        },
        tuple(place for place in way if (place.file, place.start) != (at.file, at.start))[:_WAY],
        None if flow.more else tokens,
        severity=severity,
        confidence=confidence,
    )


def _listed(things: list[str]) -> str:
    """One or two things, of which the second may be two itself."""
    return (", " if " and " in things[-1] else " and ").join(things)


def _into(flow: Flow) -> str:
    """The part of the prompt that is reached, for a sentence."""
    part = _PARTS.get(flow.slot, "the request")
    if flow.certain:
        return f"{part} of {flow.where}"
    return f"what looks like {part} ({flow.where})"


def _followers(flow: Flow) -> str:
    return {"tools": "the system text and the conversation", "messages": "the messages"}.get(
        flow.slot, "the conversation"
    )


def _written(subject: SourceSubject, at: At) -> str:
    text = " ".join(_text(subject, at).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _text(subject: SourceSubject, at: At) -> str:
    module = subject.source.modules[at.module]
    start, end = module.chars(at.span)
    return module.text[start:end]


def _range(subject: SourceSubject, at: At) -> SourceRange:
    return SourceRange(at.module, *subject.source.modules[at.module].chars(at.span))
