"""Requests that follow each other: does each still read what the one before it left in the cache?"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.errors import PromptlintError

if TYPE_CHECKING:
    from promptlint.commands.options import Options
    from promptlint.finding import Diff, Report, Verdict
    from promptlint.prompt import Request

_FAILING = ("bust", "refused", "wrong_reuse")
# A text has no messages, so that nothing tells where its varying end begins.
_ONE_TEXT = ("text", "completion", "ollama-generate", "token-ids")
_ARGUMENTS = ("provider", "engine", "block-size", "tokenizer", "chat-template", "input-format")


class Comparison(NamedTuple):
    """A request and the one before it."""

    first: str  # `requests[0]`
    second: str
    verdict: "Verdict"  # of `promptlint diff`
    cached: bool  # False: the first one leaves nothing in the cache, and the verdict is about the prefix itself
    shared_tokens: int | None  # that are equal at the start; None: it cannot be told
    usable_tokens: int | None  # of these, what the cache serves to the second request
    lost_tokens: int | None  # of what the first one left in the cache
    prompt_tokens: int | None  # of the second request
    report: "Report"  # what `promptlint diff` reports

    @property
    def usable_share(self) -> float | None:
        """The part of the second request that the cache serves, 0 to 1."""
        if self.usable_tokens is None or not self.prompt_tokens:
            return None
        return self.usable_tokens / self.prompt_tokens


class Needed(NamedTuple):
    """How much of each request the cache must serve."""

    tokens: int | None
    share: float | None

    @property
    def asked(self) -> bool:
        return self.tokens is not None or self.share is not None


def assert_prefix_stable(
    *requests: Any,
    provider: str | None = None,
    model: str | None = None,
    engine: str | None = None,
    block_size: int | None = None,
    tokenizer: str | None = None,
    chat_template: str | None = None,
    input_format: str | None = None,
    usable_tokens: int | None = None,
    usable_share: float | None = None,
) -> tuple[Comparison, ...]:
    """Fail unless each request can still read what the one before it left in the cache.

    `requests`: two or more; each the payload as a dict, a list of messages, a prompt as str or bytes, a request of
    httpx, or one that `promptlint_requests` has recorded. Objects of pydantic, dataclasses and what has `to_dict` may
    be inside. The order of keys counts, as it does for the cache.
    `provider`, `model`: who serves them, where they do not tell, or tell otherwise; `engine` (`vllm`, `vllm==0.33.0`)
    and `block_size`: an engine of one's own. `tokenizer`, `chat_template`, `input_format`: as in `promptlint diff`.
    `usable_tokens`, `usable_share` (0 to 1): so much of each following request must be served by the cache.

    The verdicts `bust`, `refused` and `wrong_reuse` fail; `same` and `kept` pass; so does `unknown`, unless a minimum
    is asked for. A text fails where anything but its end is added, as nothing tells where it may vary; with a
    minimum, that alone decides. A request that leaves nothing in the cache, because it is too short or has no marker,
    is judged by its prefix: short requests in tests are as good as long ones. A minimum is not met then.

    Returns the figures, one Comparison for each following request. Raises AssertionError with the report of the first
    that fails, TypeError and ValueError for wrong arguments, PromptlintError for a request that cannot be read.
    """
    __tracebackhide__ = True
    if len(requests) < 2:
        held = f"{len(requests)} was given" if requests else "none was given"
        star = "; a list of them takes a star: assert_prefix_stable(*requests)" if requests else ""
        raise TypeError(f"two requests or more can be compared, {held}{star}")
    needed = _needed(usable_tokens, usable_share)
    options = {"provider": provider, "engine": engine, "block_size": block_size, "tokenizer": tokenizer}
    try:
        found = _compared(requests, model, input_format, chat_template, options)
    except PromptlintError as error:
        raise _as_arguments(error) from None
    failed = [(one, why) for one in found if (why := _failure(one, needed))]
    if failed:
        raise AssertionError(_message(failed, requests))
    return found


def _needed(tokens: int | None, share: float | None) -> Needed:
    if tokens is not None and (isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1):
        raise ValueError(f"usable_tokens is a number of tokens, 1 or more, not {tokens!r}")
    if share is not None and (isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1):
        raise ValueError(f"usable_share is a part of the request, above 0 and up to 1, not {share!r}")
    return Needed(tokens, share)


def _as_arguments(error: PromptlintError) -> PromptlintError:
    """An error that names options of the command line, with the names that they have here."""

    def renamed(text: str) -> str:
        text = text.replace(", or the place of the request with --request-path", "")
        for name in _ARGUMENTS:
            text = text.replace(f"--{name}", f"{name.replace('-', '_')}=")
        return text

    return PromptlintError(renamed(error.message), renamed(error.hint))


def _compared(
    given: Sequence[Any], model: str | None, input_format: str | None, chat_template: str | None, how: dict[str, Any]
) -> tuple[Comparison, ...]:
    options = _options(chat_template, **how)
    requests = [_request(one, f"requests[{index}]", model, input_format) for index, one in enumerate(given)]
    return tuple(_comparison(first, second, options) for first, second in pairwise(requests))


def _options(
    chat_template: str | None, provider: str | None, engine: str | None, block_size: int | None, tokenizer: str | None
) -> "Options":
    from promptlint.commands.options import served
    from promptlint.commands.own_facts import own_facts
    from promptlint.commands.single import opened
    from promptlint.commands.templates import TemplateOptions

    provider, block_size = served(engine, block_size, provider)
    templates = None if chat_template is None else TemplateOptions(chat_template=chat_template)
    own = own_facts(".")
    return opened(tokenizer, provider=provider, templates=templates, own=own, block_size=block_size)


def _request(given: Any, name: str, model: str | None, input_format: str | None) -> "Request":
    from promptlint.load import load
    from promptlint.testing.given import document

    made, shown_format = document(given, name)
    request = load(made, input_format=input_format or shown_format)
    return request if model is None else request._replace(model=model)


def _comparison(old: "Request", new: "Request", options: "Options") -> Comparison:
    from promptlint.commands.compare import compare
    from promptlint.commands.findings import findings_of
    from promptlint.finding import Report

    names = old.document.path, new.document.path
    if old.format != new.format:
        said = f"{names[0]} is of the format {old.format}, {names[1]} of {new.format}"
        raise PromptlintError(said, "compare requests of one kind, or name the format with --input-format")
    diff, notes = compare(old, new, options)
    limits, cached = diff.boundary, True
    if _leaves_nothing(diff):
        longer, more = _by_prefix(old, new, options, diff)
        if longer.verdict in _FAILING:
            diff, notes, cached = longer, more, False
    notes = tuple(dict.fromkeys((*notes, *options.tokenizer.notes)))
    report = Report("diff", diff.verdict, findings_of((diff,)), notes=notes, diffs=(diff,))
    tokens = limits.shared_tokens, limits.usable_tokens, limits.lost_tokens, diff.b.prompt_tokens
    return Comparison(*names, diff.verdict, cached, *tokens, report)


def _leaves_nothing(diff: "Diff") -> bool:
    """Whether the first request left nothing to read, so that nothing can be lost whatever the second one is."""
    limits = diff.boundary
    return diff.verdict in ("kept", "unknown") and limits.usable_tokens == 0 and limits.lost_tokens == 0


def _by_prefix(old: "Request", new: "Request", options: "Options", diff: "Diff") -> tuple["Diff", tuple[str, ...]]:
    """The comparison as it would be were there no minimum: up to the markers, else up to the newest message."""
    from promptlint.commands.compare import compare
    from promptlint.facts import engines

    marked = diff.boundary.unit == "marker" and (_marks(old) or _marks(new))
    cells = {"assumed": True, "cache": "markers" if marked else "prefix"}
    provider = diff.a.provider
    providers = {**options.own.providers, provider: {**options.own.providers.get(provider, {}), **cells}}
    size = 1 if provider in engines.names() or options.block_size else None
    options = options._replace(own=options.own._replace(providers=providers), block_size=size)
    found, notes = compare(old, new, options)
    why = f"{diff.boundary.why}; what is said here holds for longer prompts that begin like these"
    return found._replace(boundary=found.boundary._replace(why=why, lost_usd=None, price="")), notes


def _marks(request: "Request") -> bool:
    return request.automatic is not None or any(part.marker for item in request.items for part in item.segments)


def _failure(one: Comparison, needed: Needed) -> str:
    """What is wrong, as the end of a sentence; nothing if all is well."""
    bare = needed.asked and one.report.diffs[0].a.format in _ONE_TEXT
    if one.verdict in _FAILING and not (bare and one.verdict == "bust"):
        return _BROKEN[one.verdict] if one.cached else "changes the prefix"
    if not needed.asked:
        return ""
    if one.verdict == "unknown" or one.usable_tokens is None:
        return "may not read enough of it: that cannot be shown"
    least = max(needed.tokens or 0, (needed.share or 0) * (one.prompt_tokens or 0))
    if one.usable_tokens >= least:
        return ""
    about = "" if one.report.diffs[0].boundary.exact or not one.usable_tokens else "about "
    asked = [f"usable_tokens={needed.tokens}"] if needed.tokens is not None else []
    asked += [f"usable_share={needed.share}"] if needed.share is not None else []
    return f"reads {about}{one.usable_tokens:,} of its {one.prompt_tokens:,} tokens; asked for: {', '.join(asked)}"


_BROKEN = {
    "bust": "loses what is cached",
    "refused": "is refused by the provider",
    "wrong_reuse": "reads what was made of another prompt",
}


def _message(failed: Sequence[tuple[Comparison, str]], requests: Sequence[Any]) -> str:
    """What fails, then the report of the first failure."""
    from promptlint.report import write

    lines = [f"{one.second} after {one.first}: {why}{_sent(requests, one)}" for one, why in failed]
    one, why = failed[0]
    if why == _BROKEN["bust"] and one.report.diffs[0].a.format in _ONE_TEXT:
        lines.append("If a text may vary at its end, say with usable_tokens= or usable_share= how much must stay.")
    return "\n".join([*lines, "", write(one.report, "text", width=80)]).rstrip("\n")


def _sent(requests: Sequence[Any], one: Comparison) -> str:
    """Where a recorded request went."""
    from promptlint.testing.recorder import Recorded

    number = int(one.second.rpartition("[")[2].rstrip("]"))
    second = requests[number]
    return f" (sent to {second.shown_url})" if isinstance(second, Recorded) else ""
