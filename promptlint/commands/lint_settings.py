"""What holds for each file: its nearest configuration, under what the command line says."""

import os
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from promptlint import facts
from promptlint.commands.lint_answers import Project, baseline_of
from promptlint.config import Config, beside, finder
from promptlint.config.selection import chosen, ignored_for, refuse_unknown, refuse_unknown_rules
from promptlint.errors import PromptlintError
from promptlint.lint.rule import Rule, built_in, rule_of
from promptlint.lint.suppressions import FAULTS
from promptlint.read.names import nearest, shown
from promptlint.read.walk import Exclusion

if TYPE_CHECKING:
    from promptlint.commands.lint_files import How, Linted
    from promptlint.commands.lint_rendering import Stages


class LintOptions(NamedTuple):
    """What the command line says; None or nothing: the configuration decides."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str | None = None
    rules: str | None = None  # a folder of the user's own rules, which may hold code
    render: bool = True
    provider: str | None = None
    tokenizer: str | None = None
    facts: str | None = None
    now: datetime | None = None
    as_walked: bool = False  # files that are named are treated as if they were met in a folder
    renderings: bool = False  # each path is a folder of renderings of one prompt
    baseline: str | None = None
    no_baseline: bool = False
    cache: bool = True
    suggest: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False  # fixes are shown, not written
    statistics: bool = False


class SettingsError(PromptlintError):
    """What a configuration or the command line asks for cannot be had: no file that it is about is looked at."""


class Settings:
    """Configurations and rules, each read once, when the first file asks for them."""

    def __init__(self, options: LintOptions, stages: "Stages | None" = None) -> None:
        self.options = options
        self._stages = stages
        self._find = finder()
        self._rules: dict[str | None, tuple[Rule, ...]] = {}
        self._how: dict[str | None, How] = {}
        self._chosen: dict[tuple[str | None, tuple[str, ...]], frozenset[str]] = {}
        self._state: dict[str | None, str] = {}
        self._given = _given(options.rules)

    def config_of(self, path: str) -> Config:
        """The configuration nearest to a file or folder."""
        return self._find(path)

    def exclusion_of(self, folder: str) -> Exclusion | None:
        """What is left out of a folder."""
        config = self._find(folder)
        if config.path is None:
            return None
        return Exclusion(config.folder, config.exclude, config.respect_gitignore)

    def known(self, config: Config) -> tuple[Rule, ...]:
        """All rules that there are for the files of a configuration."""
        if config.path not in self._rules:
            own = tuple(rule_of(name, row, None) for name, row in config.rules.items())
            rules = (*self._built_in, *self._given, *own)
            ids = {*FAULTS, *(rule.id for rule in rules)}
            try:
                _check_own((*self._given, *own), {*FAULTS, *(rule.id for rule in self._built_in)})
                refuse_unknown_rules(config, ids)
                refuse_unknown(self.options.select, ids, "--select")
                refuse_unknown(self.options.ignore, ids, "--ignore")
            except PromptlintError as error:
                raise SettingsError(error.message, error.hint) from None
            self._rules[config.path] = rules
        return self._rules[config.path]

    def chosen(self, path: str) -> frozenset[str]:
        """The ids of the rules that look at a file."""
        config = self.config_of(path)
        here = config.path, ignored_for(config, path) if config.per_file_ignores else ()
        if here not in self._chosen:
            ids = [*FAULTS, *(rule.id for rule in self.known(config))]
            ignored = (*config.ignore, *self.options.ignore, *here[1])
            if not self.options.render:
                ignored = (*ignored, *(rule.id for rule in self.known(config) if rule.rendered))
            self._chosen[here] = chosen(ids, self.options.select or config.select, ignored)
        return self._chosen[here]

    def how_of(self, path: str) -> "How":
        """How a file is linted."""
        config = self.config_of(path)
        if config.path not in self._how:
            try:
                self._how[config.path] = self._made(config, path)
            except PromptlintError as error:
                raise SettingsError(error.message, error.hint) from None
        wanted, known = self.chosen(path), self.known(config)
        return self._how[config.path]._replace(
            rules=tuple(rule for rule in known if rule.id in wanted),
            answers=wanted & FAULTS.keys(),
            known=frozenset((*FAULTS, *(rule.id for rule in known))),
        )

    def projects(self, files: Sequence["Linted"]) -> Iterator[Project]:
        """The files by their nearest configuration."""
        groups: dict[str | None, list[Linted]] = {}
        for file in files:
            groups.setdefault(self.config_of(file.path).path, []).append(file)
        for group in groups.values():
            config = self.config_of(group[0].path)
            looked = {(scope, self.chosen(file.path)) for file in group for scope in file.ran}
            ran = (
                rule.id
                for rule in self.known(config)
                for scope, ids in looked
                if rule.scope == scope and rule.id in ids
            )
            baseline = None if self.options.no_baseline else baseline_of(config, self.options.baseline)
            yield Project(config, tuple(group), frozenset(ran), baseline)

    def state_of(self, path: str) -> str:
        """What the result of a file depends on beside its bytes."""
        config = self.config_of(path)
        if config.path not in self._state:
            self._state[config.path] = self._state_of(config)
        return f"{path}\n{self._state[config.path]}\n{' '.join(sorted(self.chosen(path)))}"

    @property
    def results_are_kept(self) -> bool:
        """Not with what is made for one run only, and not where code of the user's has a say."""
        return self.options.cache and not self.options.suggest and self.options.rules is None

    def _state_of(self, config: Config) -> str:
        options = self.options
        day = options.now or date.today()  # of prices, of models that are retired
        spelled = options._replace(select=(), ignore=(), fail_on=None, baseline=None, fix=False, diff=False, now=None)
        named = (config.path, options.facts, self._vocabulary(config), options.tokenizer)
        return "\n".join((repr(spelled), str(day), *(f"{name} {_content(name)}" for name in named if name)))

    @cached_property
    def _built_in(self) -> tuple[Rule, ...]:
        return built_in()

    def _vocabulary(self, config: Config) -> str | None:
        """What the configuration says of the vocabulary of templates: a name, or a path as seen from here."""
        if config.tokenizer is None:
            return None
        path = beside(config, config.tokenizer)
        return path if os.path.isfile(path) or os.path.isdir(path) else config.tokenizer

    def _made(self, config: Config, near: str) -> "How":
        from promptlint.commands.lint_files import How
        from promptlint.commands.options import Options
        from promptlint.commands.own_facts import own_facts
        from promptlint.tokens import open_tokenizer

        options = self.options
        tokenizer = open_tokenizer(options.tokenizer)
        reading = Options(
            tokenizer,
            provider=options.provider,
            chosen=options.tokenizer is not None,
            own=own_facts(near, options.facts),
        )
        for_templates = tokenizer
        if options.tokenizer is None and config.tokenizer is not None:
            for_templates = open_tokenizer(self._vocabulary(config))
        elif options.tokenizer is None and config.model is not None:
            from promptlint.facts.tokenizers import family_of
            from promptlint.tokens.choose import tokenizer_for

            if family_of(config.model) is None:
                where = shown(config.path or "")
                raise PromptlintError(
                    f"{where}: model: no vocabulary is known for {shown(config.model)}", "name a tokenizer"
                )
            for_templates, _ = tokenizer_for(config.model)
        now = options.now or datetime.now()
        return How((), reading, config.variables, self._stages, now, options.suggest, for_templates)


def _check_own(own: Sequence[Rule], built_in: Collection[str]) -> None:
    """Refuse rules of the user's that bear the id of another one, or a cause that there is not."""
    causes = facts.table("causes")
    seen = set(built_in)
    for rule in own:
        if rule.id in seen:
            raise PromptlintError(f"rule {rule.id}: there is one with this id", "give it another")
        if rule.cause not in causes or any(cause not in causes for cause in rule.changes):
            close = nearest(rule.cause, sorted(causes))
            hint = f"did you mean {close}?" if close else "promptlint rules shows the causes"
            raise PromptlintError(f"rule {rule.id}: unknown cause {shown(rule.cause)}", hint)
        seen.add(rule.id)


def _given(folder: str | None) -> tuple[Rule, ...]:
    if folder is None:
        return ()
    from promptlint.lint.own_rules import own_rules

    return own_rules(folder)


def _content(path: str) -> str | None:
    """What tells whether a file or a folder has changed; None for what is a mere name."""
    from promptlint.lint.results_cache import hash_of

    if not os.path.isdir(path):
        return hash_of(path)
    try:
        with os.scandir(path) as entries:
            return repr(sorted((entry.name, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in entries))
    except OSError:
        return None
