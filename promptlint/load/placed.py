"""Templates in parts of files: their ranges in terms of the whole file, and several of them as one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from promptlint.template import Breakpoint, SourceRange, Template, TemplateFile, Turn


def shifted(template: Template, text: str, begin: int) -> Template:
    """A template that was read from `text[begin:]`, with ranges that count from the start of the text."""
    first = template.files[0]
    moved = _template(template, lambda at: SourceRange(0, at.start + begin, at.end + begin) if at.file == 0 else at)
    return moved._replace(files=(TemplateFile(first.path, text), *template.files[1:]))


def chained(name: str, language: str, templates: Sequence[tuple[str | None, Template, bool]]) -> Template:
    """Several texts of one prompt as one template, whose files they are.

    Each with the role of the message that it begins, None where it goes on with the last; and whether a cached part
    ends behind it.
    """
    whole = Template(name, language, (), (), (), (), (), False, ())
    for role, one, is_marked in templates:
        ahead, files = len(whole.parts), len(whole.files)
        moved = _template(one, partial(_in_file, files))
        turns = [turn._replace(part=turn.part + ahead) for turn in moved.turns]
        if role is not None:
            turns.insert(0, Turn(role, SourceRange(files, 0, 0), ahead))
        marks = [mark._replace(part=mark.part + ahead) for mark in moved.breakpoints]
        if is_marked:
            size = len(one.files[0].text)
            marks.append(Breakpoint(SourceRange(files, size, size), None, ahead + len(moved.parts)))
        whole = whole._replace(
            files=(*whole.files, *moved.files),
            parts=(*whole.parts, *moved.parts),
            loops=(
                *whole.loops,
                *(row._replace(first=row.first + ahead, last=row.last + ahead) for row in moved.loops),
            ),
            conditions=(
                *whole.conditions,
                *(row._replace(first=row.first + ahead, last=row.last + ahead) for row in moved.conditions),
            ),
            breakpoints=(*whole.breakpoints, *marks),
            arguments=tuple(dict.fromkeys((*whole.arguments, *moved.arguments))),
            notes=(*whole.notes, *moved.notes),
            comments=(*whole.comments, *moved.comments),
            tags=(*whole.tags, *moved.tags),
            turns=(*whole.turns, *turns),
        )
    return whole


def _in_file(first: int, at: SourceRange) -> SourceRange:
    return at._replace(file=at.file + first)


def _template(template: Template, move: Callable[[SourceRange], SourceRange]) -> Template:
    return cast(Template, _moved(template, move))


def _moved(value: Any, move: Callable[[SourceRange], SourceRange]) -> Any:
    """A template, or something in one, with other ranges."""
    if isinstance(value, SourceRange):
        return move(value)
    if isinstance(value, tuple):
        inner = [_moved(each, move) for each in value]
        return type(value)(*inner) if hasattr(value, "_fields") else tuple(inner)
    return value
