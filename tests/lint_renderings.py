"""Templates linted with renderings, in one process for all tests of a module."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from promptlint.commands.lint_files import How, Linted, lint_file
from promptlint.commands.lint_rendering import Stages
from promptlint.commands.lint_template import template_subject
from promptlint.commands.options import Options
from promptlint.lint.rendering.outcome import RenderedEffects
from promptlint.lint.rule import built_in
from promptlint.lint.subject import TemplateSubject
from promptlint.read.sources import read
from promptlint.tokens import open_tokenizer

NOW = datetime(2026, 11, 29, 10, 15, 2)


def how_with(stages: Stages | None, *wanted: str) -> How:
    """How files are linted, by all rules or by those that are named."""
    rules = tuple(rule for rule in built_in() if not wanted or rule.id in wanted)
    return How(rules, Options(open_tokenizer(None)), {}, stages, NOW)


def subject(path: Path, stages: Stages | None) -> TemplateSubject:
    """A template as rules see it."""
    return template_subject(read(str(path)), (), None, how_with(stages))


def shown(path: Path, text: str, stages: Stages) -> RenderedEffects:
    """What rendering a text shows that is written to a file first."""
    path.write_text(text, encoding="utf-8")
    found = subject(path, stages).rendered()
    assert found is not None
    return found


def linted(path: Path, stages: Stages | None, *rules: str) -> Linted:
    """What a file gives."""
    return lint_file(str(path), how_with(stages, *rules))


@pytest.fixture(scope="module")
def stages() -> Iterator[Stages]:
    with Stages() as opened:
        yield opened
