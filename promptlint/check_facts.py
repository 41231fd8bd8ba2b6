"""What `promptlint check` says of each prompt of a project, before and after a change."""

from typing import Literal, NamedTuple

from promptlint.side import Certainty

Often = Literal["once", "day", "session", "request"]
"""Who loses: the first request behind the deploy, the first of each day, the first of each session, every request."""
PromptVerdict = Literal["pass", "fail", "unknown"]
PromptChange = Literal["unchanged", "changed", "new", "deleted", "unrendered"]
"""What became of a prompt; "unrendered": it could not be, or must not be, rendered."""


class Hunk(NamedTuple):
    """A stretch of lines that differs, as in a unified diff without lines of context."""

    path: str  # of the file after the change; before it, if it is gone
    old_start: int  # line, from 1; of an empty stretch the line before it, as in `diff -U0`
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]  # each behind its "-" or "+", untrusted; the first few


class CheckCause(NamedTuple):
    """What moves or shortens the cached prefix of a prompt."""

    cause: str  # a label of data/causes.yaml
    message: str
    often: Often
    certainty: Certainty
    path: str  # where it stands after the change; the file before it, if it is gone
    line: int  # from 1
    column: int  # from 1; 1 where only the line is known
    pointer: str | tuple[str, ...]  # into the request, "" where a template or a text holds it
    lost_tokens: int | None  # if it were the only cause
    fix: str
    hunk: Hunk | None  # the changed lines that brought it; None: it is not in a changed line, or there is no text


class BudgetReason(NamedTuple):
    """A line of the budget that is broken, or may be."""

    budget: str  # its key, such as "max-lost-tokens-per-request"; "refused" where the provider takes no such request
    verdict: PromptVerdict  # fail or unknown
    message: str


class Allowed(NamedTuple):
    """A loss that the configuration declares as intended."""

    reason: str
    until: str  # day, ISO: the last on which it holds


class CheckedPrompt(NamedTuple):
    """One prompt. Figures are None where there is nothing to count: an unchanged prompt is not even rendered."""

    name: str
    path: str  # what renders it, after the change; before it, if it is gone
    old_path: str | None  # before the change, if it had another name
    change: PromptChange
    verdict: PromptVerdict
    certainty: Certainty  # of the figures
    provider: str | None
    model: str | None
    exact: bool  # tokens are counted as the model counts them
    prompt_tokens_before: int | None
    prompt_tokens_after: int | None
    usable_tokens_before: int | None  # that a request can reuse of another one of the same revision
    usable_tokens_after: int | None
    lost_tokens_per_request: int | None  # uncached now, cached before; `often` says which requests
    lost_tokens_once: int | None  # of each cached prefix, when the change is deployed
    lost_usd_per_day: str | None  # decimal
    lost_usd_once: str | None  # decimal, for each cached prefix
    often: Often  # of lost_tokens_per_request
    price: str  # which prices, or why there are none; "" if nothing is lost
    causes: tuple[CheckCause, ...] = ()  # what every request loses first, the dearest first
    reasons: tuple[BudgetReason, ...] = ()
    allowed: Allowed | None = None
    notes: tuple[str, ...] = ()
    link: str = ""  # address of the place that matters most on the server that keeps the repository; "" if not known


class CheckFacts(NamedTuple):
    """The body of a check."""

    before: str  # "main (merge base 1a2b3c4)", "promptlint.lock", "old/"
    after: str  # "the working tree", "what is staged", "new/"
    prompts: tuple[CheckedPrompt, ...]  # in the order of the configuration
    at_segments: bool = False  # against a lock: places are no more exact than a segment
    strict: bool = False  # unknown is a no as well
    changed_files: int = 0
    renderings: int = 0  # how often something was rendered
    errors: tuple[str, ...] = ()  # what could not be read or rendered, a line each: the exit code is 2
    lint_findings: int = 0  # how many findings, the last ones, are neither a cause of a prompt nor a line of its budget
