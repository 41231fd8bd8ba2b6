"""Prompts that a command of the project prints. It runs only where the user says so."""

import os
from collections.abc import Iterator

from promptlint.commands.check.found import Source
from promptlint.commands.check.trees import Tree
from promptlint.commands.check.wrap import as_document
from promptlint.errors import PromptlintError
from promptlint.prompt import Request
from promptlint.read.names import shown

WALL_S = 60.0
"""How long a command may take."""
_LARGEST = 64 << 20


def printed_requests(source: Source, tree: Tree) -> Iterator[Request]:
    """What the command of an entry prints in the folder of its configuration: a request, a text, or records of them.

    Raises PromptlintError if it fails, prints nothing, or takes too long.
    """
    from promptlint.load.several import requests

    text = _output(source, tree.path(source.folder))
    for request in requests(as_document(f"output of {source.name}", text)):
        if isinstance(request, PromptlintError):
            raise request
        yield request


def _output(source: Source, folder: str) -> str:
    import subprocess

    command = source.entry.command
    name = f"the command of {shown(source.name)}"
    if not os.path.isdir(folder):
        raise PromptlintError(f"{name} cannot run: its folder is not there", "check the entry")
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=WALL_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise PromptlintError(f"{name} took more than {WALL_S:.0f} seconds", "make it print the prompt alone") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PromptlintError(f"{name} cannot be run ({reason})", "check `command` of the entry") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise PromptlintError(f"{name} ended with exit code {done.returncode}", shown(said) or "run it by hand")
    if len(done.stdout) > _LARGEST:
        raise PromptlintError(f"{name} printed {len(done.stdout):,} bytes", f"at most {_LARGEST:,} are read")
    try:
        return done.stdout.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PromptlintError(f"{name} printed what is not UTF-8", "print a request in JSON, or a text") from None
