"""Comments that answer findings, in each kind of file, what is wrong with them, and the same in a configuration."""

from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.config import Config, Pardon
from promptlint.lint.comments import comments_of
from promptlint.lint.pardons import pardoned, unused
from promptlint.lint.suppressions import FAULTS, Applied, Fault, applied, strays, suppressions
from promptlint.load.jinja import read_template

KNOWN = ("clock", "marker-limit", "nonce")


def jinja_comments(text: str) -> list[tuple[int, int]]:
    return sorted((one.start, one.end) for one in read_template("t.j2", text, ()).comments)


def comments(text: str, host: Literal["jinja", "yaml", "text", "json"]) -> list[tuple[int, int]]:
    return jinja_comments(text) if host == "jinja" else list(comments_of(text, host))


def outcome(
    text: str,
    *findings: tuple[str, int],
    host: Literal["jinja", "yaml", "text", "json"] = "jinja",
    ran: tuple[str, ...] = KNOWN,
) -> Applied:
    return applied(findings, suppressions(text, comments(text, host)), ran, KNOWN)


def answered(text: str, rule: str = "clock", host: Literal["jinja", "yaml", "text", "json"] = "jinja") -> list[int]:
    """The lines at which a finding of the rule would be answered."""
    lines = range(1, text.count("\n") + text.count("\r") - text.count("\r\n") + 2)
    found = outcome(text, *((rule, line) for line in lines), host=host)
    return [line for line, reason in zip(lines, found.reasons, strict=True) if reason is not None]


def told(faults: tuple[Fault, ...]) -> list[tuple[str, str]]:
    return [(fault.rule, fault.message) for fault in faults]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("{{ now() }} {# promptlint: ignore[clock] -- shown once #}\nb\n", [1]),
        ("a\n{# promptlint: ignore[clock] -- shown once #}\n{{ now() }}\nd\n", [2, 3]),
        ("{#- promptlint: ignore[clock] -- shown once -#}\n{{ now() }}\n", [1, 2]),
        ("{#\n  promptlint: ignore[clock] -- shown once\n#}\n{{ now() }}\ne\n", [1, 3, 4]),
        ("{# promptlint: ignore[clock] -- one #}\n{# promptlint: ignore[nonce] -- two #}\n{{ now() }}\n", [1, 3]),
        ("{# promptlint: ignore[nonce, clock] -- one #}\n{{ now() }}\n", [1, 2]),
        ("{# promptlint: ignore-file[clock] -- one #}\na\nb\n", [1, 2, 3, 4]),
        ("a\r\n{# promptlint: ignore[clock] -- one #}\r\n{{ now() }}\r\nb", [2, 3]),
        ("a\r{# promptlint: ignore[clock] -- one #}\r{{ now() }}\rb", [2, 3]),
        ("{# promptlint: ignore[nonce] -- one #}\n{{ now() }}\n", []),
        ("{# promptlint: ignore[clock] #}\n{{ now() }}\n", []),
        ("{# promptlint: ignore[clock] -- TODO #}\n{{ now() }}\n", []),
        ("{# promptlint: ignore[clock] - why not #}\n{{ now() }}\n", []),
        ("{# see promptlint: ignore[clock] -- it is not the first word #}\n{{ now() }}\n", []),
        ("{# promptlint: ignored[clock] -- a word that is none #}\n{{ now() }}\n", []),
        ("{% raw %}{# promptlint: ignore[clock] -- prompt text #}{% endraw %}\n{{ now() }}\n", []),
        ("# promptlint: ignore[clock] -- prompt text\n{{ now() }}\n", []),
    ],
)
def test_comments_of_a_template(text: str, lines: list[int]) -> None:
    assert answered(text) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a: 1 # promptlint: ignore[clock] -- why not\nb: 2\n", [1]),
        ("# promptlint: ignore[clock] -- why not\na: 1\nb: 2\n", [1, 2]),
        ("a: 1\n  # promptlint: ignore[clock] -- why not\n\nb: 2\n", [2, 3]),
        ("# promptlint: ignore[clock] -- why not\n# promptlint: ignore[nonce] -- why not\na: 1\n", [1, 3]),
        ("é: 'it''s # no' # promptlint: ignore[clock] -- why not\n", [1]),
        ('a: "x \\" # no" # promptlint: ignore[clock] -- why not\n', [1]),
        ("a: | # promptlint: ignore[clock] -- why not\n  text\n", [1]),
        ("a: |\n  # promptlint: ignore[clock] -- prompt text\n  text\n", []),
        ("a: |\n  text\n# promptlint: ignore[clock] -- why not\nb: 1\n", [3, 4]),
        ("a: '# promptlint: ignore[clock] -- prompt text'\n", []),
        ("a: x#promptlint: ignore[clock] -- part of a word\n", []),
        ("a: [\n", []),
        ("a: [ # promptlint: ignore[clock] -- no YAML\n", []),
    ],
)
def test_comments_of_yaml(text: str, lines: list[int]) -> None:
    assert answered(text, host="yaml") == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a <!-- promptlint: ignore[clock] -- why not -->\nb\n", [1]),
        ("<!-- promptlint: ignore[clock] -- why not -->\nToday is Monday.\nb\n", [1, 2]),
        ("<!--\npromptlint: ignore[clock] -- why not\n-->\nb\nc\n", [1, 3, 4]),
        ("```\n<!-- promptlint: ignore[clock] -- shown to the reader -->\n```\nb\n", []),
        ("~~~~\n```\n<!-- promptlint: ignore[clock] -- shown -->\n~~~\n~~~~\n", []),
        ("```\nx\n```\n<!-- promptlint: ignore[clock] -- why not -->\nb\n", [4, 5]),
        ("`<!-- promptlint: ignore[clock] -- shown -->`\nb\n", []),
        ("<!-- promptlint: ignore[clock] -- never closed\nb\n", []),
        ("# promptlint: ignore[clock] -- a heading\nb\n", []),
    ],
)
def test_comments_of_plain_text(text: str, lines: list[int]) -> None:
    assert answered(text, host="text") == lines


