"""One segment -> its atoms."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from promptlint.prompt import Json, Number, Path, Piece
from promptlint.render.form import Form, declared_fields, is_text_block

_CONTAINERS = (dict, list)
_NOTHING: frozenset[str] = frozenset()
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}\Z").match


class _Frame(NamedTuple):
    """An object or array that is being rendered."""

    path: Path
    entries: Iterator[tuple[str | int, Json]]
    keyed: bool
    declared: bool


def pieces(content: Json, path: Path, form: Form, omit: frozenset[str] = _NOTHING) -> list[Piece]:
    """The atoms of `content`, which stands at `path`, in reading order.

    An explicit stack instead of recursion: a hostile request may be nested deeper than Python's call stack.
    """
    done: list[Piece] = []
    if not isinstance(content, _CONTAINERS):
        done.append(Piece(path, "value", _scalar(content)))
        return done
    ahead = [_open(content, path, True, form, omit, done)]
    while ahead:
        path, entries, keyed, declared = ahead[-1]
        for step, value in entries:
            here = (*path, step)
            if keyed:
                done.append(Piece(here, "key", step))  # type: ignore[arg-type]
            if isinstance(value, str):
                field = step if keyed else path[-1]  # an entry of a list is what the list is called
                hidden = declared and field in form.encoded.fields and _is_encoded(value, form)
                done.append(_encoded(here, value, form) if hidden else Piece(here, "value", value))
            elif isinstance(value, _CONTAINERS):
                inside = declared and (not keyed or (step in form.rank and step not in form.free))
                ahead.append(_open(value, here, inside, form, _NOTHING, done))
                break
            else:
                done.append(Piece(here, "value", _scalar(value)))
        else:
            ahead.pop()
    return done


def _open(
    value: dict[str, Json] | list[Json], path: Path, declared: bool, form: Form, omit: frozenset[str], done: list[Piece]
) -> _Frame:
    entries: Iterable[tuple[str | int, Json]]
    if isinstance(value, list):
        entries = enumerate(value)
    elif not declared:
        entries = value.items()
    else:
        silent = form.markers | omit
        if is_text_block(value, form):
            silent = form.beside_text | omit
            done.append(Piece((*path, "text"), "value", str(value["text"])))
        entries = [(name, value[name]) for name in declared_fields(value, form, silent)]
    if not value and not declared:
        done.append(Piece(path, "value", "[]" if isinstance(value, list) else "{}"))
    return _Frame(path, iter(entries), isinstance(value, dict), declared)


def _is_encoded(value: str, form: Form) -> bool:
    """Whether a string is base64 data (or a data: URL) rather than text."""
    return len(value) >= form.encoded.shortest and (value.startswith("data:") or _BASE64(value) is not None)


def _encoded(path: Path, value: str, form: Form) -> Piece:
    import hashlib

    digest = hashlib.sha256(value.encode()).hexdigest()[:16]
    tokens = min(len(value) // form.encoded.characters_per_token, form.encoded.dearest)
    return Piece(path, "value", f"sha256:{digest}", tokens)


def _scalar(value: Json) -> str:
    """The atom of a string, number, true, false or null."""
    if isinstance(value, str):
        return value
    if isinstance(value, Number):
        return value.text
    return "null" if value is None else "true" if value else "false"
