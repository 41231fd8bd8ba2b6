"""The model that `promptlint confirm` runs: the built-in one, one of the user's files, or of the user's own code."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from promptlint.commands.confirm.wanted import ConfirmOptions
from promptlint.errors import PromptlintError

if TYPE_CHECKING:
    from promptlint.confirm.implementation import Checked

Say = Callable[[str], None]
"""Told in words what is being done, for a terminal."""

USUAL = 2048  # tokens of the prefix that is measured where none is asked for
_LARGE = 2e11  # floating-point operations of the usual prefix: more take minutes on a processor
_TORCH = "pip install torch is enough for the built-in model, pip install 'promptlint-cache[model]' for others"


class Subject(NamedTuple):
    """The model that is run."""

    backend: str
    model: "Checked"
    recording: Any  # the same with caches that forget nothing, to read keys and values of all positions
    folder: str | None  # with its vocabulary and template
    most: int | None  # tokens that it takes
    window: int | None  # tokens that its layers look back, the fewest
    parameters: int
    notes: tuple[str, ...] = ()

    @property
    def is_slow(self) -> bool:
        """Whether the usual lengths would take minutes."""
        return self.on_processor and 2 * self.parameters * USUAL > _LARGE

    @property
    def on_processor(self) -> bool:
        """Whether it runs on no device of its own."""
        return (self.model.device or "cpu") == "cpu"


def subject_of(wanted: ConfirmOptions, say: Say) -> Subject:
    """Import torch and make or load the model. Raises PromptlintError for one that cannot be run here."""
    from promptlint.confirm.device import OutOfMemory, set_threads, torch_or_error

    say("importing torch")
    try:
        torch_or_error()
    except OutOfMemory:
        raise
    except PromptlintError as error:
        raise PromptlintError(error.message, _TORCH if wanted.model is None else error.hint) from None
    if wanted.model is not None:
        set_threads(wanted.threads)
        return _local(wanted, say)
    set_threads(wanted.threads or 1)
    return _own(wanted.check, say) if wanted.check is not None else _minimal(wanted)


def _minimal(wanted: ConfirmOptions) -> Subject:
    from promptlint.confirm.device import device_named, dtype_named
    from promptlint.confirm.implementation import checked
    from promptlint.confirm.minimal import Minimal

    place = device_named(wanted.device or "cpu")
    made = Minimal(wanted.seed or 0, dtype_named(wanted.dtype or "float32", place), str(place))
    return Subject("minimal", checked(made), made, None, None, None, made.parameters())


def _own(spec: str, say: Say) -> Subject:
    """The user's own implementation."""
    from promptlint.confirm.implementation import load_implementation

    say(f"loading {spec}")
    model = load_implementation(spec)
    stated = (getattr(model.wrapped, name, None) for name in ("positions", "max_tokens"))
    most = next((each for each in stated if isinstance(each, int)), None)
    return Subject("check", model, model, None, most, None, 0)


def _local(wanted: ConfirmOptions, say: Say) -> Subject:
    from promptlint.confirm.implementation import checked
    from promptlint.confirm.local import open_local

    assert wanted.model is not None
    say(f"loading {wanted.model}")
    found = open_local(
        wanted.model,
        device=wanted.device or "cpu",
        dtype=wanted.dtype or "float32",
        attention=wanted.attention,
        allow_download=wanted.allow_download,
        say=say,
    )
    recording = found.recording()
    return Subject(
        "transformers", checked(found), recording, found.folder, found.positions, found.window, found.parameters,
        found.notes,
    )  # fmt: skip
