"""What a library's own chat rendering gives: ids, the text that they stand for, and where its parts come from."""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from promptlint.prompt import Origin


class NativePrompt(NamedTuple):
    """A request as a model's own library renders it. The ids are the truth.

    Two prompts may have one text and other ids: a control token, and a user who spells it.
    """

    text: str  # control tokens spelled out; SentencePiece: with the space that it puts before each part
    ids: tuple[int, ...]
    ends: tuple[int, ...]  # byte of `text`, in UTF-8, behind each token
    origins: tuple[Origin, ...]  # cover `text` without gap or overlap; empty if nothing could be shown
    notes: tuple[str, ...]


class Vocabulary(NamedTuple):
    """What is needed of the library's tokenizer."""

    spelled: Callable[[int], bytes]
    is_control: Callable[[int], bool]


class Stretches(NamedTuple):
    """A prompt divided at its control tokens."""

    controls: tuple[int, ...]
    texts: tuple[str, ...]  # before, between and behind them; one more
    starts: tuple[int, ...]  # character of the prompt where each text begins


def stretches(ids: Sequence[int], vocabulary: Vocabulary) -> Stretches:
    """`ids` divided at the control tokens."""
    controls, texts, starts = [], [], [0]
    run: list[bytes] = []
    for number in ids:
        piece = vocabulary.spelled(number)
        if vocabulary.is_control(number):
            texts.append(b"".join(run).decode())
            starts.append(starts[-1] + len(texts[-1]) + len(piece.decode()))
            controls.append(number)
            run = []
        else:
            run.append(piece)
    return Stretches(tuple(controls), (*texts, b"".join(run).decode()), tuple(starts))


def native_prompt(
    ids: Sequence[int], vocabulary: Vocabulary, claims: Iterable[Origin], notes: Iterable[str]
) -> NativePrompt:
    """The whole prompt. `claims`: the origins that could be shown, in order; what lies between them is unknown."""
    pieces = [vocabulary.spelled(number) for number in ids]
    text = b"".join(pieces).decode()
    return NativePrompt(text, tuple(ids), tuple(accumulate(map(len, pieces))), _covering(claims, text), tuple(notes))


def _covering(claims: Iterable[Origin], text: str) -> tuple[Origin, ...]:
    origins: list[Origin] = []
    done = 0
    for claim in claims:
        if claim.start > done:
            origins.append(Origin(done, claim.start, "unknown"))
        origins.append(claim)
        done = claim.end
    if origins and done < len(text):
        origins.append(Origin(done, len(text), "unknown"))
    return tuple(origins)
