"""Every sample of fixtures/formats: one word of it is changed and the two are compared, or it is refused and why."""

from pathlib import Path

from conftest import ROOT, Expected
from promptlint.commands.diff import diff
from promptlint.errors import PromptlintError
from promptlint.finding import Change

SAMPLES = ROOT / "fixtures" / "formats"
FILES = sorted(
    path.relative_to(SAMPLES).as_posix()
    for path in SAMPLES.rglob("*")
    if path.is_file() and path.name != "README.md" and path.suffix != ".expected"
)
EDITS = (("Be brief", "Be terse"), ("answer for", "speak for"), ("order", "parcel"), ("test", "check"))
MOST = 3  # requests of one file


def outcomes(name: str, folder: Path) -> list[str]:
    """Give one line for the file and, where it holds several requests, one for each of the first of them."""
    old, new = folder / "a" / Path(name).name, folder / "b" / Path(name).name
    text = (SAMPLES / name).read_text("utf-8")
    edited = next((text.replace(*edit) for edit in EDITS if edit[0] in text), f"{text}\n")
    for path, content in ((old, text), (new, edited)):
        path.parent.mkdir()
        path.write_text(content, "utf-8", newline="\n")
    first = outcome(str(old), str(new), folder)
    if "name one of them" not in first:
        return [f"{name}: {first}"]
    count = int(first.rpartition("#")[2]) + 1
    some = range(min(count, MOST))
    return [f"{name}: {first}", *(f"{name}#{n}: {outcome(f'{old}#{n}', f'{new}#{n}', folder)}" for n in some)]


def outcome(old: str, new: str, folder: Path) -> str:
    try:
        report = diff(old, new)
    except PromptlintError as error:
        return f"refused: {error}".replace(f"{folder.as_posix()}/a/", "")
    (found,) = report.diffs
    notes = dict.fromkeys(note for note in report.notes)
    said = [f"{found.verdict}, {found.a.format}, {found.a.provider}, {found.a.model}", *map(told, found.changes)]
    return "\n    ".join([*said, *(f"note: {note}" for note in notes)])


def told(change: Change) -> str:
    place = change.a
    pointer = place.pointer if isinstance(place.pointer, str) else " ".join(place.pointer)
    return f"{change.cause}, {change.level}, {place.line}:{place.column} {pointer}"


def test_every_sample_is_compared_or_refused_with_the_reason(tmp_path: Path, expected: Expected) -> None:
    lines = []
    for number, name in enumerate(FILES):
        folder = tmp_path / str(number)
        folder.mkdir()
        lines += outcomes(name, folder)
    expected(SAMPLES / "outcomes.expected", "\n".join([*lines, ""]))


def test_no_sample_is_left_out() -> None:
    assert len(FILES) >= 48
