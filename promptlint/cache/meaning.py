"""What a divergence means to the cache of a provider."""

import re
from typing import NamedTuple

from promptlint.boundary.divergence import Divergence
from promptlint.facts.causes import cause
from promptlint.facts.providers import Provider, Setting
from promptlint.finding import Affects, Certainty, Severity
from promptlint.prompt import Level, Request

_FORM_UNPUBLISHED = frozenset(("number-form", "content-shape"))
_ID_FIELDS = frozenset(("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId"))


class Meaning(NamedTuple):
    """A divergence with its label, how sure it is, and what it reaches."""

    cause: str
    certainty: Certainty
    affects: Affects
    severity: Severity
    message: str
    fix: str
    lost_level: Level | None = None  # of a setting: the first level that is lost


def text_meaning(divergence: Divergence, readable: int) -> Meaning:
    """A difference of text: it matters if it lies ahead of what the first request left readable."""
    row = cause(divergence.cause)
    if harmless(divergence):
        certainty: Certainty = "certain" if row.benign else "possible"
        return Meaning(row.label, certainty, "nothing", "info", divergence.message, row.fix)
    message = divergence.message or row.summary
    if divergence.a_start >= readable:
        return Meaning(row.label, "certain", "suffix", "info", message, row.fix)
    certainty = _text_certainty(divergence)
    return Meaning(row.label, certainty, "prefix", "error" if certainty == "certain" else "warning", message, row.fix)


def harmless(divergence: Divergence) -> bool:
    """Whether the prompts stay equal in spite of it: an appended turn, or the same text in another JSON shape."""
    if divergence.cause == "content-shape":
        return divergence.a_start == divergence.a_end
    return cause(divergence.cause).benign


def _text_certainty(divergence: Divergence) -> Certainty:
    if divergence.cause in _FORM_UNPUBLISHED:
        return "possible"  # whether the provider renders the two apart is not published
    if divergence.cause == "identifier" and divergence.b.path and divergence.b.path[-1] in _ID_FIELDS:
        return "possible"  # whether call ids are rendered is not published
    return "certain"


def setting_meaning(divergence: Divergence, request: Request, provider: Provider) -> Meaning:
    """A difference of a field beside the text, by the provider's table."""
    if divergence.cause == "model-changed":
        row = cause("model-changed")
        return Meaning(row.label, "certain", "key", "error", divergence.message, row.fix, "tools")
    name = divergence.field
    setting = _row(name, provider)
    outside = max((field for field in provider.request_only if _below(name, field)), key=len, default="")
    if _same_after_defaults(divergence, provider) or len(outside) > len(setting.field if setting else ""):
        row = cause("request-only-setting")
        message = f"{name} differs" if name.startswith("headers.") else divergence.message  # a header may be a secret
        return Meaning(row.label, "certain", "nothing", "info", message, row.fix)
    if setting is None:
        row = cause("setting-changed")
        message = f"{divergence.message}; what this field does to the cache is not known"
        return Meaning(row.label, "unknown", "nothing", "info", message, row.fix)
    return _keyed(divergence, setting, request)


def _keyed(divergence: Divergence, setting: Setting, request: Request) -> Meaning:
    row = cause(setting.cause)
    certainty = setting.certainty
    if setting.certain_models and re.match(setting.certain_models, (request.model or "").split("/")[-1]):
        certainty = "certain"
    reach = {"tools": "everything", "system": "system and messages", "messages": "the messages level"}[setting.level]
    verb = "is lost" if certainty == "certain" else "may be lost"
    beyond = f" ({setting.beyond})" if setting.beyond else ""
    message = f"{divergence.message}; {reach} {verb}{beyond}"
    severity: Severity = "error" if certainty == "certain" else "warning"
    return Meaning(
        row.label, certainty, "key", severity, message, row.fix, setting.level if certainty == "certain" else None
    )


def _row(name: str, provider: Provider) -> Setting | None:
    rows = [row for row in provider.settings if _below(name, row.field)]
    return max(rows, key=lambda row: len(row.field), default=None)


def _below(name: str, field: str) -> bool:
    return name == field or name.startswith(f"{field}.")


def _same_after_defaults(divergence: Divergence, provider: Provider) -> bool:
    default = provider.defaults.get(divergence.field)
    return default is not None and {divergence.old, divergence.new} == {default, "not sent"}
