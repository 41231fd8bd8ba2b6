"""The command line: options -> one call -> print -> exit code. Nothing heavy is imported here.

argparse, not click: click alone costs 30 ms at each start, as much as `diff --first` may cost in all.
"""

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from promptlint import __version__
from promptlint.errors import PromptlintError

if TYPE_CHECKING:
    from datetime import date, datetime

    from promptlint.commands.key import EngineOptions
    from promptlint.commands.templates import TemplateOptions
    from promptlint.finding import Report

_FORMATS = ("text", "concise", "json", "markdown")
_FAILING = frozenset(("bust", "refused", "wrong_reuse"))

_DIFF = """\
Show which byte moved the shared boundary of two prompts, why, and what it costs.

A and B are files with a request, a tool list, text or token ids.
FILE.jsonl#12 is one record (from 0), REV:FILE comes from git, - is standard
input, and two folders are compared file by file.
"""


_KEY = """\
Show under which key the prefix of a request is stored: who serves it, every
setting that is part of the key, levels, markers with the tokens up to them; with
--engine the engine's own key of each block. With OTHER: where two keys part.

REQUEST and OTHER are named as those of `promptlint diff`.
"""


_VARY = """\
Try realistic variations of a request, one at a time: a space, another order of
the tools, a marker moved, a turn appended and so on. Says for each of them
whether it hits the cache that the request itself has left, and why not.

REQUEST is named as those of `promptlint diff`.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """80 columns: to ask the terminal for its width would import the compression libraries."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=80)


class _Parser(argparse.ArgumentParser):
    """Usage errors are one line, as all errors are."""

    def error(self, message: str) -> NoReturn:
        raise PromptlintError(message, f"see {self.prog} --help")


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
        options = _parser().parse_args(arguments)
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


def _complain(message: str) -> int:
    from promptlint.report.escape import line

    print(f"promptlint: {line(message)}", file=sys.stderr)
    return 2


