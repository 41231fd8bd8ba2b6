"""Where a model runs: device, type of numbers, attention, threads; and what it says when memory runs out."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from promptlint.errors import PromptlintError
from promptlint.read.names import nearest, shown

if TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float64", "bfloat16", "float16")
ATTENTIONS = ("eager", "sdpa", "flex_attention", "flash_attention_2", "flash_attention_3")
"""Those that are part of torch, or of a package that the user has installed. Others would be fetched and run."""

_EXTRA = "pip install 'promptlint-cache[model]'"
_ROOM = "it takes some hundred MiB"
_NO_MEMORY = (
    "out of memory", "not enough memory", "can't allocate memory", "cannot allocate memory", "alloc_failed",
    "failed to map segment",
)  # fmt: skip


class OutOfMemory(PromptlintError, MemoryError):
    """The machine has not enough memory for a model or for a prompt; a shorter prompt may fit."""


def torch_or_error() -> Any:
    """The module. PromptlintError if it is not installed, or damaged."""
    return _imported("torch")


def transformers_or_error(*, offline: bool = True) -> Any:
    """The module, told to keep to this machine, to print nothing and to draw no bars of its own. `offline`: no network.

    PromptlintError if it is not installed.
    """
    if offline:
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            os.environ[name] = "1"  # whatever was there: without --allow-download nothing is asked for
    torch_or_error()
    module = _imported("transformers")
    module.utils.logging.set_verbosity(module.utils.logging.CRITICAL)
    module.utils.logging.disable_progress_bar()
    return module


def _imported(name: str) -> Any:
    from importlib import import_module

    # torch says so wherever numpy is missing, which nothing here needs.
    warnings.filterwarnings("ignore", "Failed to initialize NumPy", UserWarning)
    try:
        return import_module(name)
    except MemoryError:
        raise OutOfMemory(f"not enough memory to load {name}", _ROOM) from None
    except ImportError as error:
        if _says_no_memory(error):
            raise OutOfMemory(f"not enough memory to load {name}", _ROOM) from None
        if getattr(error, "name", None) == name:
            raise PromptlintError(f"this needs {name}, which is not installed", _EXTRA) from None
        raise PromptlintError(f"{name} cannot be imported: {first_line(error)}", _EXTRA) from error
    except OSError as error:  # a library that it loads is missing or damaged
        if _says_no_memory(error):
            raise OutOfMemory(f"not enough memory to load {name}", _ROOM) from None
        raise PromptlintError(f"{name} cannot be imported: {first_line(error)}", _EXTRA) from error


def device_named(name: str) -> "torch.device":
    """`cpu`, `cuda`, `cuda:1`, `mps`. PromptlintError if there is no such device here."""
    library = torch_or_error()
    kind, colon, number = name.partition(":")
    if kind not in ("cpu", "cuda", "mps") or (colon and (kind != "cuda" or not number.isdecimal())):
        raise PromptlintError(f"unknown device {shown(name)}", "one of cpu, cuda, cuda:N, mps")
    if kind == "cuda":
        _check_cuda(library, int(number or 0))
        name = f"cuda:{int(number) if number else library.cuda.current_device()}"
    if kind == "mps" and not library.backends.mps.is_available():
        raise PromptlintError("this machine, or this build of torch, has no mps device", "--device cpu")
    found: torch.device = library.device(name)
    return found


def _check_cuda(torch: Any, number: int) -> None:
    if torch.version.cuda is None and torch.version.hip is None:
        raise PromptlintError(
            f"this build of torch ({torch.__version__}) knows no CUDA", "install one that does, or --device cpu"
        )
    if not torch.cuda.is_available():
        raise PromptlintError("torch finds no CUDA device, or no driver for it", "--device cpu")
    there = torch.cuda.device_count()
    if number >= there:
        raise PromptlintError(f"there is no cuda:{number}", f"devices here: cuda:0 to cuda:{there - 1}")


def dtype_named(name: str, device: "torch.device | None" = None) -> "torch.dtype":
    """`float32` and so on. PromptlintError for others, and for those that the device cannot compute with."""
    library = torch_or_error()
    if name not in DTYPES:
        close = nearest(name, list(DTYPES))
        raise PromptlintError(
            f"unknown --dtype {shown(name)}", f"nearest: {close}" if close else f"one of {', '.join(DTYPES)}"
        )
    if device is not None and device.type == "mps" and name == "float64":
        raise PromptlintError("an mps device does not compute with float64", "--dtype float32")
    if device is not None and device.type == "cuda" and name == "bfloat16" and not library.cuda.is_bf16_supported():
        raise PromptlintError("this CUDA device does not compute with bfloat16", "--dtype float16 or float32")
    found: torch.dtype = getattr(library, name)
    return found


def attention_named(name: str | None, device: "torch.device") -> str | None:
    """The name as transformers takes it. None: the model's own choice. PromptlintError for what is not here."""
    if name is None:
        return None
    if name not in ATTENTIONS:
        close = nearest(name, list(ATTENTIONS))
        raise PromptlintError(
            f"unknown --attention {shown(name)}", f"nearest: {close}" if close else f"one of {', '.join(ATTENTIONS)}"
        )
    if name.startswith("flash"):
        from importlib.util import find_spec

        package = "flash_attn" if name.endswith("2") else "flash_attn_interface"
        if device.type != "cuda" or find_spec(package) is None:
            raise PromptlintError(f"{name} needs a CUDA device and the package {package}", "--attention sdpa")
    return name


def set_threads(threads: int | None) -> int:
    """How many threads of the processor are used from now on. None: as it is. Returns their number."""
    torch = torch_or_error()
    if threads is not None:
        if threads < 1:
            raise PromptlintError("a model runs on at least one thread", "give --threads a positive number")
        torch.set_num_threads(threads)
    used: int = torch.get_num_threads()
    return used


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of a device or of the processor means that memory has run out."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and _says_no_memory(error)


def _says_no_memory(error: BaseException) -> bool:
    return any(words in str(error).lower() for words in _NO_MEMORY)


@contextmanager
def memory_told(what: str) -> Iterator[None]:
    """Raises OutOfMemory in place of the runtime's own error. `what`: that did not fit, such as "a model of 3 GiB"."""
    try:
        yield
    except OutOfMemory:
        raise
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        release()
        raise OutOfMemory(f"out of memory: {what}", "a smaller model, a shorter prompt, or --dtype bfloat16") from None


def release() -> None:
    """Give the device back what nobody holds any more."""
    import gc

    torch = torch_or_error()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def first_line(error: BaseException) -> str:
    """The first line of what an error of a library says, to be part of a sentence."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    whole = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
    return shown(whole.rstrip(".:"))
