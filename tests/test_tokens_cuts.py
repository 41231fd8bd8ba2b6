"""Safe cuts and the first differing token: seeded edits, every proved pattern, counterexamples to shorter rules."""

import random
import unicodedata
from collections.abc import Sequence
from typing import Any

import pytest
import tiktoken
from tokenizers import Tokenizer as Reference
from tokenizers import models

import token_laws
import token_texts
import token_vocabularies as vocabularies
from promptlint.tokens import difference
from promptlint.tokens.cuts import is_boundary
from promptlint.tokens.difference import first_difference
from promptlint.tokens.patterns import DEEPSEEK_PATTERNS, GPT2, R50K_PATTERN, SPLIT_PATTERNS
from promptlint.tokens.pretokens import SPACE
from promptlint.tokens.raw_bytes import RawBytes
from promptlint.tokens.tokenizer_json import TokenizerJson

EDITS = 5000  # on each of four vocabularies
GPT2_STEP = {**vocabularies.BYTE_LEVEL, "use_regex": True}
DIGITS_STEP = {"type": "Digits", "individual_digits": True}
NFC = {"type": "NFC"}


def pretokens(data: bytes) -> token_laws.Encode:
    """The pieces of a text before any byte pair is merged."""
    reference = Reference.from_buffer(data)
    normalize = reference.normalizer.normalize_str if reference.normalizer else str
    split = reference.pre_tokenizer.pre_tokenize_str
    return lambda text: [piece for piece, _ in split(normalize(text))]


@pytest.mark.parametrize("name", ["o200k", "cl100k", "deepseek", "plain"])
def test_seeded_edits(name: str) -> None:
    tokenizer, reference = vocabularies.pair(name)
    assert tokenizer.has_cuts
    assert token_laws.fuzz(tokenizer, reference, EDITS, seed=20261129) > EDITS / 4


@pytest.mark.parametrize("name", ["metaspace", "byte_level"])
def test_other_vocabularies_without_a_pretokenizer(name: str) -> None:
    tokenizer, reference = vocabularies.pair(name)
    assert token_laws.fuzz(tokenizer, reference, 1000, seed=3) > 250


@pytest.mark.parametrize("name", ["llama3_1", "gemma3"])
def test_vocabularies_of_models(name: str) -> None:
    tokenizer, reference = vocabularies.pair(name)
    assert tokenizer.has_cuts
    assert token_laws.fuzz(tokenizer, reference, 200, seed=11) > 200


PROVED: dict[str, dict[str, Any]] = {
    **{f"split-{number}": {"pre_tokenizer": vocabularies.split(p)} for number, p in enumerate(SPLIT_PATTERNS)},
    "deepseek": {"pre_tokenizer": vocabularies.split(*DEEPSEEK_PATTERNS)},
    "gpt2": {"pre_tokenizer": GPT2_STEP},
    "digits-gpt2": {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [DIGITS_STEP, GPT2_STEP]}},
    "qwen": {"pre_tokenizer": vocabularies.split(list(SPLIT_PATTERNS)[3]), "normalizer": NFC},
}


@pytest.mark.parametrize("name", PROVED)
def test_every_proved_pattern(name: str) -> None:
    data = vocabularies.with_declarations(vocabularies.trained("byte_level"), **PROVED[name])
    tokenizer = TokenizerJson(name, data)
    assert token_laws.fuzz(tokenizer, vocabularies.by_library(data), 400, seed=5) > 400
    # Byte pairs that do not merge would hide a wrong cut, so the pretokens are compared as well.
    rng = random.Random(6)
    for _ in range(200):
        token_laws.check_cuts(tokenizer, pretokens(data), token_texts.text(rng))


def test_the_pattern_of_gpt2_in_tiktoken() -> None:
    ranks = vocabularies.ranks("cl100k_base")
    encoding = tiktoken.Encoding("r50k", pat_str=R50K_PATTERN, mergeable_ranks=ranks, special_tokens={})

    class Gpt2(RawBytes):
        def encode(self, text: str) -> Sequence[int]:
            return encoding.encode_ordinary(text)

        def count(self, text: str, *, ahead: int = 0) -> int:
            return len(self.encode(text))

        def is_cut(self, text: str, c: int) -> bool:
            return is_boundary(text, c, GPT2)

        def start(self, text: str, index: int) -> int:
            return len(encoding.decode_bytes(self.encode(text)[:index]))

    assert token_laws.fuzz(Gpt2(), encoding.encode_ordinary, 1000, seed=7) > 1000


