"""Where a value stands in a prompt, and whether anything is lost behind it."""

import pytest

from flow_finds import PYTHON, finds, python

SYSTEM = "{'role': 'system', 'content': RULES}"
CHANGED = "{'role': 'system', 'content': RULES + NOW}"
USER = "{'role': 'user', 'content': 'x'}"
LAST = "{'role': 'user', 'content': NOW}"


def chat(messages: str) -> str:
    return f"return client.chat.completions.create(model='m', messages={messages})"


def claude(system: str, more: str = "") -> str:
    return f"return claude.messages.create(model='m', max_tokens=9, system={system}, messages=turns{more})"


MARK = "'cache_control': {'type': 'ephemeral'}"
FIXED, MOVING = "{'type': 'text', 'text': RULES}", "{'type': 'text', 'text': NOW}"
MARKED, MOVING_MARKED = f"{FIXED[:-1]}, {MARK}}}", f"{MOVING[:-1]}, {MARK}}}"

MESSAGES = [
    ("system first", chat(f"[{CHANGED}, *turns]"), "clock NOW"),
    ("system and a question", chat(f"[{CHANGED}, {USER}]"), "clock NOW"),
    ("developer", chat("[{'role': 'developer', 'content': RULES + NOW}, *turns]"), "clock NOW"),
    ("the newest", chat(f"[{SYSTEM}, *turns, {LAST}]"), ""),
    ("ahead of the history", chat(f"[{LAST}, *turns]"), "clock NOW -> messages"),
    ("the only one", chat("[{'role': 'user', 'content': NOW + RULES}]"), "clock NOW -> messages, 59 behind"),
    ("the end of the only one", chat("[{'role': 'user', 'content': RULES + NOW}]"), "clock NOW -> messages, 0 behind"),
    ("system at the end", chat(f"[*turns, {CHANGED}]"), "clock NOW -> messages, 0 behind"),
    ("system ahead of the newest", chat(f"[{SYSTEM}, *turns, {CHANGED}, {USER}]"), "clock NOW -> messages, 5 behind"),
    ("appended", f"turns.append({LAST})\n{chat('turns')}", ""),
    ("put first", f"turns.insert(0, {CHANGED})\n{chat('turns')}", "clock NOW"),
    ("the end of the newest", f"turns[-1]['content'] += NOW\n{chat('turns')}", ""),
    (
        "each message anew",
        chat("[{**turn, 'content': turn['content'] + NOW} for turn in turns]"),
        "clock NOW -> messages",
    ),
    (
        "each call id anew",
        chat("[{'role': 'tool', 'tool_call_id': uuid.uuid4().hex, 'content': turn} for turn in turns]"),
        "identifier uuid.uuid4().hex -> messages",
    ),
    ("no text of a message that is copied", chat("[{**turn, 'id': NOW, 'content': 'x'} for turn in turns]"), ""),
    ("no text of a message", chat("[{'role': 'user', 'content': 'x', 'sent_at': NOW}, *turns]"), ""),
    (
        "one more with each turn",
        f"messages = [{SYSTEM}]\nwhile True:\n    messages.append({{'role': 'user', 'content': input() + NOW}})\n"
        f"    answer = {chat('messages').removeprefix('return ')}\n"
        "    messages.append({'role': 'assistant', 'content': answer.text})",
        "",
    ),
]
BLOCKS = [
    ("no marker", claude("RULES + NOW"), "clock NOW"),
    ("behind the marker", claude(f"[{MARKED}, {MOVING}]"), ""),
    ("ahead of the marker", claude(f"[{MOVING}, {MARKED}]"), "clock NOW"),
    ("in the marked block", claude(f"[{FIXED}, {MOVING_MARKED}]"), "clock NOW"),
    (
        "a marker at the end of all",
        claude(f"[{MARKED}, {MOVING}]", ", cache_control={'type': 'ephemeral'}"),
        "clock NOW",
    ),
    ("tools", claude("RULES", ", tools=[{'name': 't', 'description': NOW}]"), "clock NOW -> tools"),
    ("tools ahead of a marker", claude(f"[{MARKED}]", ", tools=[{'name': NOW}]"), "clock NOW -> tools"),
    ("metadata", claude("RULES", ", metadata={'user_id': NOW}, extra_headers={'x-id': NOW}"), ""),
    (
        "a marker on each",
        claude("[{'text': turn, " + MARK + "} for turn in turns]"),
        "marker {'type': 'ephemeral'} -> marker",
    ),
    ("a marker on two", claude("[{'text': a, " + MARK + "} for a in ['x', 'y']]"), ""),
]
SETTINGS = ", input=turns, prompt_cache_key="
KEYS = [
    ("an id", "uuid.uuid4().hex", "identifier uuid.uuid4().hex -> cache_key"),
    ("a random number", "f'a-{random.randint(1, 9)}'", "identifier random.randint(1, 9) -> cache_key"),
    ("the time", "NOW", "clock NOW -> cache_key"),
    ("a machine", "os.getenv('HOSTNAME')", ""),
    ("a constant", "'desk-1'", ""),
    ("of the user", "turns.user", ""),
]
KEYS = [
    (name, f"client.responses.create(model='m', instructions=RULES{SETTINGS}{key})", found) for name, key, found in KEYS
]
SEND = "claude.messages.create(model='m', system=text, messages=turns)"
LOOPS = [
    ("ahead of a session", f"text = RULES + NOW\nwhile True:\n    turns.append(input())\n    {SEND}", ""),
    ("inside of a session", f"while True:\n    text = RULES + NOW\n    turns.append(input())\n    {SEND}", "clock NOW"),
    ("for several requests", f"text = RULES + NOW\nfor turn in turns:\n    {SEND}", ""),
    ("tried again", f"text = RULES + NOW\nfor attempt in range(3):\n    {SEND}", "clock NOW"),
    ("an order lasts", f"text = RULES + str(set(turns))\nfor turn in turns:\n    {SEND}", "unordered str(set(turns))"),
]
JSON = "{'model': 'm', 'messages': [" + CHANGED + ", *turns]}"
URL = "'https://api.openai.com/v1/chat/completions'"
BODIES = [
    ("json", f"requests.post({URL}, json={JSON})", "clock NOW"),
    ("a text", f"body = {JSON}\nrequests.post({URL}, data=json.dumps(body))", "clock NOW"),
    ("a client", f"web = httpx.Client()\nweb.post('/v1', json={JSON})", "clock NOW"),
    (
        "a setting",
        f"web = httpx.Client()\nweb.post('/v1', json={{'model': 'm', 'seed': NOW, 'messages': [{SYSTEM}]}})",
        "",
    ),
    ("no request", "requests.post('https://example.org/log', json={'level': RULES + NOW, 'messages': []})", ""),
]
ROWS = [*MESSAGES, *BLOCKS, *KEYS, *LOOPS, *BODIES]


