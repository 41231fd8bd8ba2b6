"""A configuration for a reader: the file that `promptlint init` writes, the settings that hold, the schema."""

import os
from decimal import Decimal
from typing import Any

from promptlint.config import Config
from promptlint.config.prompts import Budget, PromptEntry, Traffic
from promptlint.prompt import Json, Number

_SCHEMA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "schemas", "config.schema.json")

SETTINGS = """\
# Settings of promptlint. All may be left out: what stands here behind a # is what holds then, or an example.
# The configuration nearest to a file counts, and nothing is added from those above it.
# An editor completes and checks settings by a schema: `promptlint config schema` prints it.

# Rules that are used, and rules that are not; * stands for any characters. `promptlint rules` lists them.
#select: ["*"]
#ignore: []

# The same for some files only. Patterns are those of a .gitignore, relative to this file.
#per-file-ignores:
#  "examples/": [marker-limit]

# Files and folders that are left out, and whether those that git ignores are left out too.
#exclude: []
#respect-gitignore: true

# From which severity on a finding makes the exit code 1: error, warning, info or never.
#fail-on: warning

# Who changes a template's variables: stable (the same in all requests), per-session or per-request.
# What is not named here is guessed from the name.
#variables:
#  company: stable
#  "user_*": per-session
#  question: per-request

# What templates are meant for. A request shows it itself.
#model: claude-opus-5
#tokenizer: o200k_base

# Findings in JSON that may stay. In other files a comment says so: promptlint: ignore[rule] -- reason
#suppress:
#  - path: requests/demo.json
#    pointer: /messages/0/content
#    rule: marker-limit
#    reason: it is sent once a day

# Findings of before, which `promptlint baseline write` has listed: only new ones are shown.
#baseline: promptlint-baseline.json

# Patterns of your own (regular expressions of Python), looked for in templates or in the cached part of requests.
#rules:
#  - id: ticket-number
#    scope: template
#    pattern: "TICKET-[0-9]{1,6}"
#    message: "{match} is another one for each customer"
#    fix: Put it behind the last marker.

# Prices, models and limits of your own.
#facts:
#  prices:
#    claude-sonnet-5: {from: 2026-12-01, input: 1.80, read: 0.18, write: {5m: 2.25, 1h: 3.60}, output: 9}
"""
PROMPTS = """
# Prompts that promptlint check renders before and after a change.
# An entry has one of request, template, recorded, promptfoo, command: a path, a pattern (*, **, ?) or a list of them.
# What a command prints is a prompt, too; it runs only with --allow-exec.
"""
EXAMPLES = """\
#prompts:
#  - name: support
#    template: prompts/support.j2
#    vars: [vars/one.yaml, vars/two.yaml]
#    provider: anthropic
#    model: claude-sonnet-5
#    ttl: 1h
#    traffic: {requests-per-day: 20000, turns: 6, gap: 90s}
#  - request: requests/*.json
#  - recorded: [logs/monday.jsonl]
#  - name: built
#    command: [python, tools/print_prompt.py]
"""
LIMITS = """
# What a change may cost a prompt. An entry of prompts may have a budget of its own, which counts first.
#budget:
#  max-lost-tokens-per-request: 0
#  min-cacheable-share: 50%
#  max-usd-per-day: 10
#  max-prefix-growth: 20%
#  max-lost-tokens-once: 5000

# Losses that are meant to be, up to a day. They pass and are listed.
#allow:
#  - prompt: support
#    reason: the new tone is worth a cold start
#    until: 2027-01-31
"""
COMMENTED = f"{SETTINGS}{PROMPTS}{EXAMPLES}{LIMITS}"
"""A configuration that says nothing yet, with every setting as a comment."""


def schema_text() -> str:
    """The JSON Schema of a configuration."""
    with open(_SCHEMA, encoding="utf-8") as file:
        return file.read()


def as_data(config: Config) -> dict[str, Json]:
    """The settings that hold, each under its key: a configuration that says the same. Patterns stay as written."""
    found: dict[str, Json] = {
        "select": list(config.select),
        "ignore": list(config.ignore),
        "per-file-ignores": {pattern: list(rules) for pattern, rules in config.per_file_ignores.items()},
        "exclude": list(config.exclude),
        "respect-gitignore": config.respect_gitignore,
        "fail-on": config.fail_on,
        "variables": dict(config.variables),
        "suppress": [
            {key: held for key, held in pardon._asdict().items() if held is not None} for pardon in config.suppress
        ],
        "baseline": config.baseline,
        "model": config.model,
        "tokenizer": config.tokenizer,
        "rules": [{"id": name, **_said(row)} for name, row in config.rules.items()],
        "facts": config.facts,
        "prompts": [_entry(entry) for entry in config.prompts],
        "budget": _budget(config.budget),
        "allow": [dict(each._asdict()) for each in config.allow],
    }
    return {key: held for key, held in found.items() if held is not None}


def _entry(entry: PromptEntry) -> dict[str, Json]:
    """An entry of `prompts` that says the same."""
    written: dict[str, Json] = {"name": entry.name} if entry.name is not None else {}
    written[entry.kind] = list(entry.command) if entry.kind == "command" else _one_or_more(entry.paths)
    cells: dict[str, Json] = {
        "vars": _one_or_more(entry.vars) if entry.vars else None,
        "chat-template": entry.chat_template,
        "template-kwargs": _as_written(dict(entry.template_kwargs)) if entry.template_kwargs else None,
        "provider": entry.provider,
        "model": entry.model,
        "engine": entry.engine,
        "tokenizer": entry.tokenizer,
        "markers": entry.markers,
        "ttl": entry.ttl,
        "traffic": _traffic(entry.traffic) or None,
        "budget": _budget(entry.budget) or None,
    }
    return written | {key: held for key, held in cells.items() if held is not None}


def _one_or_more(paths: tuple[str, ...]) -> Json:
    return paths[0] if len(paths) == 1 else list(paths)


def _traffic(traffic: Traffic) -> dict[str, Json]:
    cells = {"requests-per-day": traffic.requests_per_day, "turns": traffic.turns, "gap": traffic.gap_s}
    return {key: Number(str(held)) for key, held in cells.items() if held is not None}


def _budget(budget: Budget) -> dict[str, Json]:
    cells = budget._asdict()
    is_share = cells.pop("growth_is_share")
    found: dict[str, Json] = {key.replace("_", "-"): _number(held) for key, held in cells.items() if held is not None}
    if budget.max_prefix_growth is not None:
        key, growth = "max-prefix-growth", Decimal(repr(budget.max_prefix_growth))
        found[key] = (
            f"{growth * 100:f}".rstrip("0").rstrip(".") + "%" if is_share else Number(f"{growth.to_integral():f}")
        )
    return found


def _as_written(value: Any) -> Json:
    """A value of Python as a configuration has it."""
    if isinstance(value, dict):
        return {name: _as_written(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_as_written(held) for held in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        found: Json = value
        return found
    return _number(value)


def _number(value: int | float) -> Number:
    """Without an exponent; a float keeps a point."""
    written = f"{Decimal(repr(value)):f}"
    return Number(written if isinstance(value, int) or "." in written else f"{written}.0")


def _said(row: dict[str, Json]) -> dict[str, Json]:
    """A rule's row without the fields that say nothing."""
    return {key: list(held) if isinstance(held, tuple) else held for key, held in row.items() if held}
