"""The lock: fingerprints of a project's prompts, kept in a file that is committed. No text of a prompt is in it.

Each prompt stands between two lines that a change of it does not touch, and ends in a comma. So git merges branches
that change different prompts. Of one that both have changed, its sum conflicts at least.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from promptlint.errors import PromptlintError
from promptlint.prompt import Document
from promptlint.read.names import shown

SCHEMA_VERSION = 1
NAME = "promptlint.lock"

_DIGITS = 24  # hexadecimal, of a hash
_HASH = re.compile(r"[0-9a-f]{24}")
_LONGEST = 8192  # characters of a name
_MOST = 10**9  # tokens
_ANEW = "promptlint lock write writes it anew"
_MERGE_MARKS = re.compile(r"^(?:<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)(?: |\r?$)", re.MULTILINE)
_HEAD = re.compile(r'\{"schema_version": [0-9]+, "prompts": \[')
_PROMPT_KEYS = ("name", "path", "provider", "model", "tokenizer", "exact", "key", "sum", "renderings", "end")
_COUNTS = ("prompt_tokens", "usable_tokens", "minimum")
_RENDERING_KEYS = ("variant", *_COUNTS, "boundaries", "segments")


class LockedSegment(NamedTuple):
    """A stretch of a prompt."""

    place: str  # a JSON pointer, "paragraph 3": no text of the prompt
    hash: str  # `fingerprint` of its text
    tokens: int  # whole ones up to its end, without those up to where it begins


class LockedRendering(NamedTuple):
    """A prompt as one set of variables, or one record of a log, makes it."""

    variant: str  # name of the set, number of the record
    prompt_tokens: int
    usable_tokens: int  # that another rendering of the same revision can reuse
    segments: tuple[LockedSegment, ...]  # in the order of the prompt, which they cover
    boundaries: tuple[int, ...] | None
    """Numbers, from 0, of the segments at whose end a cache entry ends; none: nothing is cached, for want of markers.
    None: an automatic cache, of which any prefix can be read."""
    minimum: int  # tokens; of a shorter prefix nothing is kept


class LockedPrompt(NamedTuple):
    """A prompt of the project."""

    name: str
    path: str  # what renders it
    provider: str | None
    model: str | None
    tokenizer: str | None
    exact: bool  # tokens are counted as the model counts them
    key: str  # `fingerprint` of all that keys the cache beside the text: provider, model, settings
    renderings: tuple[LockedRendering, ...]


class Shared(NamedTuple):
    """What a cache that an old rendering has filled is worth to a new one."""

    segments: int  # equal ones at the start
    usable: int  # tokens in them that can be read
    lost: int  # tokens that the old rendering can read, and the new one cannot


class _Fault(ValueError):
    """What is wrong with a prompt, as the end of a message."""


def fingerprint(*parts: str) -> str:
    """24 hexadecimal digits of SHA-256; of one text its own, several are told apart however they are cut."""
    if len(parts) != 1:
        parts = ("".join(f"{len(part)}:{part}" for part in parts),)
    return hashlib.sha256(parts[0].encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def shared(old: LockedRendering, new: LockedRendering, *, same_key: bool = True) -> Shared:
    """What of the cache that `old` has filled is left to `new`, to no more than a segment; of another key nothing."""
    pairs = list(zip(old.segments, new.segments, strict=False))
    equal = next((number for number, (a, b) in enumerate(pairs) if a.hash != b.hash), len(pairs))
    reach = equal if same_key else 0
    if new.boundaries is not None:  # a request reads at its own markers or ahead of them
        reach = min(reach, max(new.boundaries, default=-1) + 1)
    usable = _kept(old, reach)
    return Shared(equal, usable, _kept(old, len(old.segments)) - usable)


def _kept(rendering: LockedRendering, segments: int) -> int:
    """Tokens of the longest cache entry that `rendering` leaves and that ends within its first segments."""
    if rendering.boundaries is not None:
        segments = max((one + 1 for one in rendering.boundaries if one < segments), default=0)
    tokens = sum(one.tokens for one in rendering.segments[:segments])
    return tokens if tokens >= rendering.minimum else 0


def as_text(prompts: Iterable[LockedPrompt]) -> str:
    """The file: prompts by name, renderings by variant; the same for any order in which they are given.

    Raises PromptlintError for two prompts of one name, and for what `read_lock` would refuse.
    """
    lines = [f'{{"schema_version": {SCHEMA_VERSION}, "prompts": [']
    given = sorted(prompts, key=lambda one: one.name)
    for one, other in pairwise(given):
        if one.name == other.name:
            raise PromptlintError(f"two prompts are called {shown(one.name)}", "give each a name of its own")
    for one in given:
        try:
            lines += _lines(_value(one))
        except _Fault as fault:
            raise PromptlintError(f"the prompt {shown(one.name)} cannot be locked: {fault}") from None
    return "\n".join([*lines, "null]}", ""])  # so that the last prompt ends in a comma, too


def _value(prompt: LockedPrompt) -> dict[str, Any]:
    """A prompt as it stands in the file."""
    value = prompt._asdict()
    renderings = [
        {**one._asdict(), "segments": [list(segment) for segment in one.segments]} for one in ordered(prompt).renderings
    ]
    for one in renderings:
        if one["boundaries"] is not None:
            one["boundaries"] = list(one["boundaries"])
    value.update(renderings=renderings, end=prompt.name, sum="")
    value["sum"] = _sum(value)
    _prompt(value)
    return value


def ordered(prompt: LockedPrompt) -> LockedPrompt:
    """With its renderings in the order of the file, as `read_lock` gives it."""
    return prompt._replace(renderings=tuple(sorted(prompt.renderings, key=lambda one: _order(one.variant))))


def _order(variant: str) -> tuple[int, str]:
    """Those that begin with a number by its value, then others."""
    digits = len(variant) - len(variant.lstrip("0123456789"))
    return digits or _LONGEST + 1, variant


def _sum(value: dict[str, Any]) -> str:
    """Of all that a prompt's entry says."""
    held = [value[key] for key in _PROMPT_KEYS if key not in ("sum", "renderings")]
    renderings = [[one[key] for key in _RENDERING_KEYS] for one in value["renderings"]]
    return fingerprint(json.dumps([held, renderings]))


