"""Times of day and dates that a text gives as the present ones, and those that it does not."""

import pytest

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.moments import clocks, dates

# A text, what is found first in it, and whether the text leaves no doubt.
CLOCKS: list[tuple[str, str, bool]] = [
    ("Time: 10:15:02 UTC", "10:15:02 UTC", False),
    ("Depot clock 10:15:02.", "10:15:02", False),
    ("Session started at 2026-11-29 10:15:02", "2026-11-29 10:15:02", False),
    ("Date: 2026-11-29 10:15:02", "2026-11-29 10:15:02", False),
    ("Today is Monday, 10:15 in Berlin.", "Monday, 10:15", True),
    ("Right now it is 10:15.", "10:15", False),
    ("utc_now: 2026-11-29T10:15:02+00:00", "2026-11-29T10:15:02+00:00", True),
    ("Local time is 15:09:20; the calendar reads 2026-03-11.\n\n# Desk", "15:09:20", True),
    ("Now: 2026-11-29T10:16:01Z\nYou answer", "2026-11-29T10:16:01Z", True),
    ("Request time 2026-11-29T10:15:02Z", "2026-11-29T10:15:02Z", True),
    ("Ask for a reason first. Server build 2026-11-29T08:00:00Z.", "2026-11-29T08:00:00Z", False),
    ("<turn-context>\n<clock>2026-07-26 14:03 +02:00</clock>", "2026-07-26 14:03 +02:00", False),
    ("<current_time>2026-11-29 10:15</current_time>", "2026-11-29 10:15", True),
    ("## Current time\n10:32:11 UTC", "10:32:11 UTC", True),
    (
        "The current date and time is Sunday, November 29, 2026 at 10:15 AM.",
        "Sunday, November 29, 2026 at 10:15 AM",
        True,
    ),
    ("It is 09:14.", "09:14", False),
    ("Current time (Europe/Berlin): 10:30 PM", "10:30 PM", True),
    ('{"now": "2026-11-29T10:15:02.123Z"}', "2026-11-29T10:15:02.123Z", True),
    ("current unix time: 1764411302", "1764411302", True),
    ("timestamp: 1764411302123", "1764411302123", False),
    ("Timestamp: 2026-11-29T10:15:02Z", "2026-11-29T10:15:02Z", False),
    ("2026-11-29T10:15:02Z\nYou are", "2026-11-29T10:15:02Z", False),
    ("[2026-11-29 10:15:02] System", "2026-11-29 10:15:02", False),
    ("Generated at 2026-11-29 10:15", "2026-11-29 10:15", False),
    ("As of 2026-11-29 10:15:02 UTC, stock", "2026-11-29 10:15:02 UTC", False),
    ("Today is Sunday, 29 Nov 2026, 10:15.", "Sunday, 29 Nov 2026, 10:15", True),
    ("The user's local time is 22:30.", "22:30", True),
    ("Es ist jetzt 10:15 Uhr", "10:15", True),
    ("当前时间\uff1a2026-11-29 10:15:02", "2026-11-29 10:15:02", True),
    ("Current datetime = 2026-11-29T10:15", "2026-11-29T10:15", True),
    ("The time is 3:05 pm in Lisbon.", "3:05 pm", False),
    ("It's 3:05 pm, Tuesday.", "3:05 pm", False),
    ("Current time: `2026-11-29 10:00:01`", "2026-11-29 10:00:01", True),
    ("Date/Time: 2026-11-29 10:00:01", "2026-11-29 10:00:01", False),
    ("The current time in Tokyo is 18:02.", "18:02", True),
    ("Sun Nov 29 10:15:02 UTC 2026\nbla", "Sun Nov 29 10:15:02 UTC 2026", False),
    ("<env>\ntime: 2026-11-29T10:15:02Z\n</env>", "2026-11-29T10:15:02Z", False),
]

NO_CLOCKS = [
    "Subject: Timetable\nTimestamp: 2025-06-11T10:22:31\nBody: Later.",
    "Open 9:00-17:30 on weekdays.",
    "Opening hours are in local time: 9:00-17:30",
    "The clock on the wall shows time complexity O(n).",
    "If it is 17:00 or later, say so.",
    "API version 2024-10-21",
    "for example 2024-01-31T08:00:00Z",
    "Timestamp: e.g. 2024-05-01T10:00:00Z",
    "current time in ISO 8601, 2024-05-01T10:00:00Z",
    "When the current time is 22:00, stop.",
    "Last updated 2024-05-01 10:00:00",
    "The meeting now starts: 10:30 each day? no",
    "```\nnow: 10:15:02\n```",
    "## Examples\nCurrent time: 10:15:02\nfoo",
    "<example>\nNow: 10:15:02\n</example>",
    "User: it is 10:15 now\nAssistant: ok",
    "Time: 09:00 - 17:00",
    "Time: 19:30\nPlace: hall",
    "Yoga at 10:30. Now: breathe.",
    "2024-05-01 10:22:31 INFO started",
    "ratio is 3:10",
    "Verse John 3:16 is now read",
    "Call `now()`; today's date 10:30 etc",
    "Ask for the current time of the user: 10:30 is no answer, e.g.",
    "deploy build 2024.05.1",
    "Effective as of 2024-01-01",
    "Do not call between now and 10:30.",
    'The user may say "it is 10:30 now".',
    "Write the current time as 10:30 PM style",
    "2024-05-01T00:00:00Z\nYou",
    '"It is 10:30 now" is what they say.',
    'Reply with {"now": "2026-05-01T10:00:00Z", "ok": true}',
    "Answer:\nIt is 10:15.\nMore.\n",
]

