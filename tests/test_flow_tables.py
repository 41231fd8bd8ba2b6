"""The tables of calls that take prompts and of values that change."""

import builtins
import copy
import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from promptlint import facts
from promptlint.facts import flow_tables
from promptlint.facts.flow_checks import changing_value_faults, prompt_call_faults
from promptlint.facts.flow_tables import How, Kind, Language, Passing, Slot

LANGUAGES: tuple[Language, ...] = get_args(Language)
Tables = tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture
def tables() -> Tables:
    return copy.deepcopy((facts.table("prompt_calls"), facts.table("changing_values")))


def faults(tables: Tables) -> list[str]:
    return prompt_call_faults(tables[0]) + changing_value_faults(tables[1])


def test_the_tables_are_right(tables: Tables) -> None:
    assert faults(tables) == []


def test_every_row_says_where_it_is_from_and_when_it_was_checked(tables: Tables) -> None:
    calls, values = tables
    rows = [*calls["calls"].values(), *calls["decorators"].values(), calls["bodies"], calls["names"], values]
    rows += [row for language in LANGUAGES for row in (values[language], *values[language]["changing"].values())]
    assert len(rows) > 140
    assert all(re.search(r"https://\w|PyPI \S+ \d|npm \S+ \d", row["source"]) for row in rows)
    assert all(row["checked"] >= "2026-11-30" for row in rows)


def test_names_that_anyone_may_use_need_an_import(tables: Tables) -> None:
    rows = [row for section in ("calls", "decorators") for row in tables[0][section].values()]
    bare = {name for row in rows if not row.get("imports") for name in row["names"] if "." not in name}
    single = {name for name in bare if len(flow_tables.words_of(name)) == 1}
    assert single == {"fetch", "ofetch", "$fetch"}  # the bodies of these need evidence
    assert {row["evidence"] for row in rows if single & set(row["names"])} == {True}
    assert "create" not in {name for row in rows for name in row["names"]}


BROKEN: list[tuple[str, Callable[[Tables], object], str]] = [
    ("slot", lambda all: all[0]["calls"]["ai-sdk"]["takes"].update(prompt="text"), "unknown slot text"),
    ("positional", lambda all: all[0]["calls"]["mastra-tool"].update(positional=["head"]), "unknown slot head"),
    ("result", lambda all: all[0]["decorators"]["pydantic-ai-prompt"].update(result="user"), "unknown slot user"),
    ("body", lambda all: all[0]["bodies"]["takes"].update(system="sys"), "bodies: unknown slot sys"),
    ("language", lambda all: all[0]["calls"]["ai-sdk"].update(languages=["ruby"]), "unknown language ruby"),
    ("field", lambda all: all[0]["calls"]["ai-sdk"].update(take={}), "unknown field take"),
    ("nothing taken", lambda all: all[0]["calls"]["ai-sdk"].update(takes={}), "takes no part of a prompt"),
    ("common word", lambda all: all[0]["calls"]["ai-sdk-tool"].update(imports=[]), "tool is a common word"),
    ("no names", lambda all: all[0]["calls"]["ai-sdk"].update(names=[]), "ai-sdk: no names"),
    ("source", lambda all: all[0]["calls"]["ai-sdk"].update(source="I know"), "ai-sdk: no source"),
    ("a truth value", lambda all: all[0]["names"]["not_before"].append(False), "False is no text"),
    ("kind", lambda all: all[1]["python"]["changing"]["uuid"].update(kind="id"), "unknown kind id"),
    ("into", lambda all: all[1]["python"]["changing"]["uuid"].update(into="file"), "unknown into file"),
    ("at_most", lambda all: all[1]["python"]["changing"]["uuid"].update(at_most="0"), "at_most is no number"),
    ("date", lambda all: all[1]["python"]["changing"]["uuid"].pop("checked"), "uuid: no date"),
    ("twice", lambda all: all[1]["python"]["changing"]["uuid"]["calls"].append("time.time"), "time.time stands there"),
    ("command", lambda all: all[1]["commands"].update(weather=["curl"]), "commands: unknown kind weather"),
]


