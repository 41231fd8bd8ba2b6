"""The command line's commands and options; nothing heavy is imported here.

argparse, not click: click alone costs 30 ms at each start, as much as `diff --first` may cost in all.
"""

import argparse
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from promptlint import __version__
from promptlint.confirm_arguments import DESCRIPTION as _CONFIRM
from promptlint.confirm_arguments import SUMMARY as _CONFIRMS
from promptlint.confirm_arguments import add_confirm
from promptlint.errors import PromptlintError

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")

_DIFF = """\
Show which byte moved the shared boundary of two prompts, why, and what it costs.

A and B are files with a request, a tool list, text or token ids.
FILE.jsonl#12 is one record (from 0), REV:FILE comes from git, - is standard
input, and two folders are compared file by file.
"""


_BASELINE = """\
Keep what promptlint lint finds today in a file, so that only what is new fails: adopt it in a project with findings.

write adds what is found now; prune takes out what is gone; check exits 1 if anything is new or gone.
A finding is known by its rule, its file and its text, so lines may move, and a fix never makes room for a new fault."""

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


_CHECK = """\
Compare the prompts of a project as they render before and after a change, and say whether it may be merged: no if
every request loses cached tokens by it. What its deploy loses once is told, and passes.

Against what: --base REF (the merge base of REF and HEAD), --staged, --lock FILE, or two folders OLD NEW. Prompts are
named in promptlint.yaml; `promptlint init` proposes them."""

_LOCK = """\
Keep fingerprints of the project's prompts in a file, to check a change against where there is no history. No text of
a prompt is in it."""

_LINT = """\
Check source code, templates, requests and tool lists before anything is sent: what in them will
break the cached prefix?

PATHs are files and folders; - is standard input.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """80 columns: to ask the terminal for its width would import the compression libraries."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=80)


class _Parser(argparse.ArgumentParser):
    """Usage errors are one line, as all errors are."""

    def error(self, message: str) -> NoReturn:
        raise PromptlintError(message, f"see {self.prog} --help")


_Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"
Add = Callable[..., object]


