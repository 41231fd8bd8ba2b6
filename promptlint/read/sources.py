"""What the user names -> Documents: a path, a record or entry of it, a file of a git revision, standard input."""

import os
import re
from collections.abc import Generator
from contextlib import closing, suppress
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import Document, SourceByte
from promptlint.read.encodings import decode
from promptlint.read.names import shown
from promptlint.read.numbered import Numbered, numbered
from promptlint.read.raw import decode_pair
from promptlint.read.records import whole
from promptlint.read.revisions import revision_chunks
from promptlint.read.streams import file_chunks, stdin_chunks
from promptlint.read.syntax import syntax_of

MAX_BYTES = 64 << 20
"""The largest document, or record of a log, that is read."""

_LARGE = 1 << 16  # bytes

_RECORD = re.compile(r"(.+)#([0-9]{1,18})", re.DOTALL)
_REVISION = re.compile(r"([^:]*):(.+)", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class _Source(NamedTuple):
    path: str
    revision: str | None
    number: int | None

    @property
    def name(self) -> str:
        if self.path == "-":
            return "standard input"
        return shown(self.path if self.revision is None else f"{self.revision}:{self.path}")


def read(argument: str, *, max_bytes: int = MAX_BYTES) -> Document:
    """The document that `argument` names; raises PromptlintError if there is none, or none that is text.

    `PATH`; `REV:PATH` in git; `-` for standard input; each may be followed by `#N` for record N, from 0, of a JSONL
    (blank lines are not counted), or for entry N of any other document. A file that bears the whole name comes first.
    """
    source = _source(argument)
    found = _found(source, max_bytes)
    return _document(source, found, _text(source, found))


def read_pair(a: str, b: str, *, max_bytes: int = MAX_BYTES) -> tuple[Document, Document]:
    """Two documents that are compared; as `read`, but what large ones share is decoded once and noted as anchors."""
    sources = _source(a), _source(b)
    found = tuple(_found(source, max_bytes) for source in sources)
    old, new = (part.stretch for part in found)
    if old.codec == new.codec == "utf-8" and min(len(old.data), len(new.data)) > _LARGE:
        with suppress(UnicodeDecodeError):
            decoded = decode_pair(old.data, new.data)
            documents = (_document(s, f, d.text) for s, f, d in zip(sources, found, decoded, strict=True))
            first, second = (d._replace(anchors=t.anchors) for d, t in zip(documents, decoded, strict=True))
            return first, second
    a_document, b_document = (_document(s, f, _text(s, f)) for s, f in zip(sources, found, strict=True))
    return a_document, b_document


def _found(source: _Source, max_bytes: int) -> Numbered:
    with closing(_chunks(source)) as chunks:
        if source.number is None:
            return Numbered(whole(chunks, source.name, max_bytes), None, None)
        return numbered(chunks, source.number, source.name, max_bytes)


def _text(source: _Source, found: Numbered) -> str:
    stretch = found.stretch
    return decode(stretch.data, stretch.codec, name=source.name, start=stretch.start, line=stretch.line)


def _document(source: _Source, found: Numbered, text: str) -> Document:
    return Document(
        path=source.path.replace(os.sep, "/"),
        revision=source.revision,
        record=found.record,
        data=found.stretch.data,
        text=text,
        encoding=found.stretch.codec,
        start=SourceByte(found.stretch.start),
        line=found.stretch.line,
        syntax="json" if found.record is not None else syntax_of(source.path, text),
        entry=found.entry,
    )


def pair_folders(a: str, b: str) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """The files of two folders by their path within: those of both, paired, those only in `a`, those only in `b`.

    Sorted by that path; what is hidden (a name that begins with a dot) is left out, and links to folders are not
    followed. Raises PromptlintError if nothing pairs or a folder cannot be listed.
    """
    in_a, in_b = _files(a), _files(b)
    both = sorted(in_a & in_b)
    if not both:
        raise PromptlintError(
            f"{shown(a)} and {shown(b)} have no file of the same name",
            "files are paired by their path within each folder",
        )
    pairs = [(_join(a, name), _join(b, name)) for name in both]
    return pairs, [_join(a, name) for name in sorted(in_a - in_b)], [_join(b, name) for name in sorted(in_b - in_a)]


def _source(argument: str) -> _Source:
    path, number = argument, None
    if not _exists(argument) and (found := _RECORD.fullmatch(argument)):
        path, number = found[1], int(found[2])
    if path == "-" or _exists(path) or _DRIVE.match(path):
        return _Source(path, None, number)
    if _ADDRESS.match(path):
        raise PromptlintError(f"{shown(path)} is an address, and nothing is read from the network", "download it first")
    if found := _REVISION.fullmatch(path):
        return _Source(found[2], found[1], number)
    return _Source(path, None, number)


def _exists(path: str) -> bool:
    return os.path.lexists(path)


def _chunks(source: _Source) -> Generator[bytes, None, None]:
    if source.revision is not None:
        return revision_chunks(source.revision, source.path)
    return stdin_chunks() if source.path == "-" else file_chunks(source.path)


def _files(folder: str) -> set[str]:
    """The paths within `folder`, with `/`."""

    def refuse(error: OSError) -> None:
        name = shown(str(error.filename))
        raise PromptlintError(f"{name} cannot be listed ({error.strerror})", "check the folder and its permissions")

    found: set[str] = set()
    if "\0" in folder:
        raise PromptlintError(f"{shown(folder)} is no folder", "its name contains NUL")
    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = [os.path.join(parent, name) for name in names if not name.startswith(".")]
        found.update(os.path.relpath(path, folder).replace(os.sep, "/") for path in paths if os.path.isfile(path))
    return found


def _join(folder: str, name: str) -> str:
    return os.path.join(folder, name).replace(os.sep, "/")
