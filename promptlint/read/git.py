"""git as a process: in the current folder, without a network, in English, and not for ever."""

import os
import re
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.read.names import shown

GIT_S = 60.0
"""How long git may take."""

FOLDERS_INSTEAD = "compare two folders instead: promptlint check OLD NEW"

_CHANGES_MEANING = ("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")
_PARTIAL = ("could not fetch", "lazy fetching", "promisor")
_OWNER = re.compile(r"dubious ownership in repository at '(.*)'")


class Answer(NamedTuple):
    """What git said."""

    ok: bool
    output: bytes
    complaint: str  # the line of its error output that tells most; "" if it had none


def environment() -> dict[str, str]:
    """The environment for git.

    What a hook has set stays (GIT_DIR, and GIT_INDEX_FILE, which may be relative to the current folder). A partial
    clone would fetch a missing object from its remote; prompts and translations are not wanted either, nor are locks
    that another git could run into.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _CHANGES_MEANING}
    quiet = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    return {**kept, **quiet, "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}


def command(*arguments: str) -> list[str]:
    """The command line; a monitor of the file system that the configuration names is not started."""
    return ["git", "-c", "core.fsmonitor=false", *arguments]


def attempt(*arguments: str) -> Answer:
    """What git says to `arguments`; raises PromptlintError only if it cannot be run or does not finish."""
    import subprocess

    line = command(*arguments)
    try:
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, timeout=GIT_S, env=environment(), check=False
        )
    except subprocess.TimeoutExpired:
        raise unfinished() from None
    except (OSError, ValueError) as error:
        raise not_run(error) from None
    return Answer(done.returncode == 0, done.stdout, complaint(done.stderr))


def output(*arguments: str) -> bytes:
    """What git prints; raises PromptlintError if it fails."""
    answer = attempt(*arguments)
    if not answer.ok:
        raise fault(answer.complaint)
    return answer.output


def complaint(text: bytes) -> str:
    """The line of an error output that tells most: the first that names an error, else the first."""
    lines = os.fsdecode(text).splitlines()
    telling = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines or [""]
    return telling[0].removeprefix("fatal: ").removeprefix("error: ")


def fault(complaint: str) -> PromptlintError:
    """A complaint of git for the user, with what to do."""
    if "not a git repository" in complaint:
        return PromptlintError("the current folder is in no git repository", FOLDERS_INSTEAD)
    if "must be run in a work tree" in complaint:
        return PromptlintError("the current folder is in no working tree of git", FOLDERS_INSTEAD)
    if owned := _OWNER.search(complaint):
        hint = f"if you trust it: git config --global --add safe.directory {shown(owned[1])}"
        return PromptlintError("git does not read this repository, because it belongs to another user", hint)
    if is_partial(complaint):
        return PromptlintError(
            "this is a partial clone that lacks contents of files", "get them: git fetch --refetch --no-filter"
        )
    return PromptlintError("git failed", shown(complaint) or "see whether `git status` works here")


def is_partial(complaint: str) -> bool:
    """Whether git complains of an object that a partial clone has left with its remote."""
    return any(sign in complaint for sign in _PARTIAL)


def not_run(error: Exception) -> PromptlintError:
    """git could not be started."""
    if isinstance(error, FileNotFoundError):
        return PromptlintError("git is not installed", f"install it, or {FOLDERS_INSTEAD}")
    return PromptlintError(f"git cannot be run ({shown(str(error))})", "check the arguments")


def unfinished() -> PromptlintError:
    """git took too long."""
    return PromptlintError(f"git did not finish in {GIT_S:.0f} seconds", "try again")
