"""`promptlint tokenizers`: which vocabularies are on this machine, where from, exact for which models; what is missing.

For the list nothing is loaded and nothing is downloaded: files are found and hashed.
"""

import os
from collections.abc import Iterable, Sequence
from importlib.util import find_spec

from promptlint.errors import PromptlintError
from promptlint.facts.tokenizers import BUILT_IN, families, names, whereabouts
from promptlint.finding import Report, Table, Vocabulary
from promptlint.tokens.encodings import ENCODINGS
from promptlint.tokens.installed import digest_of, find, read_checked
from promptlint.tokens.interface import Tokenizer
from promptlint.tokens.open import open_tokenizer
from promptlint.tokens.recognise import HEAD, kind_of

_DIGITS = 12  # of a hash in the table; JSON has all


def tokenizers(specs: Sequence[str] = ()) -> Report:
    """All vocabularies that have a name, or those that `specs` (what --tokenizer takes) give, which are opened.

    Raises PromptlintError if one of `specs` cannot be opened.
    """
    if not specs:
        return _known()
    opened = [(spec, open_tokenizer(spec)) for spec in specs]
    found = tuple(_opened(spec, tokenizer) for spec, tokenizer in opened)
    notes = tuple(note for _, tokenizer in opened for note in tokenizer.notes)
    return Report("tokenizers", None, tables=(_available(found), *_exact(found)), notes=notes, vocabularies=found)


def _known() -> Report:
    faults: list[str] = []
    found = (*map(_built_in, (*BUILT_IN, "bytes")), *(_named(name, faults) for name in names()))
    here = [vocabulary for vocabulary in found if vocabulary.place is not None]
    missing = [vocabulary for vocabulary in found if vocabulary.place is None]
    rows = tuple((vocabulary.name, vocabulary.models, vocabulary.get) for vocabulary in missing)
    others = tuple((family.models, family.get) for family in families() if not family.tokenizer)
    tables = [_available(here), *_exact(here)]
    tables += [Table("Not on this machine", ("tokenizer", "exact for", "to get it"), rows)] if rows else []
    tables.append(Table("Only in the files of the model", ("exact for", "to get it"), others))
    return Report("tokenizers", None, tables=tuple(tables), notes=tuple(faults), vocabularies=found)


def _built_in(name: str) -> Vocabulary:
    tokenizer = open_tokenizer(name)
    kind = "bytes" if name == "bytes" else "tiktoken"
    return Vocabulary(name, kind, tokenizer.size, tokenizer.digest, True, *_models(name), place="built in", get="")


def _named(name: str, faults: list[str]) -> Vocabulary:
    """`faults` gets what is wrong with the file that should hold it."""
    known, found = whereabouts(name), find(name)
    assert known is not None
    place = None
    if found is not None and (known.kind != "SentencePiece" or find_spec("sentencepiece")):
        try:
            read_checked(name, found)
            place = found
        except PromptlintError as fault:
            faults.append(str(fault))
    size = ENCODINGS[name].size if name in ENCODINGS else known.tokens
    cuts = known.kind != "SentencePiece"
    get = "" if place else known.get
    return Vocabulary(name, known.kind, size, digest_of(name), cuts, *_models(name), place=place, get=get)


def _opened(spec: str, tokenizer: Tokenizer) -> Vocabulary:
    place = tokenizer.name
    name = next((name for name in (*BUILT_IN, *names()) if digest_of(name) == tokenizer.digest), "")
    if os.path.isfile(place):
        with open(place, "rb") as file:
            kind: str = kind_of(place, file.read(HEAD))
    else:
        row = _built_in(place) if place in (*BUILT_IN, "bytes") else _named(place, [])
        name, kind, place = row.name, row.kind, row.place or place
    models, source = _models(name)
    return Vocabulary(
        spec, kind, tokenizer.size, tokenizer.digest, tokenizer.has_cuts, models, source, place=place, get=""
    )


def _models(name: str) -> tuple[str, str]:
    """For which models a vocabulary is exact, and who says so."""
    found = [family for family in families() if family.tokenizer == name] if name else []
    return ", ".join(family.models for family in found), found[0].source if found else ""


def _available(found: Iterable[Vocabulary]) -> Table:
    rows = tuple(
        (each.name, each.kind, each.tokens, "yes" if each.cuts else "no", each.sha256[:_DIGITS], each.place or "")
        for each in found
    )
    return Table("On this machine", ("tokenizer", "kind", "tokens", "safe cuts", "SHA-256", "where"), rows)


def _exact(found: Iterable[Vocabulary]) -> list[Table]:
    rows = tuple((each.name, each.models, each.source) for each in found if each.models)
    return [Table("Models", ("tokenizer", "exact for", "by"), rows)] if rows else []