@pytest.mark.parametrize(("row", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_position(row: str, expected: str) -> None:
    assert python(row) == ([expected] if expected else [])


SCRIPT = "claude.messages.create(model='m', system=RULES + str(datetime.now()), messages=[input()])\n"


@pytest.mark.parametrize("script", [SCRIPT, f"while True:\n    {SCRIPT}"])
def test_a_script_sends_another_one_with_each_run(script: str) -> None:
    assert finds(PYTHON + script, "desk.py") == ["clock str(datetime.now()) -> system"]


NAMED = [
    ("def system_prompt():\n    return 'You sort the post. ' + NOW\n", "clock? NOW"),
    ("def build_system_prompt(user):\n    text = 'You sort. '\n    text += NOW\n    return text\n", "clock? NOW"),
    ("def messages(q):\n    return [{'role': 'system', 'content': NOW}, *q]\n", "clock? NOW"),
    ("def f(agent):\n    agent.reset(system_prompt='You sort. ' + NOW)\n", "clock? NOW"),
    ("def f(agent):\n    log.info(system_prompt='You sort. ' + NOW)\n", ""),
    ("def system_prompt_path():\n    return 'prompts/' + NOW\n", ""),
    ("def greeting():\n    return 'Hello, it is ' + NOW\n", ""),
]


@pytest.mark.parametrize(("module", "expected"), NAMED)
def test_what_only_its_name_tells(module: str, expected: str) -> None:
    text = "from datetime import datetime\nimport log\n" + module.replace("NOW", "str(datetime.now())")
    found = [line.replace("str(datetime.now())", "NOW").removesuffix(" -> system") for line in finds(text, "desk.py")]
    assert found == ([expected] if expected else [])
