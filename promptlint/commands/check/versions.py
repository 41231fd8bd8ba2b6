"""The same requests under two vocabularies, or through two chat templates: where does every prefix move?"""

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from promptlint.boundary.align import common_head
from promptlint.check_facts import CheckCause, CheckedPrompt, CheckFacts, Often
from promptlint.commands.check.causes import in_order, new_costly
from promptlint.commands.check.findings import findings_of
from promptlint.commands.check.found import Source, configurations, sources
from promptlint.commands.check.lost import lost_tokens
from promptlint.commands.check.measure import Asked, Compared, compared, followed, price
from promptlint.commands.check.prompt import bare
from promptlint.commands.check.sent import Counting, Prompt, Sent, at_moment, made
from promptlint.commands.check.sides import working_tree
from promptlint.commands.check.trees import Sides
from promptlint.commands.loss import as_text
from promptlint.commands.own_facts import own_facts
from promptlint.commands.single import encoded, opened
from promptlint.config import Config
from promptlint.config.prompts import Budget, PromptEntry
from promptlint.errors import PromptlintError
from promptlint.facts.causes import cause
from promptlint.finding import Change, Report
from promptlint.gate.verdict import Figures, judged
from promptlint.prompt import Rendered, Request, Spot
from promptlint.read.names import shown
from promptlint.read.places import pointer, resolve

if TYPE_CHECKING:
    from promptlint.commands.check.run import CheckOptions
    from promptlint.commands.options import Options
    from promptlint.facts.own import Overrides

Progress = Callable[[int, int], None]


class Version(NamedTuple):
    """A vocabulary and a chat template; None: what holds for the request anyway."""

    tokenizer: str | None
    template: str | None

    @property
    def name(self) -> str:
        """For people."""
        return " and ".join(each for each in (self.template, self.tokenizer) if each) or "the request's own"


class Versions(NamedTuple):
    """What is compared, over which requests: paths, or none for those of the project."""

    a: Version
    b: Version
    paths: tuple[str, ...] = ()


def check_versions(versions: Versions, options: "CheckOptions", progress: Progress | None = None) -> Report:
    """Each request before and after an upgrade. Raises PromptlintError where there is nothing to compare."""
    from promptlint.commands.check.run import STEADY, verdict_of

    own = own_facts(os.curdir, options.facts)
    found = list(_requests(versions.paths))
    prompts, errors = [], []
    with Counting() as renderer:
        upgrade = _Upgrade(versions, own, renderer, options.now or STEADY)
        for number, (label, budget, request) in enumerate(found):
            if progress is not None:
                progress(number, len(found))
            if isinstance(request, PromptlintError):
                errors.append(str(request))
                continue
            try:
                prompts.append(upgrade.judged(label, request, budget))
            except PromptlintError as error:
                errors.append(f"{shown(label)}: {error}")
        count = renderer.count
    if progress is not None:
        progress(len(found), len(found))
    if not found:
        raise PromptlintError("no requests", "name files, or configure prompts of the kind `request`")
    facts = CheckFacts(versions.a.name, versions.b.name, tuple(prompts), False, options.strict, 0, count, tuple(errors))
    return Report("check", verdict_of(prompts, fails=False, errors=bool(errors)), findings_of(prompts), check=facts)


def _requests(paths: Sequence[str]) -> Iterator[tuple[str, Budget, Request | PromptlintError]]:
    """Name, budget and request of each record of each file."""
    from promptlint.load.several import requests
    from promptlint.read.sources import read

    for path, budget in _files(paths):
        try:
            for number, request in enumerate(requests(read(path))):
                yield (path if number == 0 else f"{path}#{number}"), budget, request
        except PromptlintError as error:
            yield path, budget, error


def _files(paths: Sequence[str]) -> Iterator[tuple[str, Budget]]:
    if paths:
        from promptlint.commands.lint_files import DATA
        from promptlint.read.walk import walk

        yield from ((found.path, Budget()) for found in walk(paths, suffixes=DATA).files)
        return
    from promptlint.commands.check.run import start_of

    tree = working_tree()
    sides = Sides(tree, tree, {}, frozenset(), frozenset())
    for config, folder in configurations(tree, start_of(sides)):
        for source in sources(tree, config, folder):
            if source.entry.kind in ("request", "recorded"):
                yield from ((tree.shown(path), source.entry.budget.over(config.budget)) for path in source.paths)


