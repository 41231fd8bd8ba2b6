"""`promptlint key REQUEST [OTHER]`: under which key a prefix is stored, level by level and block by block."""

from typing import TYPE_CHECKING, NamedTuple

from promptlint.cache import keys
from promptlint.commands.key_parting import parting
from promptlint.commands.key_request import keyed
from promptlint.commands.key_tables import parting_table, table_notes, tables
from promptlint.commands.own_facts import own_facts
from promptlint.commands.single import opened, single
from promptlint.errors import PromptlintError
from promptlint.facts.block_keys import key_rule
from promptlint.facts.providers import is_known
from promptlint.finding import Report

if TYPE_CHECKING:
    from promptlint.commands.templates import TemplateOptions


class EngineOptions(NamedTuple):
    """Whose block keys are wanted, as on the command line."""

    engine: str | None = None  # NAME or NAME==VERSION
    hash: str | None = None
    seed: str | None = None
    block_size: int | None = None
    lookahead: int = 0


_NO_ENGINE = EngineOptions()


def key(
    request: str,
    other: str | None = None,
    *,
    engine: EngineOptions = _NO_ENGINE,
    tokenizer: str | None = None,
    input_format: str | None = None,
    request_path: str | None = None,
    provider: str | None = None,
    templates: "TemplateOptions | None" = None,
    facts: str | None = None,
    excerpts: bool = True,
) -> Report:
    """What keys the cache of a request; with `engine` the engine's own key of each block; with `other` where two part.

    Arguments are those of `diff`. Raises PromptlintError for input that cannot be read, and for keys that cannot be
    computed.
    """
    if request == other == "-":
        raise PromptlintError("both inputs are standard input", "give at least one of them as a file")
    wanted = wanted_keys(engine)
    own = own_facts(request, facts)
    options = opened(tokenizer, provider=serving(wanted, provider), templates=templates, own=own)
    first = keyed(single(request, options, input_format, request_path), wanted)
    if other is None:
        notes = (*first.notes, *table_notes(first.facts))
        return Report("key", None, tables=tables(first, excerpts=excerpts), notes=notes, keys=(first.facts,))
    second = keyed(single(other, options, input_format, request_path), wanted)
    found, said = parting(first, second)
    why = () if found is None else (f"why they part: {found.message}",)
    return Report(
        "key",
        None,
        tables=(parting_table(first, second, found, excerpts=excerpts),),
        notes=tuple(dict.fromkeys((*why, *first.notes, *second.notes, *said))),
        keys=(first.facts, second.facts),
        parting=found,
    )


def wanted_keys(engine: EngineOptions) -> keys.Wanted | None:
    """Whose keys, set up as the user says; None without an engine. Raises PromptlintError for what it does not take."""
    if engine.engine is None:
        if engine != _NO_ENGINE:
            raise PromptlintError(
                "--hash, --seed, --block-size and --lookahead describe an engine", "name it: --engine vllm==0.33.0"
            )
        return None
    name, separator, version = engine.engine.partition("==")
    rule = key_rule(name.strip(), version.strip() if separator else None)
    return keys.wanted(rule, engine.hash, engine.block_size, engine.seed, engine.lookahead)


def serving(wanted: keys.Wanted | None, provider: str | None) -> str | None:
    """Whose rules hold: the engine's, if one is named."""
    if wanted is None:
        return provider
    if provider is not None and provider != wanted.rule.engine:
        raise PromptlintError(f"--engine {wanted.rule.engine} serves the request", "leave out --provider")
    return wanted.rule.engine if is_known(wanted.rule.engine) else "unknown"
