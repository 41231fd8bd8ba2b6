"""Schemas of tools: valid where the reference implementation says so, and what is valid and still a mistake."""

import pathlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lint_requests import QUESTION, claude, found, source_at
from promptlint.lint.schemas import TYPES, faults
from promptlint.prompt import Json, Number

SCALARS: list[Any] = [None, True, False, 0, 3, -1, 2.5, "x", "object", "str", [], {}, ["a"], ["a", "a"], [1]]
KEYWORDS = st.sampled_from(
    [
        "type", "required", "properties", "items", "enum", "anyOf", "allOf", "oneOf", "not", "$defs", "minLength",
        "maximum", "exclusiveMinimum", "multipleOf", "uniqueItems", "title", "description", "pattern", "format",
        "default", "const", "examples", "additionalProperties", "prefixItems", "dependentRequired", "if", "x-own",
        "patternProperties", "minItems", "readOnly", "contains", "dependentSchemas", "propertyNames", "$ref",
    ]
)  # fmt: skip
SCHEMAS = st.recursive(
    st.one_of(
        st.sampled_from(SCALARS), st.builds(lambda name: {"type": name}, st.sampled_from([*sorted(TYPES), "any", 3]))
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(KEYWORDS, inner, max_size=4),
        st.builds(lambda name, held: {"properties": {name: held}}, KEYWORDS, inner),
    ),
    max_leaves=12,
)


def sent(value: Any) -> Json:
    """A value as the parser of requests gives it."""
    if isinstance(value, dict):
        return {key: sent(held) for key, held in value.items()}
    if isinstance(value, list):
        return [sent(held) for held in value]
    return Number(str(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


@given(SCHEMAS)
def test_a_schema_is_valid_where_the_meta_schema_says_so(schema: Any) -> None:
    valid = next(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema), None) is None
    ours = [fault for fault in faults(sent(schema)) if fault.grade != "doubtful"]
    assert (not ours) == valid, ours


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ({"properties": {"a": {}}, "required": ["a", "b"]}, [("required", 1)]),
        ({"properties": {}, "required": ["b"], "additionalProperties": {}}, []),
        ({"properties": {}, "required": ["b"], "anyOf": [{}]}, []),
        ({"required": ["b"]}, []),
        ({"anyOf": [{"properties": {"a": {}}, "required": ["b"]}], "properties": {"b": {}}}, []),
        (
            {"properties": {"a": {"items": {"properties": {}, "required": ["b"]}}}},
            [("properties", "a", "items", "required", 0)],
        ),
        ({"$ref": "#/$defs/a"}, [("$ref",)]),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {}}}, []),
        ({"$ref": "https://example.org/schema.json"}, []),
        ({"$ref": "#"}, []),
    ],
)
def test_what_is_valid_and_still_a_mistake(schema: Any, paths: list[tuple[Any, ...]]) -> None:
    assert [fault.path for fault in faults(sent(schema))] == paths


def test_a_schema_as_deep_as_a_request_may_be_is_walked() -> None:
    schema: dict[str, Any] = {"type": "strnig"}
    for _ in range(5000):
        schema = {"items": schema}
    (fault,) = faults(schema)
    assert len(fault.path) == 5001


def tool(schema: Any) -> dict[str, Any]:
    return {"name": "find", "description": "Finds a pier.", "input_schema": schema}


def test_the_first_fault_of_a_tool_is_told_and_the_others_are_related(tmp_path: pathlib.Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "int"}, "b": {"type": "str"}}}
    (one,) = found(tmp_path, claude("Be brief.", tools=[tool({"type": "object"}), tool(schema)]), "invalid-tool-schema")
    assert one.pointer == "/tools/1/input_schema/properties/a/type"
    assert (one.severity, one.confidence, len(one.related)) == ("error", "certain", 1)
    assert source_at(tmp_path, one).startswith("int")


def test_only_who_checks_schemas_refuses(tmp_path: pathlib.Path) -> None:
    function = {"name": "find", "parameters": {"type": "object", "properties": {"a": {"type": "int"}}}}
    request = {"messages": [QUESTION], "tools": [{"type": "function", "function": function}]}
    severities = {
        model: [one.severity for one in found(tmp_path, request | {"model": model}, "invalid-tool-schema")]
        for model in ("gpt-5.2", "house-model-3")
    }
    assert severities == {"gpt-5.2": ["error"], "house-model-3": ["warning"]}


def test_names_of_tools_are_compared_where_equal_ones_are_refused(tmp_path: pathlib.Path) -> None:
    (one,) = found(tmp_path, claude("Be brief.", tools=[tool({"type": "object"})] * 2), "duplicate-tool-name")
    assert one.pointer == "/tools/1"
    assert len(one.related) == 1
