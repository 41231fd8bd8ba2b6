"""Which rule for safe cuts a tokenizer.json allows, read from its declarations. The proofs stand in cuts.py."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from promptlint.tokens.cuts import is_boundary
from promptlint.tokens.patterns import CLASSES, DEEPSEEK_PATTERNS, GPT2, SPLIT_PATTERNS, Rule
from promptlint.tokens.special import is_stable

Config: TypeAlias = Mapping[str, Any]
CutTest: TypeAlias = Callable[[str, int], bool]

_METASPACE = "\u2581"


def cut_test(config: Config) -> CutTest | None:
    """The test for the safe cuts of a parsed tokenizer.json; None where none is proved."""
    model, added = config["model"], config.get("added_tokens") or ()
    normalizers = _steps(config.get("normalizer"), "normalizers")
    if not _is_plain_bpe(model) or not _are_plain(added, bool(normalizers)):
        return None
    test = _word_test(config, normalizers) or _pair_test(config, normalizers)
    if test is None:
        return None
    inside = _pairs(token["content"] for token in added)  # an added token could lie across the cut
    return lambda text, c: test(text, c) and text[c - 1 : c + 1] not in inside


def _is_plain_bpe(model: Config) -> bool:
    affixes = model.get("continuing_subword_prefix") or model.get("end_of_word_suffix")
    return model.get("type") == "BPE" and not affixes


def _are_plain(added: Iterable[Config], normalizes: bool) -> bool:
    """No added token looks at what stands beside it, or at normalized text."""
    flags = ("lstrip", "rstrip", "single_word", *(("normalized",) if normalizes else ()))
    return not any(token.get(flag) for token in added for flag in flags)


def _word_test(config: Config, normalizers: list[Config]) -> CutTest | None:
    """The class rule, for pretokenizers that are proved."""
    rule = _proved_rule(_steps(config.get("pre_tokenizer"), "pretokenizers"))
    if rule is None:
        return None
    if not normalizers:
        return lambda text, c: is_boundary(text, c, rule)
    if normalizers == [{"type": "NFC"}]:
        return lambda text, c: is_boundary(text, c, rule) and is_stable(text[c - 1])
    return None


def _proved_rule(steps: list[Config]) -> Rule | None:
    *splits, last = steps or [{}]
    if last.get("type") != "ByteLevel" or last.get("add_prefix_space") is not False:
        return None
    if last.get("use_regex", True):
        digits = {"type": "Digits", "individual_digits": True}
        return GPT2 if splits in ([], [digits]) else None
    patterns = tuple(map(_isolated, splits))
    if patterns == DEEPSEEK_PATTERNS:
        return CLASSES
    return SPLIT_PATTERNS.get(patterns[0] or "") if len(patterns) == 1 else None


def _isolated(split: Config) -> str | None:
    """The pattern of a Split whose matches are the pretokens."""
    keeps = (split.get("behavior"), split.get("invert", False))
    if split.get("type") != "Split" or keeps not in (("Isolated", False), ("Removed", True)):
        return None
    pattern = split["pattern"].get("Regex")
    return pattern if isinstance(pattern, str) else None


def _pair_test(config: Config, normalizers: list[Config]) -> CutTest | None:
    """The class rule and the pair rule, for vocabularies without a pretokenizer."""
    steps = _steps(config.get("pre_tokenizer"), "pretokenizers")
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": _METASPACE}
    idle_split = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    pieces = config["model"]["vocab"]
    if not normalizers and [{**step, "trim_offsets": None} for step in steps] == [{**byte_level, "trim_offsets": None}]:
        return _byte_pair_test(pieces)
    if (normalizers == [replace] and steps in ([], [idle_split])) or (not normalizers and not steps):
        return _character_pair_test(pieces, _METASPACE if normalizers else " ")
    return None


def _character_pair_test(pieces: Mapping[str, int], space: str) -> CutTest:
    joined = _pairs(pieces)

    def test(text: str, c: int) -> bool:
        if not is_boundary(text, c, CLASSES):
            return False
        before, after = text[c - 1].replace(" ", space), text[c].replace(" ", space)
        # Characters that are no pieces become `unk` or bytes, which may be joined with their neighbours.
        return before in pieces and after in pieces and before + after not in joined

    return test


def _byte_pair_test(pieces: Mapping[str, int]) -> CutTest:
    joined, letters = _pairs(pieces), _byte_letters()

    def test(text: str, c: int) -> bool:
        if not is_boundary(text, c, CLASSES):
            return False
        before, after = letters[text[c - 1].encode()[-1]], letters[text[c].encode()[0]]
        return before in pieces and after in pieces and before + after not in joined

    return test


def _byte_letters() -> list[str]:
    """The letter by which a byte-level vocabulary writes each byte: itself where printable, else one from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = [chr(byte) if byte in printable else "" for byte in range(256)]
    for number, byte in enumerate(byte for byte in range(256) if not letters[byte]):
        letters[byte] = chr(0x100 + number)
    return letters


def _pairs(pieces: Iterable[str]) -> frozenset[str]:
    """Every two characters that stand side by side in a piece."""
    return frozenset(piece[i : i + 2] for piece in pieces for i in range(len(piece) - 1))


def _steps(declared: Any, inner: str) -> list[Config]:
    """A normalizer or pretokenizer as the flat list of its steps."""
    if declared is None:
        return []
    if declared.get("type") == "Sequence":
        return [step for part in declared[inner] for step in _steps(part, inner)]
    return [declared]
