"""Where a model's chat template stands: a file, a folder, a tokenizer_config.json, the header of a GGUF."""

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import Document, Json, Path, SourceByte, TemplateSource
from promptlint.read import json_text
from promptlint.read.names import shown
from promptlint.read.sources import read

HARMONY = "harmony"
_LARGEST = 4 << 20  # bytes of a file: a configuration lists a hundred thousand added tokens beside its template
_LONGEST = 1 << 19  # characters of a template
_MISTRAL = r"tekken.*\.json|.*\.model(?:\.v\d+)?"  # names by which mistral-common tells its versions
_DEFAULT, _WITH_TOOLS = "default", "tool_use"
_HINT = "give a Jinja file, a tokenizer_config.json with a chat_template, a folder with either, or a GGUF"
_BESIDE = ("tokenizer_config.json", "special_tokens_map.json")  # where a folder says what bos_token and others are
_GGUF_KEY = "tokenizer.chat_template"
_GGUF_SPECIAL = ("bos", "eos", "unknown", "padding")


class NoChatTemplate(PromptlintError):
    """There is a file or a folder, but no chat template in it."""


class ChatTemplate(NamedTuple):
    """One template with what it may print beside the request."""

    source: TemplateSource
    special: dict[str, str]  # bos_token and the like, by the names that templates use


class NativeChat(NamedTuple):
    """A library's own rendering instead of a template: openai-harmony, or mistral-common with a vocabulary file."""

    path: str  # `harmony`, or the vocabulary

    @property
    def vocabulary(self) -> str:
        """What --tokenizer would take."""
        return "o200k_harmony" if self.path == HARMONY else self.path


class ChatTemplates(NamedTuple):
    """The templates of one model."""

    path: str
    named: dict[str, ChatTemplate]
    chosen: str | None  # the name that the user asked for
    vocabulary: str | None  # the file that stands beside them, or holds both

    def choose(self, *, tools: bool) -> ChatTemplate:
        """The one that transformers takes: the named one, else `tool_use` if there are tools, else `default`."""
        for name in (self.chosen, _WITH_TOOLS if tools else None, _DEFAULT):
            if name is not None and name in self.named:
                return self.named[name]
        names = ", ".join(map(shown, self.named))
        first = next(iter(self.named))
        raise PromptlintError(
            f"{shown(self.path)} holds the templates {names}", f"name one of them: {shown(self.path)}#{shown(first)}"
        )


def open_chat_template(spec: str) -> ChatTemplates | NativeChat:
    """The chat template(s) at `spec`: FILE, FOLDER, REV:FILE, each with `#NAME` where there are several.

    `harmony`, a tekken.json or a SentencePiece model of Mistral's mean the rendering of the library that knows it.
    Raises PromptlintError if there is none.
    """
    if (native := _native(spec)) is not None:
        return native
    path, name = _split(spec)
    found = _in_folder(path) if os.path.isdir(path) else _in_file(path)
    if isinstance(found, NativeChat):
        return found
    if not found:
        raise NoChatTemplate(f"{shown(path)} holds no chat template", _HINT)
    _checked(found, path)
    if name is not None and name not in found:
        raise PromptlintError(
            f"{shown(path)} has no template {shown(name)}", f"it holds {', '.join(map(shown, found))}"
        )
    return ChatTemplates(path, found, name, _vocabulary(next(iter(found.values())).source.document.path))


def _vocabulary(path: str) -> str | None:
    """The vocabulary in the file at `path`, which holds a template, or beside it."""
    if _is_gguf(path):
        return path
    beside = os.path.join(os.path.dirname(path), "tokenizer.json")
    return beside if os.path.isfile(beside) else None


def _native(spec: str) -> NativeChat | None:
    if spec == HARMONY and not os.path.exists(spec):
        return NativeChat(spec)
    if os.path.isfile(spec) and re.fullmatch(_MISTRAL, os.path.basename(spec)):
        return NativeChat(spec)
    return None


def _split(spec: str) -> tuple[str, str | None]:
    """A path, and the name of a template behind `#`; a file that bears the whole name comes first."""
    path, sign, name = spec.rpartition("#")
    return (path, name) if sign and path and not os.path.lexists(spec) else (spec, None)


def _in_folder(folder: str) -> dict[str, ChatTemplate] | NativeChat:
    """As transformers looks for them: chat_template.jinja and additional_chat_templates, else the configuration."""
    special = _special_beside(folder)
    files = {_DEFAULT: os.path.join(folder, "chat_template.jinja")}
    more = os.path.join(folder, "additional_chat_templates")
    if os.path.isdir(more):
        files |= {name[:-6]: os.path.join(more, name) for name in sorted(os.listdir(more)) if name.endswith(".jinja")}
    found = {name: _jinja(path, name, special) for name, path in files.items() if os.path.isfile(path)}
    for other in ("tokenizer_config.json", "chat_template.json"):
        path = os.path.join(folder, other)
        if not found and os.path.isfile(path):
            found = _in_json(_read(path), special)
    if not found and (named := sorted(name for name in os.listdir(folder) if re.fullmatch(_MISTRAL, name))):
        return NativeChat(os.path.join(folder, named[-1]))
    if not found and (ggufs := sorted(name for name in os.listdir(folder) if name.endswith(".gguf"))):
        found = _in_gguf(os.path.join(folder, ggufs[0]))
    return found


