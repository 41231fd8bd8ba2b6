"""The prompts of a project, their budget and the losses that are meant to be, as a configuration says them."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from promptlint.commands.config import _flow, config_schema, config_show
from promptlint.config import Config, find, parsed
from promptlint.config.display import as_data
from promptlint.config.prompt_settings import _BUDGET, _ENTRY, _TRAFFIC, prompts_of
from promptlint.config.prompts import Allow, Budget, PromptEntry, Traffic
from promptlint.errors import PromptlintError

YAML = """\
prompts:
  - name: support
    template: prompts/support.j2
    vars: [vars/one.yaml, vars/two.yaml]
    provider: anthropic
    model: claude-sonnet-5
    tokenizer: o200k_base
    markers: comments
    ttl: 1h
    traffic: {requests-per-day: 20000, turns: 6, gap: 90s}
    budget: {max-lost-tokens-per-request: 0, max_prefix_growth: 300}
  - request: requests/*.json
    engine: vllm==0.33.0
    chat-template: model/tokenizer_config.json
    template-kwargs: {enable_thinking: false, level: 3, heat: 1.0, huge: 1.5e+12, none: null, names: [a, {b: "c"}]}
  - recorded: [logs/monday.jsonl, "logs/#2.jsonl"]
    markers: end
  - promptfoo: promptfooconfig.yaml
    markers: none
  - name: built
    command: [python, tools/print_prompt.py, ""]
budget:
  max_lost_tokens_per_request: 10
  min-cacheable-share: 50%
  max-usd-per-day: 10.25
  max-prefix-growth: 20%
  max-lost-tokens-once: 5000
allow:
  - {prompt: support, reason: the new tone is worth a cold start, until: 2027-01-31}
  - {prompt: "built/*", reason: ok, until: "20270201"}
"""
TOML = """\
[tool.promptlint]
budget = {max_lost_tokens_per_request = 10, min-cacheable-share = "50%", max-usd-per-day = 10.25, \
max-prefix-growth = "20%", max-lost-tokens-once = 5_000}
[[tool.promptlint.prompts]]
name = "support"
template = "prompts/support.j2"
vars = ["vars/one.yaml", "vars/two.yaml"]
provider = "anthropic"
model = "claude-sonnet-5"
tokenizer = "o200k_base"
markers = "comments"
ttl = "1h"
traffic = {requests-per-day = 20_000, turns = 6, gap = 90}
budget = {max-lost-tokens-per-request = 0, max_prefix_growth = 300}
[[tool.promptlint.prompts]]
request = ["requests/*.json"]
engine = "vllm==0.33.0"
chat-template = "model/tokenizer_config.json"
template-kwargs = {enable_thinking = false, level = 3, heat = 1.0, huge = 1.5e12, names = ["a", {b = "c"}]}
[[tool.promptlint.prompts]]
recorded = ["logs/monday.jsonl", "logs/#2.jsonl"]
markers = "end"
[[tool.promptlint.prompts]]
promptfoo = "promptfooconfig.yaml"
markers = "none"
[[tool.promptlint.prompts]]
name = "built"
command = ["python", "tools/print_prompt.py", ""]
[[tool.promptlint.allow]]
prompt = "support"
reason = "the new tone is worth a cold start"
until = 2027-01-31
[[tool.promptlint.allow]]
prompt = "built/*"
reason = "ok"
until = "2027-02-01"
"""
KWARGS = {"enable_thinking": False, "level": 3, "heat": 1.0, "huge": 1.5e12, "none": None, "names": ["a", {"b": "c"}]}
WANTED = Config(
    prompts=(
        PromptEntry(
            "template",
            ("prompts/support.j2",),
            "support",
            ("vars/one.yaml", "vars/two.yaml"),
            provider="anthropic",
            model="claude-sonnet-5",
            tokenizer="o200k_base",
            markers="comments",
            ttl="1h",
            traffic=Traffic(20000, 6, 90),
            budget=Budget(max_lost_tokens_per_request=0, max_prefix_growth=300.0),
        ),
        PromptEntry(
            "request",
            ("requests/*.json",),
            engine="vllm==0.33.0",
            chat_template="model/tokenizer_config.json",
            template_kwargs=KWARGS,
        ),
        PromptEntry("recorded", ("logs/monday.jsonl", "logs/#2.jsonl"), markers="end"),
        PromptEntry("promptfoo", ("promptfooconfig.yaml",), markers="none"),
        PromptEntry("command", (), "built", command=("python", "tools/print_prompt.py", "")),
    ),
    budget=Budget(10, 0.5, 10.25, 0.2, True, 5000),
    allow=(
        Allow("support", "the new tone is worth a cold start", "2027-01-31"),
        Allow("built/*", "ok", "2027-02-01"),
    ),
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_key_in_yaml_and_in_toml(here: Path) -> None:
    (here / "promptlint.yaml").write_text(YAML)
    assert find(".") == WANTED._replace(path="promptlint.yaml")
    (here / "promptlint.yaml").unlink()
    (here / "pyproject.toml").write_text(TOML)
    found = find(".")
    support, served, *others = found.prompts
    given = {key: held for key, held in KWARGS.items() if key != "none"}  # TOML has no null
    assert served == WANTED.prompts[1]._replace(template_kwargs=given)
    assert found._replace(prompts=(support, WANTED.prompts[1], *others)) == WANTED._replace(path="pyproject.toml")


def test_what_is_shown_says_the_same(here: Path) -> None:
    (here / "promptlint.yaml").write_text(YAML)
    before = find(".")
    for as_json in (False, True):
        text = config_show(as_json=as_json)
        again = json.dumps(json.loads(text)["settings"]) if as_json else text
        (here / "promptlint.yaml").write_text(again)
        after = find(".")
        assert after == before
        assert _types(after.prompts[1].template_kwargs) == _types(KWARGS)
        assert valid(again)


def _types(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _types(held) for key, held in value.items()}
    return [_types(held) for held in value] if isinstance(value, list) else type(value)


LIMITS = st.one_of(
    st.decimals(0, 10**9, places=6).map(lambda number: f"{number:f}%"),
    st.floats(1e-9, 1e9).map(str),
    st.integers(0, 10**9).map(str),
    st.integers(0, 99999).map(lambda number: f"{number}d"),
)


@given(st.sampled_from(["max-prefix-growth", "max-usd-per-day", "min-cacheable-share", "gap"]), LIMITS)
def test_every_number_that_is_taken_is_shown_as_one_that_means_the_same(key: str, limit: str) -> None:
    holder = "prompts: [{template: a, traffic: {%s}}]" if key == "gap" else "budget: {%s}"
    try:
        first = parsed((holder % f"{key}: {limit}").encode(), "promptlint.yaml")
    except PromptlintError:
        return
    assert first is not None
    shown = {name: held for name, held in as_data(first).items() if name in ("budget", "prompts")}
    assert parsed(_flow(shown, json.dumps).encode(), "promptlint.yaml") == first


@pytest.mark.parametrize(
    ("written", "seconds"), [("90", 90), ("90s", 90), ("5m", 300), ("2h", 7200), ("1d", 86400), ("60.0", 60)]
)
def test_gaps(written: str, seconds: int) -> None:
    found = parsed(f"prompts: [{{template: a.j2, traffic: {{gap: {written}}}}}]".encode(), "promptlint.yaml")
    assert found is not None
    assert found.prompts[0].traffic == Traffic(gap_s=seconds)


def entry(text: str) -> str:
    return f"prompts: [{{{text}}}]"


FAULTS = [
    ("prompts: {template: a}", "prompts: a mapping is not a list"),
    ("prompts: [a.j2]", "prompts.0: a.j2 is not a mapping"),
    (entry("templat: a"), "prompts.0: unknown key templat; did you mean template?"),
    (entry("name: a"), "prompts.0: it names nothing to render; give it one of request, template, recorded, promptfoo"),
    (entry("template: a, request: b"), "prompts.0: request and template are different kinds of prompts; make an"),
    (entry("request: b, vars: c"), "prompts.0.vars: only a template has sets of variables; leave it out"),
    (entry("promptfoo: b, chat-template: c"), "prompts.0.chat-template: a chat template renders what is sent: request"),
    (entry("request: b, template-kwargs: {a: 1}"), "prompts.0.template-kwargs: nothing is given them; name the chat"),
    (entry("request: b, chat-template: c, template-kwargs: [a]"), "prompts.0.template-kwargs: a list is not a mapping"),
    (
        entry(f"request: b, chat-template: c, template-kwargs: {{a: {'9' * 5000}}}"),
        "prompts.0.template-kwargs: a number of 5,000 digits cannot be rendered",
    ),
    (entry("template: a, provider: b, engine: c"), "prompts.0: a prompt has a provider or an engine, not both"),
    (entry("template: []"), "prompts.0.template: an empty list names no file"),
    (entry("template: a, vars: []"), "prompts.0.vars: an empty list names no file"),
    (entry("recorded: ''"), "prompts.0.recorded: an empty text is not a path or a pattern"),
    (entry("recorded: [a, 3]"), "prompts.0.recorded.1: 3 is not a path or a pattern"),
    (entry('request: "a\\0"'), "prompts.0.request: a\\x00 is not a path or a pattern"),
    (entry("template: {path: a}"), "prompts.0.template: a mapping is not a path or a pattern"),
    (entry("command: python x.py"), "prompts.0.command: python x.py is not a list of texts; write each word on its"),
    (entry("command: []"), "prompts.0.command: an empty list is no command"),
    (entry("command: [sleep, 5]"), "prompts.0.command.1: 5 is not a text: put it in quotes"),
    (entry("command: ['', a]"), "prompts.0.command.0: an empty text is not a text"),
    (entry("template: a, ttl: soon"), "prompts.0.ttl: soon is not a lifetime such as 5m or 1h"),
    (entry("template: a, ttl: 300"), "prompts.0.ttl: 300 is not a lifetime"),
    (entry("template: a, ttl: 0m"), "prompts.0.ttl: 0m is not a lifetime"),
    (entry("template: a, markers: start"), "prompts.0.markers: unknown start; one of comments, end, none"),
    (entry("template: a, markers: comment"), "prompts.0.markers: unknown comment; did you mean comments?"),
    (entry("request: a, markers: comments"), "prompts.0.markers: only templates have comments; write end or none"),
    (entry("template: a, traffic: {gap: 0}"), "prompts.0.traffic.gap: 0 is not a time between two requests"),
    (entry("template: a, traffic: {gap: -5}"), "prompts.0.traffic.gap: -5 is not a time"),
    (entry("template: a, traffic: {gap: -5m}"), "prompts.0.traffic.gap: -5m is not a time"),
    (entry("template: a, traffic: {gap: 1.5}"), "prompts.0.traffic.gap: 1.5 is not a time"),
    (entry("template: a, traffic: {gap: 99999d}"), "prompts.0.traffic.gap: 99999d is not a time"),
    (entry("template: a, traffic: {gaps: 1}"), "prompts.0.traffic: unknown key gaps; did you mean gap?"),
    (entry("template: a, traffic: {turns: 0}"), "prompts.0.traffic.turns: 0 is not a whole number, not below 1"),
    (entry("template: a, traffic: {requests-per-day: 2.5}"), "prompts.0.traffic.requests-per-day: 2.5 is not a whole"),
    (entry("template: a, traffic: 20"), "prompts.0.traffic: 20 is not a mapping"),
    (
        entry("template: a, budget: {max-usd-day: 1}"),
        "prompts.0.budget: unknown key max-usd-day; did you mean max-usd-per-day",
    ),
    (
        "prompts: [{name: a, template: b}, {name: c, request: b}, {name: a, request: d}]",
        "prompts.2.name: a is there twice",
    ),
    ("budget: []", "budget: a list is not a mapping"),
    ("budget: {min-cacheable-share: 1.01}", "budget.min-cacheable-share: 1.01 is not a share from 0 to 1, such as 0.5"),
    ("budget: {min-cacheable-share: 101%}", "budget.min-cacheable-share: 101% is not a share"),
    ("budget: {min-cacheable-share: '0.5'}", "budget.min-cacheable-share: 0.5 is not a share"),
    ("budget: {min_cacheable_share: 50}", "budget.min_cacheable_share: 50 is not a share"),
    ("budget: {min-cacheable-share: 1, min_cacheable_share: 1}", "min-cacheable-share and min_cacheable_share are one"),
    ("budget: {min-cachable-share: 1}", "budget: unknown key min-cachable-share; did you mean min-cacheable-share?"),
    ("budget: {min_cachable_share: 1}", "budget: unknown key min_cachable_share; did you mean min-cacheable-share?"),
    ("budget: {max-prefix-growth: 0.2}", "budget.max-prefix-growth: 0.2 is not a whole number of tokens, or a share"),
    ("budget: {max-prefix-growth: -20%}", "budget.max-prefix-growth: -20% is not a whole number of tokens"),
    ("budget: {max-prefix-growth: null}", "budget.max-prefix-growth: nothing is not a whole number"),
    ("budget: {max-usd-per-day: $10}", "budget.max-usd-per-day: $10 is not a sum in USD"),
    ("budget: {max-usd-per-day: -1}", "budget.max-usd-per-day: -1 is not a sum in USD"),
    ("budget: {max-lost-tokens-once: 1.5}", "budget.max-lost-tokens-once: 1.5 is not a whole number, not below 0"),
    ("budget: {max-lost-tokens-once: true}", "budget.max-lost-tokens-once: true is not a whole number"),
    ("allow: {prompt: a}", "allow: a mapping is not a list"),
    ("allow: [{prompt: a, until: 2027-01-31}]", "allow.0: reason is missing; needed are prompt, reason, until"),
    ("allow: [{prompt: a, reason: why}]", "allow.0: until is missing"),
    ("allow: [{prompt: a, reason: TODO, until: 2027-01-31}]", "allow.0.reason: TODO is not a reason: say why the loss"),
    ("allow: [{prompt: a, reason: why, until: soon}]", "allow.0.until: soon is not a day such as 2027-01-31"),
    ("allow: [{prompt: [a], reason: why, until: 2027-01-31}]", "allow.0.prompt: a list is not a text"),
    ("allow: [{promt: a}]", "allow.0: unknown key promt; did you mean prompt?"),
]
ONLY_HERE = ("twice", "5,000 digits", "99999d", "\\x00")  # a schema cannot say it


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_what_is_wrong_is_said_in_one_line_with_its_place(text: str, message: str) -> None:
    with pytest.raises(PromptlintError) as fault:
        parsed(text.encode(), "old/promptlint.yaml")
    assert message in str(fault.value)
    assert str(fault.value).startswith("old/promptlint.yaml: ")
    assert str(fault.value).isprintable()
    if not any(each in message for each in ONLY_HERE):
        assert not valid(text)


@pytest.mark.parametrize(
    "text",
    [
        "prompts: []\nbudget: {}\nallow: []",
        "budget: {min-cacheable-share: 100%, max_usd_per_day: 0, max-prefix-growth: 250 %}",
        "budget: {min-cacheable-share: 0}",
        entry("template: a, budget: {}, traffic: {}, vars: b.yaml"),
        entry("recorded: a, chat-template: b, template-kwargs: {}"),
        entry("command: [a, ' ', '']"),
        entry("request: a, markers: none, engine: sglang"),
        "allow: [{prompt: '*', reason: '客户要求', until: '2027-01-31'}]",
    ],
)
def test_the_schema_takes_what_is_taken(text: str) -> None:
    assert parsed(text.encode(), "promptlint.yaml") is not None
    assert valid(text)


class _WithoutDates(yaml.SafeLoader):
    """As an editor sees a file: a date is a text."""


_WithoutDates.yaml_implicit_resolvers = {
    first: [row for row in rows if row[0] != "tag:yaml.org,2002:timestamp"]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def valid(text: str) -> bool:
    value = yaml.load(text, Loader=_WithoutDates)
    return bool(jsonschema.Draft202012Validator(json.loads(config_schema())).is_valid(value))


def test_each_key_is_in_the_schema_and_in_the_program() -> None:
    definitions = json.loads(config_schema())["$defs"]
    assert definitions["prompt"]["properties"].keys() == _ENTRY.keys()
    assert definitions["prompt"]["properties"]["traffic"]["properties"].keys() == _TRAFFIC.keys()
    assert definitions["budget"]["properties"].keys() == {*_BUDGET, *(key.replace("-", "_") for key in _BUDGET)}
    assert definitions["allow"]["properties"].keys() == {*Allow._fields}
    limits = {name for name in Budget._fields if name != "growth_is_share"}
    assert {key.replace("-", "_") for key in _BUDGET} == limits


def test_a_configuration_that_is_not_on_disk() -> None:
    assert parsed(YAML.encode(), "in/promptlint.yaml") == WANTED._replace(path="in/promptlint.yaml")
    assert parsed(("\ufeff" + YAML).encode(), "promptlint.yaml") == WANTED._replace(path="promptlint.yaml")
    assert parsed(YAML.encode("utf-16"), "promptlint.yaml") == WANTED._replace(path="promptlint.yaml")
    for nothing in (b"", b"\n", b"# nothing yet\n"):
        assert parsed(nothing, "promptlint.yaml") == Config(path="promptlint.yaml")
    assert parsed(b"[project]\nname = 'promptlint-user'\n", "in/pyproject.toml") is None
    assert parsed(b"", "pyproject.toml") is None
    found = parsed(b"[tool.promptlint]\nfail-on = 'error'\n", "in/pyproject.toml")
    assert found == Config(path="in/pyproject.toml", fail_on="error")


@pytest.mark.parametrize(
    ("path", "data", "message"),
    [
        ("HEAD:promptlint.yaml", b"fail-on: [", "HEAD:promptlint.yaml:1:11: "),
        ("HEAD:promptlint.yaml", b"a: \xff", "HEAD:promptlint.yaml:1:4: the byte at offset 3 is not valid UTF-8"),
        ("HEAD:promptlint.yaml", b"[]", "HEAD:promptlint.yaml: a list is not a mapping"),
        ("HEAD:pyproject.toml", b"[tool.promptlint", "HEAD:pyproject.toml: not TOML"),
        ("HEAD:pyproject.toml", b"[tool.promptlint]\nx = 1", "HEAD:pyproject.toml: tool.promptlint: unknown key x"),
    ],
)
def test_one_that_is_not_on_disk_and_not_in_order(path: str, data: bytes, message: str) -> None:
    with pytest.raises(PromptlintError) as fault:
        parsed(data, path)
    assert str(fault.value).startswith(message)


def test_the_budget_of_an_entry_counts_before_that_of_all() -> None:
    own = Budget(max_lost_tokens_per_request=0, max_prefix_growth=300.0)
    assert own.over(WANTED.budget) == Budget(0, 0.5, 10.25, 300.0, False, 5000)


def test_a_place_inside_of_a_table() -> None:
    with pytest.raises(PromptlintError, match=r"^a: tool\.promptlint\.prompts\.0\.ttl: x is not a lifetime"):
        prompts_of([{"template": "a", "ttl": "x"}], "a: tool.promptlint.prompts")
