"""Characters that nobody sees, letters in pieces, line ends, holes of templates, secrets."""

import pytest

from promptlint.lint.volatile.characters import invisible, line_ends, pieces
from promptlint.lint.volatile.holes import holes, is_open
from promptlint.lint.volatile.keys import keys

INVISIBLE: list[tuple[str, str]] = [
    ("\ufeffYou are", "U+FEFF (byte order mark)"),
    ("pl\u200ban", "U+200B (zero-width space)"),
    ("a\u00a0\u00a0b", "a run of 2 characters from U+00A0 (no-break space)"),
    ("wa\u00adter", "U+00AD (soft hyphen)"),
    ("x\u202ey\u202c", "U+202E (right-to-left override)"),
    ("a\u2060b", "U+2060 (word joiner)"),
    ("hidden\U000e0041\U000e0042", "a run of 2 characters from U+E0041 (tag latin capital letter a)"),
]

NEEDED = [
    "é à",
    "👩\u200d👩\u200d👧",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "क\u094d\u200dष",
    "10\u00a0km",
    "שלום\u200f (a)",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "สว\u0e31ส\u200bด\u0e35",
    "❤\ufe0f\u200d🔥",
    "👍🏽\u200d♂\ufe0f",
    "plain text",
]

PIECES: list[tuple[str, str]] = [
    ("re\u0301sume\u0301", "U+0065 U+0301 instead of U+00E9"),
    ("A\u030a", "U+0041 U+030A instead of U+00C5"),
    ("か\u3099", "U+304B U+3099 instead of U+304C"),
    ("ㄱ 가", "U+1100 U+1161 instead of U+AC00"),
]

WHOLE = [
    "résumé",
    "Å Å",
    "o\u0331x",
    "ש\u05bc\u05c1",
]

HOLES: list[tuple[str, str]] = [
    ("Dear {{ name }}, welcome.", "{{ name }}"),
    ("Hello ${userName}!", "${userName}"),
    ("Today is {{date}}.", "{{date}}"),
    ("[object Object] is", "[object Object]"),
    ("User: %(name)s", "%(name)s"),
    ("<%= user.name %> is here", "<%= user.name %>"),
    ("User name: undefined\n", "undefined"),
    ("Language: None\n", "None"),
    ("City: null", "null"),
]

NO_HOLES = [
    "  add_library(archive SHARED ${srcs})",
    "    LINK ${libs}",
    "the value of ``${foo}`` is printed",
    "Use {{first_name}} for the name.",
    "`{{ name }}` holds",
    "```\n{{ name }}\n```",
    "Templates may hold {{ name }}",
    "Allergies: None",
    "Set ${HOME} first",
    "\\frac{{a}}{{b}}",
    "${{ secrets.X }}",
    "style={{ color: red }}",
    "Default: null",
    'JSON {{"a": 1}}',
    "returns undefined",
    "Attachments: None\n",
    "The value is NaN: skip",
    "100%(approx)s x",
    "placeholder like ${name}",
    "{% if x %}{{ y }}{% endif %}",
    "Hello {{ name | title }}, welcome.",
    'seen="$1"\nnext="${seen}:$candidate"',
]

# Put together here, so that no scanner of this repository takes them for leaked ones.
SECRETS: list[tuple[str, str, bool]] = [
    ("key sk-ant-" + "api03-Qw7eR2tY9uI4oP8aS5dF1gH3", "an API key of Anthropic", True),
    ("key sk-" + "proj-9fK2aQ71bZx4Lm8Pq3Rt", "an API key", True),
    ("AKIA" + "J5QW7XR2T9UB4KCD", "an access key of AWS", True),
    ("gh" + "p_9fK2aQ71bZx4Lm8Pq3RtVw6Yz1Ab2Cd3Ef4G", "a token of GitHub", True),
    ("-----BEGIN RSA " + "PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----", "a private key", True),
    ("postgres://reader:" + "Tr0ub4dor@db.internal/books", "a password or token", False),
    ("Authorization: Bearer " + "9fK2aQ71bZx4Lm8Pq3Rt", "a password or token", False),
    ("eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZXNrIn0.k3Jq8Zt1Lm5Vx2Bw9Ns4", "a signed token (JWT)", False),
    ("for example sk-" + "proj-9fK2aQ71bZx4Lm8Pq3Rt", "an API key", False),
]
NO_SECRETS = [
    "it looks like:\n```\nhttps://reader:" + "Tr0ub4dor@db.internal\n```\n",
    "sk-ant-your-key-here-1",
    "sk-xxxxxxxxxxxxxxxxxxxx1",
    "postgres://user:password@host/db",
    "https://name:<token>@host",
    "https://host:8080/a@b",
    "Authorization: Bearer $TOKEN",
    "sk-learn-extra-tools",
    "hf_transformers",
    "sha256:9f31c07ab29f31c07ab29f31c07ab29f31c07ab2",
]


@pytest.mark.parametrize(("text", "what"), INVISIBLE)
def test_what_nobody_sees_is_found(text: str, what: str) -> None:
    found = next(invisible(text))
    assert found.what == what
    assert not text[found.start : found.end].isprintable()


@pytest.mark.parametrize("text", NEEDED)
def test_what_a_script_or_a_picture_needs_is_left_alone(text: str) -> None:
    assert not list(invisible(text))


@pytest.mark.parametrize(("text", "what"), PIECES)
def test_letters_in_pieces_are_found(text: str, what: str) -> None:
    assert next(pieces(text)).what == what


@pytest.mark.parametrize("text", WHOLE)
def test_letters_without_a_shorter_form_are_left_alone(text: str) -> None:
    assert not list(pieces(text))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("a", []),
        ("a\nb\n", [("\n", 2)]),
        ("a\r\nb\r\n", [("\r\n", 2)]),
        ("a\r\nb\nc\n", [("\n", 2), ("\r\n", 1)]),
        ("a\rb\r\nc\r\n", [("\r\n", 2), ("\r", 1)]),
    ],
)
def test_line_ends_are_counted_the_most_frequent_first(text: str, counts: list[tuple[str, int]]) -> None:
    found = line_ends(text)
    assert [(one.end, one.lines) for one in found] == counts
    assert all(text[place.start : place.end] == one.end for one in found for place in one.first)


@pytest.mark.parametrize(("text", "value"), HOLES)
def test_a_hole_is_found(text: str, value: str) -> None:
    found = next(holes(text))
    assert text[found.start : found.end] == value


@pytest.mark.parametrize("text", NO_HOLES)
def test_a_hole_that_is_meant_is_left_alone(text: str) -> None:
    assert not list(holes(text))


def test_a_text_is_open_where_something_can_be_filled_in() -> None:
    assert all(is_open(text) for text in ("{{ question }}", "${question}", "%(question)s", "{% if x %}"))
    assert not any(is_open(text) for text in ("Where is it?", "100% of {it}", '{"a": {"b": 1}}', "$5"))


@pytest.mark.parametrize(("text", "what", "sure"), SECRETS)
def test_a_secret_is_found(text: str, what: str, sure: bool) -> None:
    found = next(keys(text))
    assert (found.what, found.sure) == (what, sure)


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_stands_for_a_secret_is_none(text: str) -> None:
    assert not list(keys(text))
