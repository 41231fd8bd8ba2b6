"""The lock: what it keeps of a prompt, how it is compared, read, written and merged."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.errors import PromptlintError
from promptlint.gate.lock import (
    NAME,
    LockedPrompt,
    LockedRendering,
    LockedSegment,
    Shared,
    as_text,
    fingerprint,
    ordered,
    read_lock,
    renewable,
    shared,
    write_lock,
)

KEY = fingerprint("anthropic", "claude-sonnet-5")


def segments(*texts: str, tokens: int = 1000) -> tuple[LockedSegment, ...]:
    return tuple(LockedSegment(f"/system/{n}/text", fingerprint(text), tokens) for n, text in enumerate(texts))


def rendering(*texts: str, boundaries: tuple[int, ...] | None = None, variant: str = "one") -> LockedRendering:
    held = segments(*texts)
    return LockedRendering(variant, 1000 * len(held), 0, held, boundaries, 1024)


def prompt(name: str, *renderings: LockedRendering, key: str = KEY) -> LockedPrompt:
    return LockedPrompt(name, f"prompts/{name}.j2", "anthropic", "claude-sonnet-5", None, True, key, renderings)


COUNTS = st.integers(0, 3)
TEXTS = st.lists(st.sampled_from("abc"), max_size=6)


@st.composite
def rendered(draw: st.DrawFn, variant: str = "one") -> LockedRendering:
    held = tuple(
        LockedSegment(f"/messages/{number}", fingerprint(text), 100 * (ord(text) - ord("a")))  # one of no tokens
        for number, text in enumerate(draw(TEXTS))
    )
    total = sum(one.tokens for one in held) + draw(st.integers(0, 5))
    boundaries = st.lists(st.integers(0, len(held) - 1), unique=True).map(sorted).map(tuple) if held else st.just(())
    kept = draw(st.none() | boundaries)
    return LockedRendering(
        variant, total, draw(st.integers(0, total)), held, kept, draw(st.sampled_from([0, 150, 1024]))
    )


@st.composite
def locked(draw: st.DrawFn, name: str) -> LockedPrompt:
    variants = draw(st.lists(st.sampled_from(["1", "2 b", "2 a", "10", "vars/é.yaml", ""]), unique=True, max_size=3))
    made = tuple(draw(rendered(variant)) for variant in variants)
    words = st.none() | st.text(max_size=4)
    return LockedPrompt(
        name, draw(st.text(max_size=9)), draw(words), draw(words), draw(words), draw(st.booleans()), KEY, made
    )


NAMES = st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=4)
PROMPTS = NAMES.flatmap(lambda names: st.tuples(*(locked(name) for name in names)))


# What two renderings share.


@given(one=rendered())
def test_equal_renderings_lose_nothing(one: LockedRendering) -> None:
    found = shared(one, one)
    assert (found.segments, found.lost) == (len(one.segments), 0)


@given(old=rendered(), new=rendered())
def test_laws_of_what_is_shared(old: LockedRendering, new: LockedRendering) -> None:
    found = shared(old, new)
    assert 0 <= found.usable <= sum(one.tokens for one in old.segments[: found.segments])
    assert found.usable == 0 or found.usable >= old.minimum
    assert 0 <= found.lost <= old.prompt_tokens
    equal = [a.hash == b.hash for a, b in zip(old.segments, new.segments, strict=False)]
    assert all(equal[: found.segments])
    assert not any(equal[found.segments : found.segments + 1])
    other = shared(old, new, same_key=False)
    assert other == found._replace(usable=0, lost=found.usable + found.lost)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        # An automatic cache: up to the segment that changed.
        (rendering(*"abc"), rendering(*"abx"), Shared(2, 2000, 1000)),
        (rendering(*"abc"), rendering(*"xbc"), Shared(0, 0, 3000)),
        (rendering(*"abc"), rendering(*"axc"), Shared(1, 0, 3000)),  # below the minimum
        (rendering(*"abc"), rendering(*"abcd"), Shared(3, 3000, 0)),
        (rendering(*"abc"), rendering(*"ab"), Shared(2, 2000, 1000)),
        # Markers: up to the last one that the old rendering has set and the new one reaches.
        (
            rendering(*"abcd", boundaries=(1, 3)),
            rendering(*"abcx", boundaries=(1, 3)),
            Shared(3, 2000, 2000),
        ),
        (
            rendering(*"abcd", boundaries=(2,)),
            rendering(*"abcx", boundaries=(2,)),
            Shared(3, 3000, 0),  # behind the marker nothing was to be had
        ),
        (
            rendering(*"abcd", boundaries=(0, 3)),
            rendering(*"abxd", boundaries=(0, 3)),
            Shared(2, 0, 4000),  # the entry that is left is too small to be one
        ),
        (rendering(*"abc", boundaries=(2,)), rendering(*"abc", boundaries=(1,)), Shared(3, 0, 3000)),
        (rendering(*"abc", boundaries=(1,)), rendering(*"abc", boundaries=(2,)), Shared(3, 2000, 0)),
        (rendering(*"abc", boundaries=(1,)), rendering(*"abc", boundaries=()), Shared(3, 0, 2000)),
        (rendering(*"abc", boundaries=()), rendering(*"abc", boundaries=(1,)), Shared(3, 0, 0)),
    ],
)
def test_what_is_shared(old: LockedRendering, new: LockedRendering, found: Shared) -> None:
    assert shared(old, new) == found


def test_fingerprints_tell_texts_and_cuts_apart() -> None:
    assert fingerprint("abc") == "ba7816bf8f01cfea414140de"  # FIPS 180-4
    found = [fingerprint(*parts) for parts in [("ab", "c"), ("a", "bc"), ("abc", ""), ("abc",), (), ("\ud800",)]]
    assert len({*found}) == len(found)


# The file.


@given(prompts=PROMPTS, data=st.data())
def test_the_file_is_read_as_it_was_written_in_any_order(
    prompts: tuple[LockedPrompt, ...], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = as_text(prompts)
    shuffled = [one._replace(renderings=tuple(data.draw(st.permutations(one.renderings)))) for one in prompts]
    assert as_text(data.draw(st.permutations(shuffled))) == text
    assert text.isascii()
    path = str(tmp_path_factory.getbasetemp() / "round.lock")
    write_lock(path, prompts)
    found = read_lock(path)
    assert [one.name for one in found] == sorted(one.name for one in prompts)
    assert as_text(found) == text
    assert {*found} == {ordered(one) for one in prompts}


def test_the_file_has_a_line_for_each_segment_and_no_text_of_a_prompt(tmp_path: Path) -> None:
    one = prompt("support", rendering("You answer.", "Secret rule.", variant="2"), rendering("You", variant="10"))
    path = str(tmp_path / NAME)
    write_lock(path, [one])
    lines = Path(path).read_text().splitlines()
    assert sum(line.startswith('["/system/') for line in lines) == 3
    assert "answer" not in "".join(lines)
    assert "Secret" not in "".join(lines)
    value = json.loads("\n".join(lines))
    assert value["schema_version"] == 1
    assert [each["variant"] for each in value["prompts"][0]["renderings"]] == ["2", "10"]
    Path(path).write_text("\r\n".join(lines) + "\r\n")  # as a checkout may make it
    assert read_lock(path) == (one,)


def test_names_of_files_that_are_no_utf_8_are_kept(tmp_path: Path) -> None:
    odd = prompt(os.fsdecode(b"a\xff"))
    write_lock(str(tmp_path / NAME), [odd])
    assert read_lock(str(tmp_path / NAME)) == (odd,)


GOOD = as_text([prompt("a", rendering("x", "y", boundaries=(0, 1)))])
HASH = fingerprint("x")
ONE = GOOD.removesuffix("null]}\n")
FAULTS = [
    ("", "l is empty"),
    ("{", "l:1:2"),
    ("[" * 100_000, "l: brackets are nested"),
    ("[]", "l: not a lock"),
    ("{}", "l: not a lock"),
    ('{"schema_version": 1, "prompts": {}}', "l: not a lock"),
    ('{"schema_version": 1, "prompts": [], "prompts": []}', "l: a field is there twice"),
    ('{"schema_version": %s, "prompts": []}' % ("9" * 5000), "l: not a lock"),
    *((f'{{"schema_version": {other}, "prompts": []}}', "l: a lock of another") for other in ("2", "true", '"1"')),
    ('{"prompts": []}', "l: a lock of another version of promptlint; promptlint lock write"),
    (ONE.replace('"sum"', '<<<<<<< ours\n"sum"'), "l: marks of a failed merge"),
    (ONE.replace('"sum"', '=======\r\n"sum"'), "l: marks of a failed merge"),
    (ONE + GOOD.split("[\n", 1)[1], "l: a: it is there twice"),
    (ONE + "null,\nnull]}", "l: entry 1: its fields are not name, path"),
    (GOOD.replace('"end": "a"', '"end": "b"'), 'l: a: "end" is not its name'),
    (GOOD.replace('"path": ', '"pfad": '), "l: a: its fields"),
    (GOOD.replace('"path": "prompts/a.j2"', '"path": 3'), 'l: a: "path" is no text'),
    (GOOD.replace('"a"', '""'), 'l: entry 0: "name" is no text'),
    (GOOD.replace("prompts/a.j2", "p" * 9000), 'l: a: "path" is no text of at most'),
    (GOOD.replace('"exact": true', '"exact": 1'), 'l: a: "exact" is neither'),
    (GOOD.replace(KEY, KEY.upper()), 'l: a: "key" is no 24 hexadecimal digits'),
    (GOOD.replace(HASH, HASH[1:]), 'l: a: "hash" is no 24 hexadecimal digits'),
    (GOOD.replace(HASH, "g" * 24), 'l: a: "hash" is no 24 hexadecimal digits'),
    (GOOD.replace(HASH, fingerprint("z")), "l: a: not as it was written"),
    (GOOD.replace('"minimum": 1024', '"minimum": 512'), "l: a: not as it was written"),
    *(
        (GOOD.replace('"minimum": 1024', f'"minimum": {bad}'), 'l: a: "minimum" is no number from 0 to')
        for bad in ("-1", "1.0", "true", "null", "NaN", "1000000001", "1e400", '"1"')
    ),
    (GOOD.replace(", 1000]", ", -1]"), 'l: a: "tokens" is no number'),
    (GOOD.replace(", 1000]", ", 1001]"), "l: a: more tokens than the prompt has"),
    (GOOD.replace('"usable_tokens": 0', '"usable_tokens": 2001'), "l: a: more tokens than the prompt has"),
    (GOOD.replace(", 1000]", "]"), "l: a: a segment is no [place, hash, tokens]"),
    (GOOD.replace('"segments": [', '"segments": [3,'), "l: a: a segment is no"),
    (GOOD.replace('["/system/0/text"', '[["/system/0/text"]'), 'l: a: "place" is no text'),
    *(
        (GOOD.replace("[0, 1]", bad), 'l: a: "boundaries" ')
        for bad in ("[1, 0]", "[0, 0]", "[0, 2]", "[-1]", "[true]", "{}")
    ),
    (GOOD.replace("]}\n]", ']},\n{"variant": "one"}\n]'), "l: a: its fields are not variant"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_files_that_are_no_lock(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("l").write_text(text, newline="")
    with pytest.raises(PromptlintError) as fault:
        read_lock("l")
    assert str(fault.value).startswith(message)
    assert str(fault.value).isprintable()
    assert len(str(fault.value)) < 300


def test_a_file_that_is_missing_or_no_file(tmp_path: Path) -> None:
    with pytest.raises(PromptlintError, match="there is no such file; promptlint lock write makes one"):
        read_lock(str(tmp_path / "gone.lock"))
    for path in (str(tmp_path), "no\0name"):
        with pytest.raises(PromptlintError):
            read_lock(path)


@given(cut=st.integers(0, len(GOOD) - 2))
def test_a_file_that_was_cut_off_is_refused(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.lock"
    path.write_text(GOOD[:cut])
    with pytest.raises(PromptlintError):
        read_lock(str(path))


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / NAME
    write_lock(str(path), [prompt("a")])
    before = path.read_bytes()
    for bad, message in [
        ([prompt("b"), prompt("b")], "two prompts are called b"),
        ([prompt("b", rendering("x"), rendering("y"))], "the prompt b cannot be locked: two renderings"),
        ([prompt("b", rendering("x", boundaries=(1,)))], '"boundaries" are no rising'),
        ([prompt("b", key="")], '"key" is no 24'),
    ]:
        with pytest.raises(PromptlintError, match=message):
            write_lock(str(path), bad)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [NAME]


def test_a_damaged_lock_is_written_anew_and_another_file_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "l"
    assert renewable(str(path)) == ()
    path.write_text(GOOD)
    assert [one.name for one in renewable(str(path))] == ["a"]
    mixed = f"<<<<<<< ours\n{GOOD}=======\n{GOOD}>>>>>>> theirs\n"
    other = '{"schema_version": 2, "prompts": [\nnull]}\n'
    for damaged in ("", GOOD[:-9], GOOD.replace('"sum"', '<<<<<<< ours\n"sum"'), mixed, other):
        path.write_text(damaged)
        assert renewable(str(path)) == ()
    for foreign in ("prompts: []\n", "{}", '{"schema_version": 1, "known": []}\n', "<<<<<<< ours\nprompts: []\n"):
        path.write_text(foreign)
        with pytest.raises(PromptlintError, match="it is there, and no lock; name another file"):
            renewable(str(path))


# Merging.


def merge(folder: Path, base: str, ours: str, theirs: str, *options: str) -> tuple[int, str]:
    """The number of conflicts and the text that git makes of two branches."""
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_bytes(text.encode())
    line = ["git", "merge-file", "-p", "-q", *options, "ours", "base", "theirs"]
    done = subprocess.run(line, cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout.decode()


LETTERS = "abcdef"


@st.composite
def branches(draw: st.DrawFn) -> tuple[dict[str, LockedPrompt], dict[str, LockedPrompt], dict[str, LockedPrompt]]:
    """A lock, one branch that changes, adds or removes prompts, and one that changes others."""
    base = {name: draw(locked(name)) for name in LETTERS}
    taken = draw(st.sets(st.sampled_from(LETTERS)))
    ours, theirs = dict(base), dict(base)
    for name in LETTERS:
        side = ours if name in taken else theirs
        if draw(st.booleans()):
            side[name] = draw(locked(name))
        elif name in taken and draw(st.booleans()):
            del ours[name]
        if name in taken and draw(st.booleans()):
            ours[f"{name}-new"] = draw(locked(f"{name}-new"))
    return base, ours, theirs


@settings(max_examples=50, deadline=None)
@given(made=branches())
def test_branches_that_change_different_prompts_merge(
    made: tuple[dict[str, LockedPrompt], dict[str, LockedPrompt], dict[str, LockedPrompt]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    base, ours, theirs = made
    texts = [as_text(one.values()) for one in made]
    conflicts, text = merge(tmp_path_factory.getbasetemp(), *texts)
    names = {*ours} & {*theirs} | {*ours} - {*base}
    wanted = {name: theirs[name] if theirs.get(name) != base.get(name) else ours[name] for name in names}
    assert (conflicts, text) == (0, as_text(wanted.values()))


@st.composite
def clashing(draw: st.DrawFn) -> list[dict[str, LockedPrompt]]:
    """A lock and two branches that may change, add or remove the same prompts."""
    made: list[dict[str, LockedPrompt]] = [{name: draw(locked(name)) for name in "abc"}]
    for _ in range(2):
        branch = dict(made[0])
        for name in draw(st.sets(st.sampled_from("abcd"), min_size=1, max_size=2)):
            if draw(st.booleans()):
                branch[name] = draw(locked(name))
            else:
                branch.pop(name, None)
        made.append(branch)
    return made


@settings(max_examples=50, deadline=None)
@given(made=clashing(), union=st.booleans())
def test_whatever_a_merge_makes_no_prompt_is_read_that_nobody_has_written(
    made: list[dict[str, LockedPrompt]], union: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    texts = [as_text(one.values()) for one in made]
    conflicts, text = merge(folder, *texts, *(["--union"] if union else []))
    (folder / NAME).write_text(text)
    try:
        found = read_lock(str(folder / NAME))
    except PromptlintError:
        assert conflicts or union
    else:
        assert {as_text([one]) for one in found} <= {as_text([one]) for branch in made for one in branch.values()}
        assert conflicts == 0


def test_a_prompt_that_both_branches_change_conflicts_and_a_mixture_is_refused(tmp_path: Path) -> None:
    before = prompt("a", rendering(*"abcdef"), rendering(*"ghij", variant="two"))
    ours = prompt("a", rendering(*"axcdef"), rendering(*"ghij", variant="two"))
    theirs = prompt("a", rendering(*"abcdef"), rendering(*"gxij", variant="two"))
    conflicts, text = merge(tmp_path, as_text([before]), as_text([ours]), as_text([theirs]))
    assert conflicts == 1
    (tmp_path / NAME).write_text(text)
    with pytest.raises(PromptlintError, match="marks of a failed merge; put it right, or promptlint lock write"):
        read_lock(str(tmp_path / NAME))
    (mixed,) = (part for part in text.split("=======\n") if part.startswith('"sum"'))
    (tmp_path / NAME).write_text(text.split("<<<<<<<")[0] + mixed.replace(">>>>>>> theirs\n", ""))
    with pytest.raises(PromptlintError, match="a: not as it was written: two changes of it were merged"):
        read_lock(str(tmp_path / NAME))
