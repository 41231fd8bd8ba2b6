"""Files of git revisions, from the object store: no checkout, no filters, no network."""

import os
from collections.abc import Generator
from typing import IO, cast

from promptlint.errors import PromptlintError
from promptlint.read.git import GIT_S, environment
from promptlint.read.names import nearest, shown

_CHUNK = 1 << 20


def revision_chunks(revision: str, path: str) -> Generator[bytes, None, None]:
    """The content of `path` (from the root of the repository, or after `./` from here) in a revision."""
    import subprocess
    import threading

    if revision.startswith("-"):
        raise PromptlintError(f"{shown(revision)} is no revision", "write REVISION:PATH, such as HEAD~1:prompts/a.json")
    command = ["git", "cat-file", "blob", f"{revision}:{path}"]
    try:
        git = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
        )
    except (OSError, ValueError) as error:
        raise _no_git(revision, path, error) from None
    limit = threading.Timer(GIT_S, git.kill)
    limit.start()
    with git:
        try:
            output = cast(IO[bytes], git.stdout)
            yield from iter(lambda: output.read(_CHUNK), b"")
        except GeneratorExit:  # enough was read
            git.kill()
            raise
        finally:
            limit.cancel()
    if git.returncode < 0:
        raise PromptlintError(
            f"git did not finish with {shown(f'{revision}:{path}')} in {GIT_S:.0f} seconds", "try again"
        )
    if git.returncode:
        raise _explanation(revision, path)


def _ask(*arguments: str) -> tuple[bool, str]:
    """Whether git succeeds, and what it prints, or else the first line of its complaint."""
    import subprocess

    try:
        done = subprocess.run(["git", *arguments], capture_output=True, timeout=GIT_S, env=environment(), check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    if done.returncode:
        return False, os.fsdecode(done.stderr).partition("\n")[0].removeprefix("fatal: ")
    return True, os.fsdecode(done.stdout)


def _no_git(revision: str, path: str, error: Exception) -> PromptlintError:
    name = shown(f"{revision}:{path}")
    if isinstance(error, FileNotFoundError):
        return PromptlintError(f"{name} is no file, and git is not installed", "check the path, or install git")
    return PromptlintError(f"{name} cannot be read from git", "check the name")


def _explanation(revision: str, path: str) -> PromptlintError:
    name, place = shown(f"{revision}:{path}"), shown(path)
    here, complaint = _ask("rev-parse", "--git-dir")
    if not here:
        if "not a git repository" in complaint:
            return PromptlintError(f"{name} is neither a file nor in a git repository here", "check the path")
        return PromptlintError(f"{name} cannot be read from git", shown(complaint))
    if revision and not _ask("rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")[0]:
        return PromptlintError(f"{name} is no file, and git knows no revision {shown(revision)}", "see `git log --all`")
    if _ask("cat-file", "-t", f"{revision}:{path}") == (True, "tree\n"):
        return PromptlintError(f"{name} is a folder", "name a file in it")
    hint = "`git ls-tree -r --name-only REVISION` lists the files"
    if _ask("cat-file", "-t", f"{revision}:./{path}")[0]:
        hint = f"paths count from the root of the repository: try {shown(revision)}:./{place}"
    elif close := _nearest_path(revision, path):
        hint = f"did you mean {shown(revision)}:{shown(close)}?"
    return PromptlintError(f"{place} does not exist in {shown(revision) or 'the index'}", hint)


def _nearest_path(revision: str, path: str) -> str | None:
    folder, name = os.path.split(path)
    listed, names = _ask("ls-tree", "-z", "--name-only", f"{revision}:{folder}")
    found = nearest(name, names.split("\0")) if listed else None
    return f"{folder}/{found}" if found and folder else found
