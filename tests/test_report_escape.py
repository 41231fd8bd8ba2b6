"""The notation of visible text: nothing hides, nothing looks like something else, carets stand where they should."""

import re
from unicodedata import category, east_asian_width, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import report_samples as samples
from promptlint.report import write
from promptlint.report.escape import cells, line, width
from promptlint.report.excerpts import excerpt_lines
from promptlint.report.markdown import code, words
from promptlint.report.secrets import mask

tricky = st.sampled_from(
    [
        *samples.HOSTILE,
        " ",
        "  ",
        "·",
        "\\",
        "\\n",
        "\n",
        "\r\n",
        "e\u0301",
        "é",
        "\u0301",
        "日",
        "가",
        "\u1100\u1161\u11a8",
        "\u212b",
        "##",
        "[",
    ]
)
any_text = st.lists(st.text(st.characters(exclude_categories=()), max_size=8) | tricky, max_size=6).map("".join)


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, tuple[int, int]]:
    text = draw(any_text)
    one, two = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    return text, (one, two)


def decode(shown: str, mark: tuple[int, int]) -> str:
    """The notation read back, as the documentation of `escape` describes it."""
    found = re.findall(r"\\u\{[0-9a-f]+\}|\\[nrt\\]|[^\\]", shown)
    assert "".join(found) == shown
    named = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\"}
    chars = []
    for index, cell in enumerate(found):
        if cell.startswith("\\u"):
            chars.append(chr(int(cell[3:-1], 16)))
        elif cell == "·":
            behind = re.match(r"(?:·|\\u\{b7\})*(\\n|\\r|$)", "".join(found[index:]))
            chars.append(" " if behind or mark[0] <= index < mark[1] else cell)
        else:
            chars.append(named.get(cell, cell))
    return "".join(chars)


@given(marked())
def test_the_notation_can_be_read_back(given_: tuple[str, tuple[int, int]]) -> None:
    text, mark = given_
    shown = cells(text, mark)
    assert len(shown) == len(text)
    assert decode("".join(shown), mark) == text


@given(marked())
def test_everything_is_visible(given_: tuple[str, tuple[int, int]]) -> None:
    shown = "".join(cells(*given_))
    assert all(char.isprintable() for char in shown)
    assert not re.search(
        "[\u034f\u115f-\u11ff\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]", shown
    )
    assert not re.search(r"##[A-Za-z]*\[", shown)
    assert not re.search(r" (\\n|\\r|$)", shown)


@given(any_text)
def test_canonically_equal_texts_look_different(text: str) -> None:
    """Shown text is in NFC whatever comes in, so only texts with equal code points can look equal."""
    shown = "".join(cells(text))
    assert normalize("NFC", shown) == shown


@pytest.mark.parametrize(
    ("composed", "decomposed"),
    [
        ("\u00e9", "e\u0301"),
        ("\uac01", "\u1100\u1161\u11a8"),
        ("\u00c5", "\u212b"),
        ("\u0929", "\u0928\u093c"),
        ("\u1ec7", "e\u0323\u0302"),
    ],
)
def test_composed_and_decomposed(composed: str, decomposed: str) -> None:
    assert "".join(cells(composed)) == composed
    shown = "".join(cells(f"x{decomposed}y"))
    assert "\\u{" in shown
    assert normalize("NFC", shown) != f"x{composed}y"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\nb", "a\\nb"),
        ("a\\nb", "a\\\\nb"),
        ("tab\there\r\n", "tab\\there\\r\\n"),
        ("end  ", "end··"),
        ("end \nx y", "end·\\nx y"),
        ("end·", "end\\u{b7}"),
        ("a · b", "a · b"),
        ("no\u00a0break", "no\\u{a0}break"),
        ("\ufeff\u200b\u00ad", "\\u{feff}\\u{200b}\\u{ad}"),
        ("\x1b[0m\x7f\x9b", "\\u{1b}[0m\\u{7f}\\u{9b}"),
        ("\ud800", "\\u{d800}"),
        ("\u0301x", "\\u{301}x"),
        ("नमस्ते", "नमस्ते"),
        ("❤\ufe0f", "❤\\u{fe0f}"),
        ("👩\u200d👩🏽", "👩\\u{200d}👩\\u{1f3fd}"),
        ("x\u0334\u0334\u0334", "x\u0334\u0334\\u{334}"),
        ("\u3164\u0334", "\\u{3164}\\u{334}"),
        ("##[x]", "#\\u{23}[x]"),
        ("## [x]", "## [x]"),
    ],
)
def test_notation(text: str, shown: str) -> None:
    assert "".join(cells(text)) == shown
    if "\\" not in text:
        assert line(text) == shown


def test_spaces_of_the_mark_are_dotted_where_they_count() -> None:
    assert "".join(cells("a b c", (1, 2))) == "a·b c"
    assert "".join(cells("a b  c d e", (2, 9))) == "a b··c d·e"
    assert "".join(cells("the one two", (4, 11))) == "the one two"


def test_a_message_never_starts_a_command() -> None:
    assert line("::error::x a::b ::c") == "\\u{3a}:error::x a::b \\u{3a}:c"


def test_width_counts_columns() -> None:
    assert [width(text) for text in ("abc", "日本", "é", "n\u0303", "\x1b[1;31mab\x1b[0m", "全a")] == [3, 4, 1, 1, 2, 3]


