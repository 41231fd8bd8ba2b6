"""Hits -> findings: words, places in files, excerpts."""

from collections.abc import Iterable, Mapping

from promptlint.facts.causes import cause
from promptlint.finding import Finding
from promptlint.lint.baseline import content
from promptlint.lint.hit import Hit, Place
from promptlint.lint.rule import Rule
from promptlint.prompt import CharIndex, Document, Json, Location, Path, Spot
from promptlint.read.descend import descend
from promptlint.read.lines import locations
from promptlint.read.places import pointer, resolve
from promptlint.template import SourceRange

Told = tuple[Rule, Hit]

_BEFORE, _AFTER = 120, 200  # characters of an excerpt round a place in a long line
_END = CharIndex(1 << 30)


def in_document(told: Iterable[Told], document: Document, value: Json, ends: Mapping[int, int] = {}) -> list[Finding]:
    """Findings about values of a JSON or YAML document, or about a text; `value`: what the document holds."""
    told = list(told)
    places = [place for _, hit in told for place in (hit.at, *hit.related)]
    begins = [_spot(place, place.start, place.end) for place in places if isinstance(place, Place)]
    found = resolve(document, begins, ends)
    stops = resolve(
        document, [_spot(place, place.end, place.end) for place in places if isinstance(place, Place)], ends
    )
    done, number = [], 0
    for rule, hit in told:
        assert isinstance(hit.at, Place)
        here, stop = found[number], stops[number]
        related = tuple(found[number + 1 : number + 1 + len(hit.related)])
        number += 1 + len(hit.related)
        excerpt, mark = _excerpt(_text_at(value, hit.at), hit.at.start, hit.at.end)
        one = _finding(rule, hit, here, related)._replace(pointer=pointer(hit.at.path), excerpt=excerpt, mark=mark)
        if excerpt is None:
            one = one._replace(fingerprint=content(value, hit.at.path))
        done.append(one._replace(end_line=stop.line, end_column=stop.column))
    return done


def in_files(
    told: Iterable[Told], documents: tuple[Document, ...], path: Path = (), others: tuple[Path, ...] = ()
) -> list[Finding]:
    """Findings about ranges of a template's files; `path`: where the first stands in its document, () for all of it.

    `others`: the same of the files behind it; those that it does not name are whole ones.
    """
    paths = (path, *others, *[()] * (len(documents) - 1 - len(others)))
    done = []
    for rule, hit in told:
        assert isinstance(hit.at, SourceRange)
        at = paths[hit.at.file]
        here, stop = locations_of(documents, hit.at, at)
        related = tuple(
            locations_of(documents, place, paths[place.file])[0]
            for place in hit.related
            if isinstance(place, SourceRange)
        )
        document = documents[hit.at.file]
        text = str(_text_at_path(document, at)) if at else document.text
        excerpt, mark = _excerpt(text, hit.at.start, hit.at.end)
        one = _finding(rule, hit, here, related)._replace(excerpt=excerpt, mark=mark)
        if at:
            one = one._replace(pointer=pointer(at))
        done.append(one._replace(end_line=stop.line, end_column=stop.column))
    return done


def locations_of(documents: tuple[Document, ...], at: SourceRange, path: Path) -> tuple[Location, Location]:
    """Where a range of a template begins, and where it ends; `path`: where its file stands in its document."""
    document = documents[at.file]
    if path:
        begin, end = (
            Spot(path, "value", CharIndex(a), CharIndex(b)) for a, b in ((at.start, at.end), (at.end, at.end))
        )
        first, last = resolve(document, [begin, end])
    else:
        first, last = locations(document, [(at.start, at.end), (at.end, at.end)])
    return first, last


def _spot(place: Place, start: int, end: int) -> Spot:
    return Spot(place.path, place.atom, CharIndex(start), CharIndex(end))


def _finding(rule: Rule, hit: Hit, here: Location, related: tuple[Location, ...]) -> Finding:
    return Finding(
        rule=rule.id,
        severity=hit.severity or rule.severity,
        confidence=hit.confidence or rule.confidence,
        message=hit.message or rule.message.format(**hit.values),
        location=here,
        pointer="",
        related=related,
        lost_tokens=hit.lost_tokens,
        lost_usd=None,
        fix=hit.fix or rule.fix or cause(rule.cause).fix,
        cause=hit.cause or rule.cause,
    )


def _text_at_path(document: Document, path: Path) -> Json:
    from promptlint.load import value_of_document

    return descend(value_of_document(document), path)


def _text_at(value: Json, place: Place) -> str | None:
    """The text that a place is about; None where it is no text."""
    if place.atom == "key":
        return str(place.path[-1])
    found = descend(value, place.path)
    return found if isinstance(found, str) else None


def _excerpt(text: str | None, start: int, end: int) -> tuple[str | None, tuple[int, int]]:
    """The line of a text in which a range begins, cut down around it, and the range in it."""
    if text is None:
        return None, (0, 0)
    start, end = min(start, len(text)), min(max(start, end), len(text))
    low = max(text.rfind("\n", 0, start) + 1, start - _BEFORE)
    stop = text.find("\n", start)
    high = min(len(text) if stop < 0 else stop, max(start, min(end, start + _BEFORE)) + _AFTER)
    high = max(high, low)
    line = text[low:high]
    if line.endswith("\r") and end < high:
        line = line[:-1]
    return line, (start - low, max(min(end, high), start) - low)