@pytest.mark.parametrize(("change", "told"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_fault_is_told(tables: Tables, change: Callable[[Tables], object], told: str) -> None:
    change(tables)
    found = faults(tables)
    assert found
    assert any(told in line for line in found), found


def test_a_table_with_a_fault_is_not_compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("copy")
    for folder in ("scripts", "rules"):
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copytree(ROOT / "promptlint" / "data", root / "promptlint" / "data")
    table = root / "promptlint" / "data" / "prompt_calls.yaml"
    table.write_text(table.read_text("utf-8").replace("prompt: tail", "prompt: last", 1), "utf-8")
    compiled = root / "promptlint" / "data" / "facts.json"
    before = compiled.read_bytes()
    line = [sys.executable, str(root / "scripts" / "make_facts.py")]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "unknown slot last" in done.stderr
    assert "Traceback" not in done.stderr
    assert compiled.read_bytes() == before


@pytest.mark.parametrize(
    ("language", "name", "modules", "row"),
    [
        ("python", "self.client.beta.messages.create", [], "anthropic-messages"),
        ("python", "client.messages.batches.create", ["anthropic"], "anthropic-batches"),
        ("python", "openai.beta.threads.messages.create", ["openai"], "openai-thread-messages"),
        ("python", "Agent", ["crewai"], "crewai"),
        ("python", "Agent", ["pydantic_ai.models"], "pydantic-ai"),
        ("python", "pydantic_ai.Agent", ["crewai", "pydantic_ai"], "pydantic-ai"),
        ("python", "Agent", ["pydantic", "agentsmith"], None),
        ("python", "bedrock.converse", [], "bedrock-converse-client"),
        ("python", "people.converse", ["society"], None),
        ("python", "session.post", ["aiohttp"], "http-python-session"),
        ("python", "app.post", ["fastapi"], None),
        ("python", "db.create", ["sqlalchemy"], None),
        ("python", "create", ["instructor"], None),
        ("typescript", "generateText", ["ai"], "ai-sdk"),
        ("typescript", "generateText", ["./ai", "aim"], None),
        ("typescript", "generateText", ["ai/rsc"], "ai-sdk"),
        ("typescript", "ConverseCommand", [], "bedrock-commands"),
        ("typescript", "SystemMessage", ["@langchain/core/messages"], "system-message"),
        ("typescript", "this.openai.responses.stream", [], "openai-responses"),
        ("typescript", "litellm.completion", ["litellm"], None),
        ("typescript", "", [], None),
    ],
)
def test_calls_are_told_by_the_end_of_their_name(
    language: Language, name: str, modules: list[str], row: str | None
) -> None:
    found = flow_tables.call_named(language, name, modules)
    assert (found and found.row) == row


def test_what_a_call_takes() -> None:
    create = flow_tables.call_named("python", "client.messages.create", [])
    assert create is not None
    assert dict(create.takes) == {"tools": "tools", "system": "system", "messages": "messages", "extra_body": "body"}
    assert create.positional == (None,)  # keywords
    in_script = flow_tables.call_named("typescript", "client.messages.create", [])
    assert in_script is not None
    assert in_script.positional == ("options",)
    message = flow_tables.call_named("python", "SystemMessage", ["langchain_core.messages"])
    assert message is not None
    assert message.positional == ("system",)
    gemini = flow_tables.call_named("typescript", "ai.models.generateContent", [])
    assert gemini is not None
    assert gemini.takes["config.systemInstruction"] == "system"


def test_slots_and_kinds_are_all_in_use() -> None:
    rows = [row for language in LANGUAGES for row in flow_tables.prompt_calls(language)]
    used = {slot for row in rows for slot in (*row.takes.values(), *row.positional)} - {None}
    assert used == set(get_args(Slot))
    kinds = {row.kind for language in LANGUAGES for row in flow_tables.changing(language).values()}
    assert kinds == set(get_args(Kind))


def test_decorators() -> None:
    found = flow_tables.decorator_named("python", "agent.system_prompt", ["pydantic_ai"])
    assert found is not None
    assert found.result == "system"
    assert flow_tables.decorator_named("python", "agent.system_prompt", ["mine"]) is None
    assert flow_tables.decorators("typescript") == ()


def test_a_body_is_a_request_only_where_something_says_so() -> None:
    assert flow_tables.is_request({"model", "messages"})
    assert flow_tables.is_request((), "https://api.anthropic.com/v1/messages")
    assert not flow_tables.is_request({"messages", "room"}, "https://chat.example.org/post")
    assert not flow_tables.is_request({"model", "engine", "year"}, "https://cars.example.org")
    assert flow_tables.bodies().takes["systemInstruction"] == "system"


@pytest.mark.parametrize(
    ("language", "how", "name", "arguments", "kind"),
    [
        ("python", "call", "datetime.datetime.now", 1, "clock"),
        ("python", "call", "datetime.date.today", 0, "date"),
        ("python", "call", "datetime.datetime", 3, None),
        ("python", "call", "datetime.datetime.fromtimestamp", 1, None),
        ("python", "call", "time.strftime", 1, "clock"),
        ("python", "call", "time.strftime", 2, None),
        ("python", "call", "time.localtime", 0, "clock"),
        ("python", "call", "time.localtime", 1, None),
        ("python", "call", "uuid.uuid5", 2, None),
        ("python", "object", "random.Random", 0, "identifier"),
        ("python", "object", "random.Random", 1, None),  # seeded
        ("python", "call", "bson.ObjectId", 1, None),
        ("python", "attribute", "sys.platform", 0, "environment"),
        ("python", "method", "iterdir", 0, "unspecified_order"),
        ("python", "member", "st_mtime", 0, "environment"),
        ("python", "call", "set", 1, "unordered"),
        ("python", "call", "itertools.count", 0, "counter"),
        ("typescript", "new", "Date", 0, "clock"),
        ("typescript", "new", "Date", 1, None),
        ("typescript", "call", "Date", 1, "clock"),  # it ignores them
        ("typescript", "call", "moment", 0, "clock"),
        ("typescript", "call", "moment", 1, None),
        ("typescript", "call", "uuid.v4", 0, "identifier"),
        ("typescript", "new", "Set", 1, None),  # in order of insertion
        ("typescript", "call", "fs.readdir", 1, None),  # sorted by name
        ("typescript", "call", "toString", 0, None),
    ],
)
def test_what_changes(language: Language, how: How, name: str, arguments: int, kind: Kind | None) -> None:
    found = flow_tables.change_of(language, how, name, arguments)
    assert (found and found.kind) == kind


def test_what_changes_in_place() -> None:
    shuffle = flow_tables.change_of("python", "call", "random.shuffle", 1)
    assert shuffle is not None
    assert shuffle.into == "argument"
    sample = flow_tables.change_of("python", "call", "random.sample", 2)
    assert sample is not None
    assert (sample.kind, sample.into) == ("random_choice", "result")


LATER = {"random.binomialvariate", "uuid.uuid6", "uuid.uuid7", "uuid.uuid8"}  # Python 3.12, 3.14
POSIX = ("os.get", "os.uname", "os.fwalk", "resource.", "time.clock_", "pathlib.PosixPath")


def python_names() -> set[str]:
    passing = flow_tables.passing("python")
    names = {name for how, name in flow_tables.changing("python") if how in ("call", "attribute", "object")}
    names.update(passing.cleans, passing.cleans_order, passing.carries, passing.freezes, passing.seeds)
    names.update(passing.environment_readers, passing.command_runners, passing.to_date.format_functions)
    ours = {name for name in names if "." not in name or name.partition(".")[0] in sys.stdlib_module_names}
    return ours - LATER - {"__file__"}


def test_names_of_the_standard_library_exist() -> None:
    names = python_names()
    assert len(names) > 200
    assert [name for name in sorted(names) if not exists(name) and not name.startswith(POSIX)] == []


def exists(name: str) -> bool:
    """Whether imports and attributes lead to it."""
    parts = name.split(".")
    if len(parts) == 1:
        return hasattr(builtins, name)
    for count in range(len(parts) - 1, 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part, None)
        return found is not None
    return False


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_is_both_clean_and_carrying(language: Language) -> None:
    known: Passing = flow_tables.passing(language)
    assert known.cleans & known.carries == set()
    assert known.clean_methods & known.carry_methods == set()
    assert known.to_date.methods & known.carry_methods == set()
    assert known.to_date.functions & known.carries == set()
    changed = {name for how, name in flow_tables.changing(language) if how == "call"}
    assert changed & (known.cleans | known.freezes) == set()


@pytest.mark.parametrize(
    ("pattern", "date"),
    [
        ("%Y-%m-%d", True),
        ("%-d %B %Y", True),
        ("100%% on %A", True),
        ("%A, %d %B %Y, %H:%M", False),
        ("%c", False),
        ("%s", False),
        ("YYYY-MM-DD", True),
        ("dddd, MMMM D, YYYY", True),
        ("[at hour] YYYY", True),
        ("'om' d MMM", True),
        ("yyyy-MM-dd HH:mm", False),
        ("LLLL", False),
        ("PPpp", False),
        ("h a", False),
        ("--", False),
        ("", False),
    ],
)
def test_formats_that_show_only_the_day(pattern: str, date: bool) -> None:
    assert flow_tables.format_is_date(pattern) is date


def test_options_that_show_only_the_day() -> None:
    assert flow_tables.options_are_date({"year", "month", "timeZone"})
    assert flow_tables.options_are_date({"dateStyle"})
    assert not flow_tables.options_are_date({"dateStyle", "timeStyle"})
    assert not flow_tables.options_are_date({"timeZone"})


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("git status --short", "environment"),
        ("/usr/bin/git", "environment"),
        ("LANG=C sudo date +%s", "clock"),
        ("uuidgen", "identifier"),
        ("make all", None),
        ("", None),
    ],
)
def test_commands(command: str, kind: Kind | None) -> None:
    assert flow_tables.command_kind(command) == kind


