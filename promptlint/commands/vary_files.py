"""Variations as documents, and as files."""

import os

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


def save_to(folder: str) -> None:
    """Make the folder if it is not there."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise PromptlintError(f"{shown(folder)}: {error.strerror}", "name a folder that can be written") from None


def saved(folder: str, name: str, document: Document) -> str:
    """Write a variation into the folder; its path."""
    ending = ".txt" if document.text[:1] not in ("{", "[") else ".json"
    path = os.path.join(folder, f"{name}{ending}")
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(document.text)
    except OSError as error:
        raise PromptlintError(f"{shown(path)}: {error.strerror}", "name a folder that can be written") from None
    return path
