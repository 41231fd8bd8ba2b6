"""Tokens of one comparison: shared, usable, lost; of the whole and of each change alone."""

from bisect import bisect_right
from typing import NamedTuple

from promptlint.boundary.counts import Counts, shared_tokens, token_difference
from promptlint.boundary.divergence import byte_at
from promptlint.cache import objects, steps
from promptlint.cache.positions import last_before
from promptlint.cache.reuse import Reuse
from promptlint.cache.rule import Rule
from promptlint.cache.steps import whole_units
from promptlint.cache.traits import other_tools
from promptlint.commands.options import Options
from promptlint.commands.places import number
from promptlint.facts.providers import Provider
from promptlint.finding import Boundary, Side
from promptlint.prompt import Rendered, Request

_EXACT = ("text", "token-ids", "template")  # formats whose prompt is known as it is


class Compared(NamedTuple):
    """Two prompts that were compared: what is known before anything is counted."""

    counts: Counts
    reuse: Reuse
    shared: int  # equal characters at the start
    rule: Rule
    options: Options

    @property
    def in_units(self) -> bool:
        """Whether a change near the end of what is cached may cost nothing, because only whole units are read."""
        return bool(self.options.block_size) or (self.rule.step > 1 and not self.rule.shifted)

    @property
    def object_gone(self) -> bool:
        """Whether what is lost is an object whose size no request tells."""
        return self.rule.kind == "objects" and objects.gone(self.counts.a.request, self.counts.b.request)

    @property
    def tools_lose_all(self) -> bool:
        """Whether the tools differ in a way that loses every entry."""
        return self.rule.provider.tools_whole and other_tools(self.counts.a, self.counts.b)


def readable_tokens(c: Compared) -> int:
    """Tokens that the first request left readable."""
    tokens, size = c.counts.in_a(c.reuse.readable), c.options.block_size
    if c.rule.by_entries:
        return tokens
    return tokens // size * size if size else _in_steps(c, tokens)


def usable_tokens(c: Compared, chars: int, tokens: int) -> int:
    """Of these, tokens that the second request could use if both were equal for `chars` characters, `tokens` tokens."""
    if c.rule.by_entries:
        return c.counts.in_a(last_before(c.reuse.reachable, chars))
    if c.reuse.readable == 0 or c.rule.minimum.size(tokens) == "below":
        return 0
    return _in_units(c, tokens)


def _in_units(c: Compared, tokens: int) -> int:
    size = c.options.block_size
    return whole_units(tokens, c.counts.total_b, size) if size else _in_steps(c, tokens)


def _in_steps(c: Compared, tokens: int) -> int:
    return steps.floor(tokens, c.counts.total_b, c.rule.step, c.rule.provider.held_back)


def tokens_in_b(counts: Counts, char: int) -> int:
    """Tokens of the first `char` characters of prompt B."""
    if counts.b.tokens is not None:
        return bisect_right(counts.b.tokens.ends, len(counts.b.text[:char].encode()))
    return counts.index_b.at(char) + counts.encoded_b.before(char)


def boundary(c: Compared) -> Boundary:
    """Where the prompts part, in bytes, tokens and what the cache can use. With `first` nothing is counted."""
    a, size = c.counts.a, c.options.block_size
    exact = is_exact(a, c.options)
    limits = Boundary(
        shared_bytes=byte_at(a, c.shared),
        shared_tokens=None,
        usable_tokens=None,
        lost_tokens=None,
        lost_usd=None,
        unit="block" if size else c.reuse.unit,
        exact=exact,
        band="" if exact else _band(c),
        why=f"{c.reuse.why}, in full blocks of {size} tokens" if size else c.reuse.why,
        token_note="",
    )
    if not c.options.counts and c.shared == min(len(a.text), len(c.counts.b.text)):
        return limits
    if a.tokens is None:  # else letters that two spelled-out control tokens share
        limits = limits._replace(token_note=_token_note(token_difference(c.counts, c.shared, c.shared).back))
    if not c.options.counts:
        return limits
    tokens = shared_tokens(c.counts, c.shared, c.shared)
    chars = c.reuse.usable
    usable = tokens if chars == c.shared else c.counts.in_a(chars)
    if not c.rule.by_entries:
        usable = _in_units(c, usable)
    if size:
        limits = limits._replace(shared_blocks=tokens // size)
    lost = None if c.object_gone else max(readable_tokens(c) - usable, 0)
    if c.reuse.usable == c.reuse.readable and not c.object_gone:
        lost = 0
    return limits._replace(shared_tokens=tokens, usable_tokens=usable, lost_tokens=lost)


def is_exact(rendered: Rendered, options: Options) -> bool:
    """Whether prompt and vocabulary are those of the model."""
    return rendered.request.format in _EXACT or (rendered.template is not None and options.chosen)


def _band(c: Compared) -> str:
    if c.counts.a.template is not None and c.options.tokenizer.name != "o200k_base":
        return "the prompt is the model's own, and the vocabulary is the one that its name stands for"
    if c.counts.a.template is not None:
        return "the prompt is the model's own, the vocabulary is not: give it with --tokenizer"
    if c.options.chosen:
        return (
            "counted with the vocabulary that you chose, over a documented form of the prompt, not the provider's own"
        )
    return c.rule.provider.counts


def _token_note(back: int) -> str:
    if back <= 0:
        return ""
    size = f"{back} byte{'s' if back > 1 else ''}"
    return f"the first differing token begins {size} before the first differing byte: the tokenizer merges across it"


def side(
    request: Request, provider: Provider, tokenizer: str, size: int | None, tokens: int | None, *, exact: bool
) -> Side:
    """One input, as the report names it."""
    return Side(
        path=request.document.path,
        revision=request.document.revision,
        record=number(request.document),
        format=request.format,
        provider=provider.name,
        model=request.model,
        tokenizer=tokenizer,
        exact=exact,
        prompt_bytes=size,
        prompt_tokens=tokens,
    )
