r"""Safe cuts: positions where a text can be divided before it is tokenized, and the tokens stay the same.

Let p = x[c - 1] and n = x[c]. Position c of text x is a safe cut, T(x) = T(x[:c]) + T(x[c:]) whatever else x holds, if

  a. p is no white space, and n is white space but neither CR nor LF;
  b. p is LF and n is no white space; patterns with `slash`: nor is n a slash; with `lone_newline`: nor is x[c - 2]
     white space;
  c. p is a letter or digit, and n is none of letter, digit, mark, apostrophe, unassigned;
  d. one of p, n is a digit and the other a letter;
  e. patterns with `camel`: p is a small letter, n a capital, and x[c - 2] is no apostrophe.

Proof, for the patterns of patterns.py. (1) No alternative matches a string that holds p and n side by side, so a match
of x ends at c. Behind its first character a match has white space only if it is all white space, or in a tail of CR, LF
and slashes: neither goes from p to n in (a) or (b). A letter stands only behind letters, marks, one lead character that
is no digit, and the apostrophe of a contraction; behind a letter stand only letters, marks and a contraction; digits
stand only among digits or behind a space: (c), (d). A capital stands behind a small letter only in 'rE, 'vE, 'lL: (e).
(2) The matches before c are those of x[:c]. They look at x[c] and no further, since every run, tail and contraction
that reaches c stops there, as it does at an end of text. Only the alternatives `\s+(?!\S)` and `\s++$` tell x[c] from
an end, and they matter only where white space reaches c: in (b), where it ends in LF. There `\s*[\r\n]+` (cl100k at
an end: `\s++$`) takes all of it in both texts. GPT-2 has no such alternative and gives back the last character, though
not at an end; with `lone_newline` there is one character and nothing to give back. (3) No alternative looks
behind, so the matches from c on depend on x[c:] alone. (4) Byte pairs are merged inside one match only. DeepSeek splits
three times: its first two splits take runs of one class, which (1) to (3) leave whole or divide at c, and its third is
such a pattern.

Unassigned characters can be anything to a library with newer tables, but not white space: that property is closed.

A vocabulary without a pretokenizer needs the *pair rule* as well: no piece holds p and n side by side, and both are
pieces. A merge across c would make such a piece. This holds for BPE. It does not hold for Unigram: where two ways to
divide a word score the same, rounding of the sum over everything before it decides (tests/test_tokens_cuts.py).

Added tokens are found before all this. If none holds p and n side by side, none lies across c, and which are found
before c does not depend on what follows. NFC joins no n of these rules to its p and keeps the class of n; it keeps that
of p unless p itself is not normalized (`provable.py`). The tests compare all of it with the libraries and Unicode.
"""

from promptlint.tokens.patterns import Rule
from promptlint.tokens.pretokens import SPACE

_KINDS = {"Lu": "u", "Lt": "u", "Ll": "l", "Cn": "?"}


class _Kinds(dict[str, str]):
    """Character -> u (capital), l (small), L (other letter), N, M, ? (unassigned) or o (all else)."""

    def __missing__(self, character: str) -> str:
        from unicodedata import category

        name = category(character)
        kind = self[character] = _KINDS.get(name) or (name[0] if name[0] in "LNM" else "o")
        return kind


_kinds = _Kinds()


def is_boundary(text: str, c: int, rule: Rule) -> bool:
    """Do rules (a) to (e) make `c` a safe cut? Judged by text[c - 2 : c + 1]; False at both ends."""
    if not 0 < c < len(text):
        return False
    before, after = text[c - 1], text[c]
    if after in SPACE and after not in "\r\n":
        return before not in SPACE
    if before == "\n":
        return after not in SPACE and _begins_line(text, c, rule)
    return _changes_class(text, c, rule)


def _begins_line(text: str, c: int, rule: Rule) -> bool:
    if rule.slash and text[c] == "/":
        return False
    return not (rule.lone_newline and c > 1 and text[c - 2] in SPACE)


def _changes_class(text: str, c: int, rule: Rule) -> bool:
    before, after = _kinds[text[c - 1]], _kinds[text[c]]
    if after == "o":
        return before in "ulLN" and text[c] != "'"
    if before == "N":
        return after in "ulL"
    if before in "ulL":
        return after == "N" or (rule.camel and before == "l" and after == "u" and text[c - 2 : c - 1] != "'")
    return False
