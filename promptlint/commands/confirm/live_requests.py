"""The requests that a server is asked for: read, paired, counted, and what the rules predict of each pair."""

from typing import Any, NamedTuple

from promptlint.boundary.counts import count
from promptlint.cache.rule import rule_of
from promptlint.commands.compare import compare, provider_of_pair
from promptlint.commands.lint_follow import Followed
from promptlint.commands.options import Options
from promptlint.confirm.live.agreement import Forecast
from promptlint.confirm.live.apis import body_of
from promptlint.confirm.live.session import Prompt
from promptlint.errors import PromptlintError
from promptlint.facts.models import model_of
from promptlint.facts.servers import paid_extra
from promptlint.load import load
from promptlint.load.several import requests
from promptlint.prompt import Rendered, Request
from promptlint.read.names import shown
from promptlint.read.plain import plain
from promptlint.read.sources import read
from promptlint.render import render

_BETAS = "anthropic-beta"


class Sendable(NamedTuple):
    """One request of the user."""

    name: str
    number: int  # in its log
    request: Request
    body: dict[str, Any]
    counted: int  # tokens, about

    def prompt(self, model: str) -> Prompt:
        """As it is sent."""
        return Prompt(self.name, self.body, self.request.format, model, self.counted, _betas(self.request))


class LivePair(NamedTuple):
    """Two requests, the second of which follows the first."""

    a: Sendable
    b: Sendable


def two(
    a: str, b: str, options: Options, input_format: str | None, request_path: str | None
) -> tuple[tuple[LivePair, ...], tuple[str, ...]]:
    """Two requests that the user names. Raises PromptlintError if one cannot be read or sent."""
    both = [load(read(each), input_format=input_format, request_path=request_path) for each in (a, b)]
    first, second = (
        _sendable(each, number, one, options) for number, (each, one) in enumerate(zip((a, b), both, strict=True))
    )
    if first.name == second.name:
        second = second._replace(name=f"{second.name} (again)")
    return (LivePair(first, second),), ()


def follow(log: str, options: Options, input_format: str | None) -> tuple[tuple[LivePair, ...], tuple[str, ...]]:
    """The requests of a log that follow another one. Raises PromptlintError if there are none."""
    followed: dict[tuple[str, str], Followed] = {}
    taken: dict[int, Sendable] = {}
    pairs: list[LivePair] = []
    left_out: list[str] = []
    for number, request in enumerate(requests(read(log))):
        if isinstance(request, PromptlintError):
            left_out.append(str(request))
            continue
        try:
            one = _sendable(f"{log}#{number}", number, request, options)
        except PromptlintError as error:
            left_out.append(str(error))
            continue
        if request.token_ids is not None or (input_format is not None and request.format != input_format):
            continue
        memory = followed.setdefault((request.format, request.provider), Followed())
        found, _ = memory.add(number, render(request))
        taken[number] = one
        if found is not None and found.number in taken:
            pairs.append(LivePair(taken[found.number], one))
    if not pairs:
        why = f": {left_out[0]}" if left_out else ""
        raise PromptlintError(f"{shown(log)} holds no request that follows another one{why}", "name two requests: A B")
    kept = [pair for pair in pairs if pair.b.request.format == pairs[0].b.request.format]
    notes = []
    if left_out:
        notes.append(
            f"{len(left_out)} record{'s are' if len(left_out) > 1 else ' is'} left out; the first: {left_out[0]}"
        )
    if len(kept) < len(pairs):
        notes.append(f"only requests of the format {kept[0].b.request.format} are sent, {len(kept)} of {len(pairs)}")
    return tuple(kept), tuple(notes)


def _sendable(name: str, number: int, request: Request, options: Options) -> Sendable:
    try:
        body = body_of(plain(request.body), request.format)
    except KeyError:
        raise PromptlintError(
            f"{shown(name)}: requests of the format {request.format} cannot be sent", "take one of a live interface"
        ) from None
    except PromptlintError as error:
        raise PromptlintError(f"{shown(name)}: {error.message}", error.hint) from None
    extra = paid_extra(body, request.format, request.model or "")
    if extra is not None:
        raise PromptlintError(f"{shown(name)}: {not_paid(extra)}", "take it out")
    return Sendable(shown(name), number, request, body, _tokens(request, options))


def not_paid(extra: str) -> str:
    """That a thing which the vendor would do is not asked for."""
    return f"{shown(extra)} would be run by the vendor, at a price that is not known"


def _tokens(request: Request, options: Options) -> int:
    if request.token_ids is not None:
        return len(request.token_ids)
    prompt: Rendered = render(request)
    return count(options.tokenizer, prompt, prompt).total_a


def _betas(request: Request) -> str:
    """The flags of a recorded request: the one header that is part of the prompt. No other is sent again."""
    said = request.body.get("betas") if isinstance(request.body, dict) else None
    if isinstance(said, list):
        return ",".join(each for each in said if isinstance(each, str) and _is_flag(each))
    for path, value in request.settings.items():
        if str(path[-1]).lower() == _BETAS and isinstance(value, str):
            return ",".join(flag for flag in (each.strip() for each in value.split(",")) if _is_flag(flag))
    return ""


def _is_flag(text: str) -> bool:
    return text.isascii() and text.replace("-", "").replace("_", "").isalnum()


def forecast(pair: LivePair, options: Options) -> tuple[Forecast, tuple[str, ...]]:
    """What the rules predict for the second request of a pair, and notes on both."""
    old, new = pair.a.request, pair.b.request
    diff, notes = compare(old, new, options)
    limits, provider = diff.boundary, provider_of_pair(old, new, options)
    name = new.model or old.model
    marked = any(
        one.automatic is not None or any(part.marker for item in one.items for part in item.segments)
        for one in (old, new)
    )
    rule = rule_of(provider, name, marked=marked, exact=limits.exact, own=options.own)
    known = model_of(name or "", provider.name, options.own)
    lifetime = (known.default_ttl if known else None) or provider.default_lifetime
    by_ids = old.token_ids is not None and new.token_ids is not None
    return (
        Forecast(
            tokens=limits.usable_tokens,
            shared_tokens=limits.shared_tokens,
            prompt_tokens=diff.b.prompt_tokens,
            exact=by_ids or (limits.exact and options.chosen),
            unit=options.block_size or max(rule.step, 1),
            minimum=rule.minimum.tokens,
            why=limits.why,
            lost_tokens=limits.lost_tokens,
            by_entries=rule.by_entries,
            lifetime=f"entries live {lifetime}" if lifetime else "",
        ),
        notes,
    )
