"""The command line: options -> one call -> print -> exit code. Nothing heavy is imported here."""

import contextlib
import gc
import os
import sys
from collections.abc import Callable

import click

from promptlint import __version__
from promptlint.errors import PromptlintError

_FORMATS = ("text", "concise", "json", "markdown")
_FAILING = frozenset(("bust", "refused", "wrong_reuse"))
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=_CONTEXT)
@click.version_option(__version__, message=f"promptlint %(version)s (distribution promptlint-cache {__version__})")
def cli() -> None:
    """Keep LLM prompt caches hit: find the edit that moved the cached prefix of a prompt."""


@cli.command()
@click.argument("a")
@click.argument("b")
@click.option("--first", is_flag=True, help="Stop at the first change and count no tokens (fast on huge requests).")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", show_default=True, help="What to print.")
@click.option("--output", "outputs", multiple=True, metavar="FORMAT=FILE", help="Write a report to a file as well.")
@click.option("--exit-code", is_flag=True, help="Exit 1 if the verdict is bust, refused or wrong_reuse.")
@click.option("--tokenizer", metavar="NAME|FILE", help="o200k_base (default), bytes, a tokenizer.json or a .tiktoken file.")
@click.option("--provider", metavar="NAME", help="Whose cache rules hold, instead of what the request shows.")
@click.option("--block-size", type=int, metavar="TOKENS", help="Block of a paged engine (vLLM, SGLang): count full blocks.")
@click.option("--input-format", metavar="NAME", help="Read both inputs as this format instead of recognising it.")
@click.option("--request-path", metavar="POINTER", help="JSON pointer to the request inside each input.")
@click.option("--no-excerpts", is_flag=True, help="Print no text of the prompts.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
@click.option("--debug", is_flag=True, help="Show a traceback for an internal error.")
def diff(
    a: str,
    b: str,
    first: bool,
    form: str,
    outputs: tuple[str, ...],
    exit_code: bool,
    tokenizer: str | None,
    provider: str | None,
    block_size: int | None,
    input_format: str | None,
    request_path: str | None,
    no_excerpts: bool,
    color: str,
    debug: bool,
) -> None:
    """Show which byte moved the shared boundary of two prompts, why, and what it costs.

    A and B are files with a request, a tool list, text or token ids; FILE.jsonl#12 is one record (from 0),
    REV:FILE comes from git, - is standard input, and two folders are compared file by file.
    """
    from promptlint.commands.diff import diff as run

    report = run(
        a,
        b,
        first=first,
        tokenizer=tokenizer,
        input_format=input_format,
        request_path=request_path,
        provider=provider,
        block_size=block_size,
    )
    from promptlint.report import write

    for output in outputs:
        _write_file(output, lambda name: write(report, name, excerpts=not no_excerpts))
    for note in report.notes if form != "json" else ():
        click.echo(f"note: {note}", err=True)
    click.echo(write(report, form, color=_colored(color, form), excerpts=not no_excerpts, width=_width()), nl=False)
    if exit_code and report.verdict in _FAILING:
        sys.exit(1)


def _colored(choice: str, form: str) -> bool:
    """Colour only on a terminal, unless the user or the environment says otherwise."""
    if form != "text" or choice == "never":
        return False
    if choice == "always":
        return True
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _width() -> int:
    return 80


def _write_file(output: str, text_of: Callable[[str], str]) -> None:
    """`FORMAT=FILE`: the file is replaced as a whole or not at all."""
    name, found, path = output.partition("=")
    if not found or name not in _FORMATS or not path:
        raise PromptlintError(f"--output {output}: not FORMAT=FILE", f"FORMAT is one of {', '.join(_FORMATS)}")
    scratch = f"{path}.{os.getpid()}.tmp"
    try:
        with open(scratch, "w", encoding="utf-8", newline="\n") as file:
            file.write(text_of(name))
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise PromptlintError(f"{path}: {error.strerror}", "name a file that can be written") from None


def main() -> None:
    """Run the command line and leave with its exit code: 2 for bad input or usage, 130 for Ctrl-C."""
    gc.disable()  # one short run: collecting costs more than it frees
    code = _run()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass
    os._exit(code)  # freeing a million objects one by one would take longer than the diff


def _run() -> int:
    try:
        code = cli.main(prog_name="promptlint", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    except PromptlintError as error:
        return _complain(str(error))
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        hint = "; see promptlint --help" if isinstance(error, click.UsageError) else ""
        return _complain(error.format_message() + hint)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "--debug" in sys.argv[1:]:
            raise
        return _complain(f"internal error: {type(error).__name__}: {error}; run again with --debug and report it")


def _complain(message: str) -> int:
    from promptlint.report.escape import line

    click.echo(f"promptlint: {line(message)}", err=True)
    return 2
