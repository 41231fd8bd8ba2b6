"""Ids, counts, people, the state of a machine, retrieved text: found where they move, silent elsewhere."""

import pytest

from promptlint.lint.volatile.counters import counters
from promptlint.lint.volatile.environment import environment
from promptlint.lint.volatile.identifiers import identifiers, is_random
from promptlint.lint.volatile.people import people
from promptlint.lint.volatile.retrieved import retrieved

# A text, what is found first in it, and the words for it.
IDENTIFIERS: list[tuple[str, str, str]] = [
    ("You are agent worker-7f3a9c2e.", "worker-7f3a9c2e", "the name of one run or worker"),
    ("cache-buster: 0.8374658", "0.8374658", "an id of one request"),
    ("run: run-13e2a86d\nfolder: /srv/agents/trees/run-13e2a86d\n", "run-13e2a86d", "an id of one session or run"),
    (
        "Reads /scratch/u7/agent-settings-fb15ce53-813b-46e7-ac12-83e2d4031acf.json first",
        "/scratch/u7/agent-settings-fb15ce53-813b-46e7-ac12-83e2d4031acf.json",
        "a path with a random part",
    ),
    (
        "Session 6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11.",
        "6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11",
        "an id of one session or run",
    ),
    (
        "session_id: 6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11",
        "6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11",
        "an id of one session or run",
    ),
    ("<session_id>sess_8fK2aQ91bZ</session_id>", "sess_8fK2aQ91bZ", "an id of one session or run"),
    ('"requestId": "req_01HV8Q2K7M3N"', "req_01HV8Q2K7M3N", "an id of one request"),
    ("Trace-Id: 4bf92f3577b34da6a3ce929d0e0e4736", "4bf92f3577b34da6a3ce929d0e0e4736", "an id of one request"),
    ("nonce: 9f31c07ab2", "9f31c07ab2", "an id of one request"),
    ("build hash: 3f9a2c1d", "3f9a2c1d", "the id of a build"),
    ("Temp dir is /tmp/tmpab3k9x_q", "/tmp/tmpab3k9x_q", "a path with a random part"),
    ("Use /var/folders/zz/8k2j1h3g4d9/T/out", "/var/folders/zz/8k2j1h3g4d9/T/out", "a path with a random part"),
    (
        "correlation id = 6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11",
        "6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11",
        "an id of one request",
    ),
    ("conversation id is 48213377", "48213377", "an id of one session or run"),
    (
        "C:\\Users\\a\\AppData\\Local\\Temp\\run-8c1d2e3f\\x",
        "C:\\Users\\a\\AppData\\Local\\Temp\\run-8c1d2e3f\\x",
        "a path with a random part",
    ),
]

NO_IDENTIFIERS = [
    "run-20260101, job-build-test, session-based, /srv/run-13e2a86d.log.txt:1, rate: 0.75",
    "The workspace id 6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11 is constant",
    "session_id: a UUID such as 6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11",
    "model claude-3-5-sonnet-20241022",
    "run: pytest -q",
    "API version 2024-10-21",
    "GET /v1/orders/6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11/items",
    "https://docs.x.com/tmp/6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11",
    "session: string",
    "thread: utf8",
    "request: GET /a1b2",
    "release: 2024.05.1",
    "build 20240501",
    "```\nsession_id: 6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11\n```",
    "sha256:9f31c07ab29f31c07ab29f31c07ab29f31c07ab2",
    "request id: 123e4567-e89b-12d3-a456-426614174000",
    "Store output in /tmp/results.json",
    "~/.config/app/settings.json",
    "Run ID: <id>",
    "job: build-and-test-2",
    "Chat: gpt-4o-mini",
    "Turn: left90x",
    "WARN gateway level=warn request_id=a1b2c3d4e5f6 took=3ms",
    "2026-05-01T10:22:31Z INFO session 6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11 opened",
    'Sort it.\nAnswer as {"severity": "page", "request_id": "6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11"}',
    "A line with rid=6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11 gives:\nrequest id: 6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11",
    "/run/user/1001/gnupg/S.gpg-agent:0:1",
]

COUNTERS: list[tuple[str, str, bool]] = [
    ("Turn: 7", "Turn: 7", False),
    ("Context usage: 34%", "Context usage: 34%", True),
    ("34% of the context used", "34% of the context used", True),
    ("You have used 3 of your 10 tool calls.", "You have used 3 of your 10 tool calls", True),
    ("Request number 17", "Request number 17", False),
    ("Turn 4 of 20", "Turn 4 of 20", False),
    ("This is request #17.", "This is request #17", False),
    ("tokens left: 1,234", "tokens left: 1,234", True),
    ("<room>about 61k tokens left</room>", "about 61k tokens left", True),
    ("You have 12,345 tokens left.", "12,345 tokens left", True),
    ("Remaining tokens: 99120", "Remaining tokens: 99120", True),
    ("Used 45,000 of 200,000 tokens used", "45,000 of 200,000 tokens used", True),
    ("turn_count: 4", "turn_count: 4", False),
    ("Message 12/50", "Message 12/50", False),
    ("You are on step 3 of the plan", "You are on step 3", False),
    ("Current turn: 7", "Current turn: 7", True),
    ("context used: 34", "context used: 34", True),
    ("(turn 4/20)", "turn 4/20", False),
    ("tokens remaining: 15k", "tokens remaining: 15k", True),
]