DATES: list[tuple[str, str, bool]] = [
    ("Current Date: November 29", "November 29", False),
    ("The date is 2026-11-29.", "2026-11-29", False),
    ("<date>2026-11-29</date>", "2026-11-29", False),
    ("Vandaag is het 29 november 2026", "29 november 2026", True),
    ("Today is Sunday, November 29, 2026.\n", "Sunday, November 29, 2026", True),
    ("Depot shift of 2026-03-04. You are", "2026-03-04", False),
    ("Today's date is 2026-11-29", "2026-11-29", True),
    ("Current date: 29/11/2026", "29/11/2026", True),
    ("<current_date>2026-11-29</current_date>", "2026-11-29", True),
    ("Today Date: 26 Jul 2024\n", "26 Jul 2024", True),
    ("the calendar reads 2026-03-11", "2026-03-11", True),
    ("Today is Monday.", "Monday", False),
    ("It is Sunday, 29 November 2026.", "Sunday, 29 November 2026", False),
    ("Date: Sunday, November 29, 2026", "Sunday, November 29, 2026", False),
    ("Heute ist Sonntag, der 29. November 2026.", "Sonntag, der 29. November 2026", True),
    ("今天是2026年11月29日", "2026年11月29日", True),
    ("Current month: November 2026", "November 2026", True),
    ("currentDate = 2026-11-29", "2026-11-29", True),
    ("# currentDate\nToday's date is 2026-11-29.", "2026-11-29", True),
    ("The current date is November 29th, 2026.", "November 29th, 2026", True),
    ("Hoy es domingo 29 de noviembre de 2026.", "domingo 29 de noviembre de 2026", True),
]

NO_DATES = [
    "Cutting Knowledge Date: December 2023",
    "knowledge cutoff: June 2024",
    "Last updated 2024-05-01",
    "effective from 1 January 2025",
    "since 2019",
    "Date: 2024-05-01",
    "Write dates as YYYY-MM-DD, such as 2024-03-01",
    "If today is Monday, send",
    "Assume today's date is 2024-01-01 for all tasks.",
    "version 2024-10-21",
    "Prices as of 2024-01-01",
    "The current day of the week matters. 2024-05-01",
    "Released today: nothing. See 2024",
    "e.g. today is 2024-05-01",
    "now 2024 edition",
    "Today, 12 people work here.",
    "It is 2024 all over again",
    "The current date of the policy: see 2024-05-01",
    "Our fiscal year starts today in 1999? no",
    "Bring yesterday's (2024-05-01) list",
    "You MUST now:\n1. Set the state\n2. March on",
    "If tomorrow is 11/12/2019, then today is 11/11/2019. The date one year ago from today is 11/11/2018.",
    "Date: Saturday, Nov. 24, 6 pm starting",
    "Date: Saturday, November 24, 2024\nTime: 6 pm\nPlace: the old boat house",
    "Today is 2026-11-29.\nIn the other story today is 2026-11-30.",
    "now 1 May be skipped",
]


def first(text: str, found: list[Found]) -> tuple[str, bool]:
    assert found
    return text[found[0].start : found[0].end], found[0].sure


@pytest.mark.parametrize(("text", "value", "sure"), CLOCKS)
def test_a_present_time_of_day_is_found(text: str, value: str, sure: bool) -> None:
    assert first(text, list(clocks(text))) == (value, sure)


@pytest.mark.parametrize("text", NO_CLOCKS)
def test_another_time_of_day_is_none(text: str) -> None:
    assert not list(clocks(text))


@pytest.mark.parametrize(("text", "value", "sure"), DATES)
def test_a_date_of_today_is_found(text: str, value: str, sure: bool) -> None:
    assert first(text, list(dates(text))) == (value, sure)


@pytest.mark.parametrize("text", NO_DATES)
def test_another_date_is_none(text: str) -> None:
    assert not list(dates(text))


def test_a_date_beside_a_time_is_told_with_the_time() -> None:
    text = "Now: 2026-11-29T10:15:02Z, today is 2026-11-29."
    assert len(list(clocks(text))) == 1
    assert not list(dates(text))


def test_one_day_in_two_notations_is_one_day() -> None:
    text = "Today is 2026-11-29." + " Open the door." * 20 + " The current date is November 29, 2026."
    assert len(list(dates(text))) == 2


def test_the_description_of_an_argument_may_tell_a_present_time_only_by_name() -> None:
    assert list(clocks("Current time: 10:15:02", True))
    assert not list(clocks("Request time 2026-11-29T10:15:02Z", True))
    assert not list(dates("It is Sunday, 29 November 2026.", True))
