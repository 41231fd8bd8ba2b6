"""What the gate has to say of each edit: the samples of the tests of `promptlint check`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import check_requests as r
from check_projects import (
    BREAKPOINT,
    HEAD,
    PREFIX_TOKENS,
    RULES,
    SETS,
    Checked,
    Files,
    hunk_lines,
    is_shown,
    template,
    template_entry,
    template_project,
)


class Sample(NamedTuple):
    """An edit of a project, and what has to be said of it."""

    name: str
    before: Files
    after: Files
    causes: frozenset[str] = frozenset()  # each is a defensible first one; none: nothing is lost
    fails: bool = False
    prefix: int = PREFIX_TOKENS  # tokens of the fixed text that renderings share, about
    once: tuple[float, float] = (0.8, 1.2)  # share of `prefix` that is lost once, if it passes with causes
    lost: tuple[float, float] = (0.8, 1.2)  # share of `prefix` that each request loses, if it fails
    slack: int = 0  # tokens: how far off steps may put a figure that is nothing


def _labels(*names: str) -> frozenset[str]:
    return frozenset(names)


_VARIES = _labels("text-edited", "marker-after-volatile", "per-turn-context", "identifier")
"""A value of each request in front of the fixed text: the differing text itself, or the marker behind it."""
_EDITED = _labels("text-edited")
_LEFT = (0.04, 1.2)
"""Where the prefix has shrunk below the minimum: at least what is left of it is uncached."""


# Templates: text with a marker in a comment.


def _template(name: str, old: str, new: str, causes: frozenset[str] = frozenset(), **more: Any) -> Sample:
    text = template()
    assert text.count(old) == 1
    return Sample(f"template-{name}", template_project(), template_project(text.replace(old, new)), causes, **more)


def _ahead(line: str) -> str:
    return f"{HEAD}\n{line}\n"


_TAIL = "# This visit\nMember: {{ member }}\nQuestion: {{ question }}\n"
_MARKED = f"{BREAKPOINT}\n"
_TOP = f"{HEAD}\n"


def _without_marker() -> list[Sample]:
    behind = template(marker="") + _MARKED
    return [
        Sample(
            "template-marker-behind",
            template_project(),
            template_project(behind),
            _labels("marker-after-volatile", "per-turn-context"),
            fails=True,
        ),
        _template("marker-dropped", _MARKED, "", _labels("marker-missing"), fails=True),
        Sample(
            "template-shrunk",
            template_project(),
            template_project(template(RULES[:6])),
            _labels("below-minimum"),
            fails=True,
            lost=_LEFT,
        ),
    ]


def template_fails() -> list[Sample]:
    """What each request, session or day loses by."""
    member = "Member: {{ member }}\n"
    moved = template().replace(member, "").replace(_TOP, _ahead(member.strip()))
    clock = 'It is {{ now().strftime("%H:%M") }} now.'
    day = 'Today is {{ now().strftime("%d %B %Y") }}.'
    return [
        _template("clock", _TOP, _ahead(clock), _labels("clock"), fails=True),
        _template("day", _TOP, _ahead(day), _labels("date-rollover"), fails=True),
        _template("today", _TOP, _ahead("Today is {{ today }}."), _labels("date-rollover"), fails=True),
        Sample("template-member-ahead", template_project(), template_project(moved), _VARIES, fails=True),
        _template("ticket", _TOP, _ahead("The ticket is {{ ticket }}."), _VARIES | {"counter"}, fails=True),
        _template("ticket-at-end", _MARKED, "Ticket: {{ ticket }}\n" + _MARKED, _VARIES | {"counter"}, fails=True),
        *_without_marker(),
        *_halfway(),
    ]


def _halfway() -> list[Sample]:
    """The value stands in the middle: what is in front of it can still be read, what is behind it cannot."""
    ticket = "- The ticket is {{ ticket }}."
    first = template((*RULES[:35], BREAKPOINT, *RULES[35:]))
    marked = template((*RULES[:35], BREAKPOINT, *RULES[35:45], ticket, *RULES[45:]))
    steps = template_entry(provider="openai", model=r.GPT, markers="none")
    blocks = template_entry(engine="vllm==0.33.0", tokenizer="o200k_base", markers="none")
    del blocks["provider"], blocks["model"]
    texts = template(marker=""), template((*RULES[:35], ticket, *RULES[35:]), marker="")
    projects = {
        "two-markers": (template_project(first), template_project(marked)),
        "steps": tuple(template_project(each, entry=steps) for each in texts),
        "blocks": tuple(template_project(each, entry=blocks) for each in texts),
    }
    labels, slack = _VARIES | {"counter"}, {"steps": 128, "blocks": 32}
    return [
        Sample(f"template-{name}", before, after, labels, fails=True, lost=(0.15, 0.7), slack=slack.get(name, 0))
        for name, (before, after) in projects.items()
    ]


def template_passes() -> list[Sample]:
    """What costs one cold start, or nothing."""
    text = template()
    switched = template_project(entry=template_entry(model="claude-sonnet-5-5"))
    return [
        _template("reworded", "Keep to this guide.", "Follow this guide in all you say.", _EDITED),
        _template("stable-variable", _TOP, _ahead("The desk stands in {{ town }}."), _EDITED | {"items-changed"}),
        _template("tidied", "library.  Keep", "library. Keep", _labels("white-space")),
        Sample("template-model-switched", template_project(), switched, _labels("model-changed")),
        # Jinja reads each line end as a line feed: the prompt stays as it was.
        Sample("template-crlf", template_project(), template_project(text.replace("\n", "\r\n"))),
        _template("suffix-reworded", "# This visit", "# The visit that the question below is about"),
        _template("comment-added", _TOP, _TOP.replace("\n", "{# for all desks #}\n")),
        Sample("template-include", template_project(), _with_include()),
        Sample("template-macro", template_project(), template_project(_with_macro())),
    ]


def _with_include() -> Files:
    text = template(("{% include 'rules.j2' %}", *RULES[20:]))
    return template_project(text) | {"prompts/rules.j2": "\n".join(RULES[:20]) + "\n"}


def _with_macro() -> str:
    first = RULES[0]
    start, end = first[:40], first[40:]
    macro = "{% macro rule(rest) %}" + start + "{{ rest }}{% endmacro -%}\n"
    return macro + template().replace(first, '{{ rule("' + end + '") }}')


# Requests, in all forms in which a project may keep them.

_Form = Callable[[r.Edit], Files]
_FORMS: tuple[_Form, ...] = (r.rendered, r.recorded, r.log)
_VALUES = {"date_added": _labels("date-rollover"), "ticket_added": _VARIES | {"counter"}, "member_ahead": _VARIES}
_MARKERS = {
    "marker_behind": _labels("marker-after-volatile", "per-turn-context"),
    "marker_dropped": _labels("marker-missing"),
    "shrunk": _labels("below-minimum"),
}
_COLD = {
    "reworded": _EDITED,
    "tidied": _labels("white-space"),
    "tool_reordered": _labels("list-order"),
    "tool_at_end": _labels("items-changed"),
    "tool_in_front": _labels("items-changed"),
    "keys_flipped": _labels("key-order"),
    "model_switched": _labels("model-changed"),
}
_NOTHING = ("suffix_reworded", "request_only")
_SINGLE = {"marker_on_question": _MARKERS["marker_behind"] | {"marker-missing"}}


def _request(form: _Form, name: str, causes: frozenset[str] = frozenset(), **more: Any) -> Sample:
    automatic = form in (r.plain_openai, r.log_openai, r.promptfoo)
    body = r.openai(SETS[0]) if automatic else r.anthropic(SETS[0])
    if form is r.promptfoo:
        del body["tools"]
    known: dict[str, Any] = {"prefix": r.fixed_tokens(body), "slack": 128 if automatic else 0}
    before, after = form(r.unchanged), form(getattr(r, name))
    known |= {"lost": _LEFT} if name == "shrunk" else {}
    return Sample(f"{form.__name__}-{name}", before, after, causes, **(known | more))


def request_fails() -> list[Sample]:
    """What each request loses by."""
    several = [_request(form, *row, fails=True) for form in _FORMS for row in (_VALUES | _MARKERS).items()]
    rows = _MARKERS | _SINGLE
    one = [_request(r.plain, name, rows[name], fails=True) for name in ("marker_on_question", "marker_dropped")]
    one += [_request(form, "shrunk", rows["shrunk"], fails=True) for form in (r.plain, r.plain_openai)]
    stored = [_request(r.promptfoo, *row, fails=True) for row in _VALUES.items()]
    stored += [_request(r.log_openai, *row, fails=True) for row in _VALUES.items()]
    stored += [
        _request(form, "ticket_halfway", _VALUES["ticket_added"], fails=True, lost=(0.3, 0.7))
        for form in (r.log_openai, r.promptfoo)
    ]
    return [*several, *one, *stored, _request(r.promptfoo, "shrunk", rows["shrunk"], fails=True)]


def request_passes() -> list[Sample]:
    """What costs one cold start, or nothing."""
    cold = [_request(form, *row) for form in (*_FORMS, r.plain) for row in _COLD.items()]
    # An automatic cache reads up to the difference.
    cold += [_request(r.plain_openai, *row, once=(0.02, 1.2)) for row in _COLD.items()]
    cold += [_request(r.promptfoo, name, _COLD[name], once=(0.02, 1.2)) for name in ("reworded", "tidied")]
    clean = [_request(form, name) for form in (*_FORMS, r.plain, r.plain_openai) for name in _NOTHING]
    return [*cold, *clean, _request(r.promptfoo, "suffix_reworded")]


# Chat templates of an own server: blocks of 16 tokens.


def chat_samples() -> list[Sample]:
    """Edits of the template, and of the messages that it renders."""
    before, guide = r.chat(), "\n".join((HEAD, *RULES))
    clock = r.CHAT.replace("library.\n", 'library at {{ strftime_now("%H:%M") }}.\n', 1)
    comment = "{#- for all our models -#}\n" + r.CHAT
    return [
        Sample("chat-clock", before, r.chat(clock), _labels("clock"), fails=True, slack=32),
        Sample("chat-reworded", before, r.chat(guide=guide.replace("Keep to", "Stay with")), _EDITED, slack=32),
        Sample("chat-head", before, r.chat(r.CHAT.replace("serve the desk", "run the front desk")), _EDITED, slack=32),
        Sample("chat-comment", before, r.chat(comment)),
    ]


def all_samples() -> list[Sample]:
    """Each edit of each kind of prompt."""
    return [*template_fails(), *template_passes(), *request_fails(), *request_passes(), *chat_samples()]


def few_samples() -> list[Sample]:
    """One of each outcome, for what is tried in many places."""
    wanted = (
        "template-today",
        "recorded-marker_dropped",
        "template-reworded",
        "plain-tool_in_front",
        "template-include",
    )
    return [each for each in all_samples() if each.name in wanted]


# What a report has to say.


def judge(sample: Sample, found: Checked) -> None:
    """Assert that a run has said of the sample what it must."""
    verdict = "fail" if sample.fails else "pass"
    assert found.report, found.err
    assert found.report["verdict"] == verdict, found.out
    assert found.code == int(sample.fails)
    prompt = found.touched
    assert prompt["verdict"] == verdict
    _figures(sample, prompt)
    if sample.causes:
        cause = prompt["causes"][0]
        assert cause["cause"] in sample.causes, prompt["causes"]
        assert (cause["often"] == "once") is not sample.fails
        _place(sample, cause)


def _figures(sample: Sample, prompt: dict[str, Any]) -> None:
    prefix, once, lost = sample.prefix, prompt["lost_tokens_once"], prompt["lost_tokens_per_request"]
    assert 0.85 * prefix <= prompt["usable_tokens_before"] <= 1.15 * prefix + sample.slack
    assert prompt["usable_tokens_before"] <= prompt["prompt_tokens_before"]
    assert prompt["usable_tokens_after"] <= prompt["prompt_tokens_after"]
    if sample.fails:
        assert sample.lost[0] * prefix <= lost <= sample.lost[1] * prefix + sample.slack
        assert prompt["usable_tokens_after"] <= prompt["usable_tokens_before"] - 0.8 * lost
        assert prompt["often"] != "once"
        _money(prompt)
        return
    assert lost == 0
    assert prompt["usable_tokens_after"] >= prompt["usable_tokens_before"] - 0.2 * prefix
    assert prompt["lost_usd_per_day"] is None or float(prompt["lost_usd_per_day"]) == 0
    if sample.causes:
        assert max(1, sample.once[0] * prefix) <= once <= sample.once[1] * prefix + sample.slack
    else:
        assert 0 <= once <= sample.slack
        assert not [cause for cause in prompt["causes"] if cause["often"] != "once"]


def _money(prompt: dict[str, Any]) -> None:
    """20,000 requests a day, each of which pays the dearer rate for what it loses; fewer, where fewer lose."""
    dollars = prompt["lost_usd_per_day"]
    if prompt["provider"] == "anthropic":
        # Two dollars a million, two and a half if it is written, instead of 0.2.
        most = prompt["lost_tokens_per_request"] * 2e-6 * 20_000
        assert 0 < float(dollars) < 2.5 * most
        by_clock = prompt["causes"][0]["cause"] == "clock"  # it makes another text 1,440 times a day at most
        assert prompt["often"] != "request" or float(dollars) > (0.03 if by_clock else 0.5) * most
    else:
        assert dollars is None or float(dollars) > 0


def _place(sample: Sample, cause: dict[str, Any]) -> None:
    """The first cause stands in lines that the edit has changed, and its hunk is the difference of these lines."""
    assert cause["hunk"] is not None, cause
    # Paths are told from where the command was run.
    path = next(name for name in sample.after | sample.before if cause["hunk"]["path"].endswith(name))
    hunk = cause["hunk"] | {"path": path}
    assert cause["path"] == cause["hunk"]["path"]
    assert sample.before.get(path) != sample.after.get(path)
    removed = hunk_lines(sample.before, hunk, "-")
    added = hunk_lines(sample.after, hunk, "+")
    assert hunk["lines"], hunk
    # The first few of each side, in their order.
    lines = iter([*removed, *added])
    assert all(any(is_shown(each, line) for line in lines) for each in hunk["lines"]), hunk
    assert set(added) != {line.replace("-", "+", 1) for line in removed}, "these lines have not been changed"
    # Of lines that are gone: the one before them, or the one behind.
    start, count = hunk["new_start"], len(added) or 2
    assert start <= cause["line"] < start + count, (cause["line"], hunk)
    assert cause["column"] >= 1
