"""A configuration for a reader: the file that `promptlint init` writes, the settings that hold, the schema."""

import os

from promptlint.config import Config
from promptlint.prompt import Json

_SCHEMA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "schemas", "config.schema.json")

COMMENTED = """\
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
    }
    return {key: held for key, held in found.items() if held is not None}


def _said(row: dict[str, Json]) -> dict[str, Json]:
    """A rule's row without the fields that say nothing."""
    return {key: list(held) if isinstance(held, tuple) else held for key, held in row.items() if held}
