"""The text of a template as the request that carries it, so that markers and minimums count as they do when it is
sent; and back from a place in the request to the template."""

import json
import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from promptlint.config.prompts import Markers
from promptlint.errors import PromptlintError
from promptlint.facts import engines
from promptlint.facts.providers import Provider
from promptlint.prompt import Document, Origin, SourceByte
from promptlint.template import BREAKPOINT

# A comment, or raw text: what looks like a comment there is none.
_COMMENT = re.compile(
    r"\{#[-+]?(?P<inner>.*?)(?P<trim>[-+]?)#\}|\{%[-+]?\s*raw\s*-?%\}(?:[^{]|\{(?!%[-+]?\s*endraw))*", re.DOTALL
)


class Mark(NamedTuple):
    """Where the cached part of a text ends."""

    char: int
    ttl: str | None


class Printed(NamedTuple):
    """The text that a template made, where it comes from, and where it is marked."""

    text: str
    origins: tuple[Origin, ...]
    marks: tuple[Mark, ...] = ()


class Signed(NamedTuple):
    """A template whose text shows where its breakpoints are."""

    text: str
    nonce: str  # no text has it by chance
    lifetimes: tuple[str | None, ...]  # of the breakpoints


def has_breakpoints(source: str) -> bool:
    """Whether a template says in a comment where the cached part ends."""
    return "promptlint:" in source and any(map(_breakpoint, _COMMENT.finditer(source)))


def _breakpoint(comment: re.Match[str]) -> re.Match[str] | None:
    return re.fullmatch(BREAKPOINT, comment["inner"] or "")


def with_signs(source: str) -> Signed:
    """The template with a sign behind each breakpoint. The comment stays, and so do lines and white space."""
    if "promptlint:" not in source:
        return Signed(source, "", ())
    nonce = str(int.from_bytes(os.urandom(8)))  # digits: no filter makes other letters of them
    lifetimes: list[str | None] = []

    def sign(found: re.Match[str]) -> str:
        said = _breakpoint(found)
        if said is None:
            return found[0]
        lifetimes.append(said[1])
        trim = found["trim"]
        body = found[0][: len(found[0]) - 2 - len(trim)]
        return f"{body}#}}[{nonce}:{len(lifetimes) - 1}]{{#{trim and ' ' + trim}#}}"

    return Signed(_COMMENT.sub(sign, source), nonce, tuple(lifetimes))


def without_signs(text: str, origins: tuple[Origin, ...], signed: Signed) -> Printed:
    """The text as it is sent, with the places of the signs. Raises PromptlintError for one that a filter changed."""
    if not signed.lifetimes or signed.nonce not in text:
        return Printed(text, origins)
    pattern = re.compile(rf"\[{signed.nonce}:([0-9]+)\]")
    cuts = [(found.start(), found.end(), int(found[1])) for found in pattern.finditer(text)]
    if text.count(signed.nonce) != len(cuts):
        raise PromptlintError(
            "a breakpoint stands in text that the template changes", "set it outside of what a filter takes"
        )
    gone = [0]  # characters taken out in front of each cut
    for start, end, _ in cuts:
        gone.append(gone[-1] + end - start)
    starts = [start for start, _, _ in cuts]

    def moved(char: int) -> int:
        index = bisect_right(starts, char)
        if index and char < cuts[index - 1][1]:
            return cuts[index - 1][0] - gone[index - 1]
        return char - gone[index]

    kept = (one._replace(start=moved(one.start), end=moved(one.end)) for one in origins)
    marks = tuple(Mark(moved(start), signed.lifetimes[number]) for start, _, number in cuts)
    return Printed(pattern.sub("", text), tuple(one for one in kept if one.end > one.start), marks)


def marks_of(printed: Printed, markers: Markers, ttl: str | None) -> tuple[Mark, ...]:
    """Where the text is marked: rising, none twice."""
    if markers == "none":
        return ()
    if markers == "end":
        return (Mark(len(printed.text), ttl),)
    found = {mark.char: mark for mark in printed.marks}
    return tuple(found[char]._replace(ttl=found[char].ttl or ttl) for char in sorted(found) if char)


class Wrapped(NamedTuple):
    """A request as a document. `parts`: pointer of each text in it -> where in the template's text it begins."""

    document: Document
    input_format: str
    parts: dict[str, int]


def wrapped(text: str, marks: tuple[Mark, ...], provider: Provider, model: str | None, path: str) -> Wrapped:
    """The request that sends a text ahead of all else; plain text where who serves it takes texts."""
    if provider.assumed or provider.name in engines.names():
        return Wrapped(as_document(path, text), "text", {"": 0})
    ends = [mark.char for mark in marks]
    begins = [0, *(end for end in ends if end < len(text))]
    lifetimes = {mark.char: mark.ttl for mark in marks}
    stretches = [(begin, end) for begin, end in pairwise([*begins, len(text)])]
    own = provider.name in ("anthropic", "bedrock")
    blocks = [
        {"type": "text", "text": text[begin:end], **(_marker(lifetimes[end], provider) if end in lifetimes else {})}
        for begin, end in stretches
    ]
    if own:
        body: dict[str, Any] = {"model": model or "", "max_tokens": 1, "system": blocks, "messages": []}
        parts = {f"/system/{number}/text": begin for number, (begin, _) in enumerate(stretches)}
    elif marks:
        body = {"model": model or "", "messages": [{"role": "system", "content": blocks}]}
        parts = {f"/messages/0/content/{number}/text": begin for number, (begin, _) in enumerate(stretches)}
    else:
        body = {"model": model or "", "messages": [{"role": "system", "content": text}]}
        parts = {"/messages/0/content": 0}
    if not model:
        del body["model"]
    return Wrapped(
        as_document(path, json.dumps(body, ensure_ascii=False)), "anthropic" if own else "openai-chat", parts
    )


def _marker(ttl: str | None, provider: Provider) -> dict[str, Any]:
    lifetime = {"ttl": ttl} if ttl else {}
    if provider.name in ("openai", "azure"):
        return {"prompt_cache_breakpoint": {"mode": "explicit", **lifetime}}
    return {"cache_control": {"type": "ephemeral", **lifetime}}


def as_document(path: str, text: str) -> Document:
    """A text that was made, not read, under a name for people."""
    data = text.encode("utf-8", "surrogatepass")
    return Document(path, None, None, data, text, "utf-8", SourceByte(0), 1)


def lines_of(printed: Printed, char: int) -> Iterator[tuple[int | None, Origin | None]]:
    """The line of the template that printed a character, and its origin; then those of the text around it."""
    starts = [one.start for one in printed.origins]
    index = max(bisect_right(starts, char) - 1, 0)
    order = (index, index - 1, index + 1)
    for number in order:
        if 0 <= number < len(printed.origins):
            one = printed.origins[number]
            yield _line(printed, one, char), one


def _line(printed: Printed, one: Origin, char: int) -> int | None:
    if one.line is None:
        return None
    if one.kind != "template":
        return one.line
    return one.line + printed.text.count("\n", one.start, max(min(char, one.end), one.start))
