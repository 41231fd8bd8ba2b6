"""`--suggest-order`: what varies goes behind what stays, the same lines are printed, and nothing else is touched."""

from collections import Counter
from typing import Any

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lint_templates import subject_of
from promptlint.config import Stability
from promptlint.lint.order import suggest
from promptlint.lint_facts import Suggestion

STAYS = "\n".join(f"{number}. Lock door {number} before the round ends." for number in range(1, 9)) + "\n"
VALUES: dict[str, Any] = {
    "now": lambda: "10:20",
    "uuid4": lambda: "c0ffee",
    "today": lambda: "3 May",
    "question": "Who locks door 3?",
    "request_id": "r-1",
    "user_name": "Ida",
    "session_id": "s-9",
    "retrieved_passages": [{"text": "one"}, {"text": "two"}],
    "flags": {"a": 1},
    "desk": "night desk",
    "letter": "Dear desk",
    "vip": True,
}


def of(text: str, **declared: Stability) -> Suggestion | None:
    return suggest(subject_of(text, declared=declared), "prompts/t.j2")


def lines(text: str) -> Counter[str]:
    """What a template prints, line by line, in whatever order."""
    rendered = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text).render(VALUES)
    return Counter(line for line in rendered.splitlines() if line.strip())


def test_a_clock_goes_behind_the_rules_and_ahead_of_the_question() -> None:
    text = f"You are the desk.\nShift opened {{{{ now() }}}}.\n\n## Rules\n{STAYS}\nDriver asks: {{{{ question }}}}\n"
    found = of(text)
    assert found is not None
    assert found.text == (
        f"You are the desk.\n\n## Rules\n{STAYS}\nShift opened {{{{ now() }}}}.\nDriver asks: {{{{ question }}}}\n"
    )
    assert found.path == "prompts/t.j2"
    assert found.moved == ("line 2 (now()) behind line 13",)
    assert found.saved_tokens == 66
    assert found.reader_note == ""


def test_a_paragraph_takes_its_heading_and_its_closing_tag_along() -> None:
    text = (
        "## Passages\n<passages>\n{% for p in retrieved_passages %}\n{{ p.text }}\n{% endfor %}\n</passages>\n\n"
        f"{STAYS}\n{{{{ question }}}}\n"
    )
    found = of(text)
    assert found is not None
    assert found.text == (
        f"{STAYS}\n## Passages\n<passages>\n{{% for p in retrieved_passages %}}\n{{{{ p.text }}}}\n{{% endfor %}}\n"
        "</passages>\n\n{{ question }}\n"
    )
    assert found.moved == ("lines 1-6 (retrieved_passages.text) behind line 16",)


def test_what_stood_close_to_the_question_may_be_restated_behind_the_breakpoint() -> None:
    found = of(f"Driver asks: {{{{ question }}}}\n\n{STAYS}")
    assert found is not None
    assert found.text.endswith("Driver asks: {{ question }}\n\n")
    assert "restated" in found.reader_note
    assert "behind the breakpoint" in found.reader_note


def test_what_varies_by_session_stands_ahead_of_what_varies_by_request() -> None:
    found = of(f"{{{{ request_id }}}}\nFor {{{{ user_name }}}}\n{STAYS}{{{{ question }}}}\n")
    assert found is not None
    assert found.text == f"{STAYS}For {{{{ user_name }}}}\n{{{{ request_id }}}}\n{{{{ question }}}}\n"


def test_what_varies_by_request_goes_behind_the_breakpoint() -> None:
    mark = "{# promptlint: breakpoint #}\n"
    found = of(f"{STAYS}For {{{{ user_name }}}}\nIt is {{{{ now() }}}}.\n{mark}{{{{ question }}}}\n")
    assert found is not None
    assert found.text == f"{STAYS}For {{{{ user_name }}}}\n{mark}It is {{{{ now() }}}}.\n{{{{ question }}}}\n"


def test_a_value_of_which_nothing_is_known_stays_last() -> None:
    found = of(f"It is {{{{ now() }}}}.\n{STAYS}\nLetter: {{{{ letter }}}}\nAnswer:\n")
    assert found is not None
    assert found.text.endswith("\nIt is {{ now() }}.\nLetter: {{ letter }}\nAnswer:\n")


