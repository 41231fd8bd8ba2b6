"""Characters of literal text that show nothing, where neither the script nor a picture needs them."""

from collections.abc import Iterator

from promptlint.lint.edits import Replace
from promptlint.lint.hit import Hit
from promptlint.lint.stranded import FEW, end_of_prefix, losses
from promptlint.lint.subject import TemplateSubject
from promptlint.lint.volatile.characters import invisible
from promptlint.template import SourceRange, Text

_RELATED = 10


def check(subject: TemplateSubject) -> Iterator[Hit]:
    """The first of each file, further ones as related places; text that an expression prints was written on purpose."""
    found: dict[int, list[SourceRange]] = {}
    first: dict[int, tuple[str, int]] = {}  # a file -> what it is, and tokens behind it; nothing for a tail
    behind = losses(subject)
    for number, part, where, what in _invisible(subject):
        if where.file not in found:
            rest, lost = subject.template.files[where.file].text[where.end : part.range.end], behind(number)
            tokens = lost.tokens + (subject.count(rest) if part.when == "always" else 0)
            if tokens >= FEW or lost.other:
                first[where.file] = what, tokens
        if len(found.setdefault(where.file, [])) <= _RELATED:
            found[where.file].append(where)
    for file, (what, tokens) in first.items():
        places = tuple(dict.fromkeys(found[file]))
        yield Hit(places[0], {"what": what}, places[1:], tokens or None)


def fix(subject: TemplateSubject, hit: Hit) -> Iterator[Replace]:
    """All of them, in the file that was named."""
    for where in dict.fromkeys(where for _, _, where, _ in _invisible(subject)):
        if not where.file:
            yield Replace(where, where.start, where.end, "")


def _invisible(subject: TemplateSubject) -> Iterator[tuple[int, Text, SourceRange, str]]:
    """Each of them: the number of its part, the part, its place, its name."""
    for number, part in enumerate(subject.template.parts[: end_of_prefix(subject)]):
        if isinstance(part, Text) and part.inside is None and not part.text.isascii():
            file, start, end = part.range
            for one in invisible(subject.template.files[file].text[start:end]):
                yield number, part, SourceRange(file, start + one.start, start + one.end), one.what