NO_COUNTERS = [
    "Turn: 1\nask\nTurn: 2\nanswer",
    "see request number 17",
    "Step 1 of 3: gather",
    "At most 20 turns",
    "## Round 1 of 3\n",
    "If fewer than 1,000 tokens left, stop",
    "Round 1 of 3: a\nRound 2 of 3: b",
    "After 10 messages remaining quiet",
    "Answer in 200 tokens",
    "Ticket #17",
    "Maximum tokens used: 500",
    "Retry up to 3 attempts of 5",
    "see request #17",
    "Stop when 5 turns left",
    "by turn 4 of 20 you should",
    "e.g. Turn 4 of 20",
    "Page 4 of 20",
    "call 112 of emergency",
    'Reply with {"ok": true, "message_count": 4}',
]

PEOPLE: list[tuple[str, str, str]] = [
    ("The user is Ana Novak.", "Ana Novak", "the name"),
    ("User: Ana (ana@north.io)", "ana@north.io", "the address"),
    ("The user's name is Ana.", "Ana", "the name"),
    ("You are talking to Ana Novak.", "Ana Novak", "the name"),
    ("User: Ana Novak\n", "Ana Novak", "the name"),
    ("Customer name: Ana Novak", "Ana Novak", "the name"),
    ("user email: ana@north.io", "ana@north.io", "the address"),
    ("Account number: 48213", "48213", "the number"),
    ("customer id: C-20931", "C-20931", "the number"),
    ("Signed in as Ana Novak", "Ana Novak", "the name"),
    ("The customer is Ana Novak (ana@north.io)", "ana@north.io", "the address"),
    ("user_id: u-7741", "u-7741", "the number"),
]

NO_PEOPLE = [
    "The user is Always Right in this house",
    "Address the user by name.",
    "support@shop.com",
    "You are talking to customers of a shop",
    "User: What is up?",
    "user_id: string",
    "If the user's name is Ana, say hi",
    "For example, user name: Ana",
    "You are helping Users",
    "The customer is always right",
    "Account number: ask for it",
    "user email: you@example.com",
    "Client: Web",
    "Guest Wi-Fi password",
    "customer number 5 digits",
    " You are assisting with Python",
]

STATES: list[tuple[str, str, str]] = [
    ("Git branch: fix-tax", "fix-tax", "the branch that is checked out"),
    ("HEAD: 9f02b1c", "HEAD: 9f02b1c", "a list of the latest commits"),
    ("Current directory: /home/ana", "/home/ana", "the working directory"),
    (
        "gitStatus at the start of this request\nBranch: ledger-cleanup\nStatus:\n"
        " M src/ledger.py\nLast commits:\n9f02b1c split the cursor",
        " M src/ledger.py",
        "the state of the work tree",
    ),
    (
        "<env>\nWorking directory: /home/ana/shop\nIs directory a git repo: Yes\n"
        "Platform: linux\nOS Version: Linux 6.1\n</env>",
        "/home/ana/shop",
        "the working directory",
    ),
    ("Status:\nM src/a.py\n?? notes.txt\n", "M src/a.py\n?? notes.txt", "the state of the work tree"),
    ("On branch main\nYour branch is up to date with 'origin/main'.\n", "On branch main", "the state of the work tree"),
    ("Current branch: fix-tax\n\nMain branch: main", "fix-tax", "the branch that is checked out"),
    ("Current git status:\n```\n M src/a.py\n```\n", " M src/a.py", "the state of the work tree"),
    ("cwd: /srv/app", "/srv/app", "the working directory"),
    ("Hostname: build-07.internal\n", "build-07.internal", "the host"),
    (
        "You work here.\n-rw-r--r-- 1 ana staff 220 Mar 3 10:11 a.txt\n",
        "-rw-r--r-- 1 ana staff 220 Mar 3 10:11 a.txt",
        "a directory listing",
    ),
    ("Current directory listing:\nsrc/\ntests/\n", "Current directory listing:\nsrc/", "a directory listing"),
    ("The current working directory is /srv/x", "/srv/x", "the working directory"),
    ("<cwd>/repo/shop</cwd>", "/repo/shop", "the working directory"),
    ("Recent commits:\n9f02b1c split\n77ad310 pin\n", "Recent commits:\n9f02b1c split", "a list of the latest commits"),
    ("- Platform: darwin\n- Shell: /bin/zsh\n", "darwin", "the platform"),
]

NO_STATES = [
    "is up\nat <https://boats.example/notes/> and\nat <https://boats.example/list.tab>",
    "On branch main never push by force.",
    "Platform: linux only",
    "Branch names follow feature/x.",
    "Status: shipped\nM is for medium",
    "Run `git status` first. Output looks like:\n```\n M src/a.py\n M src/b.py\n```",
    "Shell: use bash",
    "Host the meeting.",
    "Working directory: ask the user",
    "AD Andorra\nAM Armenia\nMD Moldova",
    "## Example\nOn branch main\n",
    "The project has src/ and tests/.",
    "Project structure:\n├── src\n└── tests",
    "If the working directory is /tmp, stop.",
    "Machine learning: 101",
    "Recent commits: read them with git log",
    "Folder: the one that the user names",
    "Operating system: any",
]

