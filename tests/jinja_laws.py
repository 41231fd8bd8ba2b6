"""What must hold of the parts of any template, judged by the template's text and by real renderings of it."""

import re

from promptlint.prompt import Origin, Rendering
from promptlint.template import Condition, Hole, Loop, SourceRange, Template, Text


def written(template: Template, found: SourceRange) -> str:
    """The characters of a range."""
    text = template.files[found.file].text
    assert 0 <= found.start <= found.end <= len(text)
    return text[found.start : found.end]


def lines(text: str) -> str:
    """A text with line feeds only, as Jinja reads and prints it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def assert_ranges(template: Template) -> None:
    """Each range gives back what it says to be."""
    for part in template.parts:
        source = written(template, part.range)
        if isinstance(part, Hole):
            assert source[:2] in ("{{", "{%"), source
            assert source[-2:] in ("}}", "%}"), source
            assert _within(part.expression, part.range)
            assert written(template, part.expression).strip() == written(template, part.expression) != ""
        elif part.inside is None:
            assert lines(source) == part.text != ""
        else:
            assert _within(part.range, part.inside)
            assert part.text == lines(source) or "\\" in source or re.search(r"""["']\s*["']""", source)
    for call in {call for part in template.parts if isinstance(part, Hole) for call in part.calls}:
        source = written(template, call.range)
        last = call.name.lstrip("|").split(".")[-1]
        assert last in source, (call.name, source)
        assert source.strip() == source
        assert sum(map(source.count, "([{")) == sum(map(source.count, ")]}")) or re.search(r"""["']""", source), source
    for comment in template.comments:
        assert written(template, comment)[:2] + written(template, comment)[-2:] == "{##}"
    for tag in template.tags:
        assert written(template, tag)[:2] + written(template, tag)[-2:] == "{%%}"
    for loop in template.loops:
        assert written(template, loop.range) == loop.over
    rows: list[Loop | Condition] = [*template.loops, *template.conditions]
    for row in rows:
        assert 0 <= row.first < row.last <= len(template.parts)
    assert all(0 <= mark.part <= len(template.parts) for mark in template.breakpoints)


def assert_covered(template: Template) -> None:
    """Where each tag prints something by itself, parts, tags and comments leave only white space over."""
    known = [part.inside if isinstance(part, Text) and part.inside else part.range for part in template.parts]
    spans = sorted({(found.start, found.end) for found in (*known, *template.tags, *template.comments)})
    place = 0
    for start, end in spans:
        assert start >= place, (start, end)
        assert not template.files[0].text[place:start].strip()
        place = end
    assert not template.files[0].text[place:].strip()


def assert_rendered(template: Template, rendering: Rendering) -> None:
    """A rendering prints the literal texts of the parts, in their order, and values where the parts have holes."""
    place = 0
    for part in template.parts:
        if isinstance(part, Text) and part.when == "always":
            place = rendering.text.find(part.text, place)
            assert place >= 0, part
            place += len(part.text)
    starts = _line_starts(lines(template.files[0].text))
    for origin in rendering.origins:
        if origin.kind == "template" and origin.name == "" and origin.line is not None and origin.column is not None:
            assert _is_known(template, starts[origin.line - 1] + origin.column - 1, origin.end - origin.start), origin
        elif origin.kind in ("value", "changed", "serialised", "key"):
            assert _is_named(template, origin), (origin, rendering.text[origin.start : origin.end])
        elif origin.kind == "call" and origin.name == "strftime_now":
            assert any(isinstance(p, Hole) and any(c.name == origin.name for c in p.calls) for p in template.parts)


def _is_known(template: Template, start: int, length: int) -> bool:
    """Whether characters of the source stand in one of the texts.

    Not seen as texts are constants that are printed as a value, and the text of a macro that is computed with.
    """
    text = template.files[0].text
    assert "\r" not in text
    return (
        any(
            part.range.file == 0 and part.range.start <= start and start + length <= part.range.end
            for part in template.parts
            if isinstance(part, Text)
        )
        or any(found.start() <= start < found.end() for found in re.finditer(r"(?s)\{\{.*?\}\}|\{%.*?%\}", text))
        or any(found.start() <= start < found.end() for found in re.finditer(r"(?s)\{%-? macro.*?endmacro", text))
    )


def _is_named(template: Template, origin: Origin) -> bool:
    """Whether a hole says that it prints this value, or something around it."""
    assert origin.path is not None
    path = ".".join(step for step in origin.path if isinstance(step, str))
    return any(
        path == name or path.startswith(f"{name}.") or name.startswith(f"{path}.")
        for part in template.parts
        if isinstance(part, Hole)
        for name in part.names
    )


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _within(inner: SourceRange, outer: SourceRange) -> bool:
    return inner.file == outer.file and outer.start <= inner.start <= inner.end <= outer.end
