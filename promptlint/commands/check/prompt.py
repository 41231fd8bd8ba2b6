"""One prompt before and after the change -> what is to be said of it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from promptlint.check_facts import CheckedPrompt, PromptChange
from promptlint.commands.check.both import Both, Once, before_of, weighed
from promptlint.commands.check.causes import Teller
from promptlint.commands.check.found import Candidate, Source, rendered_alike
from promptlint.commands.check.judging import How, Told, changed_at_once, finished
from promptlint.commands.check.lost import lost_tokens
from promptlint.commands.check.measure import Asked, OtherFormat, compared, followed, pairs_of
from promptlint.commands.check.parts import text_of
from promptlint.commands.check.sent import Prompt, Setting, as_it_is, counterparts, files_of, prompt_of
from promptlint.commands.check.templated import says_breakpoints
from promptlint.commands.check.variables import variable_files
from promptlint.config.prompts import Markers
from promptlint.errors import PromptlintError
from promptlint.read.names import shown


class Judged(NamedTuple):
    """A prompt, and why it could not be rendered."""

    prompt: CheckedPrompt
    error: str = ""


def judge(candidate: Candidate, how: How) -> Judged:
    """What a change does to one prompt."""
    source = candidate.source
    if candidate.after is None:
        return Judged(_bare(candidate, how, "deleted"))
    try:
        if candidate.before is not None and _is_unchanged(candidate.before, candidate.after, how):
            return Judged(_bare(candidate, how, "unchanged"))
        if source.entry.kind == "command" and not how.allow_exec:
            return unrendered(_bare(candidate, how, "unrendered"), "its command runs only with --allow-exec")
        return Judged(_judged(candidate, candidate.after, how))
    except PromptlintError as error:
        return failed(_bare(candidate, how, "unrendered"), error)


def unrendered(plain: CheckedPrompt, why: str) -> Judged:
    """A prompt that must not be rendered."""
    return Judged(plain._replace(verdict="unknown", certainty="unknown", notes=(why,)))


def failed(plain: CheckedPrompt, error: PromptlintError) -> Judged:
    """A prompt that cannot be rendered."""
    told = str(error)
    named = told if plain.name in told else f"{shown(plain.name)}: {told}"
    return Judged(plain._replace(verdict="unknown", certainty="unknown", notes=(told,)), named)


def _bare(candidate: Candidate, how: How, change: PromptChange) -> CheckedPrompt:
    source, old = candidate.source, candidate.before
    as_known = how.sides.after.shown
    found = bare(source, as_known(source.path), change)
    is_renamed = old is not None and old.path != source.path and candidate.after is not None
    return found._replace(old_path=as_known(old.path)) if old is not None and is_renamed else found


def bare(source: Source, path: str, change: PromptChange) -> CheckedPrompt:
    """A prompt of which nothing is counted. `path`: as the user knows it."""
    entry = source.entry
    return nothing_counted(source.name, path, change, entry.provider or entry.engine, entry.model)


def nothing_counted(
    name: str, path: str, change: PromptChange, provider: str | None, model: str | None
) -> CheckedPrompt:
    """The same of a prompt of which nothing is left."""
    return CheckedPrompt(
        name=name,
        path=path,
        old_path=None,
        change=change,
        verdict="pass",
        certainty="certain",
        provider=provider,
        model=model,
        exact=False,
        prompt_tokens_before=None,
        prompt_tokens_after=None,
        usable_tokens_before=None,
        usable_tokens_after=None,
        lost_tokens_per_request=None,
        lost_tokens_once=None,
        lost_usd_per_day=None,
        lost_usd_once=None,
        often="request",
        price="",
    )


def _is_unchanged(before: Source, after: Source, how: How) -> bool:
    """Whether nothing that the prompt is made of differs: then it is not rendered."""
    sides = how.sides
    if after.entry.kind == "command":
        return not sides.touched and not sides.gone and rendered_alike(before, after)
    if not rendered_alike(before, after) or tuple(map(sides.old, after.paths)) != before.paths:
        return False
    files = files_of(after, sides.after, variable_files(after, sides.after))
    if any(file in sides.touched for file in files):
        return False
    return not sides.gone or {*variable_files(before, sides.before)} == {
        *map(sides.old, variable_files(after, sides.after))
    }


def _judged(candidate: Candidate, source: Source, how: How) -> CheckedPrompt:
    old = candidate.before
    prompt, before, unsure = _prompts(source, old, how)
    pairs = pairs_of(prompt)
    known = {} if before is None else counterparts(before, prompt)
    both = weighed([_both(asked, prompt, before, known, how) for asked in pairs])
    once = None if before is None else _worst_once(prompt, before, known, both, how)
    teller = Teller(prompt, _files(prompt, before, how), how.lines, how.top, partial(text_of, how.sides.after))
    told = Told(source, prompt, both, once, teller, partial(changed_at_once, teller=teller), unsure)
    return finished(_bare(candidate, how, "changed" if old is not None else "new"), told, how)


def _prompts(source: Source, old: Source | None, how: How) -> tuple[Prompt, Prompt | None, str]:
    """The prompt after the change, and before it; why that could not be rendered."""
    after, before = how.sides.after, how.sides.before
    marked = says_breakpoints(source, after) or (old is not None and says_breakpoints(old, before))
    markers: Markers | None = "comments" if marked else None
    setting = Setting(after, after, as_it_is, as_it_is, how.renderer, how.own, markers, how.memos)
    prompt = prompt_of(source, setting)
    if old is None:
        return prompt, None, ""
    if source.entry.kind == "command":  # it may read any file
        before.fetch(before.paths)
    try:
        found = prompt_of(old, setting._replace(tree=before, old=how.sides.old, new=how.sides.new))
        found.at(found.labels[0], how.now)
    except PromptlintError as error:
        return prompt, None, f"before the change it could not be rendered: {error}"
    return prompt, found, ""


def _both(asked: Asked, prompt: Prompt, before: Prompt | None, known: Mapping[str, str], how: How) -> Both:
    after = followed(prompt, asked, how.now, how.renderer)
    if before is None or asked.first not in known or asked.second not in known:
        return Both(None, after, asked, None)
    then = asked._replace(first=known[asked.first], second=known[asked.second])
    try:
        found = followed(before, then, how.now, how.renderer)
    except PromptlintError:  # variables that the template took then, and that are gone
        return Both(None, after, asked, None)
    won = lost_tokens(after, found) if asked.how in ("question", "turn") else 0
    return Both(before_of(found), after, asked, lost_tokens(found, after), won or 0)


def _worst_once(
    prompt: Prompt, before: Prompt, known: Mapping[str, str], both: Sequence[Both], how: How
) -> Once | None:
    """What the deploy takes from one cached prefix: of what requests of the old state shared, the new one finds so
    much less."""
    found = []
    for one in both:
        if one.before is None:
            continue
        shared, (old, new) = one.before.usable_tokens, (known[one.asked.first], one.asked.first)
        try:
            pair = compared(before.at(old, how.now), prompt.at(new, how.now), prompt.options, how.memos)
        except OtherFormat:
            found.append(Once(None, shared))
            continue
        usable = pair.diff.boundary.usable_tokens
        lost = None if shared is None or usable is None else max(shared - usable, 0)
        found.append(Once(pair, 0 if lost is not None and 1 < pair.unit_tokens > lost else lost))
    return max(found, key=lambda one: one.lost or 0, default=None)


def _files(prompt: Prompt, before: Prompt | None, how: How) -> tuple[str, ...]:
    """All files that may have brought a change: those of both states, and the configuration."""
    source = prompt.source
    path = (source.config.path or "").rpartition("/")[2]
    own = f"{source.folder}/{path}" if source.folder else path
    gone = () if before is None else tuple(file for file in before.files if file in how.sides.gone)
    return (*prompt.files, *gone, own)
