"""What a divergence means to the cache of a provider."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from promptlint.boundary.divergence import ID_FIELDS, Divergence
from promptlint.boundary.settings import NOT_SENT
from promptlint.cache.reuse import level_start
from promptlint.facts.causes import cause
from promptlint.facts.providers import Provider, Setting, fits
from promptlint.finding import Affects, Certainty, Severity
from promptlint.prompt import Level, Rendered, Request, Spot

# Platform, date, revision: what may be added to the name of one model.
_NAMING = (
    r"^(?:models/|(?:[a-z]{2,6}\.)?(?:anthropic|amazon|openai)[./])|[-@](?:\d{8}|\d{4}-\d\d-\d\d)|-v\d+:\d+$|-latest$"
)
_FORM_UNPUBLISHED = frozenset(("number-form", "content-shape"))


class Meaning(NamedTuple):
    """A divergence with its label, how sure it is, and what it reaches."""

    cause: str
    certainty: Certainty
    affects: Affects
    severity: Severity
    message: str
    fix: str
    lost_level: Level | None = None  # of a setting: the first level that is lost


def text_meaning(divergence: Divergence, readable: int, sure: int, *, unknown: bool = False) -> Meaning:
    """A difference of text: it matters if it lies ahead of what the first request left readable (characters).

    From `sure` on a loss is only possible. `unknown`: what was left readable is not known.
    """
    row = cause(divergence.cause)
    if harmless(divergence):
        certainty: Certainty = "certain" if row.benign else "possible"
        return _harmless(row.label, divergence.message, certainty)
    message = divergence.message or "the text differs, and no narrower cause is proved"
    if readable == 0 and unknown:
        return Meaning(row.label, "possible", "prefix", "info", message, divergence.fix or row.fix)
    if divergence.a_start >= readable:
        return Meaning(row.label, "certain", "suffix", "info", message, divergence.fix or row.fix)
    certainty = _text_certainty(divergence) if divergence.a_start < sure else "possible"
    return Meaning(
        row.label,
        certainty,
        "prefix",
        "error" if certainty == "certain" else "warning",
        message,
        divergence.fix or row.fix,
    )


def harmless(divergence: Divergence) -> bool:
    """Whether the prompts stay equal in spite of it: an appended turn, or the same text in another JSON shape."""
    if divergence.cause == "content-shape" and not divergence.rendered:
        return divergence.a_start == divergence.a_end
    return cause(divergence.cause).benign


def _text_certainty(divergence: Divergence) -> Certainty:
    if divergence.rendered:
        return "certain"
    if divergence.cause in _FORM_UNPUBLISHED:
        return "possible"  # whether the provider renders the two apart is not published
    if divergence.cause == "identifier" and divergence.b.path and divergence.b.path[-1] in ID_FIELDS:
        return "possible"  # whether call ids are rendered is not published
    return "certain"


def setting_meaning(divergence: Divergence, a: Rendered, b: Request, provider: Provider, readable: int) -> Meaning:
    """A difference of a field beside the text, by the provider's table.

    `readable`: characters of the first prompt that its cache holds; a field matters only if they reach its level.
    """
    name = divergence.field
    if divergence.cause == "model-changed":
        setting: Setting | None = _MODEL._replace(certainty="possible" if _one_model(divergence) else "certain")
    else:
        setting = setting_row(name, provider, b)
        equal = _same_after_defaults(divergence, provider) or _harmless_values(divergence, setting)
        if equal or is_outside(name, setting, provider):
            return _harmless("request-only-setting", divergence.message)
    if (setting is None or setting.certainty == "unknown") and readable > 0:
        label, beyond = ("setting-changed", "") if setting is None else (setting.cause, setting.beyond)
        message = f"{divergence.message}; {beyond or 'what it does to the cache is not known'}"
        return _harmless(label, message, "unknown")
    if setting is None or readable == 0 or (level_start(a, setting.level) >= readable and not setting.beyond):
        label = "setting-changed" if setting is None else setting.cause
        return _harmless(label, f"{divergence.message}; nothing that it could reach was cached")
    return _keyed(divergence, setting, b, level_start(a, setting.level) < readable)


_MODEL = Setting("model", "tools", "certain", "model-changed", "", "", False, "", "", frozenset())


def _one_model(divergence: Divergence) -> bool:
    """Whether two names differ only in a date, a platform or a revision: they may be one model."""
    old, new = (re.sub(_NAMING, "", name) for name in (divergence.old, divergence.new))
    return old == new != NOT_SENT


def _harmless(label: str, message: str, certainty: Certainty = "certain") -> Meaning:
    return Meaning(label, certainty, "nothing", "info", message, cause(label).fix)


def _keyed(divergence: Divergence, setting: Setting, request: Request, reached: bool) -> Meaning:
    row = cause(setting.cause)
    certainty = setting.certainty
    if fits(setting.certain_models, request.model):
        certainty = "certain"
    if not reached or (setting.default_unknown and NOT_SENT in (divergence.old, divergence.new)):
        certainty = "possible"
    reach = {"tools": "everything", "system": "system and messages", "messages": "the messages level"}[setting.level]
    verb = "is lost" if certainty == "certain" else "may be lost"
    beyond = f" ({setting.beyond})" if setting.beyond else ""
    reported = f"; the provider reports it as {setting.reason}" if setting.reason else ""
    message = f"{divergence.message}; {reach} {verb}{beyond}{reported}"
    severity: Severity = "error" if certainty == "certain" else "warning"
    level = setting.level if certainty == "certain" else None
    return Meaning(row.label, certainty, "key", severity, message, row.fix, level)


def setting_row(name: str, provider: Provider, request: Request) -> Setting | None:
    """The row of the longest field that holds for the model; of two for one field the one that names the model."""
    rows = [row for row in provider.settings if _below(name, row.field) and _holds(row, request)]
    return max(rows, key=lambda row: (len(row.field), bool(row.models)), default=None)


def is_outside(name: str, row: Setting | None, provider: Provider) -> bool:
    """Whether a field is part of neither prompt nor key: it is listed as such, more closely than its row, if any."""
    outside = max((field for field in provider.request_only if _below(name, field)), key=len, default="")
    return len(outside) > len(row.field if row else "")


def _holds(row: Setting, request: Request) -> bool:
    return not row.models or fits(row.models, request.model)


def _harmless_values(divergence: Divergence, setting: Setting | None) -> bool:
    return setting is not None and {divergence.old, divergence.new} <= setting.harmless


def _below(name: str, field: str) -> bool:
    return name == field or name.startswith(f"{field}.")


def _same_after_defaults(divergence: Divergence, provider: Provider) -> bool:
    default = provider.defaults.get(divergence.field)
    return default is not None and {divergence.old, divergence.new} == {default, NOT_SENT}


def first_level(meanings: Iterable[Meaning]) -> Level | None:
    """The first level that is certainly lost."""
    order: tuple[Level, ...] = ("tools", "system", "messages")
    lost = [meaning.lost_level for meaning in meanings if meaning.lost_level is not None]
    return min(lost, key=order.index, default=None)


def merged(keyed: Iterable[tuple[Divergence, Meaning]]) -> list[tuple[Divergence, Meaning]]:
    """Fields of one object with one meaning are one change; what keys the cache comes first."""
    groups: dict[tuple[str, ...], list[tuple[Divergence, Meaning]]] = {}
    for divergence, meaning in keyed:
        top = divergence.field.split(".")[0]
        key = (top if top != "headers" else divergence.field, meaning.cause, meaning.affects, meaning.certainty)
        groups.setdefault(key, []).append((divergence, meaning))
    done = [_joined(group) if len(group) > 1 else group[0] for group in groups.values()]
    return sorted(done, key=lambda entry: entry[1].affects != "key")


def _joined(group: list[tuple[Divergence, Meaning]]) -> tuple[Divergence, Meaning]:
    """Several fields as one change, which stands at the object that holds them."""
    fields = [divergence for divergence, _ in group]
    first, said = fields[0], group[-1][1]
    name = first.field.split(".")[0]
    a = next((field.a for field in fields if field.a_present), first.a)
    b = next((field.b for field in fields if field.b_present), first.b)
    joined = first._replace(
        a=_holder(a, name),
        b=_holder(b, name),
        a_present=any(field.a_present for field in fields),
        b_present=any(field.b_present for field in fields),
        within=_holder(b, name).path,
    )
    return joined, said._replace(message="; ".join([*(field.message for field in fields[:-1]), said.message]))


def _holder(spot: Spot, name: str) -> Spot:
    return spot._replace(path=spot.path[: spot.path.index(name) + 1]) if name in spot.path else spot