def test_variables_of_the_environment() -> None:
    names = flow_tables.environment_variables()
    assert {"HOSTNAME", "PWD", "USER", "POD_NAME"} <= names
    assert names.isdisjoint({"OPENAI_API_KEY", "MODEL", "NODE_ENV", "REGION", "LOG_LEVEL", "APP_NAME"})


@pytest.mark.parametrize(
    ("names", "strength"),
    [
        ("system_prompt SYSTEM_PROMPT buildSystemPrompt get_system_prompt_text self._systemPrompt sysPrompt", "strong"),
        ("SYSTEM_PROMPT_V2 research_agent_system_prompt systemInstruction system_prompt_template", "strong"),
        ("system _build_system self._system transformSystem system_message instructions persona Preamble", "weak"),
        ("prompt user_prompt operating_system system_prompt_tokens log_system_prompt hasSystemPrompt", None),
        ("systemPromptHash ecosystem_prompt file_system_prompt instructions_count build get_prompt os", None),
    ],
)
def test_names_of_system_prompts(names: str, strength: Literal["strong", "weak"] | None) -> None:
    assert {name: flow_tables.prompt_name(name) for name in names.split()} == dict.fromkeys(names.split(), strength)


@given(st.lists(st.from_regex("[a-z]{2,8}", fullmatch=True), min_size=1, max_size=6))
def test_every_spelling_of_a_name_has_the_same_words(words: list[str]) -> None:
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    for spelling in ("_".join(words), "_".join(words).upper(), "-".join(words), camel, f"_{camel}"):
        assert flow_tables.words_of(spelling) == tuple(words)


@pytest.mark.parametrize(
    ("modules", "names", "text", "shown"),
    [
        (["anthropic.types"], [], "", True),
        (["datetime"], ["HarbourAgent", "messages", "_build_system"], "", True),
        (["./host"], ["transformSystem"], "// lands in the System Prompt of the host", True),
        (["httpx"], ["cacheControl"], "", True),
        (["django.db"], ["Model", "message", "instructions", "role"], "homework is due", False),
        (["anthropology"], ["agent", "system"], "an estate agent", False),
        ([], [], "", False),
    ],
)
def test_modules_that_deal_with_prompts(modules: list[str], names: list[str], text: str, shown: bool) -> None:
    assert flow_tables.deals_with_prompts("python", modules, names, text) is shown
