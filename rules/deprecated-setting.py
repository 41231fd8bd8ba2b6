"""prompt_cache_retention on a model that does not take it."""

from collections.abc import Iterator

from promptlint.cache.marker_faults import unfit_lifetime
from promptlint.facts.models import model_of
from promptlint.lint.edits import Edit, Remove
from promptlint.lint.hit import Hit, Place
from promptlint.lint.markers import hit_of, setting
from promptlint.lint.subject import RequestSubject
from promptlint.read.names import shown

_FIELD = "prompt_cache_retention"


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The field."""
    asked = setting(subject, _FIELD)
    if not isinstance(asked, str) or subject.provider.name not in ("openai", "azure"):
        return
    if subject.rule.kind == "message-ends":
        fault = unfit_lifetime(subject.prompt, subject.provider)
        assert fault is not None
        yield hit_of(fault)
        return
    known = model_of(subject.request.model or "", subject.provider.name)
    wanted = asked.replace("-", "_")
    if known is not None and wanted not in (known.ttls or ("in_memory",)):
        yield Hit(Place((*subject.request.path, _FIELD)), {"asked": shown(asked)})


def fix(subject: RequestSubject, hit: Hit) -> Iterator[Edit]:
    """The field goes: this model does nothing with it, or refuses it."""
    assert isinstance(hit.at, Place)
    if hit.at.path[-1] == _FIELD:
        yield Remove(hit.at.path)
