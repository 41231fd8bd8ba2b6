"""The keys of one prompt by the rule of the engine that is asked for."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from promptlint.cache.keys.chain import Chain, Wanted
from promptlint.cache.keys.extra import Extra
from promptlint.errors import PromptlintError
from promptlint.facts.block_keys import KeyRule
from promptlint.read.names import nearest, shown

_FARTHEST = 1024  # tokens of a lookahead: draft models see a few


def wanted(
    rule: KeyRule,
    hash_name: str | None = None,
    block_tokens: int | None = None,
    seed: str | None = None,
    lookahead: int = 0,
) -> Wanted:
    """How an engine is set up, with its defaults for what is None.

    Raises PromptlintError for a hash that it does not have, one that only its own process can compute, and for sizes
    that it does not take.
    """
    name = rule.hashes[0] if hash_name is None else hash_name.lower()
    if name not in rule.hashes:
        close = nearest(name, list(rule.hashes))
        hint = f"did you mean {close}?" if close else f"take one of {', '.join(rule.hashes)}"
        raise PromptlintError(f"{_named(rule)} has no hash {shown(name)}", hint)
    if name == "builtin":
        others = ", ".join(other for other in rule.hashes if other != "builtin")
        by_default = ", the default of this release," if hash_name is None else ""
        raise PromptlintError(
            f"builtin{by_default} is Python's own hash(), other in each build of the interpreter: not computed",
            f"set the server, and --hash, to one of {others}",
        )
    size = rule.block_tokens if block_tokens is None else block_tokens
    if size < 1:
        raise PromptlintError(f"a {rule.unit} of {size} tokens is not possible", "give --block-size a positive number")
    if seed is not None and not _seeded(rule, name):
        raise PromptlintError(f"{_named(rule)} with {name} has no seed", "leave out --seed")
    if not 0 <= lookahead <= _FARTHEST:
        raise PromptlintError(
            f"a lookahead of {lookahead} tokens is not possible", f"give --lookahead 0 to {_FARTHEST}"
        )
    if lookahead and rule.engine in ("transformers", "nano-vllm"):
        raise PromptlintError(f"{rule.title} does not look ahead", "leave out --lookahead")
    return Wanted(rule, name, size, seed, lookahead)


def held(rule: KeyRule) -> tuple[str, ...]:
    """The fields of a request, such as cache_salt, that are part of the keys of this engine."""
    found: tuple[str, ...] = _module(rule).held(rule)
    return found


def _module(rule: KeyRule) -> ModuleType:
    return import_module(f"promptlint.cache.keys.{rule.engine.replace('-', '_')}")


def chain(ids: Sequence[int], extra: Extra, how: Wanted) -> Chain:
    """The keys of a prompt with these tokens. Raises PromptlintError for what the engine does not take."""
    found: Chain = _module(how.rule).chain(ids, extra, how)
    return found


def _seeded(rule: KeyRule, name: str) -> bool:
    """Whether the first parent is made of PYTHONHASHSEED."""
    return rule.engine == "vllm" or (rule.engine == "lmcache" and name != "blake3")


def _named(rule: KeyRule) -> str:
    return f"{rule.title} {rule.version}" if rule.version else rule.title
