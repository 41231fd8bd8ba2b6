"""Variations as documents, and as files."""

import os
from collections.abc import Iterable
from tempfile import mkstemp

from promptlint.boundary.settings import json_text
from promptlint.errors import PromptlintError
from promptlint.prompt import Document, Json, Request, SourceByte
from promptlint.read.names import shown
from promptlint.vary import Variation


def document_of(request: Request, value: Json, variation: Variation) -> Document:
    """What the variation would be read from: JSON, or the text itself; where it changes nothing, what was given.

    `value`: the whole document that holds the request.
    """
    held = request.document
    if variation.value is value:
        return held
    text = variation.value if isinstance(variation.value, str) else json_text(variation.value)
    return Document(
        path=held.path,
        revision=held.revision,
        record=held.record,
        data=text.encode(),
        text=text,
        encoding="utf-8",
        start=SourceByte(0),
        line=1,
        entry=held.entry,
    )


class Folder:
    """Where variations are written. Raises PromptlintError where that would write over the request itself."""

    def __init__(self, path: str, request: Document, names: Iterable[str]) -> None:
        self._path = path
        self._request = request
        try:
            os.makedirs(path, exist_ok=True)
        except OSError as error:
            raise PromptlintError(f"{shown(path)}: {error.strerror}", "name a folder that can be written") from None
        for name in names:
            for ending in (".json", ".txt", os.path.splitext(request.path)[1]):
                target = os.path.join(path, f"{name}{ending}")
                if os.path.exists(target) and os.path.exists(request.path) and os.path.samefile(target, request.path):
                    raise PromptlintError(f"{shown(target)} is the request itself", "name another folder")

    def save(self, name: str, document: Document) -> str:
        """Write a variation, as a whole or not at all; how to name it again."""
        path = os.path.join(self._path, f"{name}{self._ending(document)}")
        scratch = ""
        try:
            number, scratch = mkstemp(dir=self._path, prefix=".promptlint-")
            with open(number, "w", encoding="utf-8", newline="") as file:
                file.write(document.text)
            os.replace(scratch, path)
        except OSError as error:
            if scratch and os.path.exists(scratch):
                os.unlink(scratch)
            raise PromptlintError(f"{shown(path)}: {error.strerror}", "name a folder that can be written") from None
        return path if document.entry is None else f"{path}#{document.entry}"

    def _ending(self, document: Document) -> str:
        """What is as it was given is named as it was."""
        given = os.path.splitext(document.path)[1]
        if document is self._request and given and document.record is None:
            return given
        return ".json" if document.text[:1] in ("{", "[") else ".txt"
