"""A request -> what rules look at: its prompt, and how much of it later requests are expected to read."""

from functools import cache

from promptlint.cache.reuse import looked_up, size_of
from promptlint.cache.rule import Rule, has_markers, rule_of
from promptlint.commands.figures import is_exact
from promptlint.commands.options import Options
from promptlint.commands.single import Single, counted, prepared
from promptlint.lint.subject import RequestSubject
from promptlint.prompt import Rendered, Request


def subject_of(request: Request, options: Options) -> RequestSubject | None:
    """None for token ids: they hold no text."""
    return None if request.token_ids is not None else _subject(prepared(request, options))


def _subject(single: Single) -> RequestSubject:
    prompt, options = single.prompt, single.options
    assert prompt is not None
    exact = is_exact(prompt, options)
    rule = rule_of(single.provider, single.request.model, marked=has_markers(prompt), exact=exact, own=options.own)
    counts = counted(prompt, options.tokenizer)
    count = cache(counts.in_a)
    ends = _entry_ends(prompt, rule)
    cached_end, explicit = (ends[-1], True) if ends else (_automatic_end(prompt, rule), False)
    if not ends and rule.kind == "markers" and size_of(cached_end, rule, count) == "below":
        cached_end = 0  # too short to be cached, marked or not
    return RequestSubject(
        request=single.request,
        prompt=prompt,
        provider=single.provider,
        rule=rule,
        cached_end=cached_end,
        explicit=explicit,
        count=count,
        band="" if exact else single.provider.counts,
        notes=single.notes,
    )


def _entry_ends(prompt: Rendered, rule: Rule) -> list[int]:
    """Characters up to each place where the author has set a marker; one that is refused counts, too."""
    if not rule.by_entries:
        return []
    return [position.end for position in looked_up(prompt, rule)[0] if position.marker is not None]


def _automatic_end(prompt: Rendered, rule: Rule) -> int:
    """Characters in front of the newest message; for markers that are not set yet, of the tools and the system text."""
    if prompt.request.format == "text":
        return len(prompt.text)
    fixed = [item.char + len(item.text) for item in prompt.items if item.item.level != "messages"]
    if rule.kind == "markers":
        return max(fixed, default=0)
    messages = [item for item in prompt.items if item.item.level == "messages"]
    return messages[-1].char if messages else len(prompt.text)
