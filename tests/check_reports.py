"""Reports as `promptlint check` makes them, small enough to read; one of hostile texts; and any, for laws."""

from typing import Any

from hypothesis import strategies as st

from lint_reports import counts, findings, pointers, texts
from lint_samples import finding, location
from promptlint.check_facts import Allowed, BudgetReason, CheckCause, CheckedPrompt, CheckFacts, Hunk
from promptlint.finding import Finding, Report

PRICE = "anthropic list prices since 2026-09-01: input 3.00, cached read 0.30 dollars per million tokens"
LINK = "https://git.example/desk/-/blob/1a2b3c4/prompts/support.j2#L2"


def prompt(name: str, path: str, **other: Any) -> CheckedPrompt:
    """An unchanged prompt, but for what is said."""
    fields: dict[str, Any] = {
        "old_path": None,
        "change": "unchanged",
        "verdict": "pass",
        "certainty": "certain",
        "provider": None,
        "model": None,
        "exact": False,
        "prompt_tokens_before": None,
        "prompt_tokens_after": None,
        "usable_tokens_before": None,
        "usable_tokens_after": None,
        "lost_tokens_per_request": None,
        "lost_tokens_once": None,
        "lost_usd_per_day": None,
        "lost_usd_once": None,
        "often": "request",
        "price": "",
    }
    return CheckedPrompt(name=name, path=path, **{**fields, **other})


def changed(name: str, path: str, tokens: tuple[int, int, int, int], **other: Any) -> CheckedPrompt:
    """`tokens`: of the prompt before and after, usable ones before and after."""
    before, after, usable_before, usable_after = tokens
    fields: dict[str, Any] = {
        "change": "changed",
        "provider": "anthropic",
        "model": "claude-sonnet-5",
        "prompt_tokens_before": before,
        "prompt_tokens_after": after,
        "usable_tokens_before": usable_before,
        "usable_tokens_after": usable_after,
        "lost_tokens_per_request": 0,
    }
    return prompt(name, path, **{**fields, **other})


def clock_cause(**other: Any) -> CheckCause:
    row = "You are the support desk of Example. Be brief, be kind."
    hunk = Hunk("prompts/support.j2", 2, 1, 2, 1, (f"-{row}", f"+{row} It is {{{{ now().strftime('%H:%M') }}}}."))
    fields = CheckCause(
        "clock",
        "now() prints the time of day ahead of text that stays, so each request reads less than the one before.",
        "request",
        "certain",
        "prompts/support.j2",
        2,
        58,
        "",
        3810,
        "Let the caller pass a time that is fixed for the session, or print it behind the last marker.",
        hunk,
    )
    return fields._replace(**other)


def failing(**other: Any) -> CheckedPrompt:
    fields: dict[str, Any] = {
        "old_path": "prompts/help.j2",
        "verdict": "fail",
        "lost_tokens_per_request": 3810,
        "lost_tokens_once": 4120,
        "lost_usd_per_day": "205.74",
        "lost_usd_once": "0.0155",
        "price": PRICE,
        "causes": (clock_cause(),),
        "reasons": (BudgetReason("max-lost-tokens-per-request", "fail", "3,810 tokens are lost, none may be"),),
        "link": LINK,
    }
    return changed("support", "prompts/support.j2", (4400, 4410, 4120, 310), **{**fields, **other})


def doubtful() -> CheckedPrompt:
    rows = (*(f"-  rule {number}" for number in range(1, 7)), '+{% include "rules/short.j2" %}')
    cause = CheckCause(
        "marker-after-volatile",
        "The marker stands behind the customer's name, which is another one in each session.",
        "session",
        "possible",
        "prompts/billing.j2",
        14,
        1,
        "/system/1",
        700,
        "Move the marker ahead of {{ customer }}.",
        Hunk("prompts/parts/rules.j2", 8, 31, 8, 2, rows),
    )
    return changed(
        "billing",
        "prompts/billing.j2",
        (2100, 1960, 1800, 1100),
        verdict="unknown",
        certainty="unknown",
        lost_tokens_per_request=700,
        often="session",
        causes=(cause,),
        reasons=(
            BudgetReason("max-lost-tokens-per-request", "unknown", "500 to 900 tokens are lost, 800 are allowed"),
        ),
        notes=("only one set of variables: what varies is not known",),
        price="no price is known for this model",
    )


