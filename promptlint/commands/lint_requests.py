"""The requests of a document -> findings: each by itself, and each with the one that it follows."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from promptlint.commands.lint_files import DATA, How, Linted
from promptlint.commands.lint_findings import in_document
from promptlint.commands.lint_request import subject_of
from promptlint.commands.lint_suppressed import Commented
from promptlint.commands.lint_told import Told, flat, joined
from promptlint.errors import PromptlintError
from promptlint.finding import Finding
from promptlint.lint.comments import Host, comments_of
from promptlint.lint.run import hits
from promptlint.lint.subject import RequestSubject
from promptlint.load import value_of_document
from promptlint.load.several import requests
from promptlint.prompt import Document, Json, Request
from promptlint.read.names import shown
from promptlint.read.places import pointer


def lint_requests(document: Document, how: How) -> Linted:
    """What is found in the requests of a document; with a reason instead where it holds none."""
    failures: list[PromptlintError] = []
    told: list[Told] = []
    sent: list[RequestSubject] = []
    paired: list[Finding] = []
    value: Json = None
    held: Document | None = None
    count = 0
    try:
        for subject, here in _with_pairs(request_subjects(document, how, failures), how, paired):
            count += 1
            sent = sent or [subject]
            if held is None or here.text is not held.text:
                held = here
                value = held.text if subject.request.format == "text" else value_of_document(held)
            told += _told(in_document(hits(how.rules, subject), held, value, subject.request.ends), subject.request)
    except PromptlintError as error:
        return Linted(document.path, "", reason=_without_options(error))
    return Linted(
        document.path,
        _what(sent, count),
        (*joined(told, count, "requests"), *paired),
        _left_out(document, failures),
        ran=("request",) if count <= 1 else ("request", "pair"),
        comments=(Commented(document, comments_of(document.text, _host(document, sent))),),
    )


def request_subjects(
    document: Document, how: How, failures: list[PromptlintError]
) -> Iterator[tuple[RequestSubject, Document]]:
    """The requests that can be read; why the others cannot is added to `failures`."""
    for request in requests(document):
        if isinstance(request, PromptlintError):
            failures.append(request)
            continue
        if request.format == "text" and document.path.endswith(DATA):
            value_of_document(document)  # says so if it cannot be read at all
            raise PromptlintError(f"{shown(document.path)}: no request and no list of tools is in it")
        subject = subject_of(request, how.options)
        if subject is not None:
            yield subject, request.document


def _with_pairs(
    subjects: Iterable[tuple[RequestSubject, Document]], how: How, found: list[Finding]
) -> Iterator[tuple[RequestSubject, Document]]:
    """The same; where there are several, what each changes of the one that it follows is added to `found`."""
    first: RequestSubject | None = None
    pairs = None
    for subject, document in subjects:
        if first is None:
            first = subject
        else:
            if pairs is None:
                from promptlint.commands.lint_pairs import Pairs

                pairs = Pairs(how)
                pairs.add(first.request, first.prompt)
            pairs.add(subject.request, subject.prompt)
        yield subject, document
    if pairs is not None:
        found += pairs.findings()


def _told(findings: Sequence[Finding], request: Request) -> Iterator[Told]:
    begin = flat(pointer(request.path))
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        inside = flat(finding.pointer).removeprefix(begin)
        place = finding.rule, re.sub(r"/\d+(?=/|$)", "/-", inside)
        yield Told((*place, seen[place]), finding)
        seen[place] += 1


def _left_out(document: Document, failures: Sequence[PromptlintError]) -> tuple[str, ...]:
    """A note about records without a request, with what is wrong with the first."""
    if not failures:
        return ()
    others = len(failures) - 1
    more = {0: "", 1: ", as is 1 record more"}.get(others, f", as are {others} records more")
    return (f"{failures[0].message}: left out{more}",)


def _without_options(error: PromptlintError) -> str:
    """What is wrong, without the advice to name an option that only commands about one request have."""
    return error.message if "--input-format" in error.hint or "--request-path" in error.hint else str(error)


def _what(sent: Sequence[RequestSubject], count: int) -> str:
    if count > 1:
        return f"{count} requests"
    return {"mcp-tools": "tool list", "text": "text"}.get(sent[0].request.format if sent else "", "request")


def _host(document: Document, sent: Sequence[RequestSubject]) -> Host:
    if sent and sent[0].request.format == "text":
        return "text"
    return document.syntax
