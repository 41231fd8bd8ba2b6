"""Reports as `promptlint lint` makes them, small enough to read; and one of nothing but hostile texts."""

from typing import Any

from promptlint.finding import Finding, Report
from promptlint.lint_facts import CheckedFile, FixFacts, LintFacts, RuleFacts, Suggestion, Suppressed
from promptlint.prompt import Location, SourceByte
from report_samples import HOSTILE

LINK = "https://docs.example/prompt-caching"
RULES = (
    RuleFacts(
        "clock-in-template",
        "clock",
        "the template itself prints the time of day ahead of text that stays",
        "error",
        "certain",
        "template",
        "0.2",
        "A cache reuses a prompt up to its first difference.\nA time is another one with each rendering.",
        "Let the caller pass a time that is fixed for the session.",
        (LINK, "example/agents#42"),
    ),
    RuleFacts(
        "marker-limit",
        "marker-limit",
        "more cache markers than the provider takes",
        "error",
        "certain",
        "request",
        "0.2",
        "A provider takes a fixed number of markers.",
        "Mark the last block of a message only.",
        (LINK,),
    ),
    RuleFacts(
        "varying-text-ahead",
        "per-turn-context",
        "a variable that changes stands ahead of text that stays",
        "warning",
        "possible",
        "template",
        "0.2",
        "What varies makes every request pay for the text behind it.",
        "Print what stays first.",
        (),
    ),
    RuleFacts(
        "white-space-in-template",
        "white-space",
        "a line ends with spaces that an editor would remove",
        "info",
        "certain",
        "template",
        "0.2",
        "Editors remove them.",
        "Remove them now.",
        (LINK,),
    ),
)


def location(path: str, line: int, column: int, start: int = 0, end: int = 0) -> Location:
    return Location(path, SourceByte(start), SourceByte(end), line, column)


def finding(rule: str, where: Location, message: str, **other: Any) -> Finding:
    fields: dict[str, Any] = {
        "severity": "error",
        "confidence": "certain",
        "pointer": "",
        "related": (),
        "lost_tokens": None,
        "lost_usd": None,
        "fix": "",
    }
    return Finding(rule=rule, location=where, message=message, **{**fields, **other})


def clock() -> Finding:
    excerpt = "It is {{ now().strftime('%H:%M') }}, and the desk is open."
    return finding(
        "clock-in-template",
        location("prompts/desk.j2", 4, 7, 96, 125),
        "now() prints the time of day: about 3,118 tokens behind it are computed anew by each request",
        lost_tokens=3118,
        lost_usd="0.0093",
        fix="Let the caller pass a time that is fixed for the session, or print it behind the last text that stays.",
        cause="clock",
        end_line=4,
        end_column=36,
        excerpt=excerpt,
        mark=(6, 35),
        fingerprint="0f5c1d2e3a4b5c6d",
    )


def varying() -> Finding:
    return finding(
        "varying-text-ahead",
        location("prompts/desk.j2", 12, 18, 301, 313),
        "user_name is another one for each user, and about 2,040 tokens behind it are computed anew",
        severity="warning",
        confidence="possible",
        related=(location("prompts/desk.j2", 14, 3, 340, 350), location("prompts/parts/rules.j2", 1, 1)),
        lost_tokens=2040,
        fix="Print what stays first and what varies last.",
        cause="per-turn-context",
        end_line=12,
        end_column=30,
        excerpt="You are talking to {{ user_name }}\u200b.",
        mark=(19, 35),
        fingerprint="77aa77aa77aa77aa",
    )


def markers() -> Finding:
    return finding(
        "marker-limit",
        location("requests/turn-9.json", 170, 5, 10325, 10325),
        "5 cache markers, the limit is 4: the request is refused",
        pointer="/messages/2/content/2",
        related=(location("requests/turn-9.json", 64, 3, 2223, 2223), location("requests/turn-9.json", 106, 13, 9, 9)),
        fix="Keep /messages/2/content/2, drop /messages/2/content/0.",
        cause="marker-limit",
        end_line=170,
        end_column=5,
        fingerprint="1122334455667788",
    )