def cold() -> CheckedPrompt:
    """One long line of JSON, changed near its end."""
    text = '  {"type": "text", "text": "' + "You write tests for a large code base. " * 6
    hunk = Hunk("requests/agent.json", 4, 1, 4, 1, (f'-{text}Use pytest."}}', f'+{text}Always use pytest."}}'))
    cause = CheckCause(
        "text-edited",
        "The system text is another one.",
        "once",
        "certain",
        "requests/agent.json",
        4,
        269,
        "/system/0/text",
        9000,
        "",
        hunk,
    )
    return changed(
        "requests/agent.json",
        "requests/agent.json",
        (12000, 12001, 11000, 11001),
        exact=True,
        lost_tokens_once=11000,
        lost_usd_once="0.0297",
        causes=(cause,),
        allowed=Allowed("the new tone is worth a cold start", "2027-01-31"),
        price="",
    )


def quiet() -> CheckedPrompt:
    return changed("triage", "prompts/triage.j2", (900, 910, 800, 800))


def gone() -> CheckedPrompt:
    return prompt("old", "prompts/old.j2", change="deleted", prompt_tokens_before=300, usable_tokens_before=280)


def unrendered() -> CheckedPrompt:
    notes = ("line 3: unexpected end of template",)
    return prompt(
        "broken", "prompts/broken.j2", change="unrendered", verdict="unknown", certainty="unknown", notes=notes
    )


def cause_findings(*prompts: CheckedPrompt) -> tuple[Finding, ...]:
    """One for each cause, as the gate makes them."""
    severity = {"fail": "error", "unknown": "warning", "pass": "info"}
    return tuple(
        finding(
            cause.cause,
            location(cause.path, cause.line, cause.column),
            f"{each.name}: {cause.message}",
            severity=severity[each.verdict],
            confidence=cause.certainty,
            pointer=cause.pointer,
            lost_tokens=cause.lost_tokens,
            fix=cause.fix,
        )
        for each in prompts
        for cause in each.causes
    )


def lint_finding() -> Finding:
    return finding(
        "white-space-in-template",
        location("prompts/support.j2", 9, 20, 409, 411),
        "2 spaces end the line",
        severity="warning",
        cause="white-space",
        fix="Remove them now.",
        end_line=9,
        end_column=22,
        excerpt="Answer in one line.  ",
        mark=(19, 21),
        fingerprint="5afe5afe5afe5afe",
    )


def report(verdict: Any, *prompts: CheckedPrompt, more: tuple[Finding, ...] = (), **other: Any) -> Report:
    facts = CheckFacts("main (merge base 1a2b3c4)", "the working tree", prompts)._replace(**other)
    return Report("check", verdict, (*cause_findings(*prompts), *more), check=facts)


def mixed() -> Report:
    same = tuple(prompt(f"chats/{number}", f"chats/{number}.json") for number in range(4))
    shared = failing(
        old_path=None,
        lost_usd_per_day="61",
        causes=(clock_cause(),),
        link="",
    )._replace(name="sales", path="prompts/sales.j2")
    due = finding("budget", location("prompts/sales.j2", 1, 1), "sales: 7% of the prompt can be reused, 50% are due")
    errors = ("prompts/broken.j2: line 3: unexpected end of template",)
    body = report(
        "fail",
        quiet(),
        doubtful(),
        *same,
        failing(),
        shared,
        cold(),
        gone(),
        unrendered(),
        more=(due, lint_finding()),
        lint_findings=1,
        changed_files=14,
        renderings=24,
        errors=errors,
    )
    return body._replace(notes=("2 entries with a command were left out: add --allow-exec",))


def clean() -> Report:
    return report("pass", quiet(), *(prompt(f"chats/{number}", f"chats/{number}.json") for number in range(3)))


def nothing() -> Report:
    return report("pass")


def locked() -> Report:
    """Against a lock, strict: no lines are known."""
    cause = clock_cause()._replace(hunk=None, column=1, pointer="/system/0")
    body = report("fail", doubtful(), failing(causes=(cause,), allowed=Allowed("meant", "2027-01-31")), strict=True)
    assert body.check is not None
    return body._replace(check=body.check._replace(before="promptlint.lock", at_segments=True))


