"""Cache keys with the shape of something that is made for one request."""

import re
from collections.abc import Iterator
from itertools import pairwise

from promptlint.lint.edits import Edit, Remove
from promptlint.lint.hit import Hit, Place
from promptlint.lint.subject import RequestSubject

_FIELDS = ("prompt_cache_key", "cache_salt", "extra_key")
_LONGEST = 300  # characters of a key that is looked at
_UUID = r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}"
_RANDOM_UUIDS = "1467"  # versions made of chance or time; 3 and 5 are made of a name
_INSTANT = r"\d{4}-\d\d-\d\d[T_ ]?\d\d[:\-.]?\d\d(?:[:\-.]?\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_EPOCH = r"(?:1[6-9]|2[0-2])\d{8}(?:\d{3}|\d{6}|\d{9}|\.\d{1,9})?"
_ONE_REQUEST = r"(?i)(?:.*[^a-z0-9])?(?:req|request|nonce|span|rand|random|uuid|tmp)[-_:./#]"
_RANDOM_PART = r"\d{6,}|(?=[0-9a-f]*\d)[0-9a-f]{8,}|(?=[0-9A-Z]*\d)[0-9A-Z]{16,}"
_LASTING = r"(?i).*(?:conv|chat|sess|thread|user|tenant|customer|account|org)"
_WORDS_OF_CONVERSATION = ("conversation", "session", "thread", "chat", "user", "prompt_cache_key")


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The key."""
    request = subject.request
    known = {setting.field for setting in subject.provider.settings if setting.cause == "cache-key-changed"}
    for field in _FIELDS:
        path = (*request.path, field)
        key = request.settings.get(path)
        if field not in known or not isinstance(key, str) or len(key) > _LONGEST:
            continue
        shape = _shape(key.strip())
        if shape is None or _names_the_conversation(subject, path, key):
            continue
        if field == "prompt_cache_key" or "time" in shape:  # a salt is made at random, once, to keep tenants apart
            yield Hit(Place(path, 0, len(key)), {"field": field, "shape": shape})


def _shape(key: str) -> str | None:
    """What a key looks like, if it looks made for one request."""
    label = re.match(_ONE_REQUEST, key)
    rest = key[label.end() :] if label else key
    if re.match(_LASTING, key[: label.end()] if label else ""):
        return None
    found = re.fullmatch(_UUID, rest)
    if found and found[1] in _RANDOM_UUIDS:
        return "is labelled as the id of one request" if label else "is a bare random id"
    if re.fullmatch(_EPOCH, rest) or re.fullmatch(_INSTANT, rest):
        return "is a time"
    if re.search(r"(?<!\d)" + _INSTANT + r"\Z", key):
        return "ends in a time of day"
    if label and re.fullmatch(_RANDOM_PART, rest):
        return "is labelled as the id of one request"
    return "is a bare random word" if _is_nonce(rest) else None


def _is_nonce(word: str) -> bool:
    """Letters of both cases and digits in no order, as `secrets.token_urlsafe` makes them. A hash is none."""
    if not re.fullmatch(r"[A-Za-z0-9_+/-]{16,}={0,2}", word):
        return False
    kinds = ["0" if c.isdigit() else "A" if c.isupper() else "a" if c.islower() else "-" for c in word.rstrip("=")]
    if not {"0", "A", "a"} <= set(kinds) or kinds.count("-") > len(kinds) // 10 + 1:
        return False
    turns = sum(a != b for a, b in pairwise(kinds))
    return turns * 2 >= len(kinds)


def _names_the_conversation(subject: RequestSubject, path: object, key: str) -> bool:
    """Whether another field tells that the key is the id of the conversation."""
    for other, value in subject.request.settings.items():
        if other == path:
            continue
        held = value.items() if isinstance(value, dict) else ((other[-1], value),)
        for name, text in held:
            if text == key and any(word in str(name).lower().replace("-", "_") for word in _WORDS_OF_CONVERSATION):
                return True
    return False


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """The key goes: without one the prefix alone leads to what is cached. A salt keeps tenants apart and stays."""
    assert isinstance(hit.at, Place)
    if hit.at.path[-1] == "prompt_cache_key":
        yield Remove(hit.at.path)
