"""Two texts and the one label that holds; what no label explains is `text-edited` (system) or `history-rewritten`."""

from typing import Any

import pytest

from documents import rendered
from promptlint.boundary import Divergence, text_divergences
from promptlint.read.raw import common_prefix

TEXTS: dict[str, list[tuple[str, str]]] = {
    "clock": [
        ("It is 09:14.", "It is 09:15."),
        ("Now: 2026-11-29T08:15:30Z", "Now: 2026-11-29T08:16:31Z"),
        ("Now: 2026-11-29T08:15:30.123456+01:00", "Now: 2026-11-29T08:15:30.999456+01:00"),
        ("Now: 2026-11-29T23:59:30Z x", "Now: 2026-11-30T00:00:31Z x"),
        ("at 3:05 PM today", "at 3:06 PM today"),
        ("at 11:59 AM today", "at 12:00 PM today"),
        ("at 3 PM today", "at 4 PM today"),
        ("at 9h30 ce matin", "at 9h31 ce matin"),
        ("Es ist 14.05 Uhr.", "Es ist 14.06 Uhr."),
        ("Il est 14 h 05", "Il est 14 h 06"),
        ("現在 14時05分 です", "現在 14時06分 です"),
        ("ts=1764403200", "ts=1764403260"),
        ("ts=1764403200123", "ts=1764403260456"),
        ("ts=1764403200.123", "ts=1764403260.5"),
        ("time: 1764403200123456789", "time: 1764403200999456789"),
        ("Mon Nov 30 09:14:00 UTC 2026", "Mon Nov 30 09:15:00 UTC 2026"),
        ("Mon, 30 Nov 2026 09:14:00 GMT", "Mon, 30 Nov 2026 09:15:00 GMT"),
        ("20261129T081530Z", "20261129T081531Z"),
        ("started 10:05, now 10:06", "started 10:05, now 10:07"),
        ("[2026-11-29 08:15] hi", "[2026-11-29 08:16] hi"),
        ("Lokale Zeit: 8:15", "Lokale Zeit: 8:16"),
        ("오후 3시 05분", "오후 3시 06분"),
    ],
    "date-rollover": [
        ("Now: 2026-11-29T08:15:30Z", "Now: 2026-11-30T08:15:30Z"),
        ("Today: 3 May", "Today: 4 May"),
        ("Today is Monday.", "Today is Tuesday."),
        ("Today's date: 2026-11-28", "Today's date: 2026-11-29"),
        ("Date: 28/11/2026", "Date: 29/11/2026"),
        ("Date: 11/28/2026", "Date: 11/29/2026"),
        ("Datum: 28.11.2026", "Datum: 29.11.2026"),
        ("Heute ist Montag, der 3. Mai 2026", "Heute ist Dienstag, der 4. Mai 2026"),
        ("Nous sommes le 3 mai 2026", "Nous sommes le 4 mai 2026"),
        ("Hoy es 3 de mayo de 2026", "Hoy es 4 de mayo de 2026"),
        ("今日は2026年11月28日", "今日は2026年11月29日"),
        ("오늘은 2026년 11월 28일", "오늘은 2026년 11월 29일"),
        ("Сегодня 3 мая 2026", "Сегодня 4 мая 2026"),
        ("Monday, November 30, 2026", "Tuesday, December 1, 2026"),
        ("Mon Nov 30 09:14:00 UTC 2026", "Tue Dec 1 09:14:00 UTC 2026"),
        ("It is May 2026.", "It is June 2026."),
        ("20261129", "20261130"),
        ("week 2026-W48", "week 2026-W49"),
        ("report-2026-11-28.txt is attached", "report-2026-11-29.txt is attached"),
        ("between 2024-05-01 and x", "between 2024-06-01 and x"),
    ],
    "identifier": [
        ("commit 7f3a91c", "commit c04b2e1"),
        ("run: 7f3a91", "run: c04b2e"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id 550e8400-e29b-41d4-a716-446655449999"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id 6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id 550e8400-e29b-41d4-a716-446655440001"),
        ("key 01ARZ3NDEKTSV4RRFFQ69G5FAV", "key 01ARZ3NDEKTSV4RRFFQ69G5FZZ"),
        ("key 01ARZ3NDEKTSV4RRFFQ69G5FAV", "key 01BX5ZZKBKACTAV9WEVGEMMVRZ"),
        ("session sess_9fKq2Lp0xA", "session sess_Zt7Bv1Qw4r"),
        ("nonce dGhpcyBpcyBh==", "nonce c29tZXRoaW5n=="),
        ("token aGVsbG8gd29ybGQgMTIz", "token Zm9vYmFyIGJheiA0NTY2"),
        ("request 48213377", "request 91177263"),
        ("Run in /tmp/tmpab12cd34/x", "Run in /tmp/tmpzz98yy76/x"),
        ("the id is feedface", "the id is badc0ffe"),
        ("<object at 0x7f8b1c2d3e40>", "<object at 0x7f8b1c9a1e10>"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace 00f067aa0ba902b7a3ce929d0e0e4736"),
        ("pod web-7d9f8b6c5-xk2lp", "pod web-5c6b8f9d7-q9zrt"),
        ("in /tmp/claude-8f3b2a91/scratch", "in /tmp/claude-c04d7e15/scratch"),
    ],
    "counter": [
        ("Turn 4 of 20", "Turn 5 of 20"),
        ("Turn 9 of 20", "Turn 10 of 20"),
        ("budget: 120000 tokens left", "budget: 98000 tokens left"),
        ("about 61k tokens left", "about 58k tokens left"),
        ("You have 61,204 tokens left", "You have 58,991 tokens left"),
        ("Context: 41% used", "Context: 43% used"),
        ("Attempt 1/5", "Attempt 2/5"),
        ("cost so far: $0.12", "cost so far: $0.15"),
        ("Step 3 of 9", "Step 4 of 9"),
        ("Nachricht 12", "Nachricht 13"),
        ("remaining: 5", "remaining: 3"),
        ("This is the 12th message.", "This is the 13th message."),
        ("[3/10] next", "[4/10] next"),
        ('{"turn": 4}', '{"turn": 5}'),
        ("Step 3 of 9", "Step 6 of 9"),
        ("Requests so far: 120", "Requests so far: 157"),
        ("Retries: 3", "Retries: 4"),
        ("credits: 12", "credits: 11"),
    ],
    "environment": [
        ("branch: main", "branch: fix-tax"),
        ("host: web-1", "host: web-2"),
        ("cwd: /home/ann/proj", "cwd: /home/bob/proj"),
        ("Working directory: /home/ann/proj", "Working directory: /home/bob/proj"),
        ("Run in /tmp/pytest-of-ann/pytest-12/x", "Run in /tmp/pytest-of-ann/pytest-13/x"),
        ("see /usr/lib/a.py for", "see /usr/lib/b.py for"),
        ("C:\\Users\\ann\\x", "C:\\Users\\bob\\x"),
        ("M src/a.py", "M src/b.py"),
        (" M src/a.py\n?? n.txt\n", " M src/a.py\n"),
        ("drwxr-xr-x 2 a a 4096 Nov 1 10:00 src", "drwxr-xr-x 2 a a 4096 Nov 1 10:05 src"),
        ("a1b2c3d fix tax\n9f8e7d6 init", "0a9b8c7 add vat\na1b2c3d fix tax"),
        ("ip 10.0.0.1", "ip 10.0.0.2"),
        ("On branch main", "On branch fix"),
        ("Platform: darwin", "Platform: linux"),
        ("shell: /bin/zsh", "shell: /bin/bash"),
        ("HEAD: 7f3a91c-dirty", "HEAD: 7f3a91c"),
        ("user: larch-7.", "user: larch-8."),
        ("hostname: larch", "hostname: finch"),
        ("git branch: wip", "git branch: done"),
        ("status: 2 files modified", "status: clean"),
        ("python: 3.11.2", "python: 3.12.1"),
        ("nothing to commit, working tree clean\n", " M src/a.py\n"),
        ("node-3.cluster.local", "node-4.cluster.local"),
    ],
    "per-turn-context": [
        ("<facts>tides are high</facts>", "<facts>the moon is round</facts>"),
        ("<memory>\nlikes tea\n</memory>", "<memory>\nlikes coffee\n</memory>"),
        ("<todo>\n- buy milk\n</todo>", "<todo>\n- buy eggs\n</todo>"),
    ],
    "white-space": [
        ("done. ", "done."),
        ("a\tb c", "a  b c"),
        ("a b", "a\nb"),
        ("ab", "a b"),
        ("line one  \nline two", "line one\nline two"),
        ("a\n\nb", "a\nb"),
        ("a\r\n b", "a\nb"),
        ("AT&T", "AT & T"),
        ('{"a":1}', '{"a": 1}'),
    ],
    "line-endings": [
        ("a\r\nb", "a\nb"),
        ("a\rb", "a\nb"),
        ("a\r\nb\r\nc", "a\nb\r\nc"),
    ],
    "unicode-form": [
        ("café", "café"),
        ("Å", "Å"),
        ("ﬁne", "fine"),
        ("①", "1"),
        ("\uff21", "A"),
        ("a\u2003b", "a b"),
        ("a\u3000b", "a b"),
        ("…", "..."),
    ],
    "invisible-character": [
        ("plan", "\ufeffplan"),
        ("pl\u200ban", "plan"),
        ("pl\u202ean", "plan"),
        ("co\xadop", "coop"),
        ("a\xa0b", "a b"),
        ("a\u2060b", "ab"),
        ("👍️", "👍"),
    ],
    "escape-form": [
        ("R&amp;D", "R&D"),
        ("&lt;b&gt;", "<b>"),
        ("&#233;", "é"),
        ('{"a":"\\u00e9"}', '{"a":"é"}'),
        ('{"a":"x\\/y"}', '{"a":"x/y"}'),
    ],
    "number-form": [
        ("weight 2.50 kg", "weight 2.5 kg"),
        ("x=1e3", "x=1000"),
        ("x=1,000", "x=1000"),
        ('{"a":1.0}', '{"a":1}'),
        ("x=2.50", "x=2.5"),
    ],
    "key-order": [
        ('{"a":1,"b":2}', '{"b":2,"a":1}'),
        ('{"a":{"c":1,"d":2}}', '{"a":{"d":2,"c":1}}'),
    ],
    "list-order": [
        ('{"a":[1,2]}', '{"a":[2,1]}'),
        ("Files:\n- a.py\n- b.py\n- c.py\n", "Files:\n- b.py\n- a.py\n- c.py\n"),
    ],
    "items-changed": [
        ("Files:\n- a.py\n- b.py\n", "Files:\n- a.py\n- b.py\n- c.py\n"),
        ("Files:\n- a.py\n- b.py\n- c.py", "Files:\n- a.py\n- c.py"),
        ("Rules:\n1. be nice\n2. be kind\n", "Rules:\n1. be nice\n2. be kind\n3. be fast\n"),
    ],
    "text-edited": [
        ("Now 2026-11-29T08:15:30-05:00", "Now 2026-11-29T08:15:30-04:00"),
        ("year 2026", "year 2027"),
        ("Current year: 2026", "Current year: 2027"),
        ("use version 1.2.3", "use version 1.2.4"),
        ("use version 1.2", "use version 1.3"),
        ("aspect ratio 16:9", "aspect ratio 16:10"),
        ("aspect ratio 4:30", "aspect ratio 4:31"),
        ("John 3:16 says", "John 3:17 says"),
        ("Genesis 1:01 says", "Genesis 1:02 says"),
        ("mix sand 3:10 with", "mix sand 3:12 with"),
        ("odds 10:11", "odds 10:12"),
        ("price $19.99", "price $24.99"),
        ("price $19", "price $20"),
        ("costs 30 EUR", "costs 31 EUR"),
        ("gpt-4o", "gpt-5"),
        ("Use claude-sonnet-4-20250514", "Use claude-sonnet-4-20250929"),
        ("color #ff0000", "color #00ff00"),
        ("color #a1b2c3", "color #d4e5f6"),
        ("background: #1a2b3c;", "background: #9f8e7d;"),
        ("ticket ABC-123", "ticket ABC-124"),
        ("you have 3 apples", "you have 4 apples"),
        ("at most 3 items", "at most 4 items"),
        ("Answer in at most 100 words.", "Answer in at most 150 words."),
        ("max 5 tool calls", "max 10 tool calls"),
        ("Limit: 4096 tokens", "Limit: 8192 tokens"),
        ("Use 2 spaces", "Use 4 spaces"),
        ("Chapter 4", "Chapter 5"),
        ("HTTP 404", "HTTP 405"),
        ("Python 3", "Python 4"),
        ("Python 3.11", "Python 3.12"),
        ("port 8080", "port 8081"),
        ("version 1.10", "version 1.1"),
        ("count 007", "count 7"),
        ("zip 01234", "zip 1234"),
        ("Status: friendly", "Status: formal"),
        ("user: be nice to the user", "user: be rude to the user"),
        ("Path: think first", "Path: act first"),
        ("Commit: to your answer", "Commit: to the plan"),
        ("Be brief.", "Be very brief."),
        ("The defaced facade", "The decades facade"),
        ("call abc", "call abd"),
        ("covid19 info", "covid20 info"),
        ("use utf8mb4 here", "use latin1x9 here"),
        ("use sha256sum here", "use blake2bsum here"),
        ("x86_64 build", "aarch64 build"),
        ("May I help?", "June I help?"),
        ("You may go", "You might go"),
        ("Ask Sun about", "Ask Mon about"),
        ("sat on the mat", "sun on the mat"),
        ("in march we walk", "in april we walk"),
        ("deadbeef", "cafebabe"),
        ("ISBN 9780306406157", "ISBN 9781861972712"),
        ("call +1 555 123 4567", "call +1 555 765 4321"),
        ("coords 52.5200, 13.4050", "coords 48.8566, 2.3522"),
        ("population 8,336,817", "population 9,123,456"),
        ("at 127.0.0.1:8080", "at 127.0.0.1:8081"),
        ("born 1990", "born 1991"),
        ("score 3-2", "score 4-2"),
        ("range 1-10", "range 1-11"),
        ("SM-G991B phone", "SM-S918B phone"),
        ("phone A2403B12", "phone A2633C14"),
        ("a\u2028b", "a\nb"),
        ("a b", "a_b"),
        ("ab", "ac"),
        ("résumé", "resume"),
        ("“hi”", '"hi"'),
        ("a \u2013 b", "a - b"),
        ("fish & chips", "fish and chips"),
        ('{"a":1}', '{"a":"1"}'),
        ('{"a":true}', '{"a":"true"}'),
        ('{"a":1,"b":2}', '{"b":2,"a":3}'),
        ("Do:\n- read a\n- write b\n", "Do:\n- read a\n- write c\n"),
        ("<rules>be nice</rules>", "<rules>be kind</rules>"),
        ("<b>old</b>", "<b>new</b>"),
        ("<facts>tides</facts>x", "<facts>tides</facts>y"),
        ("getUserProfileData2x", "getUserAccountInfo2x"),
        ("A dog barks", "A cat barks"),
        ("   indented", "   indexed"),
        ("AM radio", "FM radio"),
        ("see https://docs.x.io/v1", "see https://docs.x.io/v2"),
        ("yes and/or no", "yes either/or no"),
        ("use page /api/v1/users", "use page /api/v2/users"),
        ("Ask 2 questions", "Ask 3 questions"),
        ("in 2 steps", "in 3 steps"),
        ("14:05", "2:05 PM"),
        ("2026-11-29", "29.11.2026"),
        ("pip 2026.1.1", "pip 2026.1.2"),
        ("version 2024-05-01", "version 2024-06-01"),
        ("model gpt-4o-2024-05-13", "model gpt-4o-2024-08-06"),
        ("branch manager", "branch director"),
        ("3 am Tisch", "4 am Tisch"),
        ("the 1 shell: crunchy nuts", "the 1 shell: soft nuts"),
        ("budget: 3 apples", "budget: 5 apples"),
        ("5 tokens left", "7 tokens left"),
        ("Temperature 20", "Temperature 21"),
        ("Retries: 3", "Retries: 10"),
        ("Output tokens: 4096", "Output tokens: 8192"),
        ("max_tokens: 1", "max_tokens: 2"),
        ("Allow requests: 100", "Allow requests: 500"),
        ("budget: 500 EUR", "budget: 400 EUR"),
        ("Total: 30 EUR", "Total: 45 EUR"),
        ("Commit: yes", "Commit: no"),
        ("head: cold", "head: warm"),
        ("User: nurse.", "User: doctor."),
        ("Platform: mobile", "Platform: desktop"),
        ("Host: Anna", "Host: Berta"),
        ("Status: 5 tickets are open", "Status: 6 tickets are open"),
        ("host: " + "a-" * 200 + "x", "host: " + "a-" * 200 + "y"),
        ("Sit at table 4", "Sit at table 9"),
        ("fix #12", "fix #31"),
        ("duration 10:11 min", "duration 10:12 min"),
    ],
}
ROWS = [pytest.param(*pair, label, id=f"{label}: {pair[0]!r}") for label, pairs in TEXTS.items() for pair in pairs]


def system(text: str) -> Any:
    return [{"role": "system", "content": text}, {"role": "user", "content": "Hello there, what now?"}]


def history(text: str) -> Any:
    return [
        {"role": "user", "content": "Hello there, what now?"},
        {"role": "assistant", "content": text},
        {"role": "user", "content": "Thanks, go on."},
    ]


def divergences(old: Any, new: Any) -> list[Divergence]:
    return text_divergences(rendered(old), rendered(new))


@pytest.mark.parametrize(("old", "new", "label"), ROWS)
def test_system_text(old: str, new: str, label: str) -> None:
    (found,) = divergences(system(old), system(new))
    assert (found.cause, found.level, found.within) == (label, "system", (0, "content"))
    assert (found.a.path, found.b.path) == ((0, "content"), (0, "content"))
    assert found.a.char == found.b.char == common_prefix(old, new)


@pytest.mark.parametrize(("old", "new", "label"), ROWS)
def test_the_other_way_round(old: str, new: str, label: str) -> None:
    """Only a count has a direction: it rises, or a budget shrinks."""
    (found,) = divergences(system(new), system(old))
    assert found.cause == label or "counter" in (label, found.cause)
    assert found.a.char == common_prefix(old, new)


@pytest.mark.parametrize(("old", "new", "label"), ROWS)
def test_text_of_an_old_message(old: str, new: str, label: str) -> None:
    (found,) = divergences(history(old), history(new))
    assert found.cause == label.replace("text-edited", "history-rewritten")
    assert (found.level, found.within) == ("messages", (1, "content"))


@pytest.mark.parametrize(("old", "new", "label"), ROWS)
def test_more_text_around_it(old: str, new: str, label: str) -> None:
    before, behind = "You are a careful assistant.\n", "\nAnswer in full sentences."
    (found,) = divergences(system(before + old + behind), system(before + new + behind))
    assert found.cause == label
    assert found.a.char == len(before) + common_prefix(old + behind, new + behind)


SEVERAL = [
    ("It costs 2.50 and 3", "It costs 2.5 and 4", ["number-form", "text-edited"]),
    ("It is 09:14. Run 7f3a91", "It is 09:15. Run c04b2e", ["clock", "identifier"]),
    ("Turn 4\nplease be brief\nTurn 4", "Turn 5\nplease be terse\nTurn 5", ["counter", "text-edited"]),
    ("on 2026-11-28 in /home/ann/x", "on 2026-11-29 in /home/bob/x", ["date-rollover", "environment"]),
    ("Be brief. Be kind. Be fast.", "Be terse. Be kind. Be slow.", ["text-edited"]),
    ("run: 7f3a91\nsession: 9b1c77", "run: c04b2e\nsession: 4d2a06", ["identifier", "identifier"]),
]


@pytest.mark.parametrize(("old", "new", "labels"), SEVERAL)
def test_several_causes_in_one_text(old: str, new: str, labels: list[str]) -> None:
    assert [found.cause for found in divergences(system(old), system(new))] == labels


def test_a_listing_that_changed_on_every_line_is_one_change() -> None:
    old, new = ("\n".join(f"-rw-r--r-- 1 a a {i} Nov 1 10:0{c} f{i}" for i in range(20)) for c in (1, 2))
    (found,) = divergences(system(f"Files:\n{old}"), system(f"Files:\n{new}"))
    assert found.cause == "environment"


def test_one_date_at_two_places_is_one_change() -> None:
    old, new = (
        [*system(f"Today: {day}"), {"role": "assistant", "content": "Hi"}, {"role": "user", "content": f"It is {day}."}]
        for day in ("2026-11-28", "2026-11-29")
    )
    (found,) = divergences(old, new)
    assert (found.cause, [repeat.b.path for repeat in found.repeats]) == ("date-rollover", [(3, "content")])


def test_context_of_a_turn_needs_an_equal_history_behind_it() -> None:
    old, new = system("<facts>tides</facts>"), system("<facts>moon</facts>")
    assert divergences(old, new)[0].cause == "per-turn-context"
    new[1]["content"] = "Something else altogether?"
    assert divergences(old, new)[0].cause == "text-edited"
