"""Whatever a request is wrapped in: what its prompt says stands at the place that is told."""

import json

import pytest

import input_samples
from documents import document
from promptlint.load import load
from promptlint.prompt import CharIndex, Piece, Request, Spot
from promptlint.read.descend import descend
from promptlint.read.places import resolve
from promptlint.render import render


def written(request: Request, piece: Piece) -> str:
    """Give what stands at the place of a piece, decoded once for each text that holds it."""
    spot = Spot(piece.path, "value", CharIndex(0), CharIndex(len(piece.text)))
    (place,) = resolve(request.document, [spot])
    found = request.document.data[place.start : place.end].decode()
    whole = descend(json.loads(request.document.text), piece.path)
    for _ in range(piece.path.count(None) + isinstance(whole, str)):
        found = json.loads(f'"{found}"')
    return found


@pytest.mark.parametrize("name", input_samples.value)
def test_a_place_gives_back_its_text(name: str) -> None:
    request = load(document(input_samples.value[name]))
    seen = 0
    for rendered in render(request).items:
        for piece in rendered.pieces:
            if piece.atom == "key" or (piece is rendered.pieces[0] and piece.text == rendered.item.role):
                continue  # a role may be said in another word, or by the place alone
            assert written(request, piece) == piece.text, piece
            seen += 1
    assert seen
    for item in request.items:
        if item.role_path is not None:
            assert isinstance(descend(json.loads(request.document.text), item.role_path), str)


@pytest.mark.parametrize("name", input_samples.value)
def test_the_question_or_the_system_text_is_found_once(name: str) -> None:
    texts = [piece.text for item in render(load(document(input_samples.value[name]))).items for piece in item.pieces]
    assert texts.count(input_samples.QUESTION) + texts.count(input_samples.SYSTEM) in (1, 2)
    assert texts.count(input_samples.QUESTION) <= 1


@pytest.mark.parametrize("name", input_samples.value)
def test_settings_and_the_model_stand_where_they_are_told(name: str) -> None:
    request = load(document(input_samples.value[name]))
    value = json.loads(request.document.text)
    for path, held in request.settings.items():
        found = descend(value, path)
        assert isinstance(held, dict | list) or getattr(found, "text", str(found)) == getattr(held, "text", str(held))
    for path, names in request.named.items():
        if names == ("model",):
            assert descend(value, path) == request.model
