"""A recorded HTTP request, and its body: JSON text, perhaps compressed or in base64, or a value already."""

import base64
import binascii
import zlib
from typing import NamedTuple

from promptlint.prompt import Json, Path
from promptlint.read import json_text
from promptlint.read.sources import MAX_BYTES

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Exchange(NamedTuple):
    """What a HAR or a cassette holds of one request."""

    method: str
    url: str
    url_path: Path
    body: Json  # None if there is none
    body_path: Path
    headers: tuple[tuple[Path, str, str], ...] = ()  # where the value stands, the name as sent, the value
    parsed: bool = False  # the recorder has parsed the body and written it anew


class Opened(NamedTuple):
    """A body as a value; `fault` says in words what kept it from being one.

    `path` ends in None if the value stood in a string. No part of it has a place of its own where the string was
    `packed`: the place of the string is that of all.
    """

    path: Path
    value: Json
    packed: bool = False
    fault: str = ""


def opened(body: Json, path: Path) -> Opened:
    """The value of the body at `path`."""
    if isinstance(body, dict | list):
        return Opened(path, body)
    if not isinstance(body, str) or not body.strip():
        return Opened(path, None, fault="has no body")
    packed = not body.lstrip().startswith(("{", "["))
    text, fault = _unpacked(body) if packed else (body, "")
    if fault:
        return Opened(path, None, packed, fault)
    try:
        return Opened((*path, None), json_text.parse_string(text), packed)
    except ValueError:
        return Opened(path, None, packed, "has a body that is not JSON")


def _unpacked(body: str) -> tuple[str, str]:
    """The text in a packed body, or what is wrong with it."""
    data = _data(body)
    if data.startswith(_ZSTD):
        return "", "has a body compressed with zstd, which cannot be read: record it uncompressed"
    if data.startswith(_GZIP):
        try:
            stream = zlib.decompressobj(wbits=31)
            data = stream.decompress(data, MAX_BYTES)
        except zlib.error:
            return "", "has a compressed body that is broken"
        if stream.unconsumed_tail:
            return "", f"has a body of more than {MAX_BYTES >> 20} MiB"
        if not stream.eof:
            return "", "has a compressed body that is broken"
    try:
        return data.decode(), ""
    except UnicodeDecodeError:
        return "", "has a body that is not JSON"


def _data(body: str) -> bytes:
    """The bytes of base64, or of a text whose characters stand for bytes."""
    try:
        return base64.b64decode("".join(body.split()), validate=True)
    except (binascii.Error, ValueError):
        return body.encode("latin-1", "replace")
