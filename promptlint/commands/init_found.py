"""Files of a project that look like prompts, for `promptlint init`: few are opened, nothing is rendered or run."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from promptlint.commands.lint_files import DATA, TEMPLATES, is_for_something_else
from promptlint.commands.lint_met import is_page, why_left_alone
from promptlint.config import TOML, YAML, leads_out, relative
from promptlint.errors import PromptlintError
from promptlint.prompt import Document, Json
from promptlint.read.names import shown
from promptlint.read.sources import read
from promptlint.read.walk import Exclusion, walk
from promptlint.template import TemplateFile

FoundKind = Literal["template", "chat-template", "request", "recorded", "promptfoo"]

_OF_OTHERS = (
    "node_modules/", "bower_components/", "site-packages/", "dist-packages/", "__pycache__/", "venv/", "vendor/",
    "third_party/",
)  # fmt: skip
_MOST_OPENED, _MOST_REQUESTS, _MOST_TEMPLATES, _MOST_SETS = 2000, 300, 500, 300
_LARGEST, _LARGEST_SET, _LARGEST_IN_ALL = 1 << 20, 1 << 16, 64 << 20  # bytes
_LARGEST_CONFIGURATION = 16 << 20  # bytes: a tokenizer_config.json lists added tokens
_HEAD = 400  # characters that tell a page
_LOGS = (".jsonl", ".ndjson")
_HINTS = r"prompt|request|message|chat|conversation|llm|agent|/vars|variable|logs?/|record|tokenizer_config"
_LOGGED = r"log|request|record|traffic|trace|capture|dump"
_REQUEST = rb"""["']?\b(?:messages|contents|role|input|prompt|system|conversations)["']?[ \t]*:"""
_PROMPTFOO = rb"""(?m)^[ \t]*["']?prompts["']?[ \t]*:"""
_CHAT_TEMPLATE = b'"chat_template"'
_SENT = r"prompt|request|message|chat|conversation"
_VARIABLES = r"\b(?:vars?|variables)\b"
_NO_PROMPTS = ("text", "tools", "mcp-tools", "token-ids")
_CHATS = ("openai-chat", "messages")
_MOST_NAMES = 6  # variables that are listed
_MOST_SETS_OF_ONE = 4
_SETS = r"(?i)var|data|example|input|sample|context|fixture|case"
"""Names of folders with variables."""


class Candidate(NamedTuple):
    """A file that looks like a prompt. Paths are relative to the folder of the configuration, with `/`."""

    kind: FoundKind
    path: str
    why: str  # printable
    likely: bool = True  # it speaks to a model
    variables: tuple[str, ...] = ()  # that a template is given
    vars: tuple[str, ...] = ()  # files that give them
    open_model: bool = False  # of a request: it may be rendered by a chat template


class Found(NamedTuple):
    """What there is in a folder."""

    candidates: tuple[Candidate, ...]
    files: tuple[str, ...]  # all that have been met, with the names of what is looked for
    complete: bool  # False: there was more than is opened


def find_prompts(folder: str) -> Found:
    """What looks like a prompt in a folder and below it; what git ignores, packages and hidden files are left out.

    A file that cannot be read is passed over.
    """
    exclusion = Exclusion(folder, _OF_OTHERS)
    walked = walk([folder], suffixes=(*TEMPLATES, *DATA), exclusion_of=lambda _: exclusion, max_bytes=1 << 62)
    met = {relative(found.path, folder): found.path for found in walked.files}
    paths = {path: place for path, place in met.items() if _can_be_written(path) and not path.endswith((YAML, TOML))}
    looking = _Looking(paths)
    candidates = [one for path in sorted(paths, key=_order) if (one := looking.at(path)) is not None]
    brought_in = {relative(each, folder) for each in looking.brought_in}
    kept = [one for one in candidates if one.kind != "template" or one.path not in brought_in]
    taken = {one.path for one in kept}
    sets = _Sets({path: place for path, place in paths.items() if path not in taken}, looking)
    return Found(tuple(map(sets.given, kept)), tuple(sorted(paths)), looking.complete)


def _can_be_written(path: str) -> bool:
    """Whether a configuration can name it: it is inside of the folder, and its name is text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return not leads_out(path)


def _order(path: str) -> tuple[bool, int, str]:
    """What is more likely a prompt comes first, and is looked at even if there are very many files."""
    return re.search(_HINTS, path, re.IGNORECASE) is None and not path.endswith(TEMPLATES), path.count("/"), path


class _Looking:
    """A look at one file after the other, until enough have been opened."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places  # as the configuration names it -> as the current folder does
        self._left = {"files": _MOST_OPENED, "bytes": _LARGEST_IN_ALL, "request": _MOST_REQUESTS}
        self._left |= {"template": _MOST_TEMPLATES, "set": _MOST_SETS}
        self.brought_in: set[str] = set()  # templates that others include, as the current folder names them
        self.complete = True

    def takes(self, what: str, number: int = 1) -> bool:
        """Whether there may be one more."""
        if self._left[what] < number:
            self.complete = False
            return False
        self._left[what] -= number
        return True

    def at(self, path: str) -> Candidate | None:
        """What a file is, if it is a prompt."""
        try:
            return self._template(path) if path.endswith(TEMPLATES) else self._data(path)
        except (PromptlintError, OSError, RecursionError):
            return None

    def document(self, path: str, largest: int) -> Document | None:
        """A file that is not too large."""
        place = self._places[path]
        size = os.path.getsize(place)
        if not 0 < size <= largest or not self.takes("files") or not self.takes("bytes", size):
            return None
        return read(place, max_bytes=largest)

    def _template(self, path: str) -> Candidate | None:
        from promptlint.commands.lint_met import reads_like_a_prompt
        from promptlint.load.jinja import read_template

        document = self.document(path, _LARGEST)
        if document is None or why_left_alone(document.path) is not None:
            return None
        if not self.takes("template"):
            return None
        template = read_template(document.path, document.text, (os.path.dirname(document.path) or ".",))
        self.brought_in |= {os.path.normpath(file.path) for file in template.files[1:]}
        if "prompt" not in path.lower() and any(map(_is_page, template.files)):
            return None
        if template.is_chat or path.rpartition("/")[2] == "chat_template.jinja":
            return Candidate("chat-template", path, "a chat template")
        names = ", ".join(shown(name) for name in template.arguments[:_MOST_NAMES])
        more = ", ..." if len(template.arguments) > _MOST_NAMES else ""
        why = f"a Jinja template with {names}{more}" if names else "a Jinja template without variables"
        return Candidate("template", path, why, reads_like_a_prompt(path, document.text), variables=template.arguments)

    def _data(self, path: str) -> Candidate | None:
        name = path.rpartition("/")[2]
        if path.endswith(_LOGS):
            return self._log(path)
        if name in ("tokenizer_config.json", "chat_template.json"):
            document = self.document(path, _LARGEST_CONFIGURATION)
            held = document is not None and _CHAT_TEMPLATE in document.data
            return Candidate("chat-template", path, "a chat template") if held else None
        if path.endswith(".har"):
            return None
        document = self.document(path, _LARGEST)
        if document is None:
            return None
        if re.search(_PROMPTFOO, document.data) and (found := _promptfoo(path, document)) is not None:
            return found
        return self._request(path, document, "request")

    def _log(self, path: str) -> Candidate | None:
        if not self.takes("files"):
            return None
        return self._request(path, read(f"{self._places[path]}#0", max_bytes=_LARGEST), "recorded")

    def _request(self, path: str, document: Document, kind: Literal["request", "recorded"]) -> Candidate | None:
        from promptlint.facts.models import model_of
        from promptlint.load import load

        if not re.search(_REQUEST, document.data) or not self.takes("request"):
            return None
        request = load(document)
        hint = _LOGGED if kind == "recorded" else _SENT
        if request.model is None and (re.search(hint, path, re.I) is None or re.search(_VARIABLES, path, re.I)):
            return None
        if request.format in _NO_PROMPTS or not request.items:
            return None
        model = f", {shown(request.model)}" if request.model else ""
        open_model = request.format in _CHATS and (request.model is None or model_of(request.model) is None)
        what = "a request" if kind == "request" else "a log of requests"
        return Candidate(kind, path, f"{what} ({request.format}{model})", open_model=open_model)


def _is_page(file: TemplateFile) -> bool:
    """Whether one of the files of a template, such as the one that it extends, makes a web page."""
    return is_page(file.text) or is_for_something_else(file.path, file.text[:_HEAD])


def _promptfoo(path: str, document: Document) -> Candidate | None:
    from promptlint.load import value_of_document
    from promptlint.load.prompt_files.promptfoo import prompts

    found = prompts(value_of_document(document))
    if not found:
        return None
    return Candidate("promptfoo", path, f"promptfoo, {len(found)} prompt{'s' if len(found) > 1 else ''}")


class _Sets:
    """Files with variables, each read once."""

    def __init__(self, places: Mapping[str, str], looking: _Looking) -> None:
        self._by_folder: dict[str, list[str]] = {}
        for path in sorted(places):
            if path.endswith((".json", ".yaml", ".yml")):
                self._by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        self._looking = looking
        self._keys: dict[str, frozenset[str]] = {}

    def given(self, candidate: Candidate) -> Candidate:
        """A template with the files near it that give all of its variables."""
        wanted = frozenset(candidate.variables)
        if candidate.kind != "template" or not wanted:
            return candidate
        fitting = [path for path in self._near(candidate.path) if wanted <= self._of(path)]
        fitting = [path for path in fitting if len(self._of(path)) <= 3 * len(wanted) + 3]
        stem = _stem(candidate.path)
        own = [path for path in fitting if stem in (_stem(path), path.rpartition("/")[0].rpartition("/")[2])]
        return candidate._replace(vars=tuple((own or fitting)[:_MOST_SETS_OF_ONE]))

    def _near(self, path: str) -> Iterator[str]:
        """Files in the folder of a template, in one below it, and in one beside it that is called after variables."""
        here = path.rpartition("/")[0]
        yield from self._by_folder.get(here, ())
        above = here.rpartition("/")[0]
        for folder, paths in self._by_folder.items():
            parent, _, name = folder.rpartition("/")
            if folder and folder != here and (parent == here or (parent == above and re.search(_SETS, name))):
                yield from paths

    def _of(self, path: str) -> frozenset[str]:
        """The names that a file gives; those that all of its sets give, if it is a list of them."""
        if path not in self._keys:
            self._keys[path] = self._read(path)
        return self._keys[path]

    def _read(self, path: str) -> frozenset[str]:
        from promptlint.load import value_of_document

        try:
            document = self._looking.document(path, _LARGEST_SET) if self._looking.takes("set") else None
            return frozenset() if document is None else _names(value_of_document(document))
        except (PromptlintError, OSError, RecursionError):
            return frozenset()


def _names(value: Json) -> frozenset[str]:
    sets: Iterable[Json] = value if isinstance(value, list) else [value]
    keys = [frozenset(each) if isinstance(each, dict) else frozenset() for each in sets]
    return frozenset.intersection(*keys) if keys else frozenset()


def _stem(path: str) -> str:
    """The name of a file up to its first dot: of `support.one.yaml` it is `support`."""
    return path.rpartition("/")[2].partition(".")[0]
