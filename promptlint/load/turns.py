"""Where the messages of a chat begin that a template writes out as text."""

import re
from functools import cache

from promptlint import facts
from promptlint.template import Breakpoint, SourceRange, Template, Turn


@cache
def _row(name: str) -> tuple["re.Pattern[str]", str]:
    row = facts.table("template_languages")["turns"][name]
    return re.compile(row["pattern"], re.MULTILINE), row.get("marker", "")


def with_turns(template: Template, name: str, begin: int, end: int) -> Template:
    """The template with the messages that begin in characters `begin:end` of its first file.

    `name`: a key of `turns` of data/template_languages.yaml. A message whose options hold a cache marker ends in a
    breakpoint.
    """
    text = template.files[0].text
    pattern, marker = _row(name)
    starts = [part.range.start if part.range.file == 0 else -1 for part in template.parts]
    turns: list[Turn] = []
    breakpoints = list(template.breakpoints)
    marked = False
    for found in pattern.finditer(text, begin, end):
        ahead = sum(1 for start in starts if start < found.start()) if len(turns) < 200 else len(starts)
        where = SourceRange(0, found.start(), found.end())
        if marked:
            breakpoints.append(Breakpoint(where, None, ahead))
        marked = bool(marker) and marker in found[0]
        turns.append(Turn(found["role"], where, ahead))
    if marked:
        breakpoints.append(Breakpoint(SourceRange(0, end, end), None, len(starts)))
    return template._replace(turns=(*template.turns, *turns), breakpoints=tuple(breakpoints))
