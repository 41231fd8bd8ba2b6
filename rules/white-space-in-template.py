"""White space of a chat template that is printed or not as the engine's settings say."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit
from promptlint.lint.subject import TemplateSubject
from promptlint.load.jinja import read_template
from promptlint.template import SourceRange, Template, Text


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """One finding for a template, at the first such tag; an application renders its templates in one way."""
    template = subject.template
    if not template.is_chat:
        return
    file = template.files[0]
    other = read_template(template.name, file.text, (), chat=False)
    more = list(_gaps(_printed(other), _printed(template)))
    if not more:
        return
    begins = {tag.start: tag for tag in (*template.tags, *template.comments) if tag.file == 0}
    ends = {tag.end: tag for tag in begins.values()}
    found = [ends.get(start) or begins.get(end) or SourceRange(0, start, end) for start, end in more]
    tags = sorted(set(found))
    what = "a line feed or indent" if len(more) == 1 else f"{len(more):,} line feeds or indents"
    words = "a tag is" if len(tags) == 1 else f"{len(tags):,} tags are"
    yield Hit(tags[0], {"what": what, "tags": words}, tuple(tags[1:4]))


def _printed(template: Template) -> list[tuple[int, int]]:
    """Where the first file's literal text is printed from, in the order of the file."""
    ranges = (part.range for part in template.parts if isinstance(part, Text) and part.inside is None)
    return sorted({(found.start, found.end) for found in ranges if found.file == 0})


def _gaps(more: list[tuple[int, int]], less: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What of the ranges `more` lies in none of `less`."""
    number = 0
    for start, end in more:
        while number < len(less) and less[number][1] <= start:
            number += 1
        at, place = number, start
        while at < len(less) and less[at][0] < end:
            if place < less[at][0]:
                yield place, less[at][0]
            place = max(place, less[at][1])
            at += 1
        if place < end:
            yield place, end
