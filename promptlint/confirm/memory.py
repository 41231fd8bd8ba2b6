"""What a run keeps in memory and how much it computes, seen from its tensors; and the arithmetic of a KV cache."""

import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_PART_READ = {"embedding", "index_select", "gather", "index"}  # they read as much as they give, not their whole table
_PRODUCTS = {"mm", "bmm", "addmm", "baddbmm", "linear", "matmul"}
_COMPOSED = {"einsum", "scaled_dot_product_attention", "tensordot", "inner"}  # of products; whole in inference mode
_DEEP = 6  # levels of objects in which the tensors of an unknown cache are looked for
_SHAPED = ("num_hidden_layers", "num_attention_heads", "hidden_size")
_NARROW = ("sliding_window", "kv_lora_rank", "layer_types", "num_kv_shared_layers")  # not one K and V of each token

Made = TypeVar("Made")


class KvShape(NamedTuple):
    """What a model says of its KV cache, in which every layer keeps every position."""

    layers: int
    kv_heads: int
    head_size: int  # of keys and of values

    def size(self, tokens: int, element_bytes: int) -> int:
        """Bytes of the keys and values of so many tokens."""
        return 2 * self.layers * self.kv_heads * self.head_size * element_bytes * tokens


def predicted(implementation: Any, tokens: int) -> int | None:
    """Bytes of keys and values by arithmetic; None if the model does not say its shape, or not every layer keeps all.

    The shape is the implementation's own `kv_shape`, (layers, kv heads, head size), else that of its `config`.
    """
    stated = getattr(implementation, "kv_shape", None)
    config = getattr(implementation, "config", None) or getattr(getattr(implementation, "model", None), "config", None)
    shape = KvShape(*stated) if stated else shape_of_config(config)
    dtype = getattr(torch, str(getattr(implementation, "dtype", "float32")).rpartition(".")[2], None)
    return shape.size(tokens, dtype.itemsize) if shape and isinstance(dtype, torch.dtype) else None


def shape_of_config(config: Any) -> KvShape | None:
    """The shape that the configuration of a Hugging Face model gives; None where layers differ or keep less."""
    if any(not isinstance(getattr(config, name, None), int) for name in _SHAPED) or not _keeps_all(config):
        return None
    heads = config.num_attention_heads
    kv_heads = getattr(config, "num_key_value_heads", None) or heads
    head_size = getattr(config, "head_dim", None) or config.hidden_size // heads
    return KvShape(config.num_hidden_layers, kv_heads, head_size)


def _keeps_all(config: Any) -> bool:
    kinds = getattr(config, "layer_types", None)
    if kinds is not None and set(kinds) != {"full_attention"}:
        return False
    if getattr(config, "sliding_window", None) and kinds is None and getattr(config, "use_sliding_window", True):
        return False
    return not any(getattr(config, name, None) for name in _NARROW if name not in {"sliding_window", "layer_types"})


def kv_bytes(implementation: Any, cache: Any) -> int:
    """Bytes of the keys and values in `cache`: of those that the implementation shows, else of every tensor in it."""
    show = getattr(implementation, "keys_values", None)
    tensors = (tensor for pair in show(cache) for tensor in pair) if show else _distinct(_tensors(cache, _DEEP))
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _distinct(tensors: Iterable[torch.Tensor]) -> Iterable[torch.Tensor]:
    return {tensor.data_ptr(): tensor for tensor in tensors}.values()


def _tensors(value: Any, deep: int) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
        return
    if deep == 0:
        return
    if isinstance(value, Mapping):
        parts: Iterable[Any] = value.values()
    elif isinstance(value, list | tuple):
        parts = value
    else:
        parts = vars(value).values() if hasattr(value, "__dict__") else ()
    for part in parts:
        yield from _tensors(part, deep - 1)


class Watched(NamedTuple):
    """What one run needed. Nothing that a kernel keeps or computes inside itself is seen."""

    peak_bytes: int  # most that tensors which the run made took at one time
    flops: int  # of its matrix products and its attention
    read_bytes: int  # of tensors that were there before: weights and the cache that it was handed


def watched(run: Callable[[], Made]) -> tuple[Made, Watched]:
    """What `run` returns, and what it needed. The run is slower than one that is not watched."""
    watch = _Watch()
    with watch:
        made = run()
    return made, Watched(watch.peak, watch.flops, sum(watch.read.values()))


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees every operation; storages are known by their address for as long as they live."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.live: dict[int, weakref.ref[Any]] = {}  # storages that the run made
        self.read: dict[int, int] = {}  # address -> bytes, of the others
        self.now = self.peak = self.flops = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Whether torch is to guard this against its compiler, for which it would import some 800 modules."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        if name in _COMPOSED:
            with self:
                parts = func.decompose(*args, **kwargs)
            if parts is not NotImplemented:
                return parts
        given = _flat((*args, *kwargs.values()))
        out = func(*args, **kwargs)
        made = _flat(out if isinstance(out, list | tuple) else (out,))
        self.flops += _flops(name, given, made, args, kwargs)
        self._note_read(name, given, made)
        for tensor in made:
            self._note_made(tensor)
        return out

    def _note_read(self, name: str, given: list[torch.Tensor], made: list[torch.Tensor]) -> None:
        for tensor in given:
            key, size = _storage(tensor)
            if key not in self.live:
                part = sum(_storage(each)[1] for each in made) if name in _PART_READ else size
                self.read[key] = max(self.read.get(key, 0), min(part, size))

    def _note_made(self, tensor: torch.Tensor) -> None:
        key, size = _storage(tensor)
        if not key or key in self.live or key in self.read:
            return
        self.live[key] = weakref.ref(tensor.untyped_storage(), lambda gone: self._drop(key, size))
        self.now += size
        self.peak = max(self.peak, self.now)

    def _drop(self, key: int, size: int) -> None:
        if self.live.pop(key, None) is not None:
            self.now -= size


def _flat(values: Iterable[Any]) -> list[torch.Tensor]:
    """The tensors among the arguments of an operation, or among what it gives."""
    found = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, list | tuple):
            found += [each for each in value if isinstance(each, torch.Tensor)]
    return found


def _storage(tensor: torch.Tensor) -> tuple[int, int]:
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.nbytes()


def _flops(name: str, given: list[torch.Tensor], made: list[torch.Tensor], args: Any, kwargs: Any) -> int:
    """Additions and multiplications of a matrix product or of an attention; 0 for everything else."""
    if name in _PRODUCTS:
        left = given[0] if name in {"linear", "matmul"} else given[-2]
        return 2 * made[0].numel() * left.shape[-1]
    if not name.startswith("_scaled_dot_product") or len(given) < 3:
        return 0
    query, key, value = given[:3]
    pairs = math.prod(query.shape[:-1]) * key.shape[-2]
    if kwargs.get("is_causal") or any(each is True for each in args[3:]):
        pairs = pairs * (query.shape[-2] + 1) // (2 * query.shape[-2])
    return 2 * pairs * (query.shape[-1] + value.shape[-1])
