"""Untrusted text as visible text. Every character of every report passes through here.

The notation is that of a JSON string, which is what most readers have open beside the report:

- `\\n`, `\\r`, `\\t`: line feed, carriage return, tab.
- `\\u{200b}`: any other character that is not printable, or that is printable but would not be seen as itself:
  default-ignorable characters, variation selectors, and a combining mark that belongs to a sequence which is not in
  NFC (so `e\\u{301}` never looks like U+00E9), starts the text, follows an escape, lies in the marked stretch or is
  the third of a run.
- `\\\\`: a backslash, in excerpts only; so a literal backslash and n is `\\\\n` there, and `\\n` is a line feed.
- A middle dot: a space at the end of a line, or at an edge or in a run of spaces of the marked stretch. A literal
  middle dot there is `\\u{b7}`.
- `#\\u{23}[` and `\\u{3a}:`: text that a CI runner would obey as a command.

Known secret shapes are masked before (`secrets.mask`).
"""

import re
from functools import cache

from promptlint.report.secrets import mask as mask_secrets

Range = tuple[int, int]

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_MARKS_IN_A_ROW = 2  # Vietnamese and Hebrew need two; more is a stack that covers its neighbours


def code(char: str) -> str:
    return f"\\u{{{ord(char):x}}}"


def is_plain(text: str) -> bool:
    """Whether `text` is printable ASCII that no notation and no CI runner gives a meaning to."""
    return text.isascii() and text.isprintable() and "\\" not in text and "##" not in text and "::" not in text


def cells(text: str, mark: Range = (0, 0)) -> list[str]:
    """One visible string for each character of `text`; `mark` is a range of characters.

    `"".join(cells(text, mark))` gives back `text` for a known `mark`: no two texts look the same. The marked
    stretch takes the columns `width(cells[:start])` to `width(cells[:end])`.
    """
    shown = list(text) if is_plain(text) else [_escape(char) for char in text]
    if not text.isascii():
        _show_blurred(text, shown, mark)
    _dot_spaces(text, shown, mark)
    if "##" in text:
        for match in _pattern(r"##(?=[A-Za-z]*\[)").finditer(text):
            shown[match.start() + 1] = code("#")
    return shown


def line(text: str) -> str:
    """A message, path or pointer as one visible line, secrets masked. Backslashes stay single."""
    text = mask_secrets(text)
    if is_plain(text) and not text.endswith(" "):
        return text
    shown = "".join(cell if char != "\\" else char for char, cell in zip(text, cells(text), strict=True))
    return _pattern(r"(?<!\S)::").sub(r"\\u{3a}:", shown)


def guard(report: str) -> str:
    """A last net under a whole report: what a CI runner would still read as a command is broken up."""
    if "##" in report:
        report = _pattern(r"##(?=[A-Za-z]*\[)").sub(r"#\\u{23}", report)
    return _pattern(r"(?m)^([^\S\n]*)::").sub(r"\1\\u{3a}:", report) if "::" in report else report


def width(text: str) -> int:
    """Columns of a terminal that visible text takes; colour codes take none."""
    if "\x1b" in text:
        text = _pattern(r"\x1b\[[0-9;]*m").sub("", text)
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    columns = 0
    for char in text:
        if category(char) not in ("Mn", "Me"):
            columns += 2 if east_asian_width(char) in "WF" else 1
    return columns


def _escape(char: str) -> str:
    return _NAMED.get(char) or (char if char.isprintable() else code(char))


def _show_blurred(text: str, shown: list[str], mark: Range) -> None:
    """Escapes what is printable and still not seen as itself."""
    from unicodedata import category, normalize

    for match in _unseen().finditer(text):
        shown[match.start()] = code(match[0])
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and category(text[end])[0] == "M":
            end += 1
        decomposed = normalize("NFC", text[start:end]) != text[start:end]
        if decomposed and normalize("NFC", text[start]) != text[start]:
            shown[start] = code(text[start])
        if category(text[start])[0] == "M":  # only at the start of the text
            shown[start] = code(text[start])
        attached = not decomposed and category(text[start])[0] in "LN"
        for index in range(start + 1, end):
            adrift = shown[index - 1] != text[index - 1] or index - start > _MARKS_IN_A_ROW
            if not attached or adrift or mark[0] <= index < mark[1]:
                shown[index] = code(text[index])
        start = end


def _dot_spaces(text: str, shown: list[str], mark: Range) -> None:
    start, end = mark
    for index in range(start, end):
        if text[index] == "·":
            shown[index] = code("·")
    spots = [(match.start(), match.end()) for match in _pattern(r"(?<![ ·])[ ·]++(?=[\r\n]|\Z)").finditer(text)]
    if " " in text[start:end]:
        spots += [
            (start + match.start(), start + match.end())
            for match in _pattern(r"\A +| +\Z|  +").finditer(text[start:end])
        ]
    for first, last in spots:
        for index in range(first, last):
            shown[index] = "·" if text[index] == " " else code("·")


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)  # compiled when first needed: most reports need none


@cache
def _unseen() -> re.Pattern[str]:
    """Printable characters without a look of their own: Default_Ignorable_Code_Point, blank Braille, conjoining jamo
    and Kirat Rai vowels (letters that compose), and skin tones, which merge into the emoji before them."""
    ranges = (
        (0x34F, 0x34F),
        (0x115F, 0x11FF),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xD7B0, 0xD7FF),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0x16D63, 0x16D6A),
        (0x1D159, 0x1D159),
        (0x1F3FB, 0x1F3FF),
        (0xE0100, 0xE01EF),
    )
    return re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]")
