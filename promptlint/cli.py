"""The command line: options -> one call -> print -> exit code. Nothing heavy is imported here."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from promptlint.arguments import FORMATS, parser
from promptlint.choices import (
    check_options,
    confirm_options,
    day_of,
    engine_options,
    lint_options,
    moment,
    output_of,
    template_options,
    two_versions,
)
from promptlint.confirm_arguments import CONFIRM_FORMATS
from promptlint.errors import PromptlintError
from promptlint.terminal import colored, progress, saying, width

if TYPE_CHECKING:
    from promptlint.finding import Report

_FAILING = frozenset(("bust", "refused", "wrong_reuse"))


def main() -> None:
    """Run the command line and leave with its exit code: 2 for bad input or usage, 130 for Ctrl-C."""
    gc.disable()  # one short run: collecting costs more than it frees
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the shell closed it
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        getattr(sys, name).reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _unwritten(error, code)
    os._exit(code)  # freeing a million objects one by one would take longer than the diff


def _unwritten(error: OSError, code: int) -> int:
    """A reader that went away is no fault; a full disk is."""
    if isinstance(error, BrokenPipeError):
        return code
    return _complain(f"standard output cannot be written ({error.strerror}); the report is lost")


def run(arguments: list[str]) -> int:
    """Run one command line; its exit code."""
    try:
        options = _parsed(arguments)
        return _COMMANDS[options.command](options)
    except SystemExit as stop:  # --help, --version
        return stop.code if isinstance(stop.code, int) else 0
    except PromptlintError as error:
        return _complain(str(error))
    except OSError as error:
        return _unwritten(error, 0)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "--debug" in arguments:
            raise
        return _complain(f"internal error: {type(error).__name__}: {error}; run again with --debug and report it")


def _parsed(arguments: list[str]) -> argparse.Namespace:
    """The options; paths may stand in front of them, behind them and between them."""
    found = parser()
    options, rest = found.parse_known_args(arguments)
    unknown = [each for each in rest if each.startswith("-") and each != "-"]
    if rest and (unknown or not hasattr(options, "paths")):
        found.error(f"unrecognized arguments: {' '.join(unknown or rest)}")
    if rest:
        options.paths = [*options.paths, *rest]
    return options


def _complain(message: str) -> int:
    from promptlint.report.escape import line

    print(f"promptlint: {line(message)}", file=sys.stderr)
    return 2


def _key(options: argparse.Namespace) -> int:
    from promptlint.commands.key import key
    from promptlint.report import write

    if options.only_hashes and (options.engine is None or options.other is not None):
        raise PromptlintError("--only-hashes prints the block keys of one request", "name it, and its --engine")
    report = key(
        options.request,
        options.other,
        engine=engine_options(options),
        tokenizer=options.tokenizer,
        input_format=options.input_format,
        request_path=options.request_path,
        provider=options.provider,
        templates=template_options(options),
        facts=options.facts,
        excerpts=not (options.no_excerpts or options.only_hashes),
    )
    if options.only_hashes:
        _print_notes(report)
        blocks = report.keys[0].blocks
        assert blocks is not None
        sys.stdout.write("".join(f"{each}\n" for each in blocks.stored))
        return 0
    color = options.format == "text" and colored(options.color)
    sys.stdout.write(write(report, options.format, color=color))
    return 0


def _vary(options: argparse.Namespace) -> int:
    from promptlint.commands.vary import vary
    from promptlint.report import write

    report = vary(
        options.request,
        engine=options.engine,
        block_size=options.block_size,
        tokenizer=options.tokenizer,
        tokenizer_b=options.tokenizer_b,
        input_format=options.input_format,
        request_path=options.request_path,
        provider=options.provider,
        templates=template_options(options),
        facts=options.facts,
        save=options.save,
        progress=progress("variations"),
    )
    color = options.format == "text" and colored(options.color)
    sys.stdout.write(write(report, options.format, color=color))
    return 0


def _print_notes(report: "Report") -> None:
    """On standard error, for what prints one plain line a thing."""
    from promptlint.report.escape import line

    for note in report.notes:
        print(f"promptlint: note: {line(note)}", file=sys.stderr)


def _baseline(options: argparse.Namespace) -> int:
    from promptlint.commands.baseline import baseline
    from promptlint.commands.lint_settings import LintOptions

    wanted = LintOptions(
        baseline=options.baseline,
        provider=options.provider,
        tokenizer=options.tokenizer,
        facts=options.facts,
        rules=options.rules,
        cache=not options.no_cache,
    )
    outcome = baseline(options.action, options.paths or [os.curdir], wanted, progress("files", "checked"))
    from promptlint.report.escape import line

    for error in outcome.errors:
        _complain(error)
    sys.stdout.write("".join(f"{line(row)}\n" for row in outcome.text.splitlines()))
    return outcome.code


def _check(options: argparse.Namespace) -> int:
    from promptlint.commands.check.run import check

    wanted, versions = check_options(options), two_versions(options)
    if versions is None:
        report = check(wanted, progress("prompts", "checked"))
    else:
        from promptlint.commands.check.versions import check_versions

        report = check_versions(versions, wanted, progress("requests", "checked"))
    assert report.check is not None
    for error in report.check.errors:
        _complain(error)
    _print(report, options, inputs=[each for each in (options.lock,) if each])
    if report.check.errors:
        return 2
    return 1 if report.verdict == "fail" or (options.strict and report.verdict == "unknown") else 0


def _lock(options: argparse.Namespace) -> int:
    from promptlint.commands.check.locked import write
    from promptlint.commands.check.run import CheckOptions
    from promptlint.gate.lock import NAME
    from promptlint.report.escape import line

    wanted = CheckOptions(allow_exec=options.allow_exec, now=moment(options.now), facts=options.facts)
    outcome = write(wanted, options.lock or NAME, progress("prompts", "read"))
    for error in outcome.errors:
        _complain(error)
    sys.stdout.write("".join(f"{line(row)}\n" for row in outcome.lines))
    return 2 if outcome.errors else 0


def _confirm(options: argparse.Namespace) -> int:
    from promptlint.commands.confirm.run import confirm

    wanted = confirm_options(options)
    with saying() as say:
        report = confirm(wanted, say)
    inputs = [*wanted.paths, *(each for each in (wanted.model, wanted.cassette) if each)]
    _print(report, options, inputs, CONFIRM_FORMATS)
    return 1 if report.verdict == "contradicted" or (options.strict and report.verdict == "not_shown") else 0


def _config(options: argparse.Namespace) -> int:
    from promptlint.commands.config import config_schema, config_show

    shown = options.action == "show"
    sys.stdout.write(config_show(options.path, options.format == "json") if shown else config_schema())
    return 0


def _init(options: argparse.Namespace) -> int:
    from promptlint.commands.init import init

    sys.stdout.write(init(options.folder))
    return 0


def _lint(options: argparse.Namespace) -> int:
    from promptlint.commands.lint import lint

    report = lint(options.paths, lint_options(options), progress=progress("files", "checked"))
    assert report.lint is not None
    for error in report.lint.errors:
        _complain(error)
    _print(report, options, inputs=(*options.paths, *(file.path for file in report.lint.files)))
    if report.lint.errors:
        return 2
    fixable = options.diff and bool(report.lint.fixes)
    return 1 if (report.verdict == "fail" or fixable) and not options.exit_zero else 0


def _models(options: argparse.Namespace) -> int:
    from promptlint.commands.models import models
    from promptlint.commands.own_facts import own_facts
    from promptlint.report import write

    day = None if options.on is None else day_of(options.on)
    own = own_facts(os.curdir, options.facts)
    color = options.format == "text" and colored(options.color)
    report = models(options.name, prefix_tokens=options.prefix_tokens, on=day, own=own)
    sys.stdout.write(write(report, options.format, color=color))
    return 0


def _rules(options: argparse.Namespace) -> int:
    from promptlint.commands.rules import rules
    from promptlint.report import write

    color = options.format == "text" and colored(options.color)
    sys.stdout.write(write(rules(options.id), options.format, color=color))
    return 0


def _tokenizers(options: argparse.Namespace) -> int:
    from promptlint.commands.tokenizers import tokenizers
    from promptlint.report import write

    color = options.format == "text" and colored(options.color)
    sys.stdout.write(write(tokenizers(options.specs), options.format, color=color))
    return 0


def _diff(options: argparse.Namespace) -> int:
    from promptlint.commands.diff import diff

    report = diff(
        options.a,
        options.b,
        first=options.first,
        tokenizer=options.tokenizer,
        input_format=options.input_format,
        request_path=options.request_path,
        provider=options.provider,
        block_size=options.block_size,
        templates=template_options(options),
        facts=options.facts,
        progress=progress("pairs"),
    )
    _print(report, options, inputs=(options.a, options.b))
    return 1 if options.exit_code and report.verdict in _FAILING else 0


def _print(
    report: "Report", options: argparse.Namespace, inputs: Sequence[str] = (), formats: Sequence[str] = FORMATS
) -> None:
    """To the files of --output, then to standard output. `inputs` are not written over."""
    from promptlint.report import write

    excerpts = not getattr(options, "no_excerpts", False)
    for output in options.output:
        form, path = output_of(output, formats)
        if any(os.path.exists(path) and os.path.exists(side) and os.path.samefile(path, side) for side in inputs):
            raise PromptlintError(f"--output {path} is one of the inputs", "name another file")
        _write_file(path, write(report, form, excerpts=excerpts))
    if options.format == "concise":  # one line a finding, so notes stand apart
        _print_notes(report)
    color = options.format == "text" and colored(options.color)
    sys.stdout.write(write(report, options.format, color=color, excerpts=excerpts, width=width()))


def _write_file(path: str, text: str) -> None:
    from promptlint.files import replace_file

    try:
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.path.isfile(target):  # a device or pipe cannot be replaced
            with open(target, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        else:
            replace_file(path, text.encode("utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PromptlintError(f"{path}: {reason}", "name a file that can be written") from None


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "baseline": _baseline,
    "check": _check,
    "config": _config,
    "confirm": _confirm,
    "diff": _diff,
    "init": _init,
    "key": _key,
    "lint": _lint,
    "lock": _lock,
    "models": _models,
    "rules": _rules,
    "tokenizers": _tokenizers,
    "vary": _vary,
}
