"""A Hugging Face model on this machine as an implementation under test (see implementation.py): folder or GGUF."""

import copy
import inspect
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from promptlint.confirm.device import (
    OutOfMemory,
    attention_named,
    device_named,
    dtype_named,
    first_line,
    is_out_of_memory,
    memory_told,
    torch_or_error,
    transformers_or_error,
)
from promptlint.confirm.gguf import open_gguf
from promptlint.confirm.weights import gguf_of, model_folder, open_folder, refuse_invented, tensors
from promptlint.errors import PromptlintError
from promptlint.read.names import shown

if TYPE_CHECKING:
    from torch import Tensor

Cache = Any
"""A DynamicCache of transformers."""


class LocalModel:
    """One model, its weights loaded. No cache that is handed in is changed, but by `extend`."""

    def __init__(self, model: Any, folder: str, notes: tuple[str, ...] = (), *, keeps_all: bool = False) -> None:
        parameters = inspect.signature(type(model).forward).parameters
        text = model.config.get_text_config()
        self._model, self._text = model, text
        self._keeps_all = keeps_all
        self._cache_name = next((name for name in ("cache", "past_key_values") if name in parameters), None)
        self._has_state = not {"cache_params", "state"}.isdisjoint(parameters)
        self._can_keep_few = "logits_to_keep" in parameters
        self.config = text
        self.folder = folder  # with vocabulary and template: a folder, or a GGUF
        self.notes = notes
        self.name = shown(os.path.basename(os.path.normpath(folder)))
        self.device = str(model.device)
        self.dtype = str(model.dtype).removeprefix("torch.")
        self.attention = str(model.config._attn_implementation)  # what the model really uses
        self.parameters = sum(weight.numel() for weight in model.parameters())
        self.positions: int | None = getattr(text, "max_position_embeddings", None)
        self.window: int | None = None  # the smallest one of a layer that forgets what lies further back
        self.vocabulary = 0  # width of the logits
        self._rows = int(model.get_input_embeddings().weight.shape[0])
        self._look()

    def recording(self) -> "LocalModel":
        """The same model with caches that forget nothing: each layer gives the keys and values of every position.

        What a window hides stays hidden: the mask is the same. Without a window this is the model itself.
        """
        if self.window is None or self._keeps_all:
            return self
        return LocalModel(self._model, self.folder, self.notes, keeps_all=True)

    def prefill(self, ids: list[int], keep: int = 0) -> "tuple[Tensor, Cache]":
        """Logits of a prompt, [positions, vocabulary] on the processor, and the cache behind it.

        `keep`: only the logits of the last so many positions are computed; 0: of all. Raises OutOfMemory, and
        PromptlintError for ids that the model does not have or a prompt that is longer than it takes.
        """
        return self.extend(self._empty(), ids, keep)

    def append(self, cache: Cache, ids: list[int], keep: int = 0) -> "tuple[Tensor, Cache]":
        """As `prefill`, behind a cache, which stays as it is."""
        return self.extend(self.fork(cache), ids, keep)

    def extend(self, cache: Cache, ids: list[int], keep: int = 0) -> "tuple[Tensor, Cache]":
        """As `append`, but the cache itself grows: nothing is copied, so this is what can be timed."""
        torch = torch_or_error()
        before = int(cache.get_seq_length())
        self._check(ids, before)
        few = {"logits_to_keep": keep} if keep and self._can_keep_few else {}
        with self._errors(before + len(ids)), torch.no_grad():
            given = torch.tensor([ids], device=self._model.device)
            answer = self._model(input_ids=given, use_cache=True, **{str(self._cache_name): cache}, **few)
            rows = answer.logits[0][-keep:]
            rows = rows.to("cpu") if rows.dtype == torch.float64 else rows.to("cpu", torch.float32)
        if bool(rows.isnan().any()):
            hint = "--dtype float32" if self.dtype in ("float16", "bfloat16") else "its weights may be damaged"
            raise PromptlintError(f"{self.name} gives logits that are no numbers in {self.dtype}", hint)
        return rows, cache

    def advance(self, cache: Cache | None, ids: list[int]) -> "tuple[Tensor, Cache]":
        """What is timed: as `extend`, with the logits of the last position only. None: a prompt from its start."""
        return self.extend(self._empty() if cache is None else cache, ids, 1)

    def fork(self, cache: Cache) -> Cache:
        """A copy that can be extended."""
        with self._errors(int(cache.get_seq_length())):
            return copy.deepcopy(cache)

    def keys_values(self, cache: Cache) -> "list[tuple[Tensor, Tensor]]":
        """Keys and values of each layer that has its own: [kv heads, positions, head size], as the cache holds them.

        A layer with a window gives the last positions, those it still holds; see `recording`.
        """
        return [(layer.keys[0], layer.values[0]) for layer in cache.layers if _holds(layer)]

    def _empty(self) -> Cache:
        from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

        made: Any = DynamicCache
        cache = made(config=self._model.config)
        if self._keeps_all:
            whole: Any = DynamicLayer
            cache.layers = [whole() if type(one) is DynamicSlidingWindowLayer else one for one in cache.layers]
        return cache

    def _look(self) -> None:
        """What kind of cache the model has, seen on two tokens. PromptlintError for one that no prefix is cut of."""
        if self._cache_name is None:
            raise PromptlintError(f"{self.name} {_RECURRENT if self._has_state else _OTHER}", _ANOTHER)
        if getattr(self._model.config, "is_encoder_decoder", False):
            raise PromptlintError(f"{self.name} is an encoder-decoder, and its encoder reads all of a prompt", _ANOTHER)
        try:
            empty = self._empty()
        except KeyError as error:
            raise PromptlintError(
                f"{self.name} has layers of the kind {shown(str(error.args[0]))}, whose cache is not known", _ANOTHER
            ) from None
        self._refuse_states(empty)
        windows = [layer.sliding_window for layer in empty.layers if getattr(layer, "is_sliding", False)]
        if not self._keeps_all:
            given = getattr(self._text, "sliding_window", None) or getattr(self._text, "attention_chunk_size", None)
            self.window = min((int(each) for each in windows), default=None)
            if windows and self.window is not None and self.window < 2:
                raise PromptlintError(f"{self.name} has a window of {given} tokens, and keeps nothing", _ANOTHER)
        ids = [0, min(1, self._rows - 1)]
        logits, cache = self.prefill(ids)
        self.vocabulary = int(logits.shape[-1])
        self._refuse_states(cache)
        seen = self.keys_values(cache)
        if not seen or any(t.dim() != 3 or t.shape[1] != len(ids) for pair in seen for t in pair):
            raise PromptlintError(f"{self.name} keeps no key and no value for each token of a prompt", _ANOTHER)

    def _refuse_states(self, cache: Cache) -> None:
        states = [number for number, layer in enumerate(cache.layers) if _is_state(layer)]
        if states:
            some = "all layers" if len(states) == len(cache.layers) else f"{len(states)} of {len(cache.layers)} layers"
            raise PromptlintError(f"{self.name} {_RECURRENT} ({some})", _ANOTHER)

    def _check(self, ids: list[int], before: int) -> None:
        if not ids:
            raise PromptlintError("there are no tokens to compute", "give a prompt that is not empty")
        wrong = next((one for one in ids if not 0 <= one < self._rows), None)
        if wrong is not None:
            raise PromptlintError(
                f"there is a token {wrong}, and {self.name} has {self._rows:,}", "the vocabulary is not the model's"
            )
        if self.positions is not None and before + len(ids) > self.positions:
            raise PromptlintError(
                f"a prompt of {before + len(ids):,} tokens, and {self.name} takes {self.positions:,}",
                "give shorter requests",
            )

    @contextmanager
    def _errors(self, tokens: int) -> Iterator[None]:
        """Every fault of the runtime as one line; OutOfMemory if memory has run out."""
        try:
            with memory_told(f"a prompt of {tokens:,} tokens on {self.device}"):
                yield
        except PromptlintError:
            raise
        except Exception as error:  # of a model's code: anything
            where = f"{self.device}, {self.dtype}, {self.attention}"
            hint = "look whether its config.json is right" if self.attention == "eager" else "try --attention eager"
            raise PromptlintError(
                f"{self.name} fails on {where}: {type(error).__name__}: {first_line(error)}", hint
            ) from error