def test_bytes() -> None:
    assert token_laws.fuzz(RawBytes(), str.encode, 200, seed=9) > 1000


# a, b, and how many bytes before the first differing character the first differing token begins: o200k, cl100k.
BEFORE_THE_BYTE = {
    "contraction-re": ("I'r|", "I're", 2, 2),
    "contraction-s": ("it'| x", "it's x", 3, 1),
    "spaces": ("x" + 4000 * " " + "b", "x" + 4001 * " " + "b", 32, 32),
    "equals-signs": ("x " + 4000 * "=", "x " + 4001 * "=", 95, 95),
    "digits": ("x " + 500 * "1234567" + " z", "x " + 500 * "1234567" + "8 z", 2, 2),
    "end-after-white-space": ("x" + 3999 * " ", "x" + 3999 * " " + "b", 31, 31),
    "capitals": ("x 中" + 4000 * "A" + " b", "x 中" + 4000 * "A" + "d b", 8, 8),
    "line-feed-and-spaces": ("x\n" + 4000 * " " + "b", "x\n" + 4000 * " " + "\n", 32, 32),
}


@pytest.mark.parametrize("name", ["o200k", "cl100k"])
@pytest.mark.parametrize("case", BEFORE_THE_BYTE)
def test_the_token_boundary_lies_before_the_byte(name: str, case: str) -> None:
    a, b, *expected = BEFORE_THE_BYTE[case]
    tokenizer, reference = vocabularies.pair(name)
    found = token_laws.check_difference(tokenizer, reference, a, b)
    assert found.back == expected[name == "cl100k"]
    assert len(a[found.token_char : token_texts.shared(a, b)].encode()) == found.back


def test_a_special_token_across_the_difference() -> None:
    # Whole it is one token; cut short it is many, and they begin where it began.
    tokenizer, reference = vocabularies.pair("deepseek")
    whole = vocabularies.member(vocabularies.deepseek_path().read_bytes(), "added_tokens")[1]["content"]
    found = token_laws.check_difference(tokenizer, reference, f"x\n{whole} y", f"x\n{whole[:-1]}? y")
    assert (found.cut, found.equal, found.token_char) == (2, 0, 2)
    assert found.back == len(whole[:-1].encode())


def test_no_cut_inside_an_added_token() -> None:
    # By their classes m and _ are cut apart, but as an added token `<|fim_prefix|>` is found before any pattern.
    data = vocabularies.with_declarations(vocabularies.trained("byte_level"), **PROVED["split-2"])
    tokenizer, reference = TokenizerJson("llama", data), vocabularies.by_library(data)
    added = "<|fim_prefix|>"
    text = f"the word {added} here"
    start = text.index(added)
    assert reference(added) == [2]
    assert not any(tokenizer.is_cut(text, c) for c in range(start + 1, start + len(added)))
    assert tokenizer.is_cut(text, start - 1)
    assert tokenizer.is_cut("him_prefix", 3) is False
    assert tokenizer.is_cut("hit_prefix", 3)
    token_laws.check_difference(tokenizer, reference, text, text.replace("prefix|>", "prefix|"))


@pytest.mark.parametrize("name", ["o200k", "cl100k", "deepseek"])
def test_a_line_begins_at_a_safe_cut(name: str) -> None:
    # Prompts are atoms, each followed by a line feed: without this cut nothing could be counted item by item.
    tokenizer, reference = vocabularies.pair(name)
    for line in ("name", "Name", "{", "'s", "-1", "\u0301x", "\u0378", "中", "0", '"', "<|im_start|>"):
        for before in ("a\n", "a.\n", " \n\n", "a \r\n", "/\n", "0\n", "\n"):
            text = before + line
            assert tokenizer.is_cut(text, len(before)), text
            token_laws.check_cuts(tokenizer, reference, text)