class _Upgrade(NamedTuple):
    """How requests are held against two versions."""

    versions: Versions
    own: "Overrides"
    renderer: Counting
    now: datetime

    def judged(self, label: str, request: Request, budget: Budget) -> CheckedPrompt:
        """One request."""
        entry = PromptEntry("request", (label,))
        source = Source(label, entry, Config(), "", (label,))
        prompts = [self._prompt(source, request, version) for version in (self.versions.a, self.versions.b)]
        pairs = [self._worst(prompt) for prompt in prompts]
        before, after = pairs
        moved = self._moved(prompts[0].at(label, self.now), prompts[1].at(label, self.now), prompts, pairs)
        lost = lost_tokens(before, after)
        usable = [pair.diff.boundary.usable_tokens for pair in pairs]
        figures = Figures(usable[0], usable[1], after.diff.b.prompt_tokens, lost, moved.lost, None)
        verdict = judged(figures, budget)
        cold = price(moved.lost, after) if moved.lost else None
        changes = in_order(new_costly(after, before), before, asked=True) if lost else []
        causes = (*(_cause(change, "request", lost) for change in changes), *moved.causes)
        document = request.document
        return bare(source, document.path, "changed" if causes else "unchanged")._replace(
            verdict=verdict.verdict,
            provider=after.diff.b.provider,
            model=after.diff.b.model,
            exact=before.diff.boundary.exact and after.diff.boundary.exact,
            prompt_tokens_before=before.diff.b.prompt_tokens,
            prompt_tokens_after=after.diff.b.prompt_tokens,
            usable_tokens_before=usable[0],
            usable_tokens_after=usable[1],
            lost_tokens_per_request=lost,
            lost_tokens_once=moved.lost,
            lost_usd_once=None if cold is None else as_text(cold.usd),
            price="" if cold is None else cold.note,
            causes=causes,
            reasons=verdict.reasons,
        )

    def _prompt(self, source: Source, request: Request, version: Version) -> Prompt:
        templates = None
        if version.template is not None:
            from promptlint.commands.templates import TemplateOptions

            templates = TemplateOptions(version.template, now=self.now)
        options = opened(version.tokenizer, provider=None, templates=templates, own=self.own)

        def at(label: str, now: datetime) -> Sent:
            return made(request, label, at_moment(options.sides, now), self.renderer)

        return Prompt(source, options, (), (source.name,), at, {}, sides=options.sides)

    def _worst(self, prompt: Prompt) -> Compared:
        """The request and what may follow it: of these the one that can reuse less."""
        found = [
            followed(prompt, Asked(prompt.source.name, prompt.source.name, how), self.now, self.renderer)
            for how in ("question", "turn")
        ]
        return min(found, key=lambda one: one.diff.boundary.usable_tokens or 0)

    def _moved(self, a: Sent, b: Sent, prompts: Sequence[Prompt], pairs: Sequence[Compared]) -> "_Moved":
        usable = pairs[0].diff.boundary.usable_tokens
        names = [pair.diff.b.tokenizer for pair in pairs]
        if a.prompt is None or b.prompt is None:
            raise PromptlintError("token ids have been made by one vocabulary already", "give the request")
        if names[0] == names[1]:
            return _through_templates(a, b, prompts[1].options, usable)
        return _through_vocabularies(a.prompt, b.prompt, pairs, usable)


class _Moved(NamedTuple):
    """What the deploy of an upgrade loses, and from where on."""

    lost: int | None
    causes: tuple[CheckCause, ...]


def _through_templates(a: Sent, b: Sent, options: "Options", usable: int | None) -> _Moved:
    found = compared(a, b, options, {})
    left = found.diff.boundary.usable_tokens
    lost = None if usable is None or left is None else max(usable - left, 0)
    costs = [change for change in found.diff.changes if change.affects in ("prefix", "key")]
    return _Moved(lost, tuple(_cause(change, "once", change.lost_tokens) for change in costs) if lost else ())


def _cause(change: Change, often: Often, lost: int | None) -> CheckCause:
    """A change at the line of the template that printed it, else at its place in the request."""
    line, place = change.template_b, change.b
    path, number, pointer = (place.path, place.line, place.pointer) if line is None else (line.path, line.line, "")
    column = place.column if line is None else line.column or 1
    return CheckCause(
        change.cause, change.message, often, change.certainty, path, number, column, pointer, lost, change.fix, None
    )


def _through_vocabularies(a: Rendered, b: Rendered, pairs: Sequence[Compared], usable: int | None) -> _Moved:
    """Token ids are what is cached: behind the first that differs nothing is found."""
    ids = [encoded(prompt, pair.options.tokenizer) for prompt, pair in ((a, pairs[0]), (b, pairs[1]))]
    shared = common_head(ids[0].ids, ids[1].ids)
    if a.text == b.text and shared == len(ids[0].ids) == len(ids[1].ids):
        return _Moved(0, ())
    lost = None if usable is None else max(usable - shared, 0)
    byte = _bytes_of(ids[1].ids[:shared], pairs[1])
    row = cause("retokenised")
    where = f"behind {byte:,} bytes" if byte else "from the first token on"
    message = f"{pairs[1].diff.b.tokenizer} makes other ids than {pairs[0].diff.b.tokenizer}, {where}"
    place = _place(b, byte)
    return _Moved(lost, (CheckCause(row.label, message, "once", "certain", *place, lost, row.fix, None),))


def _bytes_of(ids: Sequence[int], pair: Compared) -> int:
    return len(pair.options.tokenizer.decode(tuple(ids))) if ids else 0


def _place(prompt: Rendered, byte: int) -> tuple[str, int, int, str | tuple[str, ...]]:
    """Path, line, column and pointer of a byte of the prompt."""
    from promptlint.boundary.divergence import spot_at

    document = prompt.request.document
    if prompt.template is not None:
        return document.path, document.line, 1, ""
    char = len(prompt.text.encode()[:byte].decode("utf-8", "ignore"))
    spot: Spot = spot_at(prompt, char, char)
    (found,) = resolve(document, [spot], prompt.request.ends)
    return document.path, found.line, found.column, pointer(spot.path)
