"""Forecast against observed: what agrees, what is proven by it, and what is said of a gap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.boundary.align import common_head
from promptlint.confirm.live.agreement import Forecast, Judged, Observed, by_ids, in_its_tokens, joined, judged

EXACT = Forecast(400, shared_tokens=410, prompt_tokens=500, exact=True)
ABOUT = Forecast(400, prompt_tokens=500, lost_tokens=0, unit=128)
SEEN = Observed(cold=0, warm=400, prompt_tokens=500, first_tokens=450)
SHORT_START = Forecast(3000, prompt_tokens=20_000, lost_tokens=17_000, unit=128, minimum=1024, shared_tokens=3000)
ENTRY = Forecast(1500, prompt_tokens=20_000, lost_tokens=18_500, minimum=1024, by_entries=True)
LONG = Observed(cold=0, warm=None, prompt_tokens=20_000, first_tokens=20_000, left=20_000)


@pytest.mark.parametrize(
    ("forecast", "own", "seen", "agrees", "said"),
    [
        (EXACT, None, SEEN, True, ""),
        (EXACT, 400, SEEN, True, ""),
        (EXACT._replace(tokens=390), 400, SEEN, False, "is not the server's"),
        (EXACT._replace(exact=False), 400, SEEN, True, ""),
        (EXACT, None, SEEN._replace(warm=None), None, "does not say"),
        (EXACT, None, SEEN._replace(is_sum=True), None, "sums over passes"),
        (EXACT._replace(tokens=None, why="an image"), None, SEEN, None, "an image"),
        (EXACT, None, SEEN._replace(control=400), None, "told to reuse nothing"),
        (EXACT, None, SEEN._replace(cold=None), None, "no control"),
        (EXACT, None, SEEN._replace(cold=None, control=0), True, ""),
        (EXACT, None, SEEN._replace(cold=399), None, "earlier traffic"),
        (EXACT._replace(tokens=0), None, SEEN._replace(warm=0), None, "0 proves nothing"),
        (EXACT._replace(tokens=0), None, SEEN._replace(warm=0, again=480, again_is_first=False), True, ""),
        (EXACT, None, SEEN._replace(warm=384), False, "whole blocks, perhaps of 128"),
        (EXACT._replace(tokens=500), None, SEEN._replace(warm=499), False, "last token"),
        (EXACT, None, SEEN._replace(warm=17), False, "another template"),
        (EXACT, None, SEEN._replace(warm=0), None, "cache off, another replica"),
        (EXACT, None, SEEN._replace(warm=0, again=0), None, "keeps nothing"),
        (EXACT, None, SEEN._replace(warm=0, again=390), False, "reads 390 tokens"),
        (EXACT, None, SEEN._replace(warm=0, again=390, again_is_first=False), None, "a second try"),
        (EXACT._replace(minimum=390), None, SEEN._replace(warm=0, again=0), None, "near the minimum of 390"),
        (EXACT, None, SEEN._replace(warm=408), False, "smaller steps"),
        (EXACT, None, SEEN._replace(warm=430, control=0), False, "shares more"),
        (EXACT, None, SEEN._replace(warm=499, control=0), None, "whole second prompt"),
        (EXACT, None, SEEN._replace(warm=430, cold=20), None, "already read 20"),
        (
            EXACT._replace(tokens=0, minimum=1024, shared_tokens=9),
            None,
            SEEN._replace(warm=64),
            False,
            "minimum of 1,024",
        ),
        (ABOUT, None, SEEN._replace(warm=384), True, ""),
        (ABOUT, None, SEEN._replace(warm=0), None, "cache off"),
        (ABOUT._replace(tokens=0), None, SEEN._replace(warm=128), False, "hidden prefix"),
        # A short start of a long prompt: a part of the prompt would be more than is shared.
        (SHORT_START, None, LONG._replace(warm=2816), True, ""),
        (SHORT_START, None, LONG._replace(warm=1024), False, "another template"),
        (SHORT_START, None, LONG._replace(warm=1152), False, "another template"),
        (SHORT_START, None, LONG._replace(warm=2048), False, "another template"),
        (SHORT_START, None, LONG._replace(warm=4900), False, "hidden prefix"),
        (SHORT_START._replace(tokens=1900, lost_tokens=18_100), None, LONG._replace(warm=128), False, "template"),
        (ENTRY, None, LONG._replace(warm=1600), True, ""),
        (ENTRY, None, LONG._replace(warm=3400), False, "hidden prefix"),
    ],
)
def test_what_follows(forecast: Forecast, own: int | None, seen: Observed, agrees: bool | None, said: str) -> None:
    found = judged(forecast, own, seen)
    assert (found.agrees, said in found.gap, bool(found.gap)) == (agrees, True, bool(said)), found


def test_counts_of_another_vocabulary_are_brought_to_the_servers() -> None:
    assert in_its_tokens(ABOUT, SEEN) == (384, False)  # all of the 450 of the first prompt, in steps of 128
    assert in_its_tokens(ABOUT._replace(lost_tokens=400, unit=1), SEEN) == (225, False)
    assert in_its_tokens(ABOUT._replace(lost_tokens=None), SEEN._replace(prompt_tokens=600)) == (480, False)
    entries = ABOUT._replace(by_entries=True)
    assert in_its_tokens(entries, SEEN._replace(left=1770)) == (1770, True)
    assert in_its_tokens(entries._replace(lost_tokens=400), SEEN._replace(left=1770)) == (885, False)


def test_an_entry_is_read_to_the_token() -> None:
    entries, seen = ABOUT._replace(by_entries=True), SEEN._replace(left=1770)
    assert judged(entries, None, seen._replace(warm=1770)).agrees is True
    assert judged(entries, None, seen._replace(warm=1769)).agrees is False


IDS = st.lists(st.integers(0, 2), max_size=40)


@given(IDS, IDS, IDS, st.sampled_from([1, 2, 16]))
def test_reuse_by_ids(a: list[int], answer: list[int], b: list[int], unit: int) -> None:
    reused = by_ids(a, answer, b, unit)
    assert reused % unit == 0
    assert 0 <= reused <= max(len(b) - 1, 0)
    assert reused <= common_head([*a, *answer[:-1]], b) < reused + unit or reused == max(len(b) - 1, 0) // unit * unit


def test_tries_that_differ_show_nothing() -> None:
    yes, no = Judged(True, 400, ""), Judged(False, 400, "another template")
    assert joined([no, no], [128, 128]) == no
    assert joined([no, yes], [0, 400]) == Judged(
        None, 400, "1 of 2 tries read nothing: another replica, or evicted in between"
    )
    assert joined([no, no], [128, 256])[::2] == (None, "the tries differ: they read 128 and 256 tokens")
    assert joined([no, no], [128, None])[::2] == (
        None,
        "the tries differ: they read 128 and an unknown number of tokens",
    )


def test_a_judgement_is_plain_data() -> None:
    assert judged(EXACT, None, SEEN) == Judged(True, 400, "")
