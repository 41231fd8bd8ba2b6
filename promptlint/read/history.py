"""Where the current folder stands in a git repository, and which commit a change is compared with."""

import os
import re
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.read import git
from promptlint.read.names import nearest, shown

_SHORT = 7  # digits of a commit for people
_ID = re.compile(r"[0-9a-f]{7,64}")
_RELATIVE = re.compile(r"[~^@]")


class Repository(NamedTuple):
    """The working tree that holds the current folder."""

    top: str  # absolute
    prefix: str  # the current folder in it: "" or "a/b/"
    shallow: bool  # not all of the history is there


class Base(NamedTuple):
    """What a change is compared with."""

    commit: str | None  # full id; None: the empty tree, as nothing has been committed yet
    name: str  # for people
    notes: tuple[str, ...] = ()  # how it is not quite what was asked for


def repository() -> Repository:
    """The repository of the current folder; raises PromptlintError if it is in no working tree."""
    answer = git.attempt(
        "rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix", "--show-toplevel"
    )
    if not answer.ok:
        raise git.fault(answer.complaint)
    inside, shallow, *rest = os.fsdecode(answer.output).split("\n")[:-1]
    if inside != "true":
        raise git.fault("must be run in a work tree")
    # A folder's name may hold a line feed; two lines are the rule.
    for cut in range(1, len(rest)):
        prefix, top = "\n".join(rest[:cut]), "\n".join(rest[cut:])
        if len(rest) == 2 or (os.path.isabs(top) and os.path.isdir(top) and _is_here(os.path.join(top, prefix))):
            return Repository(top, prefix, shallow == "true")
    raise git.fault("the top of the working tree has a strange name")


def _is_here(folder: str) -> bool:
    return os.path.isdir(folder) and os.path.samefile(folder, os.curdir)


def base_of(ref: str, *, merge_base: bool = True) -> Base:
    """The commit with which work on HEAD is compared: where it left `ref`, or without `merge_base` `ref` itself.

    Of several merge bases the first counts. Where there is none (a shallow clone often lacks it) it is `ref`, with a
    note. Raises PromptlintError if there is no such revision; the hint says how to get it.
    """
    if not ref or ref.startswith("-") or "\0" in ref:
        raise PromptlintError(f"{shown(ref) or 'nothing'} is no revision", "name a branch, a tag or a commit")
    if merge_base:
        answer = git.attempt("merge-base", ref, "HEAD")
        if answer.ok:
            return _named(ref, _first_line(answer), merge_base=ref != "HEAD")
    answer = git.attempt("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if not answer.ok:
        if ref == "HEAD" and _is_unborn():
            return Base(None, "an empty tree (nothing is committed yet)")
        raise _unknown(ref, answer.complaint)
    found = _named(ref, _first_line(answer), merge_base=False)
    return found._replace(notes=_no_merge_base(ref, _first_line(answer))) if merge_base else found


def staged_base(ref: str | None = None) -> Base:
    """What staged changes are compared with: HEAD, the empty tree before the first commit, or where HEAD left `ref`."""
    return base_of("HEAD", merge_base=False) if ref is None else base_of(ref)


def _first_line(answer: git.Answer) -> str:
    return answer.output.partition(b"\n")[0].decode("ascii", "replace")


def _named(ref: str, commit: str, *, merge_base: bool) -> Base:
    is_id = _ID.fullmatch(ref) is not None
    name, short = ref[:_SHORT] if is_id else shown(ref), commit[:_SHORT]
    if is_id and commit.startswith(ref):
        return Base(commit, name)
    return Base(commit, f"{name} ({'merge base ' if merge_base else ''}{short})")


def _is_unborn() -> bool:
    """Whether HEAD names a branch without a commit."""
    return git.attempt("symbolic-ref", "--quiet", "HEAD").ok and not _resolves("HEAD")


def _resolves(ref: str) -> bool:
    return git.attempt("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").ok


def _no_merge_base(ref: str, commit: str) -> tuple[str, ...]:
    """What to say where `ref`, which is `commit`, and HEAD have no common ancestor here."""
    head = git.attempt("cat-file", "commit", "HEAD")
    if not head.ok:
        return ("HEAD has no commit yet",)
    # The history ends here, but a commit still names its parents: the server made HEAD by merging into `ref`.
    if f"parent {commit}".encode() in head.output.partition(b"\n\n")[0].split(b"\n"):
        return ()
    name = shown(ref)
    if _is_shallow():
        return (
            f"this clone is shallow and lacks the merge base of HEAD and {name}: it is compared with {name} itself, so "
            "what was changed there since then counts as well (git fetch --unshallow gets the history)",
        )
    return (f"HEAD and {name} have no common history: it is compared with {name} itself",)


def _is_shallow() -> bool:
    return git.attempt("rev-parse", "--is-shallow-repository").output.startswith(b"true")


def _unknown(ref: str, complaint: str) -> PromptlintError:
    """`ref` resolves to nothing: what to do."""
    answer = git.attempt("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
    if not answer.ok:
        return git.fault(answer.complaint or complaint)
    names, remotes = _lines(answer), _lines(git.attempt("remote"))
    message = f"git knows no revision {shown(ref)} here"
    elsewhere = [name for name in names if name.endswith(f"/{ref}")]
    if elsewhere:
        return PromptlintError(message, f"did you mean {shown(elsewhere[0])}?")
    of_remote = any(ref.startswith(f"{name}/") for name in remotes)
    shallow = _is_shallow()
    if not (of_remote or shallow) and (near := nearest(ref, names)):
        return PromptlintError(message, f"did you mean {shown(near)}?")
    if remotes:
        return PromptlintError(message, _how_to_fetch(ref, remotes, shallow=shallow))
    return PromptlintError(message, "`git branch --all` lists what there is")


def _lines(answer: git.Answer) -> list[str]:
    return os.fsdecode(answer.output).splitlines() if answer.ok else []


def _how_to_fetch(ref: str, remotes: list[str], *, shallow: bool) -> str:
    if _RELATIVE.search(ref):
        return "this clone is shallow; get more of its history: git fetch --deepen=100" if shallow else "see `git log`"
    remote = next((name for name in remotes if ref.startswith(f"{name}/")), "")
    branch = shown(ref.removeprefix(f"{remote}/") if remote else ref)
    remote = remote or ("origin" if "origin" in remotes else remotes[0])
    depth = "--depth=100 " if shallow else ""
    if _ID.fullmatch(ref):
        return f"get it: git fetch {depth}{shown(remote)} {branch}"
    target = f"refs/remotes/{shown(remote)}/{branch}"
    return f"get it: git fetch {depth}{shown(remote)} {branch}:{target} (and name it {shown(remote)}/{branch})"