def hostile(text: str, name: str = "") -> Report:
    """One text in every place where text of a repository can stand."""
    hunk = Hunk(f"other {text}", 1, 1, 1, 1, (f"-a{text}b", f"+a{text}c"))
    cause = CheckCause(text, text, "request", "possible", text, 3, 2, (text, f"/{text}"), 7, text, hunk)
    body = CheckedPrompt(
        name=name or text,
        path=text,
        old_path=f"old {text}",
        change="changed",
        verdict="fail",
        certainty="possible",
        provider=text,
        model=text,
        exact=False,
        prompt_tokens_before=9,
        prompt_tokens_after=9,
        usable_tokens_before=8,
        usable_tokens_after=1,
        lost_tokens_per_request=7,
        lost_tokens_once=8,
        lost_usd_per_day="1.5",
        lost_usd_once="0.5",
        often="request",
        price=text,
        causes=(cause,),
        reasons=(BudgetReason(text, "fail", text), BudgetReason("refused", "unknown", text)),
        allowed=Allowed(text, text),
        notes=(text,),
        link=f"https://git.example/{text}",
    )
    budget = finding("budget", location(text, 1, 1), text, fix=text, pointer=f"/{text}")
    lint = lint_finding()._replace(
        rule=f"lint {text}", message=text, location=location(text, 9, 1), fix=text, excerpt=f"a{text}b", mark=(1, 1)
    )
    quiet = prompt(f"quiet {text}", text, change="changed", old_path=text)
    found = (*cause_findings(body), budget, lint)
    facts = CheckFacts(text, text, (body, quiet), lint_findings=1, errors=(text, f"{text}: {text}"))
    return Report("check", "fail", found, notes=(text,), check=facts)


dollars = st.none() | st.sampled_from(["0", "0.0000125", "0.07", "1", "45.725", "1234567.891"])
verdicts: st.SearchStrategy[Any] = st.sampled_from(["pass", "fail", "unknown"])
certainties: st.SearchStrategy[Any] = st.sampled_from(["certain", "possible", "unknown"])
often: st.SearchStrategy[Any] = st.sampled_from(["once", "day", "session", "request"])
lines = st.integers(0, 10**4)
hunks = st.builds(
    Hunk,
    texts,
    lines,
    lines,
    lines,
    lines,
    st.lists(st.builds("".join, st.tuples(st.sampled_from("-+"), texts)), max_size=7).map(tuple),
)
causes = st.builds(
    CheckCause,
    texts | st.sampled_from(["clock", "text-edited"]),
    texts,
    often,
    certainties,
    texts,
    st.integers(1, 10**6),
    st.integers(1, 10**4),
    pointers,
    counts,
    texts,
    st.none() | hunks,
)
prompts = st.builds(
    CheckedPrompt,
    texts,
    texts,
    st.none() | texts,
    st.sampled_from(["unchanged", "changed", "new", "deleted", "unrendered"]),
    verdicts,
    certainties,
    st.none() | texts,
    st.none() | texts,
    st.booleans(),
    *[counts] * 6,
    *[dollars] * 2,
    often,
    texts,
    st.lists(causes, max_size=2).map(tuple),
    st.lists(st.builds(BudgetReason, texts, verdicts, texts), max_size=2).map(tuple),
    st.none() | st.builds(Allowed, texts, texts),
    st.lists(texts, max_size=2).map(tuple),
    texts | st.builds("https://git.example/{}".format, texts),
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Any report of a check."""
    told = tuple(draw(st.lists(prompts, max_size=3)))
    several = st.lists(texts, max_size=2).map(tuple)
    facts = CheckFacts(
        draw(texts), draw(texts), told, draw(st.booleans()), draw(st.booleans()), draw(lines), 0, draw(several)
    )
    more = draw(st.lists(findings(), max_size=2))
    facts = facts._replace(lint_findings=len(more))
    return Report("check", draw(verdicts), (*cause_findings(*told), *more), notes=draw(several), check=facts)


SAMPLES = {"clean": clean, "locked": locked, "mixed": mixed, "nothing": nothing}
