"""The YAML between two lines `---` at the top of a prompt file, and the language that it tells of."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import Document, Json, SourceByte

_OPEN, _CLOSE = re.compile(r"\ufeff?---[ \t]*\r?\n"), re.compile(r"^---[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)
_REFERENCE = re.compile(r"(?:file://|\$\{file:)\s*([^\s}\"']+)")
_PROMPTY = {
    "jinja2": "jinja",
    "jinja": "jinja",
    "nunjucks": "jinja",
    "mustache": "mustache",
    "handlebars": "handlebars",
}
_MOST = 20  # references that are told


class FrontMatter(NamedTuple):
    """What stands above a prompt."""

    value: dict[str, Json]
    begin: int  # characters of the file: of the YAML
    end: int
    body: int  # where the prompt begins


def split(document: Document, *, lenient: bool = False) -> FrontMatter | None:
    """The front matter of a file; None where it has none. Nothing in it is resolved, neither `${env:...}` nor files.

    Raises PromptlintError, with the line of the file, for YAML that cannot be read; `lenient`: that has no value.
    """
    text = document.text
    first = _OPEN.match(text)
    last = None if first is None else _CLOSE.search(text, first.end())
    if first is None or last is None:
        return None
    begin, end = first.end(), last.start()
    try:
        value = _value(document, begin, end)
    except PromptlintError:
        if not lenient:
            raise
        value = {}
    return FrontMatter(value, begin, end, last.end())


def _value(document: Document, begin: int, end: int) -> dict[str, Json]:
    from promptlint.read import yaml_text

    text = document.text[begin:end]
    ahead = document.text[:begin].encode(document.encoding)
    part = document._replace(
        data=text.encode(document.encoding),
        text=text,
        start=SourceByte(document.start + len(ahead)),
        line=document.line + 1,
        anchors=(),
        syntax="yaml",
    )
    value, _ = yaml_text.parse(part)
    return value if isinstance(value, dict) else {}


def language_of(value: dict[str, Json]) -> str | None:
    """In which language Prompty writes the body: "jinja" or a key of data/template_languages.yaml; None: unknown.

    Version 2 says `template: {format: {kind: mustache}}`, version 1 `template: mustache` or nothing: it is Jinja.
    """
    said: Json = value.get("template")
    if isinstance(said, dict):
        said = said.get("format", said.get("type"))
        said = said.get("kind") if isinstance(said, dict) else said
    return _PROMPTY.get(said) if isinstance(said, str) else "jinja"


def references(text: str, begin: int, end: int) -> Iterator[tuple[int, str]]:
    """Files that the front matter names, with their places: none of them is read."""
    for number, found in enumerate(_REFERENCE.finditer(text, begin, end)):
        if number == _MOST:
            return
        yield found.start(), found[1]
