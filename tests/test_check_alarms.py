"""`promptlint check` over changes that do no harm, and what may look like some: none of them is blocked."""

import copy
import json
from pathlib import Path

import pytest

import check_requests as r
from check_projects import (
    BREAKPOINT,
    HEAD,
    MARK,
    RULES,
    SETS,
    Files,
    check,
    repository,
    settings,
    template,
    template_entry,
    template_project,
)

TEXT = template()
TICKET = TEXT.replace("guide.\n", "guide. Ticket {{ ticket }}.\n", 1)


def _edited(old: str, new: str, text: str = TEXT) -> tuple[Files, Files]:
    assert text.count(old) == 1
    return template_project(text), template_project(text.replace(old, new))


def _texts(before: str, after: str) -> tuple[Files, Files]:
    return template_project(before), template_project(after)


TEMPLATES: dict[str, tuple[Files, Files]] = {
    "a paragraph more": _edited(RULES[5], f"{RULES[5]}\n- Say when the desk closes."),
    "a paragraph less": _edited(RULES[5] + "\n", ""),
    "paragraphs in another order": _texts(TEXT, template(RULES[::-1])),
    "a marker behind more fixed text": _texts(
        template(RULES[:50], BREAKPOINT + "\n" + "\n".join(RULES[50:]) + "\n"), TEXT
    ),
    "a second marker": _edited(RULES[40], f"{RULES[40]}\n{BREAKPOINT}"),
    "a longer lifetime": _edited(BREAKPOINT, BREAKPOINT.replace("breakpoint", "breakpoint ttl=1h")),
    "a variable behind the marker": _edited("# This visit", "# This visit, ticket {{ ticket }}"),
    "a time behind the marker": _edited("# This visit", '# This visit, at {{ now().strftime("%H:%M:%S") }}'),
    "a variable that moves behind the marker": _texts(
        TICKET, TEXT.replace("# This visit", "# This visit, {{ ticket }}")
    ),
    "a variable that moves, and was ahead already": _texts(TICKET, TEXT.replace(HEAD, "{{ ticket }} " + HEAD)),
    "another variable where one varied already": _texts(TICKET, TICKET.replace("{{ ticket }}", "{{ member }}")),
    "a variable with the same value in all sets": _edited(HEAD, "Desk of {{ town }}. " + HEAD),
    "a condition that is the same in all sets": _edited(HEAD, "{% if town == 'Ripon' %}Be kind. {% endif %}" + HEAD),
    "a variable set to a constant": _edited(HEAD, "{% set floor = 2 %}Floor {{ floor }}. " + HEAD),
    "a variable that is not printed": _edited(HEAD, "{% set late = ticket %}" + HEAD),
    "no suffix any more": _edited("# This visit\n", ""),
    "a loop over a constant": _edited(HEAD, "{% for n in [1, 2, 3] %}{{ n }}. {% endfor %}" + HEAD),
    "a comment with a call in it": _edited(HEAD, "{# now() #}" + HEAD),
    "raw text that looks like a call": _edited(HEAD, "{% raw %}{{ now() }}{% endraw %} " + HEAD),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template(name: str, tmp_path: Path) -> None:
    found = check(repository(tmp_path, *TEMPLATES[name]).path, "--base", "main")
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert found.touched["lost_tokens_per_request"] == 0
    assert not [each for each in found.report["findings"] if each["severity"] == "error"]


def _bodies(*values: r.Values) -> list[r.Body]:
    return [r.anthropic(each) for each in values]


def _recorded(bodies: list[r.Body]) -> Files:
    lines = "".join(json.dumps(each) + "\n" for each in bodies)
    entry = {"name": "desk", "recorded": ["logs/monday.jsonl"]}
    return {"promptlint.yaml": settings(entry), "logs/monday.jsonl": lines}


def _growing(first: r.Body) -> list[r.Body]:
    """Three requests of one conversation, each with a marker on its newest message as well."""
    found, messages = [], list(first["messages"])
    for turn in ("Yes, over the weekend.", "Only until Friday.", "Good."):
        body = copy.deepcopy(first) | {"messages": copy.deepcopy(messages)}
        newest = body["messages"][-1]
        newest["content"] = [{"type": "text", "text": newest["content"], "cache_control": dict(MARK)}]
        found.append(body)
        messages += [{"role": "assistant", "content": "Let me look."}, {"role": "user", "content": turn}]
    return found


def _reworded(bodies: list[r.Body]) -> list[r.Body]:
    changed = copy.deepcopy(bodies)
    for each in changed:
        r.reworded(each, {})
    return changed


OTHER = SETS[0] | {"member": "Dora Quist", "question": "Do you lend out ladders on Sundays, and how high are they?"}
ONE, TWO, THREE = _bodies(SETS[0], SETS[1], OTHER)
TALK = _growing(ONE)

RECORDS: dict[str, tuple[list[r.Body], list[r.Body]]] = {
    "a record more": ([ONE, TWO], [ONE, TWO, THREE]),
    "a record less": ([ONE, TWO, THREE], [ONE, THREE]),
    "records in another order": ([ONE, TWO, THREE], [THREE, ONE, TWO]),
    "recorded again on another day": ([ONE, TWO], [THREE, TWO]),
    "a conversation that grows": (TALK[:2], TALK),
    "a conversation whose guide was reworded": (TALK, _reworded(TALK)),
    "requests whose guide was reworded": ([ONE, TWO, THREE], _reworded([ONE, TWO, THREE])),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records(name: str, tmp_path: Path) -> None:
    before, after = (_recorded(each) for each in RECORDS[name])
    found = check(repository(tmp_path, before, after).path, "--base", "main")
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert found.touched["lost_tokens_per_request"] == 0


def _request(body: r.Body) -> Files:
    entry = {"name": "desk", "request": "requests/desk.json"}
    return {"promptlint.yaml": settings(entry), "requests/desk.json": json.dumps(body, indent=2) + "\n"}


def _with(body: r.Body, **more: object) -> r.Body:
    return copy.deepcopy(body) | more


def _second_marker(body: r.Body) -> r.Body:
    found = copy.deepcopy(body)
    found["tools"][-1]["cache_control"] = dict(MARK)
    return found


def _marked_question(body: r.Body) -> r.Body:
    """The marker of the guide stays, and the newest message gets one too."""
    found = copy.deepcopy(body)
    text = found["messages"][0]["content"]
    found["messages"][0]["content"] = [{"type": "text", "text": text, "cache_control": dict(MARK)}]
    return found


GPT = r.openai(SETS[0])
REQUESTS: dict[str, tuple[r.Body, r.Body]] = {
    "another question": (ONE, _with(ONE, messages=TWO["messages"])),
    "another question of an automatic cache": (GPT, r.openai(OTHER)),
    "a marker more": (ONE, _second_marker(ONE)),
    "a marker less of two": (_second_marker(ONE), ONE),
    "a marker on the newest message as well": (ONE, _marked_question(ONE)),
    "one turn more": (ONE, _with(ONE, messages=TALK[1]["messages"])),
    "a temperature": (ONE, _with(ONE, temperature=0.2)),
    "thinking switched on": (ONE, _with(ONE, thinking={"type": "enabled", "budget_tokens": 2000})),
    "a cache key of the service": (GPT, _with(GPT, prompt_cache_key="desk")),
    "other white space of the file": (ONE, ONE),
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request(name: str, tmp_path: Path) -> None:
    before, after = (_request(each) for each in REQUESTS[name])
    if before == after:
        after["requests/desk.json"] = json.dumps(ONE)
    found = check(repository(tmp_path, before, after).path, "--base", "main")
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert found.touched["lost_tokens_per_request"] == 0


def test_a_text_with_other_line_ends_costs_one_cold_start(tmp_path: Path) -> None:
    """A plain text is read as it is: the model sees the difference."""
    entry = {"name": "desk", "request": "prompts/desk.txt", "provider": "openai", "model": r.GPT}
    files = {"promptlint.yaml": settings(entry), "prompts/desk.txt": "\n".join((HEAD, *RULES)) + "\n"}
    after = files | {"prompts/desk.txt": files["prompts/desk.txt"].replace("\n", "\r\n")}
    found = check(repository(tmp_path, files, after).path, "--base", "main")
    assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
    assert found.touched["lost_tokens_once"] > 2000
    assert found.touched["causes"][0]["cause"] == "line-endings"


def test_no_prompt_is_named(tmp_path: Path) -> None:
    """The configuration has been there for `lint`: there is nothing to render."""
    files = {"promptlint.yaml": "fail-on: error\n", "prompts/support.j2": TEXT}
    found = check(repository(tmp_path, files, files | {"prompts/support.j2": TICKET}).path, "--base", "main")
    assert (found.code, found.err, found.report["verdict"], found.body["prompts"]) == (0, "", "pass", [])
    assert any("no prompts are configured" in note for note in found.report["notes"])


def test_what_is_configured_for_the_first_time_is_not_charged(tmp_path: Path) -> None:
    """Also a prompt that has been bad all the time."""
    files = template_project(TICKET)
    rest = {name: text for name, text in files.items() if name != "promptlint.yaml"}
    for number, before in enumerate((rest, rest | {"promptlint.yaml": "prompts: []\n"})):
        found = check(repository(tmp_path / str(number), before, files).path, "--base", "main")
        assert (found.code, found.report["verdict"]) == (0, "pass"), found.out
        assert not found.touched["lost_tokens_per_request"]
        assert found.touched["name"] == "support"


def test_a_template_without_any_marker_is_not_charged_for_what_it_never_had(tmp_path: Path) -> None:
    entry = template_entry(markers="none")
    text = template(marker="")
    after = text.replace("guide.\n", "guide. Today is {{ today }}.\n", 1)
    before, changed = (template_project(each, entry=entry) for each in (text, after))
    found = check(repository(tmp_path, before, changed).path, "--base", "main")
    assert (found.code, found.touched["lost_tokens_per_request"]) == (0, 0), found.out
