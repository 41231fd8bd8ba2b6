"""An implementation under test: two functions, `prefill` and `append`, and what may be known beside them.

To have your own model checked by `promptlint confirm --check pkg.module:build_model`, write a function without
arguments that gives an object with these two methods (no class of ours is needed):

    def prefill(self, ids: list[int]) -> tuple[torch.Tensor, Cache]
        Compute a prompt from nothing. Gives the logits of every token, [len(ids), vocabulary], and the cache behind
        them, of whatever type you like.
    def append(self, cache: Cache, ids: list[int]) -> tuple[torch.Tensor, Cache]
        Compute more tokens behind a cache. Gives the logits of these tokens and the longer cache. It is handed a copy
        of the cache (see `fork`), so it may write into it.

Where there are more, they are used:

    def fork(self, cache: Cache) -> Cache          a copy that can be written into; else copy.deepcopy
    def keys_values(self, cache: Cache) -> list[tuple[torch.Tensor, torch.Tensor]]
        Keys and values of each layer as the cache holds them, [kv heads, positions, head size]. A layer with a window
        gives the last positions, those it still holds; a layer without keys and values is left out.
        Without this function an error is found all the same; what kind of error is then told from logits alone.
    prefill(ids, keep), append(cache, ids, keep)   a third parameter: logits of the last `keep` tokens are enough
    vocabulary: int                                 number of token ids; else the width of the logits
    max_tokens: int                                 of prompt and answer together (or `positions: int`); else a prompt
                                                    that fails shows how many there may be
    name, device, dtype, attention: str             printed; device and dtype are else read from the logits
"""

import copy
import importlib
import inspect
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from promptlint.errors import PromptlintError

Cache = Any
KeysValues = list[tuple[Tensor, Tensor]]
_SHAPE = "logits must be [tokens, vocabulary], a row for every token that was given"


class Implementation(Protocol):
    """What has to be there; the module says what may be there besides."""

    def prefill(self, ids: list[int]) -> tuple[Tensor, Cache]:
        """Logits of every token of a prompt, [len(ids), vocabulary], and the cache behind them."""

    def append(self, cache: Cache, ids: list[int]) -> tuple[Tensor, Cache]:
        """Logits of more tokens behind a cache, and the longer cache."""


class Held(NamedTuple):
    """A cache, and how many tokens went into it."""

    cache: Cache
    tokens: int