def test_a_comment_whose_end_of_line_is_part_of_it() -> None:
    text = "# promptlint: ignore[clock] -- why not\nb\nc\n"
    (one,) = suppressions(text, [(0, text.index("b"))])
    assert (one.lines, one.reason) == ((1, 2), "why not")


def test_json_has_no_comments() -> None:
    text = '{"a": "# promptlint: ignore[clock] -- why not"} // promptlint: ignore[clock] -- why not\n'
    assert answered(text, host="json") == []


def test_the_reason_is_kept_without_the_end_of_the_comment() -> None:
    found = outcome("{# promptlint: ignore[clock] -- shown once, #}\n{{ now() }}", ("clock", 2))
    assert found == Applied(("shown once,",), ())
    found = outcome("{# promptlint: ignore[clock] --shown once -#}\n{{ now() }}", ("clock", 2))
    assert found.reasons == ("shown once",)


def test_one_that_answers_nothing_is_told() -> None:
    text = "{# promptlint: ignore[clock, nonce] -- why not #}\n{{ now() }}\n"
    found = outcome(text, ("clock", 2), ("marker-limit", 2), ("clock", 3))
    assert found.reasons == ("why not", None, None)
    assert told(found.faults) == [("unused-suppression", "nothing here is a case of nonce")]
    (fault,) = found.faults
    assert text[slice(*fault.range)] == "promptlint: ignore[clock, nonce]"
    assert fault.fix == "Remove it."


def test_of_two_that_say_the_same_the_second_is_told() -> None:
    text = "{# promptlint: ignore[clock] -- one #}\n{# promptlint: ignore[clock] -- two #}\n{{ now() }}\n"
    found = outcome(text, ("clock", 3))
    assert found.reasons == ("one",)
    assert [fault.range[0] > 30 for fault in found.faults] == [True]


def test_a_line_is_stronger_than_the_whole_file() -> None:
    text = "{# promptlint: ignore-file[clock] -- all #}\nx\n{# promptlint: ignore[clock] -- here #}\n{{ now() }}\n"
    assert outcome(text, ("clock", 4), ("clock", 2)) == Applied(("here", "all"), ())


def test_of_rules_that_have_not_looked_nobody_says_that_a_suppression_is_unused() -> None:
    text = "{# promptlint: ignore[clock] -- why not #}\n"
    assert outcome(text, ran=("nonce",)).faults == ()


@pytest.mark.parametrize(
    ("comment", "faults"),
    [
        (
            "promptlint: ignore[clock]",
            [("suppression-without-reason", "the suppression gives no reason, so it does not count")],
        ),
        (
            "promptlint: ignore[clock] -- todo",
            [("suppression-without-reason", "the suppression gives no reason, so it does not count")],
        ),
        ("promptlint: ignore[clok] -- why not", [("unknown-suppression", "there is no rule clok")]),
        ("promptlint: ignore -- why not", [("unknown-suppression", "the suppression names no rule")]),
        ("promptlint: ignore[] -- why not", [("unknown-suppression", "the suppression names no rule")]),
        ("promptlint: disable[clock] -- why not", [("unknown-suppression", "promptlint knows no disable")]),
        ("promptlint: ignore[*] -- why not", [("unknown-suppression", "there is no rule *")]),
        ("promptlint: breakpoint", []),
        ("promptlint: breakpont", [("unknown-suppression", "promptlint knows no breakpont")]),
        ("promptlint: see the manual", []),
        ("promptlint: breakpoint ttl=1h", []),
        ("promptlint: it keeps caches hit", []),
    ],
)
def test_what_is_wrong_with_one(comment: str, faults: list[tuple[str, str]]) -> None:
    found = outcome(f"{{# {comment} #}}\n{{{{ now() }}}}\n")
    assert told(found.faults) == faults
    assert {rule for rule, _ in faults} <= FAULTS.keys()


def test_the_nearest_rule_is_named() -> None:
    (fault,) = outcome("{# promptlint: ignore[clok] -- why not #}\n").faults
    assert fault.fix == "Did you mean clock?"
    (fault,) = outcome("{# promptlint: ignore[\x1b[31m] -- why not #}\n").faults  # a bracket ends the list
    assert fault.message == "the suppression names no rule"
    (fault,) = outcome("{# promptlint: ignore[\x1b31m] -- why not #}\n").faults
    assert fault.message == "there is no rule \\x1b31m"


