"""How to compare two requests."""

from typing import TYPE_CHECKING, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.facts.own import NONE, Overrides
from promptlint.read.names import shown
from promptlint.tokens import Tokenizer

if TYPE_CHECKING:
    from promptlint.commands.templates import Side


class Options(NamedTuple):
    """How to compare."""

    tokenizer: Tokenizer
    first: bool = False  # stop at the first change, count no tokens
    provider: str | None = None  # instead of the one that the request shows
    block_size: int | None = None  # tokens in a block of a paged engine
    chosen: bool = False  # the user chose the tokenizer
    sides: "tuple[Side, Side] | None" = None  # the chat templates
    decides: bool = False  # the count decides whether anything is lost
    own: Overrides = NONE  # the user's facts

    @property
    def counts(self) -> bool:
        """Whether tokens are counted; with blocks, and near the end of steps, the verdict itself depends on them."""
        return not self.first or self.block_size is not None or self.decides


def served(engine: str | None, block_size: int | None, provider: str | None) -> tuple[str | None, int | None]:
    """Whose rules hold, and the tokens of its blocks. `engine`: NAME or NAME==VERSION, instead of `provider`."""
    from promptlint.facts import block_keys, engines
    from promptlint.facts.providers import is_known

    if engine is None and provider not in engines.names():
        return provider, block_size
    if engine is None:
        engine, provider = provider, None
    assert engine is not None
    if provider is not None:
        raise PromptlintError("--engine says who serves the request, and so does --provider", "give one of them")
    name, separator, version = engine.partition("==")
    if name.strip() in block_keys.names() and name.strip() not in engines.names():
        raise PromptlintError(f"{shown(name)} keeps blocks for engines", "name the engine: --engine vllm")
    found = engines.engine(name.strip(), version.strip() if separator else None)
    if found.unit == "token" and block_size not in (None, 1):
        raise PromptlintError(f"{found.title} reads any prefix, token by token", "leave out --block-size")
    serving = found.name if is_known(found.name) else "unknown"
    return serving, found.unit_tokens if block_size is None else block_size
