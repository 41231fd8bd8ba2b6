"""Tools whose schema is none, or contradicts itself."""

from collections.abc import Iterator

from promptlint.lint.hit import Hit, Place
from promptlint.lint.schemas import Fault, faults
from promptlint.lint.subject import RequestSubject
from promptlint.load.blocks import type_name
from promptlint.prompt import Item, Json, Path
from promptlint.read.names import shown

_FIELDS = ("input_schema", "inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema")
_STRICT = ("anthropic", "openai", "azure")  # they check schemas and refuse the request
_RELATED = 10
_COMBINED = ("oneOf", "allOf", "anyOf")


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first fault of each schema, the others as related places."""
    for item in subject.request.items:
        found = _schema(item)
        if found is None:
            continue
        path, schema = found
        told = _of_item(subject, path, schema)
        if told:
            yield _hit(subject, item, path, told)


def _schema(item: Item) -> tuple[Path, Json] | None:
    """The schema of a tool, in any provider's shape, and its path."""
    if item.level != "tools" or not item.segments or not isinstance(item.segments[0].content, dict):
        return None
    held, path = item.segments[0].content, item.segments[0].path
    for inner in ("function", "toolSpec"):
        nested = held.get(inner)
        if isinstance(nested, dict):
            held, path = nested, (*path, inner)
    for field in _FIELDS:
        if held.get(field) is not None:
            schema, path = held[field], (*path, field)
            if isinstance(schema, dict) and set(schema) == {"json"}:
                return (*path, "json"), schema["json"]
            return path, schema
    return None


def _of_item(subject: RequestSubject, path: Path, schema: Json) -> list[Fault]:
    provider = subject.provider.name
    if not isinstance(schema, dict):
        return [Fault((), f"{type_name(schema)} stands where an object is due")]
    if "jsonSchema" in schema:
        return []  # a library's wrapper, not what is sent
    loose = path[-1] == "parameters" and provider == "google"  # a dialect of its own, with types in upper case
    told = [fault for fault in faults(schema) if _counts(fault, provider, loose)]
    if not told or told[0].path[:1] != ("type",):
        told = [*_root(schema, provider, loose), *told]
    return told


def _counts(fault: Fault, provider: str, loose: bool) -> bool:
    if loose:
        return fault.grade == "doubtful"
    return fault.grade != "older" or provider in _STRICT


def _root(schema: dict[str, Json], provider: str, loose: bool) -> Iterator[Fault]:
    """What providers ask of the schema as a whole: it describes an object."""
    kind = schema.get("type")
    if isinstance(kind, str) and (kind.lower() if loose else kind) != "object":
        yield Fault(("type",), f"its type is {shown(kind)}, and the arguments of a tool are an object")
    combined = next((word for word in _COMBINED if word in schema), None)
    if provider == "anthropic" and combined is not None:
        yield Fault((combined,), f"`{combined}` at the top is refused; inside a property it is taken", "doubtful")


def _hit(subject: RequestSubject, item: Item, path: Path, told: list[Fault]) -> Hit:
    first = told[0]
    tool = "a tool" if item.name is None else shown(item.name)
    related = tuple(Place((*path, *fault.path)) for fault in told[1 : _RELATED + 1])
    hit = Hit(Place((*path, *first.path)), {"tool": tool, "fault": first.message}, related=related)
    strict = subject.provider.name in _STRICT
    refused = strict and (first.grade != "doubtful" or first.path[:1] in [(word,) for word in _COMBINED])
    if refused:
        sure = subject.provider.name == "anthropic" and first.grade != "doubtful"
        hit = hit._replace(severity="error", confidence="certain" if sure else "possible")
    return hit