def _lines(value: dict[str, Any]) -> list[str]:
    head = ", ".join(f'"{key}": {json.dumps(value[key])}' for key in _PROMPT_KEYS[1:7])
    lines = [f'{{"name": {json.dumps(value["name"])},', f"{head},", f'"sum": "{value["sum"]}",', '"renderings": [']
    last = len(value["renderings"]) - 1
    for number, one in enumerate(value["renderings"]):
        settings = ", ".join(f'"{key}": {json.dumps(one[key])}' for key in _RENDERING_KEYS[:-1])
        segments = ",\n".join(json.dumps(segment) for segment in one["segments"])
        lines += [f'{{{settings}, "segments": [', *([segments] if segments else []), "]}" if number == last else "]},"]
    return [*lines, "],", f'"end": {json.dumps(value["end"])}}},']


def read_lock(path: str) -> tuple[LockedPrompt, ...]:
    """The prompts of a lock, by name. Raises PromptlintError for a file that is missing or not as it was written."""
    from promptlint.read.sources import read

    if not os.path.lexists(path):
        raise PromptlintError(f"{shown(path)}: there is no such file", "promptlint lock write makes one")
    document = read(path)
    if _MERGE_MARKS.search(document.text):
        raise PromptlintError(f"{shown(path)}: marks of a failed merge", f"put it right, or {_ANEW}")
    try:
        value = json.loads(document.text, object_pairs_hook=_members)
    except _Fault as fault:
        raise PromptlintError(f"{shown(path)}: {fault}", _ANEW) from None
    except (ValueError, RecursionError):
        raise _no_json(document) from None
    held = value.get("prompts") if isinstance(value, dict) else None
    if not isinstance(held, list):
        raise PromptlintError(f"{shown(path)}: not a lock", _ANEW)
    version = value.get("schema_version")
    if type(version) is not int or version != SCHEMA_VERSION:
        raise PromptlintError(f"{shown(path)}: a lock of another version of promptlint", _ANEW)
    return _prompts(held, path)


def renewable(path: str) -> tuple[LockedPrompt, ...]:
    """The prompts of a lock that is to be written anew; none if it is missing, of another version or damaged.

    Raises PromptlintError for a file that is something else, which must not be written over.
    """
    from promptlint.read.sources import read

    if not os.path.lexists(path) or (os.path.isfile(path) and not os.path.getsize(path)):
        return ()
    document = read(path)
    try:
        return read_lock(path)
    except PromptlintError:
        head = _HEAD.search(document.text)
        if head and (head.start() == 0 or _MERGE_MARKS.match(document.text)):
            return ()
    raise PromptlintError(f"{shown(path)}: it is there, and no lock", "name another file")


