"""Which Unicode encoding some bytes have, and their text."""

from promptlint.errors import PromptlintError
from promptlint.read.lines import line_columns

_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_JSON_BEGINS = '{["\t\n\r '
_ARCHIVES = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip"))


def encoding_of(head: bytes) -> tuple[str, int]:
    """The codec and the size of the byte order mark of a text whose first bytes (four, if it has them) are `head`.

    Without a mark, the zero bytes round the first character of JSON tell UTF-16 and UTF-32 (RFC 4627 section 3).
    """
    for mark, codec in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return codec, len(mark)
    first = head.lstrip(b"\0")[:1].decode("latin-1")
    if first and first in _JSON_BEGINS:
        for codec in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
            if head.startswith(first.encode(codec)):
                return codec, 0
    return "utf-8", 0


def decode(data: bytes, codec: str, *, name: str, start: int, line: int) -> str:
    """The text of `data`, which begins at byte `start` and line `line` of the file shown as `name`.

    Raises PromptlintError with the place of the first byte that is not valid.
    """
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        bad = error.start
    before = data[:bad].decode(codec)
    ((lines, column),) = line_columns(before, [len(before)])
    raise PromptlintError(
        f"{name}:{line - 1 + lines}:{column}: the byte at offset {start + bad} is not valid {codec.upper()}",
        _encoding_hint(data),
    )


def _encoding_hint(data: bytes) -> str:
    for magic, kind in _ARCHIVES:
        if data.startswith(magic):
            return f"this looks like a {kind} archive: unpack it first"
    return "save the file as UTF-8, or as UTF-16 with a byte order mark"
