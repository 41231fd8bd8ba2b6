"""The metadata at the begin of a GGUF file. The tensors behind it, gigabytes, are never read.

The form: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. The `gguf` package reads it too, but takes 2.7 s
for a vocabulary of 49,000 tokens and trusts every length.
"""

import mmap
import os
import struct
from collections.abc import Collection
from typing import Any

from promptlint.errors import PromptlintError

_LONGEST = 64 << 20  # bytes of metadata; the largest vocabularies that are known take 20 million
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


class _Fault(Exception):
    """What is wrong with the file."""


def metadata(path: str, names: Collection[str]) -> dict[str, Any]:
    """The values of the keys `names` that the file has: bool, int, float, str, or a list of these.

    PromptlintError for what is no GGUF, or a damaged one.
    """
    try:
        with open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise _Fault("empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _metadata(_Reader(data), names)
    except OSError as error:
        raise PromptlintError(f"{path}: {error.strerror}", _HINT) from None
    except _Fault as fault:
        raise PromptlintError(f"{path}: {fault}", _HINT) from None


def _metadata(reader: "_Reader", names: Collection[str]) -> dict[str, Any]:
    if reader.take(4) != b"GGUF":
        raise _Fault("not a GGUF file")
    version = reader.number("I")
    if version not in (2, 3):
        raise _Fault("big-endian, which is not supported" if version % 65536 == 0 else f"GGUF version {version}")
    reader.number("Q")  # tensors
    found: dict[str, Any] = {}
    for _ in range(reader.number("Q")):
        name, kind = reader.string(), reader.number("I")
        if name in names:
            found[name] = reader.value(kind)
            if len(found) == len(names):
                break
        else:
            reader.skip(kind)
    return found


class _Reader:
    """Reads forward, and never beyond the end of the file or _LONGEST."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._size = min(len(data), _LONGEST)
        self._place = 0

    def skip_bytes(self, size: int) -> int:
        """Go on by `size` bytes; where they begin."""
        start = self._place
        if size > self._size - start:
            raise self._beyond()
        self._place += size
        return start

    def _beyond(self) -> _Fault:
        return _Fault("more than 64 MiB of metadata" if self._size == _LONGEST else "it ends too early")

    def take(self, size: int) -> bytes:
        start = self.skip_bytes(size)
        return self._data[start : start + size]

    def number(self, form: str) -> int:
        value: int = struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]
        return value

    def string(self) -> str:
        try:
            return self.take(self.number("Q")).decode()
        except UnicodeDecodeError:
            raise _Fault(_NOT_UTF8) from None

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind != _ARRAY:
            return self.number(_form(kind))
        inner, count = self.number("I"), self.number("Q")
        if inner == _STRING:
            return self._strings(count)
        size = count * struct.calcsize("<" + _form(inner))
        return list(struct.unpack(f"<{count}{_form(inner)}", self.take(size)))

    def _strings(self, count: int) -> list[str]:
        """An array of them, in a loop of its own: vocabularies have a million."""
        data, place, length = self._data, self._place, struct.Struct("<Q").unpack_from
        last = self._size - 8
        texts: list[bytes] = []
        for _ in range(count):
            if place > last:
                raise self._beyond()
            start = place + 8
            place = start + length(data, place)[0]
            texts.append(data[start:place])
        self.skip_bytes(place - self._place)
        try:
            return [text.decode() for text in texts]
        except UnicodeDecodeError:
            raise _Fault(_NOT_UTF8) from None

    def skip(self, kind: int) -> None:
        if kind == _STRING:
            self.skip_bytes(self.number("Q"))
        elif kind != _ARRAY:
            self.skip_bytes(struct.calcsize("<" + _form(kind)))
        else:
            inner, count = self.number("I"), self.number("Q")
            if inner == _STRING:
                for _ in range(count):
                    self.skip_bytes(self.number("Q"))
            else:
                self.skip_bytes(count * struct.calcsize("<" + _form(inner)))


def _form(kind: int) -> str:
    form = _SCALARS.get(kind)
    if form is None:
        raise _Fault(f"a value of kind {kind}, which is not supported")
    return form


_NOT_UTF8 = "a text in it is not UTF-8"
_HINT = "give a GGUF of version 2 or 3 that is whole"
