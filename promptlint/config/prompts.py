"""The prompts of a project, what they may lose, and which losses are meant to be."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

PromptKind = Literal["request", "template", "recorded", "promptfoo", "command"]
Markers = Literal["comments", "end", "none"]
"""Where the text of a template is marked: at its comments `promptlint: breakpoint`, at its end, nowhere."""


class Traffic(NamedTuple):
    """What a prompt is asked for; None: not said."""

    requests_per_day: int | None = None
    turns: int | None = None  # requests of one conversation
    gap_s: int | None = None  # seconds between two requests that share a prefix


class Budget(NamedTuple):
    """What a change may cost; None: no limit is said here."""

    max_lost_tokens_per_request: int | None = None
    min_cacheable_share: float | None = None  # of the prompt, 0 to 1
    max_usd_per_day: float | None = None
    max_prefix_growth: float | None = None  # tokens, or with `growth_is_share` a share of what it was
    growth_is_share: bool = False
    max_lost_tokens_once: int | None = None

    def over(self, other: "Budget") -> "Budget":
        """This budget, with the limits of another one where it says nothing."""
        merged = {name: held if held is not None else getattr(other, name) for name, held in self._asdict().items()}
        merged["growth_is_share"] = (self if self.max_prefix_growth is not None else other).growth_is_share
        return Budget(**merged)


class PromptEntry(NamedTuple):
    """One entry of `prompts`: one prompt, or with a pattern one for each file."""

    kind: PromptKind
    paths: tuple[str, ...]  # files or patterns, relative to the folder of the configuration; none for a command
    name: str | None = None
    vars: tuple[str, ...] = ()  # of a template: files (patterns) with one set of variables each, or a list of sets
    chat_template: str | None = None  # for requests and recorded ones
    template_kwargs: Mapping[str, Any] = {}
    command: tuple[str, ...] = ()
    provider: str | None = None
    model: str | None = None
    engine: str | None = None  # NAME or NAME==VERSION
    tokenizer: str | None = None  # name, or path relative to the folder of the configuration
    markers: Markers | None = None  # None: at comments if the template has any, before or after the change, else "end"
    ttl: str | None = None  # of what is marked at the end, and of comments that name none
    traffic: Traffic = Traffic()
    budget: Budget = Budget()


class Allow(NamedTuple):
    """A loss that is meant to be."""

    prompt: str  # its name, in which * and ? stand for other characters
    reason: str
    until: str  # day, ISO: the last on which it holds