def test_a_line_without_a_line_feed_at_the_end_stays_a_line() -> None:
    found = of(f"It is {{{{ now() }}}}.\n{STAYS}Be kind to whoever calls at night.")
    assert found is not None
    assert found.text == f"{STAYS}Be kind to whoever calls at night.\nIt is {{{{ now() }}}}."


def test_line_ends_are_kept() -> None:
    text = f"It is {{{{ now() }}}}.\n{STAYS}{{{{ question }}}}".replace("\n", "\r\n")
    found = of(text)
    assert found is not None
    assert found.text == f"{STAYS}It is {{{{ now() }}}}.\n{{{{ question }}}}".replace("\n", "\r\n")


def test_what_is_declared_decides() -> None:
    text = f"{{{{ desk }}}}\n{STAYS}{{{{ question }}}}\n"
    assert of(text) is None
    found = of(text, desk="per-request")
    assert found is not None
    assert found.moved == ("line 1 (desk) behind line 9",)
    assert of(f"{{{{ question }}}}\n{STAYS}", question="stable") is None


@pytest.mark.parametrize(
    "text",
    [
        f"{STAYS}It is {{{{ now() }}}}. {{{{ question }}}}\n",
        "It is {{ now() }}.\nBe kind.\n{{ question }}\n",
        f"{STAYS}",
        "",
        f"{{% if vip %}}\nIt is {{{{ now() }}}}.\n{STAYS}{{% endif %}}\n",
        f"It is {{{{ now() }}}}. {STAYS.replace(chr(10), ' ')}",
        f"It is {{{{ now() }}}}.\n{{%- if vip %}}\n{STAYS}{{%- endif %}}\n",
        f"{{{{ now() }}}}{{% for m in messages %}}{{{{ m.role }}}}: {{{{ m.content }}}}\n{{% endfor %}}\n{STAYS}",
        f"{{% extends 'base.j2' %}}\n{{% block a %}}{{{{ now() }}}}{{% endblock %}}\n{STAYS}",
        f"{{{{ now() }}}}{{% set x = 1 %}}\n{STAYS}{{{{ x }}}} is the number of the door that everybody uses.\n",
    ],
    ids=[
        "at the end",
        "little behind it",
        "nothing varies",
        "nothing at all",
        "inside a condition",
        "inside a line",
        "white space is taken away",
        "a conversation",
        "a template that extends another",
        "a name that is used behind it",
    ],
)
def test_there_is_no_suggestion(text: str) -> None:
    assert of(text) is None


PARAGRAPHS = (
    "It is {{ now() }}.\n",
    "Request {{ request_id }}, {{ uuid4() }}\n\n",
    "\n",
    "You are the {{ desk }}.\n",
    "## Caller\n{{ user_name }} ({{ session_id }})\n\n",
    "{% for p in retrieved_passages %}\n<p>{{ p.text }}</p>\n{% endfor %}\n",
    "{% if vip %}\nA guest of honour, {{ user_name }}.\n{% endif %}\n",
    "{% if now() %}\nGood evening.\n{% endif %}\n",
    "{% for k, v in flags.items() %}{{ k }}={{ v }}\n{% endfor %}",
    "{# {{ now() }} #}\n",
    "{% set x = desk %}\n{{ x }} it is.\n",
    "{% macro m(t) %}\n<t>{{ t }}</t>\n{% endmacro %}\n{{ m(now()) }}\n",
    "{% raw %}\n{{ now() }}\n{% endraw %}\n",
    "{{ question }}\nAnswer:\n",
    "Ask {{ question -}}\n   at once.\n",
    "Today is {{ today() }}.\r\n",
    "</p>\n",
    STAYS,
    "Be kind to whoever calls, even at night and even when the line is bad.\n",
)


@given(st.lists(st.sampled_from(PARAGRAPHS), max_size=9), st.sampled_from((STAYS, "{{ letter }}", "")))
def test_the_same_lines_are_printed(paragraphs: list[str], last: str) -> None:
    text = "".join([*paragraphs, last])
    found = of(text)
    if found is not None:
        assert lines(found.text) == lines(text)
        assert found.saved_tokens >= 24
        again = of(found.text)
        assert again is None or again.saved_tokens < found.saved_tokens
