"""The folder of a model: which of its files are read, and what is refused by name. Nothing in it is ever run.

Only `config.json` and safetensors are read. No file name that a file of the folder gives leads out of it.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from promptlint.confirm.device import first_line
from promptlint.errors import PromptlintError
from promptlint.read import json_text
from promptlint.read.names import nearest_file, shown
from promptlint.read.plain import plain
from promptlint.read.sources import read

CONFIG = "config.json"
_WHOLE, _INDEX = "model.safetensors", "model.safetensors.index.json"
_PICKLE = re.compile(r".*\.(bin|pt|pth|pkl|pickle|ckpt)", re.IGNORECASE)
_OTHER_PICKLES = ("training_args.bin", "optimizer.pt", "scheduler.pt", "rng_state.pth")  # of a training: no weights
_NAMED = re.compile(r"[\w][\w.-]*/[\w][\w.-]*")
_LARGEST_JSON = 64 << 20  # bytes
_MOST_LAYERS = 10_000
_MANY = 1 << 28  # weights: a gigabyte

# Fields by which a configuration would choose code, or files, of its own.
_UNREAD = (
    "auto_map", "attn_implementation", "_attn_implementation", "_attn_implementation_internal", "_name_or_path",
    "experts_implementation", "_experts_implementation", "fusion_config", "distributed_config",
)  # fmt: skip


class Folder(NamedTuple):
    """The files of a model that are read."""

    path: str
    config: dict[str, Any]  # as `config.json` says, without what would choose code
    shards: dict[str, tuple[str, ...] | None]  # file name -> the tensors that the index puts there; None: all of them
    notes: tuple[str, ...]


def gguf_of(path: str) -> str | None:
    """The GGUF that `path` is, or that it holds where it holds no other model; None if there is none."""
    if os.path.isfile(path):
        return path if _begins_with(path, b"GGUF") or path.lower().endswith(".gguf") else None
    if not os.path.isdir(path):
        return None
    names = _names(path)
    found = [name for name in names if name.lower().endswith(".gguf")]
    if not found or CONFIG in names:
        return None
    if len(found) > 1:
        raise PromptlintError(
            f"{shown(path)} holds {len(found)} GGUF files, such as {shown(found[0])}", "give one by its path"
        )
    return os.path.join(path, found[0])


def model_folder(path: str, *, allow_download: bool = False) -> str:
    """The folder that `path` names: one that is here, or the name of a model that may be downloaded."""
    if os.path.isdir(path):
        return path
    if os.path.exists(path):
        raise PromptlintError(
            f"{shown(path)} is no folder of a model, and no GGUF", "give the folder with config.json and *.safetensors"
        )
    if not _NAMED.fullmatch(path):
        close = nearest_file(path)
        hint = f"nearest: {shown(close)}" if close else "give a folder, a GGUF, or ORGANISATION/NAME"
        raise PromptlintError(f"{shown(path)}: no such folder or file", hint)
    if not allow_download:
        raise PromptlintError(
            f"{shown(path)}: no such folder", "a model of that name would be downloaded only with --allow-download"
        )
    return _downloaded(path)


def open_folder(folder: str) -> Folder:
    """What is read of a folder. PromptlintError says why it is no causal language model that can be read safely."""
    names = _names(folder)
    if "adapter_config.json" in names and _WHOLE not in names and _INDEX not in names:
        raise PromptlintError(f"{shown(folder)} holds an adapter, no model", "merge it into its model, and give that")
    shards = _shards(folder, names)
    if CONFIG not in names:
        raise PromptlintError(f"{shown(folder)} has weights and no {CONFIG}", "it says what kind of model they are of")
    config = _object(os.path.join(folder, CONFIG))
    return Folder(folder, _checked(config, folder), shards, tuple(_notes(folder, names, config)))


def tensors(folder: Folder) -> dict[str, Any]:
    """Every tensor by its name, on the processor. PromptlintError for a file that is damaged or lacks one."""
    found: dict[str, Any] = {}
    for name, wanted in folder.shards.items():
        found |= _in_file(os.path.join(folder.path, name), wanted)
    return found


def _in_file(path: str, wanted: Sequence[str] | None) -> dict[str, Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            held = list(file.keys())
            if lacking := sorted(set(wanted or ()).difference(held)):
                raise PromptlintError(f"{shown(path)} lacks {shown(lacking[0])}, which the index puts there", _AGAIN)
            return {name: file.get_tensor(name) for name in (held if wanted is None else wanted)}
    except SafetensorError as error:
        raise PromptlintError(f"{shown(path)} is damaged: {first_line(error)}", _AGAIN) from None
    except OSError as error:
        raise PromptlintError(f"{shown(path)}: {error.strerror or first_line(error)}", _AGAIN) from None


_AGAIN = "copy the model again"


def refuse_invented(path: str, model_of: Any, settings: Any, held: int) -> None:
    """PromptlintError if a model has far more weights than its files hold.

    transformers would make up the rest, in memory that may not be there, before it says what is missing. A few that
    are missing it names, see local.py. `settings`: its configuration; `held`: weights in the files, or a bound.
    """
    from promptlint.confirm.device import torch_or_error

    torch: Any = torch_or_error()
    layers = getattr(settings.get_text_config(), "num_hidden_layers", 0)
    if not isinstance(layers, int) or layers > _MOST_LAYERS:
        raise PromptlintError(f"{shown(path)}: a model of {layers} layers", f"there are {_MOST_LAYERS:,} at most")
    with torch.device("meta"):
        wanted = sum(weight.numel() for weight in model_of(settings).parameters())
    if wanted - held > _MANY:
        raise PromptlintError(
            f"{shown(path)} describes a model of {wanted:,} weights, and holds no more than {held:,}", _AGAIN
        )


def _shards(folder: str, names: Sequence[str]) -> dict[str, tuple[str, ...] | None]:
    """The index is read only where there is no single file, as transformers does it."""
    if _WHOLE in names:
        return {_regular(folder, _WHOLE): None}
    if _INDEX in names:
        return _indexed(folder)
    pickles = [name for name in names if _PICKLE.fullmatch(name) and name not in _OTHER_PICKLES]
    if pickles:
        raise PromptlintError(
            f"{shown(folder)} has its weights in {shown(pickles[0])}, a pickle, which may run code when it is read",
            "save the model as safetensors",
        )
    if parts := [name for name in names if name.endswith(".safetensors")]:
        raise PromptlintError(
            f"{shown(folder)} has {shown(parts[0])}, but neither {_WHOLE} nor {_INDEX}", "give a complete folder"
        )
    raise PromptlintError(f"{shown(folder)} holds no weights", f"a model has {_WHOLE}, or shards and {_INDEX}")


def _indexed(folder: str) -> dict[str, tuple[str, ...] | None]:
    path = os.path.join(folder, _INDEX)
    places = _object(path).get("weight_map")
    if not isinstance(places, dict) or not places or not all(isinstance(place, str) for place in places.values()):
        raise PromptlintError(f"{shown(path)} has no weight_map of tensors and files", _AGAIN)
    by_file: dict[str, list[str]] = {}
    for tensor, place in places.items():
        by_file.setdefault(place, []).append(tensor)
    for place in by_file:
        if os.path.basename(place) != place or "\\" in place or not place.endswith(".safetensors"):
            raise PromptlintError(
                f"{shown(path)} points to {shown(place)}", "a shard is a safetensors file in the same folder"
            )
        _regular(folder, place)
    return {place: tuple(held) for place, held in sorted(by_file.items())}


def _regular(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        raise PromptlintError(f"{shown(path)} is not there, and holds weights of the model", _AGAIN)
    if not os.path.isfile(path):
        raise PromptlintError(f"{shown(path)} is no regular file", _AGAIN)
    return name


def _checked(config: dict[str, Any], folder: str) -> dict[str, Any]:
    """The configuration, without what would choose code. PromptlintError for what is no causal language model."""
    kind, made = config.get("model_type"), config.get("architectures")
    if not isinstance(kind, str):
        raise PromptlintError(f"{shown(folder)}/{CONFIG} names no model_type", "it is not that of a language model")
    if config.get("is_encoder_decoder") is True:
        raise PromptlintError(
            f"{shown(folder)} is an encoder-decoder ({shown(kind)}): its encoder reads all of a prompt before anything "
            "else, so no prefix of it can be reused",
            "give a causal language model",
        )
    if config.get("transformers_weights") is not None:
        raise PromptlintError(f"{shown(folder)}/{CONFIG} names a file of its own for the weights", "remove that field")
    names = [name for name in made if isinstance(name, str)] if isinstance(made, list) else []
    if names and not any(re.search(r"CausalLM|LMHead|ConditionalGeneration", name) for name in names):
        raise PromptlintError(
            f"{shown(folder)} holds {shown(names[0])}, which is no causal language model", "give one that is"
        )
    return {name: value for name, value in config.items() if name not in _UNREAD}


def _notes(folder: str, names: Sequence[str], config: dict[str, Any]) -> Iterator[str]:
    if config.get("auto_map"):
        yield "the folder brings code of its own (auto_map), which is not run: transformers' own class is used"
    if "generation_config.json" in names:
        wanted = _object(os.path.join(folder, "generation_config.json")).get("cache_implementation")
        if isinstance(wanted, str) and wanted != "dynamic":
            yield f"the model asks for a {shown(wanted)} cache; a growing one holds the same keys and values"


def _object(path: str) -> dict[str, Any]:
    if not os.path.isfile(path):
        raise PromptlintError(f"{shown(path)} is no regular file", _AGAIN)
    value, _ = json_text.parse(read(path, max_bytes=_LARGEST_JSON))
    if not isinstance(value, dict):
        raise PromptlintError(f"{shown(path)} is no JSON object", _AGAIN)
    found: dict[str, Any] = _with_infinities(plain(value))
    return found


def _with_infinities(value: Any) -> Any:
    """transformers writes what JSON has no number for as `{"__float__": "Infinity"}`."""
    if isinstance(value, dict):
        if list(value) == ["__float__"] and value["__float__"] in ("Infinity", "-Infinity", "NaN"):
            return float(value["__float__"])
        return {name: _with_infinities(held) for name, held in value.items()}
    return [_with_infinities(held) for held in value] if isinstance(value, list) else value


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise PromptlintError(f"{shown(folder)}: {error.strerror}", "give another folder") from None


def _begins_with(path: str, mark: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(mark)) == mark
    except OSError:
        return False


_MUST, _MAY = (CONFIG,), (
    "generation_config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
    "chat_template.jinja", "chat_template.json", "tokenizer.model", "tekken.json",
)  # fmt: skip


def _downloaded(name: str) -> str:
    """The folder in which the hub's own client keeps a model; only configuration, vocabulary and safetensors come."""
    from promptlint.confirm.device import transformers_or_error

    transformers_or_error(offline=False)
    from transformers.utils.hub import cached_file

    def fetch(file: str, *, must: bool = False) -> str | None:
        try:
            got: str | None = cached_file(name, file, _raise_exceptions_for_missing_entries=must)
        except (OSError, ValueError) as error:
            raise PromptlintError(f"{shown(name)} cannot be downloaded: {first_line(error)}", _ONLINE) from None
        return got

    config = fetch(CONFIG, must=True)
    assert config is not None
    folder = os.path.dirname(config)
    for file in _MAY:
        fetch(file)
    if fetch(_WHOLE) is None and fetch(_INDEX) is not None:
        places = _object(os.path.join(folder, _INDEX)).get("weight_map")
        for place in sorted({p for p in places.values() if isinstance(p, str)} if isinstance(places, dict) else ()):
            if os.path.basename(place) == place and place.endswith(".safetensors"):
                fetch(place, must=True)
    return folder


_ONLINE = "look at the name and the network, or give a folder"
