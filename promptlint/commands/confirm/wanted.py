"""What `promptlint confirm` is asked for, and which of its options fit together."""

import os
from typing import TYPE_CHECKING, NamedTuple

from promptlint.errors import PromptlintError

if TYPE_CHECKING:
    from promptlint.commands.templates import TemplateOptions

_OF_SERVERS = ("api", "key_env", "max_usd", "dry_run", "cassette", "tokens", "timeout", "block_size")
_OF_MODELS = (
    "check",
    "device",
    "dtype",
    "attention",
    "allow_download",
    "seed",
    "prefix",
    "pairs",
    "threads",
    "generate",
)
_OF_WEIGHTS = ("attention", "allow_download")  # nothing but a model that is loaded from files has these
_OF_READING = ("tokenizer", "provider", "templates", "input_format", "request_path")
_LARGEST_SEED = 2**63 - 1  # that torch takes
_POSITIVE = ("pairs", "threads", "generate", "tokens", "timeout", "block_size")


class ConfirmOptions(NamedTuple):
    """The options of the command line; None, or a false value, where nothing was said."""

    paths: tuple[str, ...] = ()
    model: str | None = None
    check: str | None = None
    device: str | None = None
    dtype: str | None = None
    attention: str | None = None
    allow_download: bool = False
    seed: int | None = None
    prefix: str | None = None  # "512,2048"
    pairs: int | None = None
    threads: int | None = None
    generate: int | None = None
    endpoint: str | None = None
    api: str | None = None
    key_env: str | None = None
    max_usd: str | None = None
    dry_run: bool = False
    cassette: str | None = None
    tokens: int | None = None
    timeout: float | None = None
    block_size: int | None = None
    tokenizer: str | None = None
    provider: str | None = None
    templates: "TemplateOptions | None" = None
    facts: str | None = None
    input_format: str | None = None
    request_path: str | None = None
    measured_forms: tuple[str, ...] = ()  # formats that hold measured prefixes only


def refuse_misfits(wanted: ConfirmOptions) -> None:
    """Raise PromptlintError for options that say nothing together, each in one line."""
    for name in _POSITIVE:
        value = getattr(wanted, name)
        if value is not None and value <= 0:
            raise PromptlintError(f"{_shown(name)} is more than 0", f"give {_shown(name)} a positive number")
    cores = os.cpu_count() or 1
    if wanted.threads is not None and wanted.threads > cores:  # torch would end the program with thousands of them
        raise PromptlintError(f"--threads {wanted.threads}: this machine has {cores} cores", f"give 1 to {cores}")
    if wanted.seed is not None and not 0 <= wanted.seed <= _LARGEST_SEED:
        raise PromptlintError(f"--seed {wanted.seed}: not a seed", "give 0 to 2**63 - 1")
    if wanted.endpoint is not None:
        _refuse_for_server(wanted)
        return
    given = _given(wanted, _OF_SERVERS)
    if given:
        raise PromptlintError(f"{_shown(given)} is about a server, and none is named", "name one with --endpoint URL")
    if len(wanted.paths) not in (0, 2):
        count = "one prompt" if len(wanted.paths) == 1 else f"{len(wanted.paths)} prompts"
        raise PromptlintError(f"{count} instead of two", "promptlint confirm A B, or a LOG with --endpoint")
    _refuse_for_model(wanted)
    lengths(wanted.prefix)


def _refuse_for_server(wanted: ConfirmOptions) -> None:
    given = _given(wanted, _OF_MODELS)
    if given:
        told = f"{_shown(given)} is about a model that is run here, and --endpoint asks a server"
        raise PromptlintError(told, "leave out one of the two")
    if len(wanted.paths) not in (1, 2):
        raise PromptlintError("a server is asked for two prompts, or for those of a log", "A B --endpoint URL, or LOG")
    if wanted.measured_forms:
        raise PromptlintError(
            f"{wanted.measured_forms[0]} holds measured prefixes, and --endpoint measures none", "--format json has all"
        )


def _refuse_for_model(wanted: ConfirmOptions) -> None:
    if wanted.check is not None and wanted.model is not None:
        raise PromptlintError("--check names one implementation, and --model another", "give one of the two")
    if wanted.model is None and (given := _given(wanted, _OF_WEIGHTS)):
        raise PromptlintError(f"{_shown(given)} is about a model's files, and none is named", "name them with --model")
    if wanted.check is not None and (given := _given(wanted, ("device", "dtype"))):
        raise PromptlintError(f"with --check, your own code chooses what {_shown(given)} says", "leave it out")
    if wanted.paths:
        if wanted.paths[0] == wanted.paths[1] == "-":
            raise PromptlintError("both inputs are standard input", "give at least one of them as a file")
        return
    if not (wanted.model or wanted.check or wanted.prefix):
        raise PromptlintError("there is nothing to confirm", "name A and B, or --check, --model or --prefix")
    if wanted.generate is not None:
        raise PromptlintError("--generate continues the second prompt, and there is none", "name A and B")
    if given := _given(wanted, _OF_READING):
        raise PromptlintError(f"{_shown(given)} is about prompts, and none are named", "name A and B, or leave it out")


def lengths(prefix: str | None) -> tuple[int, ...]:
    """The lengths of --prefix, () for none. Raises PromptlintError."""
    if prefix is None:
        return ()
    told = [each.strip() for each in prefix.split(",")]
    if not all(each.isdecimal() and each.isascii() and 0 < len(each) < 10 and int(each) > 0 for each in told):
        raise PromptlintError(f"--prefix {prefix}: not lengths in tokens", "write them as 512,2048,8192")
    return tuple(dict.fromkeys(map(int, told)))


def _given(wanted: ConfirmOptions, names: tuple[str, ...]) -> str:
    """The first of these options that was given, or ""."""
    values = {name: getattr(wanted, name) for name in names}
    return next((name for name, value in values.items() if value is not None and value is not False), "")


def _shown(name: str) -> str:
    return "--chat-template" if name == "templates" else f"--{name.replace('_', '-')}"