def test_a_line_that_does_not_begin_at_a_safe_cut() -> None:
    o200k, reference = vocabularies.pair("o200k")
    assert len(reference(");\n//")) == 1
    assert not o200k.is_cut(");\n//", 3)
    cl100k, _ = vocabularies.pair("cl100k")
    assert cl100k.is_cut(");\n//", 3)
    for tokenizer in (o200k, cl100k):
        assert not tokenizer.is_cut("a\n b", 2)  # "\n b" could go on as "\n \n"
        assert not tokenizer.is_cut("a\n", 2)
        assert not tokenizer.is_cut("\na", 0)
    assert not is_boundary("a \nb", 3, GPT2)  # GPT-2 takes " " and "\n" apart here, and together at an end
    assert is_boundary("a\nb", 2, GPT2)


def test_every_assigned_character() -> None:
    """Python's Unicode tables and those of tiktoken agree wherever a cut depends on a class."""
    tokenizer, reference = vocabularies.pair("o200k")
    seldom = {"Lo": 7, "Co": 997}  # ideographs and private characters are many and alike: one in so many
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if category not in ("Cn", "Cs") and code % seldom.get(category, 1) == 0:
            character = chr(code)
            text = f"a{character}a A{character}A 1{character}1\n{character}b {character} "
            assert token_laws.check_cuts(tokenizer, reference, text) >= 4


UNPROVED: dict[str, dict[str, Any]] = {
    "lower-case": {"normalizer": {"type": "Lowercase"}},
    "nfkc": {"normalizer": {"type": "NFKC"}},
    "nfc-without-a-pattern": {"normalizer": NFC, "pre_tokenizer": vocabularies.BYTE_LEVEL},
    "dummy-prefix": {"normalizer": {"type": "Prepend", "prepend": "\u0120"}},
    "prefix-space": {"pre_tokenizer": {**GPT2_STEP, "add_prefix_space": True}},
    "unknown-pattern": {"pre_tokenizer": vocabularies.split(r"\w+|\W")},
    "removing-split": {
        "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": False}
    },
    "words": {"pre_tokenizer": {"type": "Whitespace"}},
    "affix": {"model": "end_of_word_suffix"},
}
for _flag in ("lstrip", "rstrip", "single_word"):
    UNPROVED[_flag] = {"added": _flag}


def unproved(name: str) -> bytes:
    data = vocabularies.trained("byte_level")
    changes = dict(UNPROVED[name])
    flag = changes.pop("added", None)
    if flag:
        token = {"id": 1, "content": "<|im_start|>", "special": True, "normalized": False}
        flags = {key: key == flag for key in ("lstrip", "rstrip", "single_word")}
        changes["added_tokens"] = [{**token, **flags}]
    if changes.pop("model", None):
        changes["model"] = {**vocabularies.member(data, "model"), "end_of_word_suffix": "</w>"}
    return vocabularies.with_declarations(data, **changes)


@pytest.mark.parametrize("name", UNPROVED)
def test_without_a_proof_whole_texts_are_tokenized(name: str) -> None:
    data = unproved(name)
    tokenizer = TokenizerJson(name, data)
    assert not tokenizer.has_cuts
    assert "no safe cuts" in tokenizer.notes[0]
    assert token_laws.fuzz(tokenizer, vocabularies.by_library(data), 60, seed=11) == 0


def test_unigram_has_no_safe_cut() -> None:
    """Between two divisions of one score, rounding over all that stands before decides; no piece crosses a space."""
    pieces = [
        ("<unk>", -20.0),
        ("a", -1.1),
        ("aa", -1.7),
        ("b", -1.3),
        ("c", -2.7),
        (" ", -0.3),
        ("d", -0.1),
        ("e", -3.33),
    ]
    reference = Reference(models.Unigram(pieces, unk_id=0, byte_fallback=False))
    assert reference.encode("debb dcc aaa").tokens[-2:] == ["a", "aa"]
    assert reference.encode("c bbec  eccce eebdbbbe ec  cdcbced aaa").tokens[-2:] == ["aa", "a"]
    assert not TokenizerJson("unigram", reference.to_str().encode()).has_cuts