@given(marked(), marked(), st.integers(0, 9), st.integers(20, 90))
def test_carets_stand_under_the_difference(
    a: tuple[str, tuple[int, int]], b: tuple[str, tuple[int, int]], cut: int, room: int
) -> None:
    places = [samples.place(text, mark, char=mark[0] + cut) for text, mark in (a, b)]
    rows = excerpt_lines(samples.change("c", "m", *places), room)
    assert all(width(row) <= room for row in rows if row[1:4] == " | ")
    carets = [row for row in rows if row.startswith("  | ")]
    texts = [row for row in rows if re.match(r"[ab] \| ", row)]
    for row, place in zip(texts, [place for place in places if place.excerpt or cut], strict=True):
        below = carets[-1] if row.startswith("b") or len(carets) == 1 else carets[0]
        text = mask(place.excerpt or "", place.mark, cut=cut > 0)
        marked_cells = cells(text, place.mark)[slice(*place.mark)]
        stretch = by_column(row)[below.index("^") : len(below)]
        assert "^" * below.count("^") == below[4:].strip()
        whole = "".join(marked_cells)
        # Marks inside the stretch are escapes; a raw one belongs to a character behind it.
        seen = "".join(char for char in "".join(stretch) if category(char) not in ("Mn", "Me"))
        assert whole == seen if width(whole) == below.count("^") else whole == "" or whole.startswith(seen.rstrip("…"))


def by_column(row: str) -> list[str]:
    """What stands in each column; a wide character fills two, the second with nothing, and marks join their letter."""
    columns: list[str] = []
    for char in row:
        if category(char) in ("Mn", "Me"):
            columns[-1 if columns[-1] else -2] += char
        else:
            columns += [char, ""] if east_asian_width(char) in "WF" else [char]
    return columns


def test_marks_are_aligned_and_cut_to_the_room() -> None:
    before, after = "x" * 60, "y" * 60
    a = samples.place(f"{before}OLD{after}", (60, 63))
    b = samples.place(f"日本語{before}NEWER{after}", (63, 68), char=80)
    assert excerpt_lines(samples.change("c", "m", a, b), 40) == [
        "a | …xxxxxxxxxxxOLDyyyyyyyyyyyyyyyyyyyy…",
        "  |             ^^^",
        "b | …xxxxxxxxxxxNEWERyyyyyyyyyyyyyyyyyy…",
        "  |             ^^^^^",
    ]


def test_a_cut_never_leaves_a_mark_without_its_letter() -> None:
    for length in range(20, 40):
        place = samples.place("x\u0334" * length + "!", (2 * length, 2 * length + 1))
        row = excerpt_lines(samples.change("c", "m", place, samples.place(None)), 24)[0]
        assert row.startswith("a | …x\u0334x")


def test_a_missing_side_and_an_empty_one() -> None:
    a, b = samples.place(None), samples.place("日本", (0, 2))
    assert excerpt_lines(samples.change("c", "m", a, b), 70)[:2] == ["b | 日本", "  | ^^^^"]
    empty = samples.place("")
    assert excerpt_lines(samples.change("c", "m", empty, b), 70)[:3] == ["a   (empty)", "b | 日本", "  | ^^^^"]


@pytest.mark.parametrize(
    "text",
    [
        "the task-management-and-planning-module of risk-assessment",
        "toolu_01D7FLrfh4GYq7yT1ULFeyMV",
        "bearer authentication is required",
        "/home/alice/Projects/app2/src/components/Button/index.tsx",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text, cut=True) == text


def test_the_tail_of_a_secret_is_masked() -> None:
    """An excerpt may begin in the middle of a key, where no prefix tells what it is."""
    text = "9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9aB8cD7eF6gH5iJ4kL3m rest"
    assert mask(text, (3, 4), cut=True) == "***?" + "*" * 46 + " rest"
    assert mask(text, cut=False) == text
    change = samples.change("c", "m", samples.place(text, (3, 4), char=50), samples.place(None))
    assert excerpt_lines(change, 70)[0] == "a | …***?" + "*" * 46 + " rest"
    for form in ("json", "markdown"):
        assert text[4:9] not in write(samples.report(change), form)


@given(any_text, st.booleans())
def test_masking_keeps_the_length(text: str, cut: bool) -> None:
    masked = mask(text, (0, 3), cut=cut)
    assert len(masked) == len(text)


@pytest.mark.parametrize(
    "attack", ["sk-", "sk-a", "eyJ-", "eyJa.", "Authorization: ", "bearer a", "-----BEGIN PRIVATE KEY", "xox"]
)
def test_masking_is_linear(attack: str) -> None:
    """Shapes that begin everywhere and never end: at a million characters, quadratic work would take hours."""
    text = attack * (1_000_000 // len(attack))
    assert len(mask(text, cut=True)) == len(text)


@given(any_text.map(line))
def test_markdown_prose_is_inert(visible: str) -> None:
    tokens = (
        MarkdownIt("commonmark")
        .enable("table")
        .parse(f"- Fix: {words(visible)}\n\n| {words(visible)} | {code(visible)} |\n| --- | --- |")
    )
    inlines = [token for token in tokens if token.type == "inline"]
    assert len(inlines) == 3
    for token in inlines:
        for child in token.children or []:
            assert child.type in ("text", "code_inline"), child
            if child.type == "text":
                assert not re.search(r"[@#$<>&`*_~|\\\[\]{}]|://|www\.|GH-|:\w", child.content.replace("Fix: ", "")), (
                    child.content
                )


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_markdown_report_holds_only_its_own_markup(name: str) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(write(samples.SAMPLES[name](), "markdown"))
    html = {line for token in tokens if token.type == "html_block" for line in token.content.splitlines()}
    assert all(re.fullmatch(r"</details>|<details><summary>\d+ changes? without cost</summary>", row) for row in html)
    for token in tokens:
        for child in token.children or []:
            assert child.type in ("text", "code_inline", "softbreak", "strong_open", "strong_close"), child
        assert token.type != "fence" or all(re.match(r"[ab ] ( |\| )", row) for row in token.content.splitlines())
