"""`promptlint init [FOLDER]`: a configuration to begin with."""

import os

from promptlint.config import TOML, YAML, found_in, relative
from promptlint.config.display import COMMENTED
from promptlint.errors import PromptlintError
from promptlint.read.names import shown


def init(folder: str = os.curdir) -> str:
    """Write a commented promptlint.yaml into a folder; what to tell the user.

    Raises PromptlintError where a configuration is there already, and where none can be written.
    """
    path = relative(os.path.join(folder, YAML))
    if not os.path.isdir(folder):
        raise PromptlintError(f"{shown(folder)} is no folder", "name one that is there")
    if not os.path.lexists(path) and found_in(folder):
        toml = relative(os.path.join(folder, TOML))
        raise PromptlintError(f"{shown(toml)} configures promptlint already", "write your settings there")
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(COMMENTED)
    except FileExistsError:
        raise PromptlintError(f"{shown(path)} is there already", "`promptlint config show` prints what holds") from None
    except OSError as error:
        raise PromptlintError(f"{shown(path)}: {error.strerror}", "name a folder that can be written") from None
    return f"{shown(path)} written; each setting stands in it as a comment\n"