_RECURRENT = "keeps a recurrent state, not keys and values for each token: a prefix cannot be cut out of it"
_OTHER = "takes no cache of keys and values for each token"
_ANOTHER = "confirm needs a model whose cache is made of keys and values"


def _holds(layer: Any) -> bool:
    """Whether a layer has keys of its own; one that reads those of another layer has none."""
    keys = getattr(layer, "keys", None)
    return keys is not None and bool(keys.numel())


def _is_state(layer: Any) -> bool:
    return any(hasattr(layer, name) for name in ("conv_states", "recurrent_states"))


def open_local(
    path: str,
    *,
    device: str = "cpu",
    dtype: str = "float32",
    attention: str | None = None,
    allow_download: bool = False,
    say: Callable[[str], None] | None = None,
) -> LocalModel:
    """The model in a folder, in a GGUF, or (`allow_download`) of a name. `say` is told what takes time.

    PromptlintError, one line, for everything that is not a causal language model with all of its weights, or that does
    not run here; OutOfMemory if it does not fit.
    """
    place = device_named(device)
    numbers = dtype_named(dtype, place)
    wanted = attention_named(attention, place)
    transformers_or_error(offline=not allow_download)
    gguf = gguf_of(path)
    with memory_told(f"the weights of {shown(path)} on {device}"):
        if gguf is not None:
            # A GGUF takes 4 bytes a weight at most, most take far less: this much it needs at the least.
            _refuse_too_large(path, os.path.getsize(gguf) * numbers.itemsize // 4, place)
            config, held, notes = open_gguf(gguf, numbers, say)
            model, _ = _loaded(gguf, config, held, numbers, wanted)
            return LocalModel(model.to(place), gguf, notes)
        folder = open_folder(model_folder(path, allow_download=allow_download))
        held = tensors(folder)  # mapped into memory, not read yet
        _refuse_too_large(path, sum(tensor.numel() for tensor in held.values()) * numbers.itemsize, place)
        model, said = _loaded(folder.path, folder.config, held, numbers, wanted)
        return LocalModel(model.to(place), folder.path, (*folder.notes, *said))


def _refuse_too_large(path: str, need: int, place: Any) -> None:
    """Raise OutOfMemory for weights that main memory does not hold: the system would end the program without a word."""
    from promptlint.confirm.machine import free_bytes

    free = free_bytes() if place.type == "cpu" else None
    if free is not None and need > free:
        raise OutOfMemory(
            f"the weights of {shown(path)} take {need / 2**20:,.0f} MiB, and {free / 2**20:,.0f} MiB are free",
            "a smaller model, or --dtype bfloat16",
        )


def _loaded(
    path: str, config: dict[str, Any], held: dict[str, Any], dtype: Any, attention: str | None
) -> tuple[Any, tuple[str, ...]]:
    """The model with these weights, and notes. PromptlintError if it lacks one: transformers would invent it."""
    settings_of, model_of = _classes(path, config)
    try:
        settings = settings_of.from_dict(dict(config))
        if not config.get("quantization_config"):
            refuse_invented(path, model_of, settings, sum(tensor.numel() for tensor in held.values()))
        model, info = model_of.from_pretrained(
            None,
            config=settings,
            state_dict=held,
            dtype=dtype,
            attn_implementation=attention,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
        )
    except PromptlintError:
        raise
    except Exception as error:  # of a configuration that fits no model: anything
        if is_out_of_memory(error):
            raise
        if kind := _quantised(config):
            raise PromptlintError(f"{shown(path)} {kind}: {first_line(error)}", _FLOATING) from error
        raise PromptlintError(f"{shown(path)} cannot be loaded: {first_line(error)}", _LOADING) from error
    if info["missing_keys"] and (kind := _quantised(config)):
        raise PromptlintError(f"{shown(path)} {kind}", _FLOATING)
    layers = int(getattr(model.config.get_text_config(), "num_hidden_layers", 0))
    return model.eval(), tuple(_complete(path, layers, info))


_LOADING = "look whether its config.json belongs to its weights, and whether transformers is new enough"


_FLOATING = "give the same model in floating point, or as a GGUF"


def _quantised(config: dict[str, Any]) -> str:
    """That its weights are quantised, to be part of a sentence; "" if they are not."""
    how = config.get("quantization_config")
    if not how:
        return ""
    kind = how.get("quant_method") if isinstance(how, dict) else None
    return f"holds quantised weights{f' ({shown(kind)})' if isinstance(kind, str) else ''}, which are not taken"


def _classes(path: str, config: dict[str, Any]) -> tuple[Any, Any]:
    """transformers' own classes for a configuration: of its settings, of the model."""
    from transformers import CONFIG_MAPPING
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    kind = config["model_type"]
    if kind not in CONFIG_MAPPING:
        raise PromptlintError(
            f"{shown(path)} is a model of the kind {shown(kind)}, which transformers does not have",
            "a newer transformers may have it; code that stands in a folder is never run",
        )
    settings: Any = CONFIG_MAPPING[kind]
    if settings not in MODEL_FOR_CAUSAL_LM_MAPPING:
        raise PromptlintError(
            f"{shown(path)} is a model of the kind {shown(kind)}, of which there is no causal language model", _ANOTHER
        )
    found: Any = MODEL_FOR_CAUSAL_LM_MAPPING[settings]
    several = found if isinstance(found, tuple | list) else (found,)
    named = config.get("architectures") or ()
    return settings, next((one for one in several if one.__name__ in named), several[0])


def _complete(path: str, layers: int, info: dict[str, Any]) -> Iterator[str]:
    """Notes on weights that the model has no place for. PromptlintError where it is not the model that was saved."""
    lacking = sorted(info["missing_keys"])
    if lacking:
        raise PromptlintError(
            f"{shown(path)} lacks {len(lacking)} of the model's weights, such as {shown(lacking[0])}", _LOADING
        )
    unfit = sorted(info["mismatched_keys"])
    if unfit:
        name, held, wanted = unfit[0]
        sizes = f"{_size(held)}, and config.json asks for {_size(wanted)}"
        raise PromptlintError(f"{shown(path)}: {shown(name)} is {sizes}", _LOADING)
    if info["error_msgs"]:
        raise PromptlintError(f"{shown(path)} cannot be loaded: {shown(str(info['error_msgs'][0]))}", _LOADING)
    left = sorted(info["unexpected_keys"])
    beyond = [name for name in left if _layer(name) >= layers > 0]
    if beyond:
        raise PromptlintError(
            f"{shown(path)} has weights of layer {_layer(beyond[0])}, and config.json says that there are {layers}",
            _LOADING,
        )
    if left:
        yield f"{len(left)} weights of the folder have no place in the model, such as {shown(left[0])}"


def _size(shape: Any) -> str:
    return " x ".join(str(side) for side in shape)


def _layer(name: str) -> int:
    """The number of the layer that a weight belongs to, from 0; -1 if its name tells none."""
    found = re.search(r"(?:^|\.)(?:layers|h|blocks)\.(\d{1,6})\.", name)
    return int(found[1]) if found else -1