def parser() -> _Parser:
    """All commands with their options."""
    found = _Parser(
        prog="promptlint",
        description="Keep LLM prompt caches hit: find the edit that moved the cached prefix of a prompt.",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    version = f"promptlint {__version__} (distribution promptlint-cache {__version__})"
    found.add_argument("--version", action="version", version=version)
    commands = found.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_baseline(commands)
    _add_check(commands)
    _add_config(commands)
    add_confirm(_command(commands, "confirm", _CONFIRMS, _CONFIRM))
    _add_diff(commands)
    _add_init(commands)
    _add_key(commands)
    _add_lint(commands)
    _add_lock(commands)
    _add_tokenizers(commands)
    _add_models(commands)
    _add_rules(commands)
    _add_vary(commands)
    return found


def _command(commands: "_Commands", name: str, summary: str, description: str) -> Add:
    """A command; what adds arguments to it."""
    made = commands.add_parser(name, help=summary, description=description, formatter_class=_Help, allow_abbrev=False)
    return made.add_argument


def _add_diff(commands: "_Commands") -> None:
    add = _command(
        commands, "diff", "which byte moved the shared boundary of two prompts, why, and what it costs", _DIFF
    )
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
    add("--format", choices=FORMATS, default="text", help="what to print (default: text)")
    add("--output", action="append", default=[], metavar="FORMAT=FILE", help="write a report to a file as well")
    add("--no-excerpts", action="store_true", help="leave out the excerpts; messages still name changed words")
    add("--color", choices=("auto", "always", "never"), default="auto", help="default: auto, only on a terminal")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_key(commands: "_Commands") -> None:
    add = _command(commands, "key", "under which key a prefix is stored, setting by setting and block by block", _KEY)
    add("request", metavar="REQUEST")
    add("other", metavar="OTHER", nargs="?")
    _add_engine(add)
    add("--only-hashes", action="store_true", help="print the keys and nothing else, one a line")
    _add_reading(add)
    _add_printing(add)
    add("--no-excerpts", action="store_true", help="leave out the texts of the blocks")


def _add_lint(commands: "_Commands") -> None:
    add = _command(commands, "lint", "what in code, templates, requests and tool schemas will break the prefix", _LINT)
    add("paths", metavar="PATH", nargs="+")
    add("--select", action="append", default=[], metavar="RULE", help="only these rules; * stands for any characters")
    add("--ignore", action="append", default=[], metavar="RULE", help="all but these rules")
    add("--fail-on", choices=("error", "warning", "info", "never"), help="exit 1 from here on (default: warning)")
    add("--exit-zero", action="store_true", help="exit 0 whatever is found")
    add("--fix", action="store_true", help="put right what leaves every byte of the prompt as it is")
    add("--unsafe-fixes", action="store_true", help="with --fix, --diff: also what changes the prompt")
    add("--diff", action="store_true", help="show what --fix would do, and write nothing")
    add("--suggest-order", action="store_true", help="show templates with what varies behind what stays")
    add("--renderings", action="store_true", help="each PATH is a folder of renderings of one prompt: compare them")
    add("--baseline", metavar="FILE", help="known findings that are left out, instead of the configuration's")
    add("--no-baseline", action="store_true", help="show known findings, too")
    add("--statistics", action="store_true", help="count findings by rule instead of showing them")
    add("--rules", metavar="FOLDER", help="rules of your own beside the built-in ones; their code runs")
    add("--no-render", action="store_true", help="do not render templates: only read them")
    add("--no-cache", action="store_true", help="look at files again that have not changed")
    add("--as-walked", action="store_true", help="treat named files as if they were met in a folder (for hooks)")
    add("--provider", metavar="NAME", help="whose cache rules hold, instead of what the request shows")
    add("--tokenizer", metavar="NAME|PATH", help="o200k_base (default), another name, a vocabulary, a model's folder")
    add("--facts", metavar="FILE", help="rows of your own (YAML) on models, prices and providers")
    add("--now", metavar="TIME", help="the clock that templates see (ISO 8601) instead of the real one")
    add("--format", choices=FORMATS, default="text", help="what to print (default: text)")
    add("--output", action="append", default=[], metavar="FORMAT=FILE", help="write a report to a file as well")
    add("--no-excerpts", action="store_true", help="leave out the lines of the files")
    add("--color", choices=("auto", "always", "never"), default="auto", help="default: auto, only on a terminal")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_baseline(commands: "_Commands") -> None:
    add = _command(commands, "baseline", "known findings that promptlint lint leaves out from now on", _BASELINE)
    add("action", choices=("write", "prune", "check"))
    add("paths", metavar="PATH", nargs="*", help="files and folders (default: the current folder)")
    add("--baseline", metavar="FILE", help="instead of the one that the configuration names")
    add("--provider", metavar="NAME", help="whose cache rules hold, instead of what the request shows")
    add("--tokenizer", metavar="NAME|PATH", help="o200k_base (default), another name, a vocabulary, a model's folder")
    add("--facts", metavar="FILE", help="rows of your own (YAML) on models, prices and providers")
    add("--rules", metavar="FOLDER", help="rules of your own beside the built-in ones; their code runs")
    add("--no-cache", action="store_true", help="look at files again that have not changed")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_check(commands: "_Commands") -> None:
    add = _command(commands, "check", "may this change be merged, or does every request lose by it?", _CHECK)
    add("paths", metavar="OLD NEW", nargs="*", help="two folders; requests, with --tokenizer-a or --template-a")
    add("--base", metavar="REF", help="against the merge base of this revision and HEAD")
    add("--staged", action="store_true", help="what is staged, against HEAD or --base (for hooks)")
    add("--lock", metavar="FILE", help="against the fingerprints that `promptlint lock write` has kept")
    add("--tokenizer-a", metavar="NAME|PATH", help="the same requests under two vocabularies: the one of now")
    add("--tokenizer-b", metavar="NAME|PATH", help="and the other one")
    add("--template-a", metavar="PATH", help="the same requests through two chat templates: the one of now")
    add("--template-b", metavar="PATH", help="and the other one")
    add("--allow-exec", action="store_true", help="run the commands of prompts that a command prints")
    add("--strict", action="store_true", help="exit 1 as well if the verdict is unknown")
    add("--now", metavar="TIME", help="the clock that templates see first (ISO 8601); it is moved on from there")
    add("--facts", metavar="FILE", help="rows of your own (YAML) on models, prices and providers")
    add("--format", choices=FORMATS, default="text", help="what to print (default: text)")
    add("--output", action="append", default=[], metavar="FORMAT=FILE", help="write a report to a file as well")
    add("--no-excerpts", action="store_true", help="leave out the changed lines; messages still name changed words")
    add("--color", choices=("auto", "always", "never"), default="auto", help="default: auto, only on a terminal")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_lock(commands: "_Commands") -> None:
    add = _command(commands, "lock", "fingerprints of prompts, to check against without history", _LOCK)
    add("action", choices=("write",))
    add("--lock", metavar="FILE", help="instead of promptlint.lock")
    add("--allow-exec", action="store_true", help="run the commands of prompts that a command prints")
    add("--now", metavar="TIME", help="the clock that templates see first (ISO 8601); it is moved on from there")
    add("--facts", metavar="FILE", help="rows of your own (YAML) on models, prices and providers")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_config(commands: "_Commands") -> None:
    add = _command(
        commands,
        "config",
        "which settings hold, and what can be set",
        "Show the settings that hold in a folder and where they come from, or the JSON Schema of promptlint.yaml.",
    )
    add("action", choices=("show", "schema"))
    add("path", metavar="PATH", nargs="?", default=".", help="a file or folder (default: the current folder)")
    add("--format", choices=("text", "json"), default="text", help="what to print (default: text)")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_init(commands: "_Commands") -> None:
    add = _command(
        commands,
        "init",
        "write a promptlint.yaml that explains itself",
        "Write promptlint.yaml, in which every setting is explained and set to what holds anyway. Templates,\n"
        "requests, logs and promptfoo configurations that are found are named in it for `promptlint check`.",
    )
    add("folder", metavar="FOLDER", nargs="?", default=".", help="where (default: the current folder)")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_vary(commands: "_Commands") -> None:
    add = _command(commands, "vary", "which realistic variations of a request hit the cache, and which miss", _VARY)
    add("request", metavar="REQUEST")
    add("--engine", metavar="NAME[==VERSION]", help="who serves it: vllm==0.33.0, sglang, llama-cpp, ollama, ...")
    add("--block-size", metavar="TOKENS", type=int, help="tokens in a block or page (default: the engine's)")
    _add_reading(add)
    add("--tokenizer-b", metavar="NAME|PATH", help="try another vocabulary, too")
    add("--chat-template-b", metavar="PATH", help="try another chat template, too")
    add("--save", metavar="FOLDER", help="write every variation to a file, to diff or send it yourself")
    _add_printing(add)


def _add_engine(add: Add) -> None:
    add("--engine", metavar="NAME[==VERSION]", help="whose block keys: vllm==0.33.0, sglang, lmcache, dynamo, ...")
    add("--hash", metavar="NAME", help="its hash, such as sha256_cbor (default: the one of the version)")
    add("--seed", metavar="TEXT", help="the PYTHONHASHSEED of the server")
    add("--block-size", metavar="TOKENS", type=int, help="tokens in a block, page or chunk (default: the engine's)")
    add("--lookahead", metavar="TOKENS", type=int, default=0, help="tokens that a draft model (EAGLE, MTP) sees")


def _add_reading(add: Add) -> None:
    add("--tokenizer", metavar="NAME|PATH", help="o200k_base (default), another name, a vocabulary, a model's folder")
    add("--provider", metavar="NAME", help="whose cache rules hold, instead of what the request shows")
    add("--chat-template", metavar="PATH", help="render requests through this chat template: file, folder or GGUF")
    add("--template-kwargs", action="append", default=[], metavar="NAME=VALUE", help="what else the template is given")
    add("--now", metavar="TIME", help="the clock that chat templates see (ISO 8601) instead of the real one")
    add("--facts", metavar="FILE", help="rows of your own (YAML) on models, prices and providers")
    add("--input-format", metavar="NAME", help="read the input as this format instead of recognising it")
    add("--request-path", metavar="POINTER", help="JSON pointer to the request inside the input")


def _add_printing(add: Add) -> None:
    add("--format", choices=("text", "json", "markdown"), default="text", help="what to print (default: text)")
    add("--color", choices=("auto", "always", "never"), default="auto", help="default: auto, only on a terminal")
    add("--debug", action="store_true", help="show a traceback for an internal error")


def _add_tokenizers(commands: "_Commands") -> None:
    add = _command(
        commands,
        "tokenizers",
        "which vocabularies are on this machine, for which models, and how to get the others",
        "List the vocabularies that --tokenizer takes, or those in the files and folders SPEC.",
    )
    add("specs", metavar="SPEC", nargs="*", help="a name, a file, or the folder of a model")
    _add_printing(add)


def _add_rules(commands: "_Commands") -> None:
    add = _command(
        commands,
        "rules",
        "what promptlint lint finds, why it matters, and how it is put right",
        "List the rules of promptlint lint, or all about one.",
    )
    add("id", metavar="ID", nargs="?", help="a rule, such as clock")
    _add_printing(add)


def _add_models(commands: "_Commands") -> None:
    add = _command(
        commands,
        "models",
        "minimums, lifetimes and prices of models, from when, and when caching pays",
        "List what is known about the caches of models, or all about one and when caching pays.",
    )
    add("name", metavar="NAME", nargs="?", help="any id of a model, as a platform spells it")
    add("--prefix-tokens", metavar="N", type=int, help="what a prefix of so many tokens costs, by the share of hits")
    add("--on", metavar="DATE", help="the prices of this day (default: today)")
    add("--facts", metavar="FILE", help="rows of your own (YAML): models, prices, providers")
    _add_printing(add)
