"""The pretokenizer of o200k_base in pure Python, on the standard library's `re`.

`re` knows no Unicode classes, so a text that is not ASCII is first mapped, one character to one, to a stand-in of the
same class; the pattern runs on the stand-ins and its pieces are cut out of the text. Plain ASCII is its own stand-in,
and the work is one `findall`.
"""

import re
from itertools import accumulate

CASELESS = "\x01"  # Lm, Lo: stands among the capitals and among the small letters
MARK = "\x02"
UNASSIGNED = "\x03"
OTHER = "!"

# The White_Space property, closed for new characters. `str.isspace` would also take U+001C to U+001F.
SPACE = frozenset("\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | set(map(chr, range(0x2000, 0x200B)))

_UPPER = r"[A-Z\x01\x02]"
_LOWER = r"[a-z\x01\x02]"
_LEAD = r"[^\r\nA-Za-z\x010-9]?"
_SHORT = r"(?:'(?:[sStTmMdD]|[rRvV][eE]|[lL][lL]))?"
_PIECE = re.compile(
    rf"{_LEAD}{_UPPER}*{_LOWER}+{_SHORT}"
    rf"|{_LEAD}{_UPPER}+{_LOWER}*{_SHORT}"
    r"|[0-9]{1,3}"
    r"| ?[^\t-\r A-Za-z\x010-9]+[\r\n/]*"
    r"|[\t-\r ]*[\r\n]+"
    r"|[\t-\r ]+(?![^\t-\r ])"
    r"|[\t-\r ]+"
)


class _StandIns(dict[int, str]):
    """Character -> stand-in, for `str.translate`; filled on first use."""

    def __missing__(self, code: int) -> str:
        stand_in = self[code] = _stand_in(chr(code))
        return stand_in


_CLASS = {"Lu": "A", "Lt": "A", "Ll": "a", "Lm": CASELESS, "Lo": CASELESS, "Cn": UNASSIGNED}
_MAJOR = {"M": MARK, "N": "0"}


def _stand_in(character: str) -> str:
    if character.isascii():
        return OTHER if character in (CASELESS, MARK, UNASSIGNED) else character
    if character in SPACE:
        return "\x0b"
    if character == "\u017f":  # the long s: (?i:'s) matches it too
        return "s"
    from unicodedata import category

    name = category(character)
    return _CLASS.get(name) or _MAJOR.get(name[0], OTHER)


_STAND_INS = _StandIns()
_RESERVED = re.compile(r"[\x01-\x03]")


def pieces(text: str) -> list[str] | None:
    """The pretokens of `text` in order; None if it holds a code point that this Python's Unicode does not know."""
    if text.isascii() and not _RESERVED.search(text):
        return _PIECE.findall(text)
    classes = text.translate(_STAND_INS)
    if UNASSIGNED in classes:
        return None
    ends = list(accumulate(map(len, _PIECE.findall(classes))))
    return list(map(text.__getitem__, map(slice, [0, *ends], ends)))