class Checked:
    """An implementation whose every answer is looked at, and which never writes into a cache that it was handed.

    It is itself an `Implementation`. Logits come back as float32 or float64, without gradients. Whatever the wrapped
    object raises becomes a `PromptlintError`, except a lack of memory, which the caller may be able to mend.
    """

    def __init__(self, wrapped: Implementation, called: str = "") -> None:
        self.wrapped = wrapped
        self.called = called or type(wrapped).__name__
        for function in ("prefill", "append"):
            if not callable(getattr(wrapped, function, None)):
                raise PromptlintError(f"{self.called} has no function {function}", "it needs prefill(ids) and append")
        self._width = 0
        self._dtype = self._device = ""
        self._keeps = {name: _takes_keep(getattr(wrapped, name)) for name in ("prefill", "append")}

    def prefill(self, ids: list[int], keep: int = 0) -> tuple[Tensor, Held]:
        """Logits [len(ids), vocabulary] and the cache. `keep`: only the last rows, at most so many; 0: all of them."""
        rows = min(keep or len(ids), len(ids))
        few = (rows,) if keep and self._keeps["prefill"] else ()
        with torch.no_grad():
            answer = self._run("prefill", list(ids), *few)
        logits, held = self._answer("prefill", answer, rows if few else len(ids), 0, len(ids))
        return logits[len(logits) - rows :], held

    def append(self, cache: Held, ids: list[int], keep: int = 0) -> tuple[Tensor, Held]:
        """As `prefill`, behind a cache: gives a longer one; the one handed in can be used again."""
        rows = min(keep or len(ids), len(ids))
        few = (rows,) if keep and self._keeps["append"] else ()
        with torch.no_grad():
            answer = self._run("append", self.fork(cache).cache, list(ids), *few)
        logits, held = self._answer("append", answer, rows if few else len(ids), cache.tokens, len(ids))
        return logits[len(logits) - rows :], held

    def keeps_few(self) -> bool:
        """Whether the logits of the last tokens can be had without those of all."""
        return self._keeps["prefill"]

    def fork(self, cache: Held) -> Held:
        """A copy that can be written into."""
        own = callable(getattr(self.wrapped, "fork", None))
        held = self._run("fork", cache.cache) if own else self._guard("copy.deepcopy", copy.deepcopy, cache.cache)
        return Held(held, cache.tokens)

    def reads_keys_values(self) -> bool:
        """Whether the cache can be looked into."""
        return callable(getattr(self.wrapped, "keys_values", None))

    def keys_values(self, cache: Held) -> KeysValues:
        """Keys and values of each layer, [kv heads, positions, head size]; empty where they cannot be read."""
        if not self.reads_keys_values():
            return []
        layers = self._run("keys_values", cache.cache)
        try:
            return [(self._kept(k, cache.tokens), self._kept(v, cache.tokens)) for k, v in layers]
        except (TypeError, ValueError):
            raise self._wrong("keys_values", "must give a pair (keys, values) for each layer") from None

    @property
    def vocabulary(self) -> int:
        """Number of token ids."""
        stated = getattr(self.wrapped, "vocabulary", None)
        if isinstance(stated, int) and stated > 0:
            return stated
        if not self._width:
            self.prefill([0])
        return self._width

    @property
    def name(self) -> str:
        """As the implementation calls itself, else its class or the place that it was loaded from."""
        return self._text("name") or self.called

    @property
    def device(self) -> str:
        """Such as "cpu" or "cuda:0": as stated, else of the logits."""
        if stated := self._text("device"):
            return stated
        if not self._device:
            self.prefill([0])
        return self._device

    @property
    def dtype(self) -> str:
        """Such as "float32": as stated, else of the logits."""
        if stated := self._text("dtype"):
            return stated.removeprefix("torch.")
        if not self._dtype:
            self.prefill([0])
        return self._dtype

    @property
    def attention(self) -> str:
        """How attention is computed, if it says so."""
        return self._text("attention")

    def _text(self, field: str) -> str:
        value = getattr(self.wrapped, field, None)
        return "" if value is None or callable(value) else str(value)

    def _run(self, function: str, *values: object) -> Any:
        return self._guard(function, getattr(self.wrapped, function), *values)

    def _guard(self, function: str, call: Callable[..., Any], *values: object) -> Any:
        try:
            return call(*values)
        except (torch.OutOfMemoryError, MemoryError, PromptlintError):
            raise
        except (Exception, SystemExit) as error:  # of code that is not ours: anything, and it may not end the run
            raise self._wrong(function, f"failed: {_line(error)}") from error

    def _answer(self, function: str, answer: Any, tokens: int, before: int, given: int) -> tuple[Tensor, Held]:
        if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[0], Tensor):
            raise self._wrong(function, f"gave {_kind(answer)}", "it must give a tuple (logits, cache)")
        logits, cache = answer
        rows = logits.detach()
        if rows.dim() == 3 and rows.shape[0] == 1:
            rows = rows[0]
        if rows.dim() != 2 or rows.shape[0] != tokens or (self._width and rows.shape[1] != self._width):
            raise self._wrong(function, f"gave logits {list(logits.shape)} for {tokens} tokens", _SHAPE)
        if not rows.is_floating_point():
            raise self._wrong(function, f"gave logits of type {rows.dtype}", "they must be floating point")
        self._width, self._dtype = rows.shape[1], str(rows.dtype).removeprefix("torch.")
        self._device = str(rows.device)
        rows = rows if rows.dtype == torch.float64 else rows.float()
        if not math.isfinite(rows.sum().item()) and not bool(rows.isfinite().all()):
            rows = self._without_never(function, rows, f"for {tokens} tokens behind {before}")
        return rows, Held(cache, before + given)

    def _without_never(self, function: str, rows: Tensor, where: str) -> Tensor:
        """Ids that must never come have minus infinity: it becomes the least of the row, which can be compared.

        Where one run has it and another one has not, they still differ.
        """
        never = rows == -math.inf
        if not bool((never | rows.isfinite()).all()) or bool(never.all(-1).any()):
            raise self._wrong(function, f"gave NaN or infinite logits {where}")
        least = rows.masked_fill(never, math.inf).amin(-1, keepdim=True)
        return torch.where(never, least.expand_as(rows), rows)

    def _kept(self, tensor: Tensor, tokens: int) -> Tensor:
        kept = tensor.detach()
        if kept.dim() == 4 and kept.shape[0] == 1:
            kept = kept[0]
        if kept.dim() != 3 or kept.shape[1] > tokens:
            what = f"gave {list(tensor.shape)} for a cache of {tokens} tokens"
            raise self._wrong("keys_values", what, "it must be [kv heads, positions, head size]")
        return kept if kept.dtype == torch.float64 else kept.float()

    def _wrong(self, function: str, what: str, hint: str = "") -> PromptlintError:
        return PromptlintError(f"{function} of {self.called} {what}", hint)