@pytest.mark.parametrize(
    ("text", "host", "found"),
    [
        ("# promptlint: ignore[clock] -- why\n{{ now() }}\n", "jinja", 1),
        ("<!-- promptlint: ignore[clock] -->\n", "jinja", 1),
        ("{% raw %}{# promptlint: ignore[clock] -- why #}{% endraw %}\n", "jinja", 1),
        ("{# promptlint: ignore[clock] -- why #}\n", "jinja", 0),
        ("a: |\n  # promptlint: ignore[clock] -- why\n", "yaml", 1),
        ("# promptlint: ignore[clock] -- why\n", "yaml", 0),
        ('{"a": "{# promptlint: ignore-file[clock] -- why #}"}', "json", 1),
        ("```\n<!-- promptlint: ignore[clock] -- why -->\n```\n", "text", 1),
        ("Write promptlint: ignore[clock] -- with a reason.\n", "text", 0),
        ("# promptlint: ignore[rule-id] -- an example\n", "text", 0),
        ("# promptlint: breakpoint\n", "text", 0),
    ],
)
def test_one_in_the_text_of_a_prompt_is_told(
    text: str, host: Literal["jinja", "yaml", "text", "json"], found: int
) -> None:
    faults = strays(text, comments(text, host), KNOWN)
    assert [fault.rule for fault in faults] == ["suppression-in-prompt"] * found
    for fault in faults:
        assert text[slice(*fault.range)].startswith("promptlint: ignore")


PIECES = [
    "promptlint:",
    " ",
    "ignore",
    "[",
    "clock",
    "]",
    ",",
    "--",
    "why",
    "\n",
    "\r",
    "#",
    "{#",
    "#}",
    "<!--",
    "'",
    '"',
]


@given(text=st.lists(st.sampled_from([*PIECES, "-->", "a: ", "|", "`", "é", "```"]), max_size=40).map("".join))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    for host in ("yaml", "text", "json"):
        found = comments(text, host)
        assert found == sorted(found)
        assert all(a < b for a, b in found)
        assert all(one[1] <= other[0] for one, other in pairwise(found))
        lines = [("clock", line) for line in range(1, 8)]
        done = applied(lines, suppressions(text, found), KNOWN, KNOWN)
        assert len(done.reasons) == len(lines)
        strays(text, found, KNOWN)


PARDONS = Config(
    path="promptlint.yaml",
    suppress=(
        Pardon("a.json", "/messages/0", "clock", "first"),
        Pardon("*.json", None, "nonce", "second"),
        Pardon("in/", "/a~1b", "clock", "third"),
        Pardon("in/", "", "clock", "fourth"),
    ),
)


@pytest.mark.parametrize(
    ("rule", "path", "pointer", "wanted"),
    [
        ("clock", "a.json", "/messages/0", 0),
        ("clock", "a.json", "/messages/0/content", 0),
        ("clock", "a.json", "/messages/01", None),
        ("clock", "a.json", "/messages", None),
        ("clock", "b.json", "/messages/0", None),
        ("clock", "x/a.json", "/messages/0", 0),
        ("nonce", "deep/c.json", "/tools/3", 1),
        ("clock", "in/c.json", "/a~1b/c", 2),
        ("clock", "in/c.json", ("/arguments", "/q"), None),
        ("nonce", "in/c.json", ("/arguments", "/q"), 1),
        ("marker-limit", "a.json", "/messages/0", None),
        ("clock", "-", "/messages/0", None),
    ],
)
def test_entries_of_a_configuration(rule: str, path: str, pointer: str | tuple[str, ...], wanted: int | None) -> None:
    config = PARDONS._replace(suppress=PARDONS.suppress[:3])
    assert pardoned([(rule, path, pointer)], config) == (wanted,)


def test_an_empty_pointer_is_the_whole_document() -> None:
    assert pardoned([("clock", "in/c.json", "/x/0")], PARDONS) == (3,)


def test_a_text_that_is_json_is_entered_by_a_pointer() -> None:
    config = Config(path="promptlint.yaml", suppress=(Pardon("a.json", "/messages/0/arguments/id", "clock", "why"),))
    assert pardoned([("clock", "a.json", ("/messages/0/arguments", "/id"))], config) == (0,)


def test_unused_entries_are_told_only_where_somebody_has_looked() -> None:
    config = PARDONS._replace(suppress=PARDONS.suppress[:2])
    assert unused([None], config, ["a.json", "t.j2"], ["clock", "nonce"]) == (
        (0, "nothing in a.json is a case of clock at /messages/0"),
        (1, "nothing in *.json is a case of nonce"),
    )
    assert unused([0, None], config, ["a.json"], ["clock", "nonce"]) == ((1, "nothing in *.json is a case of nonce"),)
    assert unused([], config, ["a.json"], ["clock"]) == ((0, "nothing in a.json is a case of clock at /messages/0"),)
    assert unused([], config, ["t.j2"], ["clock", "nonce"]) == ()
