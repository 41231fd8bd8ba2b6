"""`promptlint diff A B`: where two prompts part, why, and what it costs."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from promptlint.commands.compare import compare
from promptlint.commands.findings import findings_of
from promptlint.commands.options import Options
from promptlint.commands.own_facts import own_facts
from promptlint.errors import PromptlintError
from promptlint.finding import Diff, Report, Verdict
from promptlint.load import load
from promptlint.prompt import Document
from promptlint.read.json_pair import parse_pair
from promptlint.read.sources import pair_folders, read_pair
from promptlint.tokens import open_tokenizer

if TYPE_CHECKING:
    from promptlint.commands.templates import Side, TemplateOptions

Progress = Callable[[int, int], None]
Pair = Callable[[str, str], tuple[Diff, tuple[str, ...]]]

_WORST: tuple[Verdict, ...] = ("refused", "wrong_reuse", "bust", "unknown", "kept", "same")


def diff(
    a: str,
    b: str,
    *,
    first: bool = False,
    tokenizer: str | None = None,
    input_format: str | None = None,
    request_path: str | None = None,
    provider: str | None = None,
    block_size: int | None = None,
    templates: "TemplateOptions | None" = None,
    facts: str | None = None,
    progress: Progress | None = None,
) -> Report:
    """Compare two requests, or two folders of them file by file.

    `a` and `b`: PATH, PATH#RECORD, REV:PATH or `-`. `first`: stop at the first change, count no tokens. `templates`:
    a chat template for the requests, or variables where `a` and `b` are templates themselves. `facts`: a file with the
    user's rows on models, prices and providers, instead of the configuration nearest to `b`. `progress` is told how
    many of how many pairs of files are done.
    Raises PromptlintError for input that cannot be read or compared.
    """
    if a == b == "-":
        raise PromptlintError("both inputs are standard input", "give at least one of them as a file")
    sides: tuple[Side, Side] | None = None
    if templates is not None:
        from promptlint.commands.templates import sides_of

        sides = sides_of(templates, provider, tokenizer)
        tokenizer = tokenizer or (sides[0].templates.vocabulary if sides is not None else None)
    options = Options(open_tokenizer(tokenizer), first, provider, block_size, tokenizer is not None, sides)
    options = options._replace(own=own_facts(b, facts))
    pair: Pair = partial(_pair, options=options, input_format=input_format, request_path=request_path)
    if templates is not None and sides is None:
        from promptlint.commands.templates import template_pair

        pair = partial(template_pair, options=templates, how=options)
    if os.path.isdir(a) and os.path.isdir(b):
        return _folders(a, b, pair, options.tokenizer.notes, progress)
    found, notes = pair(a, b)
    return Report(
        "diff", found.verdict, findings_of((found,)), notes=_once(notes, options.tokenizer.notes), diffs=(found,)
    )


def _once(*notes: Iterable[str]) -> tuple[str, ...]:
    """Both inputs, and many pairs, may say the same."""
    return tuple(dict.fromkeys(chain.from_iterable(notes)))


def _pair(
    a: str, b: str, options: Options, input_format: str | None, request_path: str | None
) -> tuple[Diff, tuple[str, ...]]:
    old, new = read_pair(a, b)
    parsed = parse_pair(old, new) if _shared_json(old) and input_format != "text" else (None, None)
    request_a = load(old, input_format=input_format, request_path=request_path, parsed=parsed[0])
    request_b = load(new, input_format=input_format, request_path=request_path, parsed=parsed[1])
    return compare(request_a, request_b, options)


def _shared_json(document: Document) -> bool:
    """Whether this is a large JSON object and what it shares with the other document is known."""
    return bool(document.anchors) and document.text.lstrip()[:1] == "{"


def _folders(a: str, b: str, pair: Pair, said: Iterable[str], progress: Progress | None) -> Report:
    """Every pair of files; `said`: notes that hold for all of them."""
    pairs, only_a, only_b = pair_folders(a, b)
    notes = [f"only in {a}: {path}" for path in only_a] + [f"only in {b}: {path}" for path in only_b]
    found: list[Diff] = []
    for done, (old, new) in enumerate(pairs):
        if progress is not None:
            progress(done, len(pairs))
        try:
            one, more = pair(old, new)
        except PromptlintError as error:
            notes.append(f"skipped {old}: {error}")
            continue
        found.append(one)
        notes += more
    if progress is not None:
        progress(len(pairs), len(pairs))
    if not found:
        raise PromptlintError(f"no pair of files in {a} and {b} could be compared", notes[-1] if notes else "")
    verdict = min((one.verdict for one in found), key=_WORST.index)
    return Report("diff", verdict, findings_of(found), notes=_once(notes, said), diffs=tuple(found), folders=True)
