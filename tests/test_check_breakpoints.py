"""Where `promptlint check` sees the breakpoint of a template: where the reader of templates sees one."""

import pytest

from promptlint.commands.check.wrap import has_breakpoints, with_signs
from promptlint.load.jinja import read_template

TEXTS = [
    "a {# promptlint: breakpoint #} b",
    "a {#- promptlint: breakpoint ttl=1h -#} b",
    "a {#+ promptlint: breakpoint -#} b",
    "a {# promptlint: breakpoint -- see #12 #} b",
    "a {# promptlint: breakpoint\n   -- two\n   lines #} b {# promptlint: breakpoint #} c",
    "a {# promptlint: breakpoint ttl=soon #} b",
    "a {# promptlint: breakpoints #} b",
    "a {# see promptlint: breakpoint #} b",
    "{% raw %}{# promptlint: breakpoint #}{% endraw %} b",
    "{%- raw -%}{# promptlint: breakpoint #}{%- endraw -%} b {# promptlint: breakpoint ttl=5m #}",
    "{%+ raw %}{# promptlint: breakpoint #}{% endraw %} b",
    "{% raw %}{{ a }}{%+ endraw %}{# promptlint: breakpoint #} b",
    "{# {% raw %} #}{# promptlint: breakpoint #} b",
]


@pytest.mark.parametrize("text", TEXTS)
def test_there_is_one_grammar(text: str) -> None:
    read = read_template("a.j2", text, ())
    signed = with_signs(text)
    assert signed.lifetimes == tuple(one.ttl for one in read.breakpoints)
    assert has_breakpoints(text) == bool(read.breakpoints)
    assert (signed.text == text) == (not read.breakpoints)


def test_some_of_them_have_breakpoints() -> None:
    assert sum(map(has_breakpoints, TEXTS)) == 8
