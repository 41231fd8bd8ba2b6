"""Ids of a run, a session or a request, and file names with a random part."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.quiet import is_quiet
from promptlint.lint.volatile.scan import compiled, line_of, near

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_REQUEST = (
    r"(?P<request>(?:x[-_ ])?(?:request|req|message|response|ray|trace|span|correlation|nonce|invocation|attempt|"
    r"idempotency|"
    r"cache[-_ ]?bust(?:er)?))"
)
_SESSION = (
    r"(?P<session>session|sess|run|conversation|chat|thread|job|worker|sandbox|container|pod|rollout|execution|turn|"
    r"agent[-_ ](?:run|session|instance)|workflow[-_ ]run|task[-_ ]run|process|invite)"
)
_BUILD = (
    r"(?P<build>(?:prompt|agent|server|app)?[-_ ]?(?:build|deploy(?:ment)?|release|revision)[-_ ]?(?:hash|id|sha)?)"
)
_LABELLED = (
    rf"(?i)(?<![a-z0-9])(?:{_REQUEST}|{_SESSION}|{_BUILD})(?P<id>[-_ ]?(?:id|identifier|uuid|guid|key|token|hash|"
    r"seed))?"
    r"(?:[\"'`*_]{0,3}\s?(?:[:=#>]|is\b|\()[\s\"'`*(\[<]{0,5}|\s(?=[0-9a-f]{8}-[0-9a-f]{4}-))"
    r"(?P<value>0\.\d{6,20}|[a-z0-9][a-z0-9_-]{5,79})(?![a-z0-9_-])"
)
_SIGN = r"\d[A-Za-z0-9]|[A-Za-z]\d"
_PATH = r"(?<![\w:/.@~-])(?:[A-Za-z]:\\|~/|/(?=[\w.-]{1,40}/))[^\s\"'<>|`()\[\]{}]{4,300}"
_PATH_SIGN = r"[/\\][^\s/\\]"
_ROOTED = (
    r"(?i)(?:[a-z]:\\|~/|/(?:home|users|usr|var|tmp|private|opt|mnt|srv|root|etc|workspaces?|work|app|builds?|"
    r"runner|repos?|"
    r"projects?|volumes|media|run|proc|dev|scratch|sandbox(?:es)?|nix|snap|lib|storage|cache|worktrees?|workdir)[/\\])"
)
_TEMPORARY = r"(?i)(?:^|[/\\])(?:tmp|temp|var[/\\]folders|run[/\\]user|scratch|sandbox(?:es)?|worktrees?|trees)[/\\]"
_MADE_NAME = r"tmp[a-z0-9_]{8}|tmp\.[A-Za-z0-9]{8,12}"
_RUN_NAME = r"(?i)(?:run|session|sess|job|task|agent|sandbox|worktree|wt|tmp|temp|work)[-_.](?P<rest>[a-z0-9]{6,40})"
_NAME = (
    r"(?i)(?<![\w:=/\\.@#>\"'`-])(?<![:=>]\s)(?:run|session|worker|job|sandbox|pod|container)-(?"
    r"P<rest>[0-9a-f]{8,40})(?!\w|[./-]\w)"
)
_KNOWN = (
    r"(?i)123e4567|550e8400-e29b|12345678|01234567|87654321|deadbeef|cafebabe|abc123|abcd1234|a1b2c3|1a2b3c|123abc|xxx|"
    r"(?P<same>[0-9a-z])(?P=same){5}"
)
_LOGGED = r"\b[\w.-]{1,40}=\S{1,200}\s|\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
_ALONE = r"(?i)(?:^|[.;,|!?]\s|\s[-–—]\s)[\s>*_#\[({<\"'`-]*(?:the\s|your\s|this\s|current\s){0,2}$"
_MOST = 2000  # candidates of one text
_AROUND = 4000  # characters on each side in which the id of an example recurs


def identifiers(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Labelled ids, then names and paths with a random part."""
    if not in_argument:
        yield from _labelled(text)
        yield from _named(text)
    yield from _paths(text)


def _labelled(text: str) -> Iterator[Found]:
    for match in islice(near(_SIGN, _LABELLED, text, 110, 80), _MOST):
        value = match["value"]
        named = match["id"] is not None or (match["request"] or "").lower() == "nonce"
        if not is_random(value, named) or compiled(_KNOWN).search(value) or is_quiet(text, *match.span("value")):
            continue
        start, end = match.span("value")
        front = text[line_of(text, match.start())[0] : match.start()]
        if compiled(_LOGGED).search(front):
            continue
        sure = named and compiled(_ALONE).search(front) is not None
        if match["request"]:
            if not _recurs(text, start, value):
                yield Found(start, end, "an id of one request", sure, "error" if sure else "warning")
        elif match["session"]:
            yield Found(start, end, "an id of one session or run", sure)
        elif match["id"] or "hash" in match["build"].lower() or not value.isdigit():
            yield Found(start, end, "the id of a build", severity="info")


def _named(text: str) -> Iterator[Found]:
    """Names such as `worker-7f3a9c2e`, where no label stands in front of them."""
    for match in islice(near(_SIGN, _NAME, text, 60, 60), _MOST):
        start, end = match.span()
        if is_random(match["rest"], False) and not compiled(_KNOWN).search(match[0]) and not is_quiet(text, start, end):
            yield Found(start, end, "the name of one run or worker")


def _recurs(text: str, start: int, value: str) -> bool:
    """Whether it stands in the text near by once more: a log line and its answer, a rule and its example."""
    low, high = max(start - _AROUND, 0), start + len(value) + _AROUND
    return text.count(value, low, high) > 1


def _paths(text: str) -> Iterator[Found]:
    for match in islice(near(_PATH_SIGN, _PATH, text, 2, 302), _MOST):
        path = match[0].rstrip(".,;:")
        if compiled(_ROOTED).match(path) is None:
            continue
        part = _random_part(path)
        if part and not compiled(_KNOWN).search(path) and not is_quiet(text, match.start(), match.start() + len(path)):
            yield Found(match.start(), match.start() + len(path), "a path with a random part")


def _random_part(path: str) -> bool:
    if re.search(rf"(?i)(?<![0-9a-f]){_UUID}(?![0-9a-f])", path):
        return True
    names = re.split(r"[/\\]", path)
    if any(re.fullmatch(_MADE_NAME, name.partition(".json")[0]) for name in names):
        return True
    runs = (re.fullmatch(_RUN_NAME, name) for name in names)
    if any(run is not None and is_random(run["rest"], True) for run in runs):
        return True
    return re.search(_TEMPORARY, path) is not None and any(
        _is_random_word(word) for word in re.split(r"[/\\._-]", path)
    )


def is_random(value: str, named: bool) -> bool:
    """Whether a word, or a part of it between dashes, was made at random; `named`: its label says that it is an id."""
    if re.fullmatch(rf"(?i){_UUID}|0\.\d{{6,20}}", value):
        return True
    if named and value.isdigit():
        return len(value) >= 6 and not re.fullmatch(r"(?:19|20)\d{6}", value)
    return any(_is_random_word(part) for part in re.split("[-_]", value))


def _is_random_word(word: str) -> bool:
    digits = sum(c.isdigit() for c in word)
    letters = sum(c.isalpha() for c in word)
    if len(word) < 6 or digits < 2 or letters < 1 or not word.isalnum():
        return False
    turns = sum(p.isdigit() != q.isdigit() for p, q in pairwise(word))
    if re.fullmatch(r"(?i)[0-9a-f]+", word):
        return turns >= 2 or (turns == 1 and len(word) >= 8)
    return turns >= 3 and len(word) >= 8
