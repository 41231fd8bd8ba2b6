"""Templates rendered while they are linted: where that takes place, and what it has shown as a table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from promptlint.config import Stability
from promptlint.lint_facts import RenderedTemplate, VariableEffect
from promptlint.prompt import Document, Location, Path, TemplateSource
from promptlint.template import SourceRange, Template

if TYPE_CHECKING:
    from datetime import datetime

    from promptlint.lint.rendering.attempts import Stage
    from promptlint.lint.rendering.outcome import RenderedEffects
    from promptlint.render.template.process import Renderer


class Stages:
    """Where templates are rendered: one process for all files, started by the first template. A context manager."""

    def __init__(self) -> None:
        self._renderer: Renderer | None = None
        self._of: dict[str, Stage] = {}

    def __enter__(self) -> "Stages":
        return self

    def __exit__(self, *_: object) -> None:
        if self._renderer is not None:
            self._renderer.close()

    def of_file(self, path: str) -> "Stage":
        """That of a file: all its templates share their time."""
        from promptlint.lint.rendering.attempts import WALL, Stage
        from promptlint.render.template.process import Renderer

        if self._renderer is None:
            self._renderer = Renderer(WALL)
        if path not in self._of:
            self._of[path] = Stage(self._renderer)
        return self._of[path]


def rendered(
    template: Template,
    source: TemplateSource,
    roots: Sequence[str],
    stages: Stages | None,
    *,
    now: "datetime",
    count: Callable[[str], int],
) -> "Callable[[], RenderedEffects | None]":
    """What rendering shows, worked out when a rule first asks for it; None with --no-render."""
    if stages is None:
        return lambda: None
    return cache(partial(_rendered, template, source, roots, stages, now, count))


def _rendered(
    template: Template,
    source: TemplateSource,
    roots: Sequence[str],
    stages: Stages,
    now: "datetime",
    count: Callable[[str], int],
) -> "RenderedEffects":
    from promptlint.lint.rendering.outcome import rendered_effects

    return rendered_effects(template, source, roots, stages.of_file(source.document.path), now=now, count=count)


def notes(name: str, found: "RenderedEffects") -> Iterator[str]:
    """Why a template was not rendered, or not in all the ways that there are, where that is no fault of it."""
    if found.refusal is not None:
        yield f"{name}: not rendered: {found.refusal.reason}"
    elif found.untried:
        yield f"{name}: not rendered in every way: {found.untried}"


def tables(
    found: "RenderedEffects", documents: tuple[Document, ...], path: Path, declared: Mapping[str, Stability]
) -> tuple[RenderedTemplate, ...]:
    """Which variable first moves the text, and where; none where none was varied.

    `path`: as `in_files` takes it; `declared`: how often variables change, as the configuration says.
    """
    from promptlint.commands.lint_findings import locations_of
    from promptlint.lint.variables import guess
    from promptlint.read.places import pointer

    def place(at: SourceRange | None) -> Location | None:
        return None if at is None else locations_of(documents, at, () if at.file else path)[0]

    def note(name: str) -> str:
        known = guess(name, declared)
        return "declared stable" if known is not None and known.declared and known.often == "stable" else ""

    rows = [
        _row(each.name, place(each.at), each.shared_tokens, each.stranded_tokens, each.note or note(each.name))
        for each in found.effects
    ]
    rows += [_row(f"{each.name}()", place(each.at), each.shared_tokens, each.stranded_tokens) for each in found.moved]
    ordered = sorted(rows, key=lambda row: (row.line is None, bool(row.note), row.shared_tokens, row.name))
    return (RenderedTemplate(documents[0].path, pointer(path), tuple(ordered)),) if rows else ()


def _row(name: str, at: Location | None, shared: int, stranded: int, note: str = "") -> VariableEffect:
    if at is None:
        return VariableEffect(name, "", None, None, shared, stranded, note)
    return VariableEffect(name, at.path, at.line, at.column, shared, stranded, note)
