"""`promptlint vary REQUEST`: realistic variations of a request, and which of them hit the cache that it leaves."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from promptlint.commands.compare import compare_prompts, with_blocks
from promptlint.commands.compare_ids import compare_ids
from promptlint.commands.own_facts import own_facts
from promptlint.commands.single import Single, opened, prepared, prompt_of, renderer_for
from promptlint.commands.vary_files import document_of, save_to, saved
from promptlint.commands.vary_rows import entries_of, facts_of, other_vocabulary, refused, row
from promptlint.commands.vary_table import table, table_notes
from promptlint.errors import PromptlintError
from promptlint.facts import engines
from promptlint.facts.providers import is_known
from promptlint.finding import Report
from promptlint.load import load, value_of
from promptlint.prompt import Document, Request
from promptlint.read.sources import read
from promptlint.tokens import open_tokenizer
from promptlint.vary import Variation, variations
from promptlint.vary_facts import Row

if TYPE_CHECKING:
    from promptlint.commands.templates import TemplateOptions
    from promptlint.render.template.process import Renderer

_AT_LLAMA_CPP = (
    "llama.cpp writes tools, arguments of calls and lists of texts anew before its template prints them: where yours "
    "are written otherwise, counts differ by some tokens, and a text as a block is none that is refused",
)  # seen with PyPI xllamacpp 2026.10.11549

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
    provider, block_size = _served(engine, block_size, provider)
    own = own_facts(request, facts)
    options = opened(tokenizer, provider=provider, templates=templates, own=own, block_size=block_size)
    reading: Load = partial(load, input_format=input_format, request_path=request_path)
    first = prepared(reading(read(request)), options)
    options, in_blocks = with_blocks(first.provider, first.options)
    first, memo = first._replace(options=options), dict[str, int]()
    hosted = engine is not None or options.sides is not None or first.provider.name in engines.names()
    if save is not None:
        save_to(save)
    with renderer_for(options) as renderer:
        rows = list(_tried(first, _made(first, today or date.today(), hosted), reading, renderer, save, memo, progress))
        versions = list(_versions(first, tokenizer_b, renderer))
    answer = facts_of(first, [*rows, *versions], engine, memo)
    said = _AT_LLAMA_CPP if first.provider.name == "llama-cpp" and options.sides is not None else ()
    notes = (*first.notes, *in_blocks, *said, *table_notes(answer, versions=hosted and not versions))
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
    save: str | None,
    memo: dict[str, int],
    progress: Progress | None,
) -> Iterator[Row]:
    """A row for each variation that is still a request of this format; a record may be known by its content only."""
    ends = entries_of(first, memo)
    for done, (variation, document) in enumerate(made):
        if progress is not None:
            progress(done, len(made))
        try:
            varied = reading(document)
        except PromptlintError:
            continue
        if varied.format == first.request.format:
            file = None if save is None else saved(save, variation.name, document)
            yield _row(first, variation, varied, renderer, ends, memo)._replace(file=file)
    if progress is not None:
        progress(len(made), len(made))


def _served(engine: str | None, block_size: int | None, provider: str | None) -> tuple[str | None, int | None]:
    """Whose rules hold, and its blocks."""
    if engine is None:
        return provider, block_size
    if provider is not None:
        raise PromptlintError("--engine says who serves the request, and so does --provider", "give one of them")
    name, separator, version = engine.partition("==")
    found = engines.engine(name.strip(), version.strip() if separator else None)
    serving = found.name if is_known(found.name) else "unknown"
    return serving, found.unit_tokens if block_size is None else block_size


def _row(
    first: Single,
    variation: Variation,
    varied: Request,
    renderer: "Renderer | None",
    ends: Sequence[int],
    memo: dict[str, int],
) -> Row:
    """What a variation that was read as a request reads of the cache."""
    if first.prompt is None:
        return row(variation, compare_ids(first.request, varied, first.provider, first.options), first, ends)
    try:
        prompt = prompt_of(varied, first.options, renderer, like=first.prompt)
    except PromptlintError as error:  # the template does not take it
        return refused(variation, error.message)
    return row(variation, compare_prompts(first.prompt, prompt, first.provider, first.options, memo), first, ends)


def _versions(first: Single, tokenizer_b: str | None, renderer: "Renderer | None") -> Iterator[Row]:
    """The same request under another version of the chat template, and of the vocabulary."""
    options = first.options
    if options.sides is not None and first.prompt is not None and options.sides[0] != options.sides[1]:
        does = "another version of the chat template"
        variation = Variation("chat-template", "engine", does, None)
        try:
            prompt = prompt_of(first.request, options, renderer, side=1)
        except PromptlintError as error:
            yield refused(variation, error.message)
        else:
            yield row(variation, compare_prompts(first.prompt, prompt, first.provider, options), first, ())
    if tokenizer_b is not None:
        yield other_vocabulary(first, open_tokenizer(tokenizer_b))