def spaces(line: int) -> Finding:
    return finding(
        "white-space-in-template",
        location("prompts/desk.j2", line, 20, 400 + line, 402 + line),
        "2 spaces end the line",
        severity="info",
        cause="white-space",
        end_line=line,
        end_column=22,
        excerpt="Answer in one line.  ",
        mark=(19, 21),
        fingerprint="5afe5afe5afe5afe",
    )


def facts(**other: Any) -> LintFacts:
    files = (
        CheckedFile("prompts/clean.j2", "template"),
        CheckedFile("prompts/desk.j2", "template"),
        CheckedFile("requests/turn-9.json", "3 requests"),
    )
    return LintFacts(files, (), (), RULES, "warning")._replace(**other)


def findings() -> Report:
    found = (clock(), varying(), spaces(20), spaces(31), markers())
    answered = (
        Suppressed(clock()._replace(location=location("prompts/old.j2", 1, 9, 8, 20)), "comment", "shown to nobody"),
        Suppressed(spaces(40), "baseline", ""),
    )
    more = facts(
        suppressed=answered,
        skipped=(("prompts/logo.png", "no text"), ("prompts/huge.json", "larger than 10 MB")),
        files=(*facts().files, CheckedFile("prompts/old.j2", "template")),
    )
    return Report("lint", "fail", found, notes=("no configuration was found",), lint=more)


def clean() -> Report:
    return Report("lint", "pass", lint=facts())


def nothing() -> Report:
    missing = ("requests/gone.json: no such file (name a file that exists)",)
    return Report("lint", "pass", lint=facts(files=(), errors=missing))


def statistics() -> Report:
    report = findings()
    assert report.lint is not None
    return report._replace(lint=report.lint._replace(statistics=True))


def rewritten() -> Report:
    """With --suggest-order and --fix."""
    text = "You work at the desk.\n\nAnswer in one line.\n```json\n{}\n```\n{{ user_name }}\n"
    moved = ("{{ user_name }} from line 1 behind line 6",)
    note = "Where the name should stand close to the question, print it again behind the marker."
    suggestion = Suggestion("prompts/desk.j2", text, 2040, moved, note)
    diff = '--- requests/turn-9.json\n+++ requests/turn-9.json\n@@ -170 +170 @@\n-  "cache_control": {},\n+  "x": 1,\n'
    proof = "The prompts of both texts are equal in every byte."
    fixes = (
        FixFacts("requests/turn-9.json", ("marker-limit",), True, proof, diff, True),
        FixFacts("prompts/desk.j2", ("varying-text-ahead", "clock-in-template"), False, "", "", False),
    )
    return Report("lint", "fail", (varying(),), lint=facts(suggestions=(suggestion,), fixes=fixes))


def hostile() -> Report:
    texts = (*HOSTILE, "]]><!--", "%0A::error::x", "a\r\n::warning::b", "\x00", "a,b=c:d", "{0} [a](1)")
    whole = " ".join(texts)
    found = tuple(
        finding(
            f"rule {text}",
            location(f"{text}/{number}.j2", number, 1, 3, 9),
            f"message {text}",
            severity=("error", "warning", "info")[number % 3],
            pointer=(text, f"/{text}") if number % 2 else f"/{text}",
            related=(location(text, 1, 1),),
            fix=text,
            cause=text,
            end_line=number,
            end_column=9,
            excerpt=f"left {text} right",
            mark=(5, 5 + len(text)),
            fingerprint=text,
        )
        for number, text in enumerate(texts, 1)
    )
    body = facts(
        files=tuple(CheckedFile(f"{text}/{number}.j2", "template") for number, text in enumerate(texts, 1)),
        skipped=tuple((text, text) for text in texts),
        suppressed=tuple(Suppressed(each, "comment", text) for each, text in zip(found, texts, strict=True)),
        rules=tuple(
            RuleFacts(
                f"rule {text}", text, text, "error", "certain", "request", "", text, text, (text, f"http://x/{text}")
            )
            for text in texts
        ),
        errors=texts,
        suggestions=(Suggestion(whole, whole, 9, texts, whole),),
        fixes=(FixFacts(whole, texts, False, whole, whole, True),),
    )
    return Report("lint", "fail", found, notes=(*texts, whole), lint=body)


SAMPLES = {
    "clean": clean,
    "findings": findings,
    "hostile": hostile,
    "nothing": nothing,
    "rewritten": rewritten,
    "statistics": statistics,
}