def _no_json(document: Document) -> PromptlintError:
    """Where the fault is, as far as it is one of JSON."""
    from promptlint.read.json_text import parse

    try:
        parse(document)
    except PromptlintError as error:
        return PromptlintError(error.message, _ANEW)
    return PromptlintError(f"{shown(document.path)}: not a lock", _ANEW)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Fault("a field is there twice, as after a merge")
    return found


def _prompts(held: list[Any], path: str) -> tuple[LockedPrompt, ...]:
    found: dict[str, LockedPrompt] = {}
    for number, value in enumerate(held):
        if value is None and number == len(held) - 1:
            break
        try:
            one = _prompt(value)
            if one.name in found:
                raise _Fault("it is there twice, as after a merge")
            if value["sum"] != _sum(value):
                raise _Fault("not as it was written: two changes of it were merged, or it was edited")
        except _Fault as fault:
            name = value.get("name") if isinstance(value, dict) else None
            which = shown(name) if isinstance(name, str) and name else f"entry {number}"
            raise PromptlintError(f"{shown(path)}: {which}: {fault}", _ANEW) from None
        found[one.name] = one
    return tuple(found[name] for name in sorted(found))


def _prompt(value: Any) -> LockedPrompt:
    """Raises _Fault for what is no prompt, down to the last count."""
    held = _fields(value, _PROMPT_KEYS)
    name = _text(held, "name")
    if held["end"] != name:
        raise _Fault('"end" is not its name')
    if type(held["exact"]) is not bool:
        raise _Fault('"exact" is neither true nor false')
    renderings = tuple(_rendering(one) for one in _list(held, "renderings"))
    if len({one.variant for one in renderings}) != len(renderings):
        raise _Fault("two renderings of the same variant")
    provider, model, tokenizer = (None if held[key] is None else _text(held, key) for key in _PROMPT_KEYS[2:5])
    path, key = _text(held, "path"), _hash(held["key"], "key")
    _hash(held["sum"], "sum")
    return LockedPrompt(name, path, provider, model, tokenizer, held["exact"], key, renderings)


def _rendering(value: Any) -> LockedRendering:
    held = _fields(value, _RENDERING_KEYS)
    variant = _text(held, "variant")
    prompt, usable, minimum = (_count(held[key], key) for key in _COUNTS)
    segments = tuple(_segment(one) for one in _list(held, "segments"))
    if usable > prompt or sum(one.tokens for one in segments) > prompt:
        raise _Fault("more tokens than the prompt has")
    boundaries = None
    if held["boundaries"] is not None:
        boundaries = tuple(_count(one, "boundaries") for one in _list(held, "boundaries"))
        if any(a >= b for a, b in pairwise((*boundaries, len(segments)))):
            raise _Fault('"boundaries" are no rising numbers of segments')
    return LockedRendering(variant, prompt, usable, segments, boundaries, minimum)


def _segment(value: Any) -> LockedSegment:
    if not isinstance(value, list) or len(value) != len(LockedSegment._fields):
        raise _Fault("a segment is no [place, hash, tokens]")
    place, digest, tokens = value
    return LockedSegment(_text({"place": place}, "place"), _hash(digest, "hash"), _count(tokens, "tokens"))


def _fields(value: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict) or value.keys() != {*keys}:
        raise _Fault(f"its fields are not {', '.join(keys)}")
    return value


def _list(held: dict[str, Any], key: str) -> list[Any]:
    found = held[key]
    if not isinstance(found, list):
        raise _Fault(f'"{key}" is no list')
    return found


def _text(held: dict[str, Any], key: str) -> str:
    found = held[key]
    if not isinstance(found, str) or len(found) > _LONGEST or (not found and key == "name"):
        raise _Fault(f'"{key}" is no text of at most {_LONGEST:,} characters')
    return found


def _hash(value: Any, key: str) -> str:
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise _Fault(f'"{key}" is no {_DIGITS} hexadecimal digits')
    return value


def _count(value: Any, key: str) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise _Fault(f'"{key}" is no number from 0 to {_MOST:,}')
    return value


def write_lock(path: str, prompts: Iterable[LockedPrompt]) -> None:
    """Write a lock as a whole or not at all. Raises PromptlintError."""
    from promptlint.files import replace_file

    data = as_text(prompts).encode()
    try:
        replace_file(path, data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PromptlintError(f"{shown(path)}: {reason}", "name a file that can be written") from None