def _parser() -> _Parser:
    parser = _Parser(
        prog="promptlint",
        description="Keep LLM prompt caches hit: find the edit that moved the cached prefix of a prompt.",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    version = f"promptlint {__version__} (distribution promptlint-cache {__version__})"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_diff(commands)
    _add_key(commands)
    _add_tokenizers(commands)
    _add_models(commands)
    _add_vary(commands)
    return parser


def _add_diff(commands: "argparse._SubParsersAction[_Parser]") -> None:
    diff = commands.add_parser(
        "diff",
        help="which byte moved the shared boundary of two prompts, why, and what it costs",
        description=_DIFF,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    add = diff.add_argument
    add("a", metavar="A")
    add("b", metavar="B")
    add("--first", action="store_true", help="stop at the first change and count no tokens (fast on huge requests)")
    add("--exit-code", action="store_true", help="exit 1 if the verdict is bust, refused or wrong_reuse")
    add("--tokenizer", metavar="NAME|PATH", help="o200k_base (default), another name, a vocabulary, a model's folder")
    add("--provider", metavar="NAME", help="whose cache rules hold, instead of what the request shows")
    add("--block-size", metavar="TOKENS", type=int, help="block of a paged engine (vLLM, SGLang): count full blocks")
    add("--chat-template", metavar="PATH", help="render requests through this chat template: file, folder or GGUF")
    add("--chat-template-b", metavar="PATH", help="another one for B")
    add("--template-kwargs", action="append", default=[], metavar="NAME=VALUE", help="what else the template is given")
    add("--vars", metavar="FILE", help="A and B are Jinja templates: render them with these variables (YAML, JSON)")
    add("--vars-b", metavar="FILE", help="other ones for B")
    add("--now", metavar="TIME", help="the clock that chat templates see (ISO 8601) instead of the real one")
    add("--now-b", metavar="TIME", help="another one for B")
    add("--facts", metavar="FILE", help="rows of your own (YAML) on models, prices and providers")
    add("--input-format", metavar="NAME", help="read both inputs as this format instead of recognising it")
    add("--request-path", metavar="POINTER", help="JSON pointer to the request inside each input")
    add("--format", choices=_FORMATS, default="text", help="what to print (default: text)")
    add("--output", action="append", default=[], metavar="FORMAT=FILE", help="write a report to a file as well")
    add("--no-excerpts", action="store_true", help="leave out the excerpts; messages still name changed words")
    add("--color", choices=("auto", "always", "never"), default="auto", help="default: auto, only on a terminal")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_key(commands: "argparse._SubParsersAction[_Parser]") -> None:
    key = commands.add_parser(
        "key",
        help="under which key a prefix is stored, setting by setting and block by block",
        description=_KEY,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    add = key.add_argument
    add("request", metavar="REQUEST")
    add("other", metavar="OTHER", nargs="?")
    _add_engine(add)
    add("--only-hashes", action="store_true", help="print the keys and nothing else, one a line")
    _add_reading(add)
    _add_printing(add)
    add("--no-excerpts", action="store_true", help="leave out the texts of the blocks")


def _add_vary(commands: "argparse._SubParsersAction[_Parser]") -> None:
    vary = commands.add_parser(
        "vary",
        help="which realistic variations of a request hit the cache, and which miss",
        description=_VARY,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    add = vary.add_argument
    add("request", metavar="REQUEST")
    add("--engine", metavar="NAME[==VERSION]", help="who serves it: vllm==0.33.0, sglang, llama-cpp, ollama, ...")
    add("--block-size", metavar="TOKENS", type=int, help="tokens in a block or page (default: the engine's)")
    _add_reading(add)
    add("--tokenizer-b", metavar="NAME|PATH", help="try another vocabulary, too")
    add("--chat-template-b", metavar="PATH", help="try another chat template, too")
    add("--save", metavar="FOLDER", help="write every variation to a file, to diff or send it yourself")
    _add_printing(add)


def _add_engine(add: Callable[..., object]) -> None:
    add("--engine", metavar="NAME[==VERSION]", help="whose block keys: vllm==0.33.0, sglang, lmcache, dynamo, ...")
    add("--hash", metavar="NAME", help="its hash, such as sha256_cbor (default: the one of the version)")
    add("--seed", metavar="TEXT", help="the PYTHONHASHSEED of the server")
    add("--block-size", metavar="TOKENS", type=int, help="tokens in a block, page or chunk (default: the engine's)")
    add("--lookahead", metavar="TOKENS", type=int, default=0, help="tokens that a draft model (EAGLE, MTP) sees")


def _add_reading(add: Callable[..., object]) -> None:
    add("--tokenizer", metavar="NAME|PATH", help="o200k_base (default), another name, a vocabulary, a model's folder")
    add("--provider", metavar="NAME", help="whose cache rules hold, instead of what the request shows")
    add("--chat-template", metavar="PATH", help="render requests through this chat template: file, folder or GGUF")
    add("--template-kwargs", action="append", default=[], metavar="NAME=VALUE", help="what else the template is given")
    add("--now", metavar="TIME", help="the clock that chat templates see (ISO 8601) instead of the real one")
    add("--facts", metavar="FILE", help="rows of your own (YAML) on models, prices and providers")
    add("--input-format", metavar="NAME", help="read the input as this format instead of recognising it")
    add("--request-path", metavar="POINTER", help="JSON pointer to the request inside the input")


def _add_printing(add: Callable[..., object]) -> None:
    add("--format", choices=("text", "json", "markdown"), default="text", help="what to print (default: text)")
    add("--color", choices=("auto", "always", "never"), default="auto", help="default: auto, only on a terminal")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_tokenizers(commands: "argparse._SubParsersAction[_Parser]") -> None:
    tokenizers = commands.add_parser(
        "tokenizers",
        help="which vocabularies are on this machine, for which models, and how to get the others",
        description="List the vocabularies that --tokenizer takes, or those in the files and folders SPEC.",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    add = tokenizers.add_argument
    add("specs", metavar="SPEC", nargs="*", help="a name, a file, or the folder of a model")
    _add_printing(add)


def _add_models(commands: "argparse._SubParsersAction[_Parser]") -> None:
    models = commands.add_parser(
        "models",
        help="minimums, lifetimes and prices of models, from when, and when caching pays",
        description="List what is known about the caches of models, or all about one and when caching pays.",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    add = models.add_argument
    add("name", metavar="NAME", nargs="?", help="any id of a model, as a platform spells it")
    add("--prefix-tokens", metavar="N", type=int, help="what a prefix of so many tokens costs, by the share of hits")
    add("--on", metavar="DATE", help="the prices of this day (default: today)")
    add("--facts", metavar="FILE", help="rows of your own (YAML): models, prices, providers")
    _add_printing(add)


def _key(options: argparse.Namespace) -> int:
    from promptlint.commands.key import key
    from promptlint.report import write

    if options.only_hashes and (options.engine is None or options.other is not None):
        raise PromptlintError("--only-hashes prints the block keys of one request", "name it, and its --engine")
    report = key(
        options.request,
        options.other,
        engine=_engine(options),
        tokenizer=options.tokenizer,
        input_format=options.input_format,
        request_path=options.request_path,
        provider=options.provider,
        templates=_templates(options),
        facts=options.facts,
        excerpts=not (options.no_excerpts or options.only_hashes),
    )
    if options.only_hashes:
        _print_notes(report)
        blocks = report.keys[0].blocks
        assert blocks is not None
        sys.stdout.write("".join(f"{each}\n" for each in blocks.keys))
        return 0
    color = options.format == "text" and _colored(options.color)
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
        templates=_templates(options),
        facts=options.facts,
        save=options.save,
        progress=_progress("variations") if sys.stderr.isatty() else None,
    )
    color = options.format == "text" and _colored(options.color)
    sys.stdout.write(write(report, options.format, color=color))
    return 0


def _engine(options: argparse.Namespace) -> "EngineOptions":
    from promptlint.commands.key import EngineOptions

    return EngineOptions(options.engine, options.hash, options.seed, options.block_size, options.lookahead)


def _print_notes(report: "Report") -> None:
    """On standard error, for what prints one plain line a thing."""
    from promptlint.report.escape import line

    for note in report.notes:
        print(f"promptlint: note: {line(note)}", file=sys.stderr)


def _models(options: argparse.Namespace) -> int:
    from promptlint.commands.models import models
    from promptlint.commands.own_facts import own_facts
    from promptlint.report import write

    day = None if options.on is None else _day(options.on)
    own = own_facts(os.curdir, options.facts)
    color = options.format == "text" and _colored(options.color)
    report = models(options.name, prefix_tokens=options.prefix_tokens, on=day, own=own)
    sys.stdout.write(write(report, options.format, color=color))
    return 0


def _tokenizers(options: argparse.Namespace) -> int:
    from promptlint.commands.tokenizers import tokenizers
    from promptlint.report import write

    color = options.format == "text" and _colored(options.color)
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
        templates=_templates(options),
        facts=options.facts,
        progress=_progress("pairs") if sys.stderr.isatty() else None,
    )
    from promptlint.report import write

    inputs = (options.a, options.b)
    for output in options.output:
        form, path = _output(output)
        if any(os.path.exists(path) and os.path.exists(side) and os.path.samefile(path, side) for side in inputs):
            raise PromptlintError(f"--output {path} is one of the inputs", "name another file")
        _write_file(path, write(report, form, excerpts=not options.no_excerpts))
    if options.format == "concise":  # one line a finding, so notes stand apart
        _print_notes(report)
    color = options.format == "text" and _colored(options.color)
    sys.stdout.write(write(report, options.format, color=color, excerpts=not options.no_excerpts))
    return 1 if options.exit_code and report.verdict in _FAILING else 0


def _templates(options: argparse.Namespace) -> "TemplateOptions | None":
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
        _time(given["now"]),
        _time(given["now_b"]),
    )


def _time(text: str | None) -> "datetime | None":
    if text is None:
        return None
    from datetime import datetime

    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise PromptlintError(f"{text}: not a time", "write it as 2026-11-29 or 2026-11-29T21:40") from None


def _day(text: str) -> "date":
    from datetime import date

    try:
        return date.fromisoformat(text)
    except ValueError:
        raise PromptlintError(f"{text}: not a day", "write it as 2026-11-29") from None


def _progress(what: str) -> Callable[[int, int], None]:
    """Says how many of them are done, once it has taken a second; wipes that line at the end."""
    start = time.monotonic()

    def show(done: int, of: int) -> None:
        if time.monotonic() - start > 1:
            sys.stderr.write("\r\x1b[K" if done == of else f"\r{done} of {of} {what} compared")
            sys.stderr.flush()

    return show


def _colored(choice: str) -> bool:
    """Colour only on a terminal, unless the user or the environment says otherwise."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _output(output: str) -> tuple[str, str]:
    form, _, path = output.partition("=")
    if form not in _FORMATS or not path:
        raise PromptlintError(f"--output {output}: not FORMAT=FILE", f"FORMAT is one of {', '.join(_FORMATS)}")
    return form, path


def _write_file(path: str, text: str) -> None:
    """The file (the one that a link leads to) is replaced as a whole or not at all, and keeps its permissions."""
    from tempfile import mkstemp

    scratch = ""
    try:
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.path.isfile(target):  # a device or pipe cannot be replaced
            with open(target, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            return
        number, scratch = mkstemp(dir=os.path.dirname(target), prefix=".promptlint-")
        with open(number, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, os.stat(target).st_mode & 0o7777 if os.path.exists(target) else 0o666 & ~_umask())
        os.replace(scratch, target)
    except (OSError, ValueError) as error:
        if scratch and os.path.exists(scratch):
            os.unlink(scratch)
        reason = error.strerror if isinstance(error, OSError) else error
        raise PromptlintError(f"{path}: {reason}", "name a file that can be written") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "diff": _diff,
    "key": _key,
    "models": _models,
    "tokenizers": _tokenizers,
    "vary": _vary,
}
