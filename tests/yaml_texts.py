"""YAML documents, and those that PyYAML writes."""

from typing import Any

import yaml
from hypothesis import strategies as st

from promptlint.prompt import Document, Json, SourceByte
from promptlint.read.yaml_text import parse


def document(text: str, codec: str = "utf-8") -> Document:
    return Document("a.yaml", None, None, text.encode(codec), text, codec, SourceByte(0), 1, syntax="yaml")


def value(text: str) -> Json:
    return parse(document(text))[0]


CHARACTERS = st.sampled_from(
    [*"aab#-:?|>&*!%@`'\"\\{}[], \n\t~0", "é", "\x85", "\u2028", "漢", "😀", "\r", "\x00", " ", "\n"]
)
TEXTS = st.text(CHARACTERS, max_size=30)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)
STYLES = st.sampled_from([None, None, "'", '"', "|", ">"])
DUMPERS = st.sampled_from([yaml.SafeDumper, getattr(yaml, "CSafeDumper", yaml.SafeDumper)])


@st.composite
def dumped(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[Any, str]:
    """A value, and the YAML that PyYAML writes for it."""
    given_value = draw(values)
    text: str = yaml.dump(
        given_value,
        Dumper=draw(DUMPERS),
        default_style=draw(STYLES),
        default_flow_style=draw(st.sampled_from([True, False, None])),
        width=draw(st.sampled_from([10, 20, 80])),
        indent=draw(st.sampled_from([2, 4, 9])),
        allow_unicode=draw(st.booleans()),
        sort_keys=False,
        line_break=draw(st.sampled_from(["\n", "\r\n"])),
        explicit_start=draw(st.booleans()),
    )
    return given_value, text
