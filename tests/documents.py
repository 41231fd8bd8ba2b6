"""Documents made from values, and what tests ask of a loaded request."""

import json
from typing import Any

from promptlint.load import load
from promptlint.prompt import Document, Piece, Rendered, Request, SourceByte
from promptlint.render import render


def document(value: Any) -> Document:
    """`value` as JSON; a string as it stands."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Document("given.json", None, None, text.encode(), text, "utf-8", SourceByte(0), 1)


def loaded(value: Any, input_format: str | None = None, request_path: str | None = None) -> Request:
    return load(document(value), input_format=input_format, request_path=request_path)


def rendered(value: Any, input_format: str | None = None) -> Rendered:
    return render(loaded(value, input_format))


def pieces(prompt: Rendered) -> list[Piece]:
    return [piece for item in prompt.items for piece in item.pieces]


def atoms(value: Any, input_format: str | None = None) -> list[str]:
    return [piece.text for piece in pieces(rendered(value, input_format))]