def _in_file(path: str) -> dict[str, ChatTemplate]:
    if _is_gguf(path):
        return _in_gguf(path)
    document = _read(path)
    special = _special_beside(os.path.dirname(path) or ".") if document.revision is None else {}
    if not document.text.lstrip().startswith("{") or document.text.lstrip().startswith(("{%", "{{", "{#")):
        return {_DEFAULT: _of_text(document, None, special)}
    return _in_json(document, special)


def _read(path: str) -> Document:
    """A template is short, and a pipe may never end."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise PromptlintError(f"{shown(path)} is no regular file", _HINT)
    try:
        return read(path, max_bytes=_LARGEST)
    except PromptlintError as error:
        raise PromptlintError(error.message, _HINT) from None


def _jinja(path: str, name: str, special: dict[str, str]) -> ChatTemplate:
    return _of_text(_read(path), None if name == _DEFAULT else name, special)


def _checked(templates: dict[str, ChatTemplate], path: str) -> None:
    for template in templates.values():
        if len(template.source.source) > _LONGEST:
            raise PromptlintError(
                f"{shown(path)} holds a template of {len(template.source.source):,} characters",
                f"a chat template has {_LONGEST:,} at most",
            )


def templates_in(document: Document) -> list[TemplateSource]:
    """The chat templates that a JSON configuration holds. Raises PromptlintError if it is no JSON."""
    return [template.source for template in _in_json(document, {}).values()]


def _of_text(document: Document, name: str | None, special: dict[str, str]) -> ChatTemplate:
    return ChatTemplate(TemplateSource(document, (), name, document.text), special)


def _in_json(document: Document, special: dict[str, str]) -> dict[str, ChatTemplate]:
    config, _ = json_text.parse(document)
    if not isinstance(config, dict):
        return {}
    special = {**special, **_special(config)}
    held = config.get("chat_template")
    if isinstance(held, str):
        return {_DEFAULT: ChatTemplate(TemplateSource(document, ("chat_template",), None, held), special)}
    return {
        name: ChatTemplate(TemplateSource(document, ("chat_template", *place), name, source), special)
        for place, name, source in _listed(held)
    }


def _listed(held: Json) -> Iterable[tuple[Path, str, str]]:
    """Several templates: a list of `{name, template}`, or an object by name."""
    if isinstance(held, dict):
        yield from (((name,), name, source) for name, source in held.items() if isinstance(source, str))
    for index, entry in enumerate(held if isinstance(held, list) else []):
        if isinstance(entry, dict) and isinstance(entry.get("name"), str) and isinstance(entry.get("template"), str):
            yield (index, "template"), str(entry["name"]), str(entry["template"])


def _special_beside(folder: str) -> dict[str, str]:
    """The special tokens that the files of a folder name."""
    found: dict[str, str] = {}
    for path in (os.path.join(folder, name) for name in _BESIDE):
        if os.path.isfile(path):
            config, _ = json_text.parse(read(path))
            found = {**(_special(config) if isinstance(config, dict) else {}), **found}
    return found


def _special(config: dict[str, Json]) -> dict[str, str]:
    """`bos_token` and the like, written as a string or as an added token."""
    found = {}
    for name, held in config.items():
        content = held.get("content") if isinstance(held, dict) else held
        if name.endswith("_token") and isinstance(content, str):
            found[name] = content
    return found


def _is_gguf(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"GGUF"
    except OSError:
        return False


def _in_gguf(path: str) -> dict[str, ChatTemplate]:
    from promptlint.read.gguf import metadata

    ids = {f"tokenizer.ggml.{name}_token_id": f"{name[:3]}_token" for name in _GGUF_SPECIAL}
    held = metadata(path, {_GGUF_KEY, f"{_GGUF_KEY}s", "tokenizer.ggml.tokens", *ids})
    names = [_DEFAULT, *(name for name in held.get(f"{_GGUF_KEY}s") or [] if isinstance(name, str))]
    if len(names) > 1:
        held |= metadata(path, {f"{_GGUF_KEY}.{name}" for name in names})
    tokens = held.get("tokenizer.ggml.tokens") or []
    special = {
        name: tokens[held[key]]
        for key, name in ids.items()
        if isinstance(held.get(key), int) and held[key] < len(tokens)
    }
    keys = {name: _GGUF_KEY if name == _DEFAULT else f"{_GGUF_KEY}.{name}" for name in names}
    return {
        name: _of_text(_header_text(path, held[key]), None if name == _DEFAULT else name, special)
        for name, key in keys.items()
        if isinstance(held.get(key), str)
    }


def _header_text(path: str, source: str) -> Document:
    """A template in a binary header: lines and columns are those of its own text."""
    return Document(path, None, None, source.encode(), source, "utf-8", SourceByte(0), 1)
