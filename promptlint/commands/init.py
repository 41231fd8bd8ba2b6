"""`promptlint init [FOLDER]`: a configuration to begin with."""

import os

from promptlint.config import TOML, YAML, found_in, relative
from promptlint.config.display import EXAMPLES, LIMITS, PROMPTS, SETTINGS
from promptlint.errors import PromptlintError
from promptlint.read.names import shown


def init(folder: str = os.curdir) -> str:
    """Write a commented promptlint.yaml into a folder, with what looks like a prompt in it; what to tell the user.

    Raises PromptlintError where a configuration is there already, and where none can be written.
    """
    path = relative(os.path.join(folder, YAML))
    if not os.path.isdir(folder):
        raise PromptlintError(f"{shown(folder)} is no folder", "name one that is there")
    if not os.path.lexists(path) and found_in(folder):
        toml = relative(os.path.join(folder, TOML))
        raise PromptlintError(f"{shown(toml)} configures promptlint already", "write your settings there")
    if os.path.lexists(path):
        raise _is_there(path)
    text, count = _written(folder)
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise _is_there(path) from None
    except OSError as error:
        raise PromptlintError(f"{shown(path)}: {error.strerror}", "name a folder that can be written") from None
    told = {0: "", 1: ", and 1 file that looks like a prompt"}.get(
        count, f", and {count:,} files that look like prompts"
    )
    return f"{shown(path)} written; each setting stands in it as a comment{told}\n"


def _is_there(path: str) -> PromptlintError:
    return PromptlintError(f"{shown(path)} is there already", "`promptlint config show` prints what holds")


def _written(folder: str) -> tuple[str, int]:
    """The text of a configuration, and how many files it names that look like prompts."""
    from promptlint.commands.init_entries import section
    from promptlint.commands.init_found import find_prompts

    found = find_prompts(folder)
    count = len(found.candidates)
    head = "# These have been found here: take away the # in front of what is a prompt.\n" if count else ""
    if not found.complete:
        head += "# There are very many files here, and not all have been looked at.\n"
    return f"{SETTINGS}{PROMPTS}{head}{section(found) if count else EXAMPLES}{LIMITS}", count