@pytest.mark.parametrize("text", ["it'rE x", "we'vE", "he'lL x"])
def test_a_contraction_is_no_camel_case(text: str) -> None:
    data = vocabularies.with_declarations(vocabularies.trained("byte_level"), **PROVED["split-0"])
    split = text.index("'") + 2
    assert pretokens(data)(text)[0] == text.split()[0]
    assert not TokenizerJson("o200k", data).is_cut(text, split)
    assert TokenizerJson("o200k", data).is_cut(text.replace("'", "a"), split)


def test_a_letter_that_nfc_makes_a_letter_and_a_mark() -> None:
    data = vocabularies.with_declarations(vocabularies.trained("byte_level"), **PROVED["qwen"])
    tokenizer = TokenizerJson("qwen", data)
    assert len(pretokens(data)("\u0958.")) == len(pretokens(data)("\u0958")) == 2  # the mark joins the full stop
    assert not tokenizer.is_cut("\u0958.", 1)
    assert tokenizer.is_cut("\u0915.", 1)


def test_unassigned_characters_have_no_class() -> None:
    for tokenizer in (vocabularies.pair("o200k")[0], vocabularies.pair("cl100k")[0]):
        assert unicodedata.category("\u0378") == "Cn"
        assert not any(tokenizer.is_cut(text, 1) for text in ("a\u0378", "1\u0378", "\u0378a", "\u03781", "\u0378."))
        assert tokenizer.is_cut("\u0378 ", 1)  # they cannot be white space
        assert tokenizer.is_cut("\n\u0378", 1)


def test_nfc_at_a_safe_cut() -> None:
    """What cuts.py says of NFC, for every composition in Unicode."""
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for character in characters:
        first = unicodedata.normalize("NFC", character)[0]
        assert kind(first) == kind(character), hex(ord(character))  # of n, whatever follows
        decomposition = unicodedata.decomposition(character).split()
        canonical = len(decomposition) == 2 and decomposition[0].isalnum()
        if canonical and unicodedata.normalize("NFC", character) == character:
            former, latter = (chr(int(code, 16)) for code in decomposition)
            assert kind(character) == kind(former)
            assert kind(latter) == "M"  # never an n, except behind a line feed, which joins nothing
            assert former != "\n"
    for former, latter in ("\u1100\u1161", "\uac00\u11a8"):  # Hangul composes by rule: letters with letters
        composed = unicodedata.normalize("NFC", former + latter)
        assert [kind(character) for character in (former, latter, *composed)] == ["Lo"] * 3


def kind(character: str) -> str:
    """All that the rules ask of a character."""
    category = unicodedata.category(character)
    if character in SPACE:
        return "space"
    if character in "'/":
        return character
    return {"Lu": "Lu", "Lt": "Lu", "Ll": "Ll", "Cn": "Cn"}.get(category) or {"L": "Lo"}.get(category[0], category[0])


@pytest.mark.parametrize("name", ["o200k", "cl100k", "plain"])
def test_windows_grow_until_the_tokens_differ(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference, "_WINDOW", 2)
    tokenizer, reference = vocabularies.pair(name)
    rng = random.Random(37)
    for _ in range(1000):
        a = token_texts.text(rng)
        b = token_texts.edit(rng, a)
        token_laws.check_difference(tokenizer, reference, a, b)
        token_laws.check_difference(tokenizer, reference, b, a)


def test_a_difference_far_from_any_cut() -> None:
    rng = random.Random(13)
    tokenizer, reference = vocabularies.pair("o200k")
    for run in ("=", "ab", "A", " ", "中"):
        for _ in range(20):
            a = "x " + run * rng.randint(1, 3000)
            token_laws.check_difference(tokenizer, reference, a, token_texts.edit(rng, a))


def test_texts_that_do_not_differ() -> None:
    tokenizer, reference = vocabularies.pair("o200k")
    for text in ("", "a", "the same words\n"):
        found = token_laws.check_difference(tokenizer, reference, text, text)
        assert (found.id_a, found.id_b, found.back, found.token_char) == (None, None, 0, len(text))


def test_the_second_text_may_be_given_by_its_tail() -> None:
    tokenizer, _ = vocabularies.pair("o200k")
    a, b = "one two three four", "quite another beginning: three fine"
    found = first_difference(tokenizer, a, a.index("our"), b, b.index("ine"))
    assert found == token_laws.check_difference(
        tokenizer, vocabularies.reference("o200k_base").encode_ordinary, a, "one two three fine"
    )
