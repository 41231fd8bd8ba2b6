"""What the command line says, as the commands take it."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from promptlint.arguments import FORMATS
from promptlint.confirm_arguments import CONFIRM_FORMATS
from promptlint.errors import PromptlintError

if TYPE_CHECKING:
    from datetime import date, datetime

    from promptlint.commands.check.run import CheckOptions
    from promptlint.commands.check.versions import Versions
    from promptlint.commands.confirm.wanted import ConfirmOptions
    from promptlint.commands.key import EngineOptions
    from promptlint.commands.lint_settings import LintOptions
    from promptlint.commands.templates import TemplateOptions


def engine_options(options: argparse.Namespace) -> "EngineOptions":
    """Whose block keys, and how they are made."""
    from promptlint.commands.key import EngineOptions

    return EngineOptions(options.engine, options.hash, options.seed, options.block_size, options.lookahead)


def lint_options(options: argparse.Namespace) -> "LintOptions":
    """How files are linted. Raises PromptlintError for choices that do not go together."""
    from promptlint.commands.lint_settings import LintOptions

    if options.unsafe_fixes and not (options.fix or options.diff):
        raise PromptlintError(
            "--unsafe-fixes says which fixes, not what to do", "add --fix to make them, --diff to see"
        )
    return LintOptions(
        select=tuple(options.select),
        ignore=tuple(options.ignore),
        fail_on=options.fail_on,
        rules=options.rules,
        render=not options.no_render,
        provider=options.provider,
        tokenizer=options.tokenizer,
        facts=options.facts,
        now=moment(options.now),
        as_walked=options.as_walked,
        renderings=options.renderings,
        baseline=options.baseline,
        no_baseline=options.no_baseline,
        cache=not options.no_cache,
        suggest=options.suggest_order,
        fix=options.fix or options.diff,
        unsafe_fixes=options.unsafe_fixes,
        diff=options.diff,
        statistics=options.statistics,
    )


def check_options(options: argparse.Namespace) -> "CheckOptions":
    """What is checked against what. Raises PromptlintError for more than one thing."""
    from promptlint.commands.check.run import CheckOptions

    versions = two_versions(options) is not None
    against = [options.lock, options.paths and not versions, options.base or options.staged, versions]
    if sum(map(bool, against)) > 1:
        raise PromptlintError(
            "several things to check against", "give one: --base or --staged, --lock, two folders, two versions"
        )
    if options.paths and not versions and len(options.paths) != 2:
        raise PromptlintError("a check compares two folders", "promptlint check OLD NEW, or --base REF")
    return CheckOptions(
        base=options.base,
        staged=options.staged,
        folders=(options.paths[0], options.paths[1]) if options.paths and not versions else None,
        lock=options.lock,
        allow_exec=options.allow_exec,
        strict=options.strict,
        now=moment(options.now),
        facts=options.facts,
    )


def two_versions(options: argparse.Namespace) -> "Versions | None":
    """Two versions of vocabulary or chat template; None where none is named."""
    given = (options.tokenizer_a, options.tokenizer_b, options.template_a, options.template_b)
    if not any(given):
        return None
    from promptlint.commands.check.versions import Version, Versions

    for kind, a, b in (("tokenizer", *given[:2]), ("template", *given[2:])):
        if (a is None) != (b is None):
            raise PromptlintError(f"one {kind} is not enough", f"give --{kind}-a, as it is, and --{kind}-b")
    return Versions(Version(given[0], given[2]), Version(given[1], given[3]), tuple(options.paths))


def confirm_options(options: argparse.Namespace) -> "ConfirmOptions":
    """What is run or asked, and how. Raises PromptlintError for choices that do not go together."""
    from promptlint.commands.confirm.wanted import ConfirmOptions, refuse_misfits

    given = {name: getattr(options, name) for name in ConfirmOptions._fields if hasattr(options, name)}
    found = ConfirmOptions(
        **{
            **given,
            "paths": tuple(options.paths),
            "templates": template_options(options),
            "measured_forms": tuple(form for form in _forms(options) if form in ("csv", "svg")),
        }
    )
    refuse_misfits(found)
    return found


def _forms(options: argparse.Namespace) -> list[str]:
    return [options.format, *(output_of(output, CONFIRM_FORMATS)[0] for output in options.output)]


def template_options(options: argparse.Namespace) -> "TemplateOptions | None":
    """What is said about templates; None if nothing is."""
    names = ("chat_template", "chat_template_b", "template_kwargs", "vars", "vars_b", "now", "now_b")
    given = {name: getattr(options, name, None) for name in names}
    if not any(given.values()):
        return None
    from promptlint.commands.templates import TemplateOptions
    from promptlint.load.variables import parse_kwargs

    return TemplateOptions(
        given["chat_template"],
        given["chat_template_b"],
        parse_kwargs(options.template_kwargs),
        given["vars"],
        given["vars_b"],
        moment(given["now"]),
        moment(given["now_b"]),
    )


def moment(text: str | None) -> "datetime | None":
    """A time of ISO 8601. Raises PromptlintError."""
    if text is None:
        return None
    from datetime import datetime

    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise PromptlintError(f"{text}: not a time", "write it as 2026-11-29 or 2026-11-29T21:40") from None


def day_of(text: str) -> "date":
    """A day of ISO 8601. Raises PromptlintError."""
    from datetime import date

    try:
        return date.fromisoformat(text)
    except ValueError:
        raise PromptlintError(f"{text}: not a day", "write it as 2026-11-29") from None


def output_of(output: str, formats: Sequence[str] = FORMATS) -> tuple[str, str]:
    """Format and file of one --output. Raises PromptlintError."""
    form, _, path = output.partition("=")
    if form not in formats or not path:
        raise PromptlintError(f"--output {output}: not FORMAT=FILE", f"FORMAT is one of {', '.join(formats)}")
    return form, path
