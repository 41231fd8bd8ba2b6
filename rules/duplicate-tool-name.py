"""Tools of one name in one request."""

from collections.abc import Iterator

from promptlint.facts.providers import fits
from promptlint.lint.hit import Hit, Place
from promptlint.lint.subject import RequestSubject
from promptlint.prompt import Path
from promptlint.read.names import shown


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The second tool of a name; the first one is related."""
    bedrock = subject.provider.name == "bedrock" and fits("claude", subject.request.model)
    if subject.provider.name != "anthropic" and not bedrock:
        return
    first: dict[str, Path] = {}
    for item in subject.request.items:
        if item.level != "tools" or item.name is None:
            continue
        if item.name in first:
            hit = Hit(Place(item.path), {"name": shown(item.name)}, related=(Place(first[item.name]),))
            yield hit._replace(confidence="possible") if bedrock else hit
        else:
            first[item.name] = item.path
