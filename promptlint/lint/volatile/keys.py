"""Secrets of known shapes, without those that are only shown."""

from collections.abc import Iterator
from itertools import pairwise

from promptlint.lint.volatile.found import Found
from promptlint.lint.volatile.quiet import is_quiet
from promptlint.lint.volatile.scan import compiled
from promptlint.secrets import ranges

_KINDS = (
    ("sk-ant-", "an API key of Anthropic"),
    ("sk-", "an API key"),
    ("sk_", "an API key"),
    ("rk_", "an API key"),
    ("AKIA", "an access key of AWS"),
    ("ASIA", "an access key of AWS"),
    ("gh", "a token of GitHub"),
    ("github_pat_", "a token of GitHub"),
    ("glpat-", "a token of GitLab"),
    ("AIza", "an API key of Google"),
    ("xox", "a token of Slack"),
    ("hf_", "a token of Hugging Face"),
    ("eyJ", "a signed token (JWT)"),
    ("-----", "a private key"),
)
_SHOWN_ONLY = (
    r"(?i)example|xxx|your|placeholder|123456|abcdef|\*{3}|\.{3}|dummy|sample|redacted|changeme|\btest|<|\$|\{|0{6}|"
    r"^(?:pass(?:word|wd)?|pwd|secret|token|pw|postgres|root|admin|user|guest)$"
)
_LEAST = 16  # characters of a key; a shape may be cut where a text ends, and is then no proof
_PASSWORD = 4  # characters of a password in an address


def keys(text: str, in_argument: bool = False) -> Iterator[Found]:
    """Keys, tokens and passwords, in order."""
    for start, end in ranges(text):
        secret = text[start:end]
        least = _PASSWORD if "://" in text[max(0, start - 100) : start] else _LEAST
        if end - start >= least and compiled(_SHOWN_ONLY).search(secret) is None:
            name = next((name for shape, name in _KINDS if secret.startswith(shape)), "")
            if _is_proof(secret, name):
                yield Found(start, end, name, not is_quiet(text, start, end, fences=False))
            elif not is_quiet(text, start, end):
                yield Found(start, end, name or "a password or token")


def _is_proof(secret: str, name: str) -> bool:
    """A known beginning and then letters and digits as chance makes them; signed tokens stand in many a manual."""
    if not name or secret.startswith("eyJ"):
        return False
    digits = sum(char.isdigit() for char in secret)
    turns = sum(one.isdigit() != other.isdigit() for one, other in pairwise(secret))
    return secret.startswith("-----") or (digits >= 2 and turns >= 3)
