"""Which source texts are worth a look: words that tell of prompts; and how long it takes to find none."""

import time
from collections.abc import Callable

import pytest

from promptlint.lint.flow.code import Language
from promptlint.lint.flow.signs import Signs, signs

PROSE = (
    "You sort the post of a village by street and never by name. Ask for the number of the house where two streets "
    "share a name. Write the result as one line for each street, the shortest street first. Answer in the language of "
    "the question, and say so when a letter has no address. Parcels go to the depot behind the church, and registered "
    "letters stay at the counter until somebody signs for them. Never open a letter. When the bell rings twice, stop "
    "and wait for the postmistress, who knows what to do with a dog. "
)


def python(text: str) -> Signs:
    return signs("python", text)


WORTH: list[tuple[str, Language, str, list[str]]] = [
    ("a call", "python", "client.messages.create(model=m)", ["create"]),
    ("over two lines", "python", "x = (client.chat.completions\n    .create(model=m))", ["create"]),
    ("two of them", "python", "a.responses.create()\nb.responses.create()", ["create", "create"]),
    ("through a call", "python", "client().responses.create()", ["create"]),
    ("a class", "python", "from crewai import Agent\nAgent(goal=x)", ["Agent", "Agent"]),
    ("a body", "python", "requests.post(url, json={'model': m, 'messages': q})", ["post"]),
    ("a strong name", "python", "system_prompt = x", ["system_prompt"]),
    ("a role", "python", "x = {'role': 'system', 'content': y}", ["system"]),
    ("a decorator", "python", "from agents import function_tool\n@function_tool\ndef f(): ...", ["function_tool"] * 2),
    ("a call", "typescript", "await client.messages.create({})", ["create"]),
    ("a call?", "typescript", "client?.messages?.create({})", ["create"]),
    ("a function", "typescript", "import { streamText } from 'ai';\nstreamText({})", ["streamText", "streamText"]),
    ("a body", "typescript", "fetch(u, { body: JSON.stringify({ model, messages }) })", ["fetch"]),
    ("a strong name", "typescript", "const systemPrompt = x;", ["systemPrompt"]),
]  # fmt: skip
NOT_WORTH: list[tuple[str, Language, str]] = [
    ("nothing", "python", ""),
    ("another create", "python", "db.session.create(model=m)"),
    ("another Agent", "python", "from society import Agent\nAgent(goal=x)"),
    ("a request of something else", "python", "requests.post(url, json={'name': n, 'messages': q})"),
    ("the name of a path", "python", "system_prompt_path = x"),
    ("operating_system", "python", "operating_system = 'x'"),
    ("no role", "python", "x = {'kind': 'system'}"),
    ("a function of another package", "typescript", "import { streamText } from './io';\nstreamText({})"),
    ("another create", "typescript", "prisma.user.create({ data })"),
    ("another fetch", "typescript", "fetch(u, { body: JSON.stringify({ name }) })"),
]


def placed(language: Language, text: str) -> list[str]:
    """The words at which prompts may be put together."""
    found = signs(language, text)
    at = {start: word for word, starts in found.words.items() for start in starts}
    return [at[place] for place in found.places]


@pytest.mark.parametrize(("language", "text", "expected"), [row[1:] for row in WORTH], ids=[row[0] for row in WORTH])
def test_worth_a_look(language: Language, text: str, expected: list[str]) -> None:
    assert placed(language, text) == expected


@pytest.mark.parametrize(("language", "text"), [row[1:] for row in NOT_WORTH], ids=[row[0] for row in NOT_WORTH])
def test_not_worth_a_look(language: Language, text: str) -> None:
    assert placed(language, text) == []


def test_weak_names_count_where_models_are_spoken_of() -> None:
    text = "instructions = build()\n"
    assert placed("python", text) == []
    assert placed("python", f"import anthropic\n# an assistant\n{text}") == ["instructions"]
    assert placed("python", "import anthropic\n# an assistant, with instructions\n") == []


def test_words_have_their_places() -> None:
    found = python("a = b.a(\n  'a_b', ab)\n")
    assert found.words == {"a": [0, 6], "b": [4], "a_b": [12], "ab": [18]}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f'PROMPT = """{PROSE}"""\n', 2),  # the text, and its name
        (f'RULES = (\n    "{PROSE}"\n)\nuse(RULES)  # prompt\n', 3),
        (f"# prompt\nx = f'{PROSE}'\n", 2),
        (f'def f():\n    """{PROSE}"""\n    # prompt\n', 0),  # a docstring
        (f'"""{PROSE}"""\n# prompt\n', 0),
        (f'RULES = "{PROSE}"\n', 0),  # of which nothing says that it is for a model
        (f'# prompt\nx = "{"<p> " * 400}"\n', 0),
        (f'# prompt\nx = "{"word " * 20}"\n', 0),
        (f'# prompt\nx = "{"word " * 400}"\n', 0),  # no sentences
    ],
)
def test_long_texts(text: str, count: int) -> None:
    assert len(python(text).places) == count


UNITS = {
    "calls": "x.create(model, messages);",
    "owners": "a(b).",
    "open": "messages.(",
    "quotes": '"',
    "apostrophes": "'system'",
    "strong names": "system_prompt ",
    "imports": "from a.b.c import d\n",
    "spaces": " ",
    "newlines": "\n",
    "names of texts": 'x = [ "a"\n',
    "colons": "a: b = ",
    "prose": PROSE,
    "prose in quotes": f'"{PROSE}"',
    "prose behind a list": f'x = ["{PROSE}", ',
    "escapes": "\\n" + "a" * 30,
    "one word": "a",
    "dollars": "$",
    "triple": '"""',
    "prompt": "prompt assistant role system ",
    "dots": "messages.",
    "directive": "import x, ",
}


def quickest(work: Callable[[], object]) -> float:
    """Seconds of the quickest of three runs."""
    found = []
    for _ in range(3):
        before = time.process_time()
        work()
        found.append(time.process_time() - before)
    return min(found)


@pytest.mark.parametrize("language", ["python", "typescript"])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_time_grows_with_the_text_and_no_faster(unit: str, language: Language) -> None:
    """Of a text four times as long it takes at most ten times as long; what is squared takes sixteen times."""
    short, long = (f"prompt assistant\n{unit * (size // len(unit))}" for size in (40_000, 160_000))
    first = max(quickest(lambda: signs(language, short)), 0.003)
    assert quickest(lambda: signs(language, long)) < 10 * first


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_a_megabyte_is_looked_through(unit: str) -> None:
    text = f"prompt assistant\n{unit * (1_000_000 // len(unit))}"
    found = python(text)
    assert list(found.places) == sorted(found.places)
    assert all(0 <= place < len(text) for place in found.places)
