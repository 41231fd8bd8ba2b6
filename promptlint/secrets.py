"""Known shapes of secrets: found, and masked with their length and first four characters kept."""

import re
from functools import cache
from itertools import pairwise

Range = tuple[int, int]

_KEPT = 4
_HIDDEN, HIDDEN_MARKED = "*", "?"  # two, so that one still sees where two secrets differ

# What every shape contains (lower case): looked for first, because few texts hold a secret.
_SIGNS = (
    "sk-",
    "sk_",
    "rk_",
    "akia",
    "asia",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "aiza",
    "xox",
    "hf_",
    "eyj",
    "private key",
    "bearer",
    "authorization",
    "://",
)


def mask(text: str, mark: Range = (0, 0), *, cut: bool = False) -> str:
    """`text` with secrets hidden, as long as before, so that `mark` (a range of characters) still holds.

    `cut` says that `text` begins inside a longer value: a long run of mixed letters and digits at its very start
    may then be the tail of a secret and is hidden too. Linear in the length of `text`.
    """
    found = [(start - _KEPT, end) if is_password else (start, end) for start, end, is_password in _matches(text)]
    if cut and (tail := _tail(text)):
        found.append((-_KEPT, tail))  # the first four characters of a tail tell too much
    if not found:
        return text
    chars = list(text)
    for start, end in found:
        for index in range(start + _KEPT, end):
            chars[index] = HIDDEN_MARKED if mark[0] <= index < mark[1] else _HIDDEN
    return "".join(chars)


def ranges(text: str) -> list[Range]:
    """Where secrets stand in a text: a key, or a password alone. Linear in the length of `text`."""
    return [(start, end) for start, end, _ in _matches(text)]


def _matches(text: str) -> list[tuple[int, int, bool]]:
    """Start and end of each secret, and whether it is a password in an address: of one no character may be kept."""
    folded = text.lower()
    if not any(sign in folded for sign in _SIGNS):
        return []
    found = ((match, match.lastgroup) for match in _shapes().finditer(text))
    return [(*match.span(name or 0), name == "url") for match, name in found]


@cache
def _shapes() -> re.Pattern[str]:
    """All shapes; a named group is the secret where the match holds more than it.

    A shape that runs into the end of the text may be cut there and needs fewer characters. Look-aheads and runs that
    may fail are bounded, or hostile text would cost quadratic time.
    """

    def run(chars: str, least: int) -> str:
        return rf"(?:[{chars}]{{{least},}}|[{chars}]{{4,}}\Z)"

    word = "A-Za-z0-9_-"
    prefixed = (
        rf"sk-(?=[A-Za-z_-]{{0,40}}[0-9]){run(word, 16)}",
        rf"[rs]k_(?:live|test)_{run('A-Za-z0-9', 16)}",
        rf"A(?:KI|SI)A{run('A-Z0-9', 12)}",
        rf"gh[pousr]_{run('A-Za-z0-9', 16)}",
        rf"github_pat_{run('A-Za-z0-9_', 16)}",
        rf"glpat-{run(word, 16)}",
        rf"AIza{run(word, 20)}",
        rf"xox[a-z]-{run('A-Za-z0-9-', 10)}",
        rf"hf_{run('A-Za-z0-9', 20)}",
        rf"eyJ[{word}]{{4,400}}+(?:\.[{word}]{{4,}}(?:\.[{word}]*)?|\.?\Z)",
    )
    key = r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*(?:-----END[^-]*-----)?"
    bearer = r"(?i:bearer)\s{1,4}(?P<bearer>(?=[A-Za-z._~+/=-]{0,40}[0-9])" + run("A-Za-z0-9._~+/=-", 12) + ")"
    header = r"(?i:authorization)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?i:bearer|basic|token)\s{1,4}(?P<header>[^\s\"']{4,})"
    url = r"://[^\s/:@\"']{0,64}:(?P<url>[^\s/@\"']{1,256})@"
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join((*prefixed, key, header, bearer))})|{url}")


def _tail(text: str) -> int:
    """The length of the run at the start of `text` that may be the tail of a secret, or 0.

    Random letters and digits change class (upper, lower, digit, other) at 62 of 100 characters, file names at about
    30. Hexadecimal digests have one case and stay visible: as identifiers they are what a diff is about.
    """
    match = re.match(r"[A-Za-z0-9+/_=.\-\r\n]{32,}", text)
    if match is None:
        return 0
    classes = [(char.isupper(), char.islower(), char.isdigit()) for char in match[0]]
    changes = sum(one != other for one, other in pairwise(classes))
    mixed = all(any(column) for column in zip(*classes, strict=True))
    return match.end() if mixed and changes >= 0.42 * len(classes) else 0
