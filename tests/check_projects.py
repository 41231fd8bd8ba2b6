"""Scratch git repositories, the prompts in them, and one run of `promptlint check` over them."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import yaml

from promptlint.cli import run
from promptlint.tokens import open_tokenizer

Files = dict[str, str]
"""Path from the root of the repository -> text."""

NOW = "2027-05-03T10:15:00+00:00"
MODEL = "claude-sonnet-5"
TRAFFIC = {"requests-per-day": 20000, "turns": 6, "gap": "90s"}
MARK = {"type": "ephemeral"}
BREAKPOINT = "{# promptlint: breakpoint #}"

_TOOLS = (
    "hedge trimmers", "tile cutters", "wet saws", "log splitters", "paint sprayers", "floor sanders", "post drivers",
    "wallpaper steamers", "cargo bikes", "laser levels", "apple presses", "cement mixers", "pole saws",
    "sewing machines", "pressure washers", "ladders", "canoes", "telescopes", "bench grinders", "leaf blowers",
)  # fmt: skip
_TOWNS = ("Oakham", "Selby", "Thirsk", "Ripon", "Malton", "Skipton", "Whitby", "Hexham", "Alnwick")
_PEOPLE = ("Ines Duarte", "Tom Brandt", "Yara Haddad", "Olle Nyman", "Pia Kovac", "Sean Doyle", "Mei Lin")


def _rules(number: int, tool: str) -> tuple[str, str, str]:
    town, person = _TOWNS[number % len(_TOWNS)], _PEOPLE[number % len(_PEOPLE)]
    return (
        f"- {tool.capitalize()} leave the {town} depot for {number % 5 + 2} days at most; past that, offer the member "
        f"one extension of {number % 3 + 1} days and write down which site the item works at.",
        f"- When {tool} come back damaged, thank the member for telling us, ask for two photographs, and hand the case "
        f"to {person}, who decides about the deposit of {number * 7 + 20} crowns.",
        f"- Nobody under {16 + number % 3} takes {tool} home; a parent may sign for them at the counter in {town}, "
        f"with the green form number {number + 311}, and stays with the item while it runs.",
    )


RULES: tuple[str, ...] = tuple(line for number, tool in enumerate(_TOOLS) for line in _rules(number, tool))
"""60 different lines of about 40 tokens."""
HEAD = "You answer members at the front desk of the Larkfield tool library.  Keep to this guide."
SETS: tuple[dict[str, str], ...] = (
    {
        "member": "Ada Wells",
        "question": "May I keep the canoe over the long weekend, and who do I ask?",
        "today": "3 May 2027",
        "ticket": "T-50817-KQ",
        "town": "Ripon",
    },
    {
        "member": "Bo Lindqvist",
        "question": "The sander came home with a torn belt. What happens with my deposit?",
        "today": "4 May 2027",
        "ticket": "T-93264-ZB",
        "town": "Ripon",
    },
)


def tokens(text: str) -> int:
    """Count with o200k_base, which the tool estimates closed models with."""
    return open_tokenizer("o200k_base").count(text)


class Checked(NamedTuple):
    """What one run gave."""

    code: int
    report: dict[str, Any]  # {} if nothing was printed on standard output
    out: str
    err: str

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = self.report["check"]
        return found

    @property
    def prompts(self) -> dict[str, dict[str, Any]]:
        return {each["name"]: each for each in self.body["prompts"]}

    @property
    def touched(self) -> dict[str, Any]:
        """The one prompt that the change has reached; the only one, if there is no other."""
        prompts = self.body["prompts"]
        (found,) = prompts if len(prompts) == 1 else [each for each in prompts if each["change"] != "unchanged"]
        assert isinstance(found, dict)
        return found


def environment(**more: str) -> dict[str, str]:
    """Without the git settings of the user, and without those of a hook that runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept.pop("PRE_COMMIT", None)
    own = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ALLOW_PROTOCOL": "file"}
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _AUTHOR.items()}
    return kept | own | names | more


_AUTHOR = {"NAME": "An Author", "EMAIL": "author@example.org"}


