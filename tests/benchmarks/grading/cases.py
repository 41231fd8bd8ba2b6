"""The labelled corpus: `fixtures/corpus/<id>/expect.yaml` as typed rows (its README explains the fields)."""

import functools
import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "fixtures" / "corpus"
BYTES_PER_TOKEN = 4.4  # the corpus' own rate


class TruePlace(NamedTuple):
    """Where the first differing atom stands; pointers are RFC 6901."""

    before: str
    after: str
    atom: str  # key or value
    char: int
    byte: int


class Case(NamedTuple):
    """One pair with the truth about it."""

    name: str
    before: Path
    after: Path
    busts: bool  # a finding at warning level or above is due
    verdicts: tuple[str, ...]
    causes: tuple[str, ...]
    place: TruePlace | None  # None: the first prompt is a prefix of the second
    other_places: tuple[tuple[str, int], ...]  # pointer and character of places that are as good
    lost_tokens: tuple[int, ...]  # any of these; empty: not stated
    advisory: bool
    must_mention: tuple[str, ...]
    must_not_say: tuple[str, ...]


@functools.cache
def pairs() -> tuple[Case, ...]:
    """Give every case of kind `pair`."""
    loaded = ((path.parent, yaml.safe_load(path.read_text("utf-8"))) for path in sorted(CORPUS.glob("*/expect.yaml")))
    return tuple(_case(folder, row) for folder, row in loaded if row["inputs"]["kind"] == "pair")


def later() -> dict[str, int]:
    """Give the kinds that a comparison of two requests does not judge, with the number of their cases."""
    kinds: dict[str, int] = {}
    for path in sorted(CORPUS.glob("*/expect.yaml")):
        kind = yaml.safe_load(path.read_text("utf-8"))["inputs"]["kind"]
        kinds[kind] = kinds.get(kind, 0) + 1
    return {kind: count for kind, count in kinds.items() if kind != "pair"}


def pointer(json_path: str) -> str:
    """Turn `$.system[0].text` into `/system/0/text`."""
    steps = re.findall(r"\.([^.\[\]]+)|\[(\d+)\]", json_path.removeprefix("$"))
    return "".join("/" + (name or index) for name, index in steps)


def _case(folder: Path, row: dict[str, Any]) -> Case:
    expect = row["expect"]
    first = expect["first_difference"]
    others = (first or {}).get("also_accept", [])
    return Case(
        name=row["id"],
        before=folder / "before.json",
        after=folder / "after.json",
        busts=expect["verdict"] == "bust",
        verdicts=(expect["verdict_label"], *expect.get("verdict_also_accept", ())),
        causes=(expect["cause_label"], *expect.get("also_accept", ())),
        place=None if first is None else _place(first),
        other_places=tuple((pointer(other["json_path"]), other["char"]) for other in others),
        lost_tokens=_lost_tokens(expect.get("reuse", {})),
        advisory=expect.get("advisory", False),
        must_mention=tuple(expect["must_mention"]),
        must_not_say=tuple(expect["must_not_say"]),
    )


def _place(first: dict[str, Any]) -> TruePlace:
    after = pointer(first["json_path"])
    before = pointer(first.get("json_path_before", first["json_path"]))
    return TruePlace(before, after, "key" if first["atom"] == "key" else "value", first["char"], first["byte"])


def _lost_tokens(reuse: dict[str, Any]) -> tuple[int, ...]:
    """Give every figure that the truth accepts: as stated, with the minimum applied, or under a harder reading."""
    figures = [value for name, value in reuse.items() if name.endswith("lost_tokens_estimate")]
    figures += [
        round((reuse["written_prefix_bytes"] - value) / BYTES_PER_TOKEN)
        for name, value in reuse.items()
        if re.fullmatch(r"if_.*_reusable_bytes", name)
    ]
    return tuple(dict.fromkeys(figures))
