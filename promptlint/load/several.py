"""Every request of a document: records of a log, entries of a batch, exchanges of recorded traffic."""

from collections.abc import Iterator, Sequence

from promptlint.errors import PromptlintError
from promptlint.load import load
from promptlint.load.envelope import Found
from promptlint.prompt import Document, Request, SourceByte
from promptlint.read.json_pair import Parsed
from promptlint.read.lines import byte_offsets

_RECORDS = (".jsonl", ".ndjson")


def requests(document: Document) -> Iterator[Request | PromptlintError]:
    """The requests in the order of the document; an error for each record or exchange that holds none.

    Raises PromptlintError for a document that holds no request at all and is none.
    """
    if document.record is None and (document.path.endswith(_RECORDS) or _has_records(document)):
        for record in records(document):
            yield from _tried(record)
        return
    from promptlint.load.containers import Several

    try:
        yield load(document)
        return
    except Several as several:
        yield from _each(document, several.found)
        return
    except PromptlintError:
        count = _exchanges(document)
        if not count:
            raise
    from promptlint.load import value_of_document

    parsed = Parsed(value_of_document(document), {})
    for entry in range(count):
        yield from _tried(document._replace(entry=entry), parsed)


def records(document: Document) -> Iterator[Document]:
    """Each line of a JSONL that is not blank, as a document of its own."""
    starts, number, begin = [], 0, 0
    spans: list[tuple[int, int, int, int]] = []  # begin, end, line, record
    for line, text in enumerate(document.text.split("\n")):
        if text.strip():
            spans.append((begin, begin + len(text.rstrip("\r")), line, number))
            number += 1
        begin += len(text) + 1
    starts = [place for span in spans for place in span[:2]]
    offsets = list(byte_offsets(document, starts))
    for index, (begin, end, line, number) in enumerate(spans):
        start, stop = offsets[2 * index], offsets[2 * index + 1]
        yield document._replace(
            record=number,
            data=document.data[start:stop],
            text=document.text[begin:end],
            start=SourceByte(document.start + start),
            line=document.line + line,
            anchors=(),
            syntax="json",
        )


def _tried(document: Document, parsed: Parsed | None = None) -> Iterator[Request | PromptlintError]:
    """A record of a log may hold several requests itself."""
    from promptlint.load.containers import Several

    try:
        yield load(document, parsed=parsed)
    except Several as several:
        yield from _each(document, several.found)
    except PromptlintError as error:
        yield error


def _each(document: Document, found: Sequence[Found]) -> Iterator[Request | PromptlintError]:
    """The requests at places of a document, which is parsed once and searched once."""
    from promptlint.load import load_at, value_of_document

    parsed = Parsed(value_of_document(document), {})
    for entry, place in enumerate(found):
        try:
            yield load_at(document._replace(entry=entry), place, parsed)
        except PromptlintError as error:
            yield error


def _has_records(document: Document) -> bool:
    """Whether a file of another name is a JSONL: its first two lines are values of their own."""
    if document.syntax != "json" or not document.text.lstrip().startswith("{"):
        return False
    from promptlint.read.json_text import parse_string

    lines = [line for line in document.text[: 1 << 20].split("\n") if line.strip()][:2]
    try:
        return len(lines) == 2 and all(isinstance(parse_string(line), dict) for line in lines)
    except ValueError:
        return False


def _exchanges(document: Document) -> int:
    """How many exchanges a HAR or a cassette holds; 0 if the document is neither."""
    from promptlint.load import cassette, har, value_of_document

    try:
        value = value_of_document(document)
    except PromptlintError:
        return 0
    found = har.exchanges(value)
    return len((cassette.exchanges(value) if found is None else found) or ())