def checked(implementation: Implementation) -> Checked:
    """The implementation with every answer looked at; one that is checked already is given back as it is."""
    return implementation if isinstance(implementation, Checked) else Checked(implementation)


def load_implementation(place: str) -> Checked:
    """What `pkg.module:build_model` builds; modules are looked for in the current folder first, then where Python does.

    This runs the user's code. Raises PromptlintError, one line, for whatever goes wrong with it; the answers to a
    first, short prompt are looked at as well.
    """
    module_name, _, function = place.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), function]):
        raise PromptlintError(f"--check {place} names no function", "write it as pkg.module:build_model")
    build = getattr(_module(module_name), function, None)
    if build is None:
        raise PromptlintError(f"module {module_name} has no function {function}")
    if not callable(build):
        raise PromptlintError(f"{place} is {_kind(build)}, no function")
    try:
        built = build()
    except PromptlintError:
        raise
    except (Exception, SystemExit) as error:  # of code that is not ours: anything
        raise PromptlintError(f"{place} failed: {_line(error)}") from error
    if built is None:
        raise PromptlintError(f"{place} gave nothing", "it must return an object with prefill and append")
    implementation = Checked(built, place)
    _try_out(implementation)
    return implementation


def _try_out(implementation: Checked) -> None:
    """A short prompt, and one token behind it: faults of form are told before anything is measured."""
    _, cache = implementation.prefill([0, 1, 0])
    _, cache = implementation.append(cache, [1, 0])
    implementation.keys_values(cache)


def _takes_keep(function: Any) -> bool:
    try:
        return "keep" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # of something built in
        return False


@contextmanager
def _folder_first(folder: str) -> Iterator[None]:
    """Inside, modules of a folder come first; afterwards last, for what is imported may import more when it is called.

    Last, because a file such as sympy.py there would take the place of a module that torch imports late.
    """
    if folder in sys.path or "" in sys.path:
        yield
        return
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)
        sys.path.append(folder)


def _module(name: str) -> Any:
    folder = str(Path.cwd())
    importlib.invalidate_caches()
    with _folder_first(folder):
        return _imported(name, folder)


def _imported(name: str, folder: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise PromptlintError(f"no module {missing} in {folder} or among those installed") from error
        raise PromptlintError(f"module {name} needs {missing}, which is not installed") from error
    except (Exception, SystemExit) as error:  # of code that is not ours: anything
        raise PromptlintError(f"module {name} cannot be imported: {_line(error)}") from error


def _line(error: BaseException) -> str:
    line = (str(error).strip().splitlines() or [""])[0][:200]
    return f"{type(error).__name__}: {line}".removesuffix(": ")


def _kind(value: object) -> str:
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    return "nothing" if value is None else f"a value of type {type(value).__name__}"