class Repository(NamedTuple):
    """A git repository that the test has made."""

    path: Path

    def git(self, *arguments: str, ok: bool = True, **more: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=environment(**more), capture_output=True, text=True, check=False
        )
        assert not ok or done.returncode == 0, done.stderr
        return done.stdout

    def put(self, files: Files) -> None:
        """Make the tracked files of the repository these; what is not tracked stays."""
        for name in self.git("ls-files", "-z").split("\0"):
            if name and name not in files:
                (self.path / name).unlink(missing_ok=True)
        write(self.path, files)

    def commit(self, files: Files, message: str = "a change") -> str:
        """Commit these files, and give the name of the commit."""
        self.put(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD").strip()


def write(folder: Path, files: Files) -> None:
    """Write the files byte for byte: no line ends are translated."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def started(path: Path) -> Repository:
    """An empty repository with the branch `main`."""
    path.mkdir(parents=True, exist_ok=True)
    made = Repository(path)
    made.git("init", "--quiet", "--initial-branch", "main")
    made.git("config", "core.autocrlf", "false")
    return made


def repository(path: Path, before: Files, after: Files) -> Repository:
    """A repository with two commits: `before` on `main`, and `after` on the branch `topic`, which is checked out."""
    made = started(path)
    made.commit(before, "first")
    made.git("checkout", "--quiet", "-b", "topic")
    made.commit(after)
    return made


def check(folder: Path, *arguments: str, now: str | None = NOW, **more: str) -> Checked:
    """Run `promptlint check --format json` in this process, started in `folder`."""
    out, err = io.StringIO(), io.StringIO()
    clock = () if now is None else ("--now", now)
    with (
        mock.patch.dict(os.environ, environment(**more), clear=True),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = run(["check", "--format", "json", *clock, *arguments])
    return Checked(code, json.loads(out.getvalue() or "{}"), out.getvalue(), err.getvalue())


def command(*arguments: str) -> list[str]:
    """The command line of a run in a process of its own."""
    return [sys.executable, "-m", "promptlint", "check", "--now", NOW, *arguments]


def settings(*entries: Mapping[str, Any], **more: Any) -> str:
    """A `promptlint.yaml`, one setting a line where it can be."""
    return yaml.safe_dump({"prompts": list(entries), **more}, sort_keys=False, allow_unicode=True)


def template(lines: tuple[str, ...] = RULES, marker: str = BREAKPOINT + "\n") -> str:
    """The template of the front desk: fixed text, a marker, what varies."""
    body = "\n".join((HEAD, *lines))
    return f"{body}\n{marker}# This visit\nMember: {{{{ member }}}}\nQuestion: {{{{ question }}}}\n"


PREFIX_TOKENS = tokens("\n".join((HEAD, *RULES)))
"""Of the fixed text of the template, and about those of the requests' system texts."""


def variables(sets: tuple[dict[str, str], ...] = SETS) -> Files:
    """One file for each set of variables."""
    return {f"vars/{number}.yaml": yaml.safe_dump(each) for number, each in enumerate(sets)}


def template_entry(**more: Any) -> dict[str, Any]:
    """The entry of the template of `template_project`."""
    known = {"name": "support", "template": "prompts/support.j2", "vars": ["vars/0.yaml", "vars/1.yaml"]}
    return known | {"provider": "anthropic", "model": MODEL, "traffic": TRAFFIC} | more


def template_project(text: str | None = None, **more: Any) -> Files:
    """A template with a marker in a comment and two sets of variables. `more`: settings beside the prompts."""
    entry = more.pop("entry", template_entry())
    kinds = {"variables": {"ticket": "per-request", "question": "per-request", "member": "per-session"}}
    text = template() if text is None else text
    return {"promptlint.yaml": settings(entry, **kinds, **more), "prompts/support.j2": text, **variables()}


def hunk_lines(files: Files, hunk: Mapping[str, Any], sign: str) -> list[str]:
    """The lines of a file that a hunk says it has removed (`-`, of the old file) or added."""
    side = "old" if sign == "-" else "new"
    start, count = hunk[f"{side}_start"], hunk[f"{side}_lines"]
    text = files.get(hunk["path"], "")
    found = text.replace("\r\n", "\n").split("\n")
    return [sign + each for each in found[start - 1 : start - 1 + count]] if count else []


def is_shown(shown: str, line: str) -> bool:
    """A long line may be cut."""
    return shown == line or (len(shown) > 40 and shown.endswith("…") and line.startswith(shown[:-1]))
