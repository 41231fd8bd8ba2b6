"""What `promptlint init` has found -> entries of `prompts`, each as a comment."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from promptlint.commands.config import yaml_text
from promptlint.commands.init_found import Candidate, Found

_MOST = 40  # entries that are written
_MOST_PATHS = 10  # in one entry
_PLAIN = r"(?!.*[ :#]$)[A-Za-z][\w/-]*[./][\w./*-]*"
"""What YAML reads as the text that it is."""
_WILD = "*?[]"
_UNNAMED = "a chat template; name the requests that it renders"


class Entry(NamedTuple):
    """One entry, or what to say of it."""

    kind: str
    paths: tuple[str, ...]  # files, or one pattern
    why: str
    vars: tuple[str, ...] = ()
    chat_template: str | None = None
    likely: bool = True

    @property
    def is_guess(self) -> bool:
        """Whether nothing says that requests and chat template belong together."""
        return self.chat_template is not None and self.why != _UNNAMED


def section(found: Found) -> str:
    """The entries for what has been found, as comments of a configuration."""
    entries = entries_of(found)
    lines = ["#prompts:"]
    for entry in entries[:_MOST]:
        lines += _lines(entry)
    if len(entries) > _MOST:
        lines.append(f"# And {len(entries) - _MOST} more of the kind; a pattern such as prompts/**/*.j2 names many.")
    return "\n".join(lines) + "\n"


def entries_of(found: Found) -> list[Entry]:
    """Each prompt in one entry; those of one folder that are alike share one. The likelier ones come first."""
    chats = [one for one in found.candidates if one.kind == "chat-template"]
    groups: dict[tuple[object, ...], list[Candidate]] = {}
    for one in found.candidates:
        if one.kind != "chat-template":
            ours = bool(chats) and one.open_model
            groups.setdefault((one.kind, _folder(one.path), _end(one.path), one.vars, ours), []).append(one)
    template = _one_template(chats)
    entries = [entry for group in groups.values() for entry in _of_group(group, found.files, template)]
    if template is not None and not any(entry.chat_template for entry in entries):
        entries.append(Entry("request", ("requests/*.json",), _UNNAMED, chat_template=template))
    return sorted(entries, key=lambda entry: (_is_of_tests(entry.paths[0]), not entry.likely))


def _is_of_tests(path: str) -> bool:
    return re.search(r"(?:^|/)(?:tests?|__tests__|specs?|fixtures)/", path) is not None


def _one_template(chats: Sequence[Candidate]) -> str | None:
    """The chat template to name: a file of its own counts before a configuration beside it."""
    paths = sorted((not one.path.endswith(".jinja"), one.path) for one in chats)
    return paths[0][1] if paths else None


def _of_group(group: Sequence[Candidate], files: Iterable[str], template: str | None) -> list[Entry]:
    """Candidates of one kind in one folder: a pattern if it means just these, else lists of them."""
    first = group[0]
    chat_template = template if first.open_model else None
    if first.kind in ("promptfoo", "recorded"):  # a log is a prompt of its own
        return [Entry(one.kind, (one.path,), one.why) for one in group]
    likely = any(one.likely for one in group)
    paths = tuple(sorted(one.path for one in group))
    if len(group) == 1:
        return [Entry(first.kind, paths, first.why, first.vars, chat_template, likely)]
    whys = {one.why for one in group}
    what = {"template": "Jinja templates", "request": "requests"}[first.kind]
    why = f"{len(group)} {what}, among them {first.why}" if len(whys) > 1 else f"{len(group)} times {first.why}"
    pattern = _pattern(paths, files)
    lists = [(pattern,)] if pattern else [paths[at : at + _MOST_PATHS] for at in range(0, len(paths), _MOST_PATHS)]
    return [Entry(first.kind, each, why, first.vars, chat_template, likely) for each in lists]


def _pattern(paths: Sequence[str], files: Iterable[str]) -> str | None:
    """The pattern that means these files of a folder, and no other one."""
    folder, end = _folder(paths[0]), _end(paths[0])
    begin = f"{folder}/" if folder else ""
    alike = [path for path in files if _folder(path) == folder and path.endswith(end)]
    if len(alike) != len(paths) or any(sign in begin + end for sign in _WILD):
        return None
    return f"{begin}*{end}"


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _end(path: str) -> str:
    """How the name ends: `.json`, or `.request.json` where a word stands in front of it."""
    found = re.search(r"((?:\.[A-Za-z_-]+)?\.[A-Za-z0-9]+)$", path.rpartition("/")[2])
    return found[1] if found else ""


def _lines(entry: Entry) -> list[str]:
    guess = "; through the chat template that is here, if it is theirs" if entry.is_guess else ""
    lines = [f"#  # {entry.why}{guess}", f"#  - {entry.kind}: {_listed(entry.paths)}"]
    if entry.vars:
        lines.append(f"#    vars: {_listed(entry.vars)}")
    if entry.chat_template is not None:
        lines.append(f"#    chat-template: {_listed((entry.chat_template,))}")
    return lines


def _listed(paths: Sequence[str]) -> str:
    written = [path if re.fullmatch(_PLAIN, path, re.ASCII) else yaml_text(path) for path in paths]
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"