SECTIONS: list[tuple[str, str]] = [
    ("### Retrieved context\nThe tide table says that high water is at noon.", "retrieved context"),
    ("<user_memory>\n- likes short answers and red bicycles\n</user_memory>", "user_memory"),
    (
        "Guide.\n<retrieved_documents>\nThe tide table of Lund harbour, page 4.\n</retrieved_documents>",
        "retrieved_documents",
    ),
    (
        "<turn-context>\n<clock>2026-07-26 14:03 +02:00</clock>\n<room>about 61k tokens left</room>\n</turn-context>",
        "turn-context",
    ),
    ("<context>\nThe bookshop in Aarhus opens at nine on every weekday.\n</context>", "context"),
    ("Relevant passages:\n[1] The tide table says that...", "relevant passages"),
    ('## Search results for "tide"\n[1] Lund', 'search results for "tide"'),
    ("<memory_context>\n- likes short answers, lives in Lund\n</memory_context>", "memory_context"),
    ("<todo_list>\n- [ ] count totes on mezzanine\n</todo_list>", "todo_list"),
    ('<documents>\n<document score="0.83">Tides of Lund harbour, page four</document>\n</documents>', "documents"),
]

NO_SECTIONS = [
    "### Retrieved context\nUse only what stands in the section of that name.",
    "<session_context></session_context>",
    "<memory>You can store facts with the memory tool.</memory>",
    "## Search results\nCite the title of each result.",
    "Answer from <context> only.",
    "Put results in <search_results>…</search_results> tags",
    "Relevant passages: cite them.",
    "`<context>` holds text",
]


@pytest.mark.parametrize(("text", "value", "what"), IDENTIFIERS)
def test_an_id_is_found(text: str, value: str, what: str) -> None:
    found = next(identifiers(text))
    assert (text[found.start : found.end], found.what) == (value, what)


@pytest.mark.parametrize("text", NO_IDENTIFIERS)
def test_what_only_looks_like_an_id_is_none(text: str) -> None:
    assert not list(identifiers(text))


def test_an_id_of_a_request_is_an_error_only_where_it_has_a_line_of_its_own() -> None:
    value = "6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11"
    alone, told = next(identifiers(f"Request id: {value}")), next(identifiers(f"Answer with the request id {value}"))
    assert (alone.severity, alone.sure) == ("error", True)
    assert (told.severity, told.sure) == ("warning", False)


@pytest.mark.parametrize("word", ["9f31c07ab2", "8fK2aQ91bZ", "6f1c2a90-8e0b-4c1e-9f53-2f9b1d7f2c11"])
def test_a_word_that_chance_made_is_random(word: str) -> None:
    assert is_random(word, False)


@pytest.mark.parametrize("word", ["building", "20240501", "gpt-4o-mini", "agent:0:1", "utf8", "release2"])
def test_a_word_that_someone_chose_is_not_random(word: str) -> None:
    assert not is_random(word, True)


@pytest.mark.parametrize(("text", "value", "sure"), COUNTERS)
def test_a_count_is_found(text: str, value: str, sure: bool) -> None:
    found = next(counters(text))
    assert (text[found.start : found.end], found.sure) == (value, sure)


@pytest.mark.parametrize("text", NO_COUNTERS)
def test_a_limit_or_a_plan_is_no_count(text: str) -> None:
    assert not list(counters(text))


@pytest.mark.parametrize(("text", "value", "what"), PEOPLE)
def test_a_user_is_found(text: str, value: str, what: str) -> None:
    found = next(people(text))
    assert (text[found.start : found.end], found.what) == (value, what)


@pytest.mark.parametrize("text", NO_PEOPLE)
def test_a_rule_about_users_names_nobody(text: str) -> None:
    assert not list(people(text))


@pytest.mark.parametrize(("text", "value", "what"), STATES)
def test_a_state_is_found(text: str, value: str, what: str) -> None:
    found = next(environment(text))
    assert (text[found.start : found.end], found.what) == (value, what)


@pytest.mark.parametrize("text", NO_STATES)
def test_words_about_a_state_are_none(text: str) -> None:
    assert not list(environment(text))


@pytest.mark.parametrize(("text", "name"), SECTIONS)
def test_a_section_of_one_turn_is_found(text: str, name: str) -> None:
    assert next(retrieved(text)).what == name


@pytest.mark.parametrize("text", NO_SECTIONS)
def test_words_about_a_section_are_none(text: str) -> None:
    assert not list(retrieved(text))


@pytest.mark.parametrize("text", [row[0] for row in (*COUNTERS, *PEOPLE, *STATES, *SECTIONS)])
def test_the_description_of_an_argument_holds_none_of_these(text: str) -> None:
    assert not any(list(detect(text, True)) for detect in (counters, people, environment, retrieved))
