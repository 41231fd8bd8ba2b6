"""`promptlint vary REQUEST`: realistic variations of a request, and which of them hit the cache that it leaves."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from promptlint.commands.compare import compare_prompts, with_blocks
from promptlint.commands.compare_ids import compare_ids
from promptlint.commands.options import served
from promptlint.commands.own_facts import own_facts
from promptlint.commands.single import Single, opened, prepared, prompt_of, renderer_for
from promptlint.commands.vary_files import Folder, document_of
from promptlint.commands.vary_rows import (
    NOTHING,
    RuleOf,
    counts_note,
    facts_of,
    other_vocabulary,
    refused,
    row,
    rule_for,
    said_of,
)
from promptlint.commands.vary_table import table, table_notes
from promptlint.errors import PromptlintError
from promptlint.facts import engines
from promptlint.finding import Diff, Report
from promptlint.load import load, value_of
from promptlint.prompt import Document, Request
from promptlint.read.sources import read
from promptlint.tokens import open_tokenizer
from promptlint.vary import Variation, variations
from promptlint.vary_facts import Row

if TYPE_CHECKING:
    from promptlint.commands.templates import TemplateOptions
    from promptlint.render.template.process import Renderer

Progress = Callable[[int, int], None]
Load = Callable[..., Request]


def vary(
    request: str,
    *,
    engine: str | None = None,
    block_size: int | None = None,
    tokenizer: str | None = None,
    tokenizer_b: str | None = None,
    input_format: str | None = None,
    request_path: str | None = None,
    provider: str | None = None,
    templates: "TemplateOptions | None" = None,
    facts: str | None = None,
    save: str | None = None,
    today: date | None = None,
    progress: Progress | None = None,
) -> Report:
    """What each variation of a request reads of the cache that the request itself has left.

    Arguments are those of `diff`. `engine`: NAME or NAME==VERSION. `tokenizer_b`, and the second chat template of
    `templates`: another version, which is one more variation. `save`: a folder that gets every variation as a file.
    Raises PromptlintError for input that cannot be read.
    """
    provider, block_size = served(engine, block_size, provider)
    own = own_facts(request, facts)
    options = opened(tokenizer, provider=provider, templates=templates, own=own, block_size=block_size)
    reading: Load = partial(load, input_format=input_format, request_path=request_path)
    first = prepared(reading(read(request)), options)
    options, in_blocks = with_blocks(first.provider, first.options)
    first, memo = first._replace(options=options), dict[str, int]()
    hosted = engine is not None or options.sides is not None or first.provider.name in engines.names()
    if tokenizer_b is not None and not hosted:
        raise PromptlintError("--tokenizer-b is about engines that one hosts oneself", "name one with --engine")
    made = _made(first, today or date.today(), hosted)
    folder = None if save is None else Folder(save, first.request.document, [variation.name for variation, _ in made])
    with renderer_for(options) as renderer:
        rows = list(_tried(first, made, reading, renderer, folder, memo, progress))
        versions = list(_versions(first, tokenizer_b, renderer))
    answer = facts_of(first, [*rows, *versions], engine, memo)
    notes = (
        *first.notes,
        *in_blocks,
        *counts_note(first),
        *table_notes(answer, versions=hosted and not versions),
    )
    return Report("vary", None, tables=(table(answer),), notes=tuple(dict.fromkeys(notes)), varied=answer)


def _made(first: Single, today: date, hosted: bool) -> list[tuple[Variation, Document]]:
    """Every variation, and what it is read from."""
    value = value_of(first.request)
    made = variations(first.request, value, today=today, provider=first.provider.name, hosted=hosted)
    return [(variation, document_of(first.request, value, variation)) for variation in made]


def _tried(
    first: Single,
    made: Sequence[tuple[Variation, Document]],
    reading: Load,
    renderer: "Renderer | None",
    folder: Folder | None,
    memo: dict[str, int],
    progress: Progress | None,
) -> Iterator[Row]:
    """A row for each variation that is still a request of this format; a record may be known by its content only."""
    rule, standing = rule_for(first, memo), NOTHING
    for done, (variation, document) in enumerate(made):
        if progress is not None:
            progress(done, len(made))
        try:
            varied = reading(document)
        except PromptlintError:
            continue
        if varied.format == first.request.format:
            file = None if folder is None else folder.save(variation.name, document)
            found = _compared(first, varied, renderer, memo)
            if variation.name == "sent-again" and not isinstance(found, str):
                standing = said_of(found)
                yield row(variation, found, first, rule)._replace(file=file)
            elif isinstance(found, str):
                yield refused(variation, found)._replace(file=file)
            else:
                yield row(variation, found, first, rule, standing)._replace(file=file)
    if progress is not None:
        progress(len(made), len(made))


def _compared(first: Single, varied: Request, renderer: "Renderer | None", memo: dict[str, int]) -> Diff | str:
    """The request against a variation of it; why the template does not take that one."""
    if first.prompt is None:
        return compare_ids(first.request, varied, first.provider, first.options)
    try:
        prompt = prompt_of(varied, first.options, renderer, like=first.prompt)
    except PromptlintError as error:
        return error.message
    return compare_prompts(first.prompt, prompt, first.provider, first.options, memo)


def _versions(first: Single, tokenizer_b: str | None, renderer: "Renderer | None") -> Iterator[Row]:
    """The same request a day later, under another version of the chat template, and of the vocabulary."""
    sides, prompt = first.options.sides, first.prompt
    if sides is not None and prompt is not None:
        later = sides[0]._replace(aside=sides[0].aside._replace(now=sides[0].aside.now + timedelta(days=1)))
        others = [("clock-tomorrow", "the template's clock a day later", later)]
        others += [("chat-template", "another version of the chat template", sides[1])] * (sides[0] != sides[1])
        for name, does, side in others:
            variation = Variation(name, "engine", does, None)
            options = first.options._replace(sides=(side, side))
            try:
                other = prompt_of(first.request, options, renderer)
            except PromptlintError as error:
                yield refused(variation, error.message)
                continue
            if name != "clock-tomorrow" or other.text != prompt.text:
                found = compare_prompts(prompt, other, first.provider, first.options)
                yield row(variation, found, first, RuleOf())
    if tokenizer_b is not None:
        yield other_vocabulary(first, open_tokenizer(tokenizer_b))
