"""The weights of a GGUF, dequantised by transformers into float32, once: they are kept in the user's cache folder.

Reading one takes transformers some 15 seconds for 135 million parameters, and safetensors a third of one. A model of
more than half a gigabyte is dequantised anew each time, straight into the numbers that are asked for: its copy would
take up to eight times as much.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from promptlint.confirm.device import first_line, is_out_of_memory, torch_or_error, transformers_or_error
from promptlint.confirm.weights import refuse_invented
from promptlint.errors import PromptlintError
from promptlint.files import cache_folder
from promptlint.read.gguf import metadata
from promptlint.read.names import shown

_MOST_FILE = 512 << 20  # bytes of a GGUF whose weights are kept
_MOST_BYTES = 2 << 30  # of these weights
_MOST_KEPT = 4  # models; those that were used longest ago go first
_FORM = 1  # of what is kept; to be raised when it changes
_HINT = "give the model as a folder with config.json and *.safetensors"
_SPLIT = "split.count"
_ARCHITECTURE = "general.architecture"

Say = Callable[[str], None]


class Weights(NamedTuple):
    """What a folder would hold."""

    config: dict[str, Any]
    tensors: dict[str, Any]
    notes: tuple[str, ...]


def open_gguf(path: str, dtype: Any, say: Say | None = None) -> Weights:
    """The weights of a GGUF, in float32 or, of a large one, as `dtype`. `say` is told what takes time.

    PromptlintError for a file that is damaged, one of several parts, or of a kind that transformers does not read.
    """
    kind = _looked_at(path)
    small = os.path.getsize(path) <= _MOST_FILE
    kept = _kept_at(path) if small else None
    found = None if kept is None else _read(kept)
    note = f"the weights of the GGUF ({kind}) are dequantised: an engine that computes with it gives other figures"
    if found is not None:
        return Weights(*found, (note,))
    if say is not None:
        say(f"dequantising {shown(path)}" + (", once" if small else ""))
    config, tensors = _dequantised(path, torch_or_error().float32 if small else dtype)
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    if kept is not None and size <= _MOST_BYTES:
        _keep(kept, config, tensors)
    return Weights(config, tensors, (note,))


def _looked_at(path: str) -> str:
    """The kind of model, by the project's own reader, which trusts no length."""
    found = metadata(path, {_ARCHITECTURE, _SPLIT})
    parts = found.get(_SPLIT)
    if isinstance(parts, int) and parts > 1:
        raise PromptlintError(f"{shown(path)} is one of {parts} parts, which transformers does not join", _HINT)
    kind = found.get(_ARCHITECTURE)
    if not isinstance(kind, str):
        raise PromptlintError(f"{shown(path)} does not say what kind of model it is", _HINT)
    return shown(kind)


def _dequantised(path: str, dtype: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Configuration and tensors. Weights that transformers would have to invent are an error."""
    transformers: Any = transformers_or_error()
    _packages()
    try:
        with _quiet(), alone(path) as (folder, name):
            config = transformers.AutoConfig.from_pretrained(folder, gguf_file=name, local_files_only=True)
            refuse_invented(path, transformers.AutoModelForCausalLM.from_config, config, 8 * os.path.getsize(path))
            model, info = transformers.AutoModelForCausalLM.from_pretrained(
                folder, config=config, gguf_file=name, dtype=dtype, local_files_only=True, output_loading_info=True
            )
    except PromptlintError:
        raise
    except Exception as error:  # of a file that fits no model: anything
        if is_out_of_memory(error):
            raise
        raise PromptlintError(f"{shown(path)} cannot be read: {first_line(error)}", _HINT) from error
    if missing := sorted(info["missing_keys"]):
        raise PromptlintError(
            f"{shown(path)} lacks {len(missing)} of the model's weights, such as {shown(missing[0])}", _HINT
        )
    own = model.config.to_dict()
    own.pop("quantization_config", None)
    return own, dict(model.state_dict())


def _packages() -> None:
    try:
        import accelerate  # noqa: F401  transformers needs both to read a GGUF
        import gguf  # noqa: F401
    except ImportError as error:
        raise PromptlintError(
            f"to read a GGUF takes {error.name}, which is not installed", "pip install 'promptlint-cache[model]'"
        ) from None


@contextmanager
def alone(path: str) -> Iterator[tuple[str, str]]:
    """A folder that holds a link to the file and nothing else, and its name there.

    transformers reads more from a folder than it was told, such as an adapter_config.json, which names other weights.
    """
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="promptlint-") as folder:
        link = os.path.join(folder, "model.gguf")
        try:
            os.symlink(os.path.abspath(path), link)
        except OSError:  # a system, or a user, without links
            try:
                os.link(path, link)
            except OSError:
                shutil.copyfile(path, link)
        yield folder, "model.gguf"


@contextmanager
def _quiet() -> Iterator[None]:
    """transformers draws a bar on standard error while it dequantises, whatever it is told."""
    import transformers.modeling_gguf_pytorch_utils as reader

    module: Any = reader
    bar = getattr(module, "tqdm", None)
    module.tqdm = lambda entries, **_: entries
    try:
        yield
    finally:
        if bar is not None:
            module.tqdm = bar


def _kept_at(path: str) -> str | None:
    """Where the dequantised weights of this file are kept: by its content, and by what reads it."""
    folder = cache_folder()
    if folder is None:
        return None
    from importlib.metadata import version

    try:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise PromptlintError(f"{shown(path)}: {error.strerror}", _HINT) from None
    by = f"{_FORM} {digest} {version('transformers')} {version('gguf')}"
    return os.path.join(folder, "models", f"{hashlib.sha256(by.encode()).hexdigest()[:32]}.safetensors")


def _read(path: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """What is kept; None if there is nothing, or nothing that can be read."""
    from safetensors import SafetensorError, safe_open

    try:
        if hasattr(os, "getuid") and os.stat(path).st_uid != os.getuid():
            return None
        with safe_open(path, framework="pt", device="cpu") as file:
            config = json.loads((file.metadata() or {})["config"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  it is no dict
        os.utime(path)
    except (OSError, SafetensorError, KeyError, ValueError):
        return None
    return config, tensors


def _keep(path: str, config: dict[str, Any], tensors: dict[str, Any]) -> None:
    """A folder that takes nothing is fine. Tied weights are one tensor under two names: each is written."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    folder = os.path.dirname(path)
    scratch = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        apart = {name: tensor.contiguous().clone() for name, tensor in _distinct(tensors).items()}
        save_file(apart, scratch, metadata={"config": json.dumps(config, default=str)})
        os.replace(scratch, path)
    except (OSError, SafetensorError):
        with suppress(OSError):
            os.unlink(scratch)
        return
    _trim(folder)


def _distinct(tensors: dict[str, Any]) -> dict[str, Any]:
    """The first name of each storage: the model itself ties the others again."""
    found: dict[int, str] = {}
    for name, tensor in tensors.items():
        found.setdefault(tensor.data_ptr(), name)
    return {name: tensors[name] for name in found.values()}


def _trim(folder: str) -> None:
    with suppress(OSError):
        entries = sorted(os.scandir(folder), key=lambda entry: entry.stat().st_mtime, reverse=True)
        for entry in entries[_MOST_KEPT:]:
            os.unlink(entry.path)
