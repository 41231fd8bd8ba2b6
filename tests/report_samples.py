"""Reports as `diff` makes them, small enough to read; and the texts that attack a reader of reports."""

from typing import Any

from promptlint.finding import Boundary, Change, Diff, Finding, Place, Report, Side, Table
from promptlint.prompt import Location, SourceByte

BAND = "real counts lie between 0.9 and 1.6 times these"
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07",
    "\x9b2J\x7f\x00\x08",
    "\u202egnp.exe\u202c \u2066\u200f",
    "\n::error file=x::pwned",
    "::set-output name=a::b",
    "##[error]x ###[group]y ##vso[task.setvariable]z",
    "```\n</details><script>alert(1)</script>",
    "![x](https://evil.example/leak.png) <img src=x> [a](b)",
    "@everyone #1 GH-1 `x` a|b $x$ :tada: www.evil.example https://evil.example",
    "zero\u200bwidth\u00adsoft\u00a0hard\ufeffbom\u2028line\u2029par\u3164\u2800",
    "a" + "\u0301\u0316\u0327\u0334" * 5 + "zalgo",
    "tags\U000e0041\U000e0042 v\ufe0f \U000e0100",
    "private\ue000 unassigned\u0378 \U0010ffff",
    "日本語のテキスト　全角",
    "שלום עולם مرحبا",
    "नमस्ते ไทย 한국어 \u1112\u1161\u11ab",
    "trailing  \nspace ",
)
SECRETS = (
    "sk-proj-4fK9xT2mQ8vL1nB7cR5wZ0aH3dJ6gP",
    "sk-ant-api03-Zq8Wm3Kd9Lx2Vb7Nc4Rt1Yp6Hs5Jf",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT",
    "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p",
    "xoxb-123456789012-abcdefGHIJKL",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlQUJD",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\nq1w2e3r4\n-----END RSA PRIVATE KEY-----",
    "Authorization: Bearer q7w8e9r0t1y2u3i4",
)


def place(excerpt: str | None, mark: tuple[int, int] = (0, 0), **other: Any) -> Place:
    fields: dict[str, Any] = {
        "path": "before.json",
        "revision": None,
        "record": None,
        "pointer": "/system/0/text",
        "atom": "value",
        "line": 3,
        "column": 46,
        "start": 66,
        "end": 70,
        "char": mark[0],
        "byte": mark[0],
        "excerpt": excerpt,
        "mark": mark,
    }
    return Place(**{**fields, **other})


def change(cause: str, message: str, a: Place, b: Place, **other: Any) -> Change:
    fields: dict[str, Any] = {
        "level": "messages",
        "certainty": "certain",
        "affects": "prefix",
        "severity": "error",
        "within": b.pointer,
        "also": (),
        "shared_bytes": 2248,
        "shared_tokens": 512,
        "alone_tokens": 3600,
        "after_fix_tokens": 3600,
        "lost_tokens": 3630,
        "fix": "Send the text unchanged.",
    }
    return Change(cause=cause, message=message, a=a, b=b, **{**fields, **other})


def side(path: str, **other: Any) -> Side:
    fields = Side(
        path, None, None, "anthropic-messages", "anthropic", "claude-opus-5", "o200k_base", False, 15974, 3630
    )
    return fields._replace(**other)


def boundary(**other: Any) -> Boundary:
    why = "The first change lies before the first marker, so no entry can be read."
    return Boundary(2248, 512, 0, 3630, None, "marker", False, BAND, why, "")._replace(**other)


def report(*changes: Change, verdict: Any = "bust", notes: tuple[str, ...] = (), **other: Any) -> Report:
    diff = Diff(verdict, side("before.json"), side("after.json"), boundary(**other), changes)
    return Report("diff", verdict, findings=tuple(map(finding, changes)), notes=notes, diffs=(diff,))


def finding(source: Change) -> Finding:
    b = source.b
    where = Location(b.path, SourceByte(b.start), SourceByte(b.end), b.line, b.column)
    certainty = source.certainty
    return Finding(
        source.cause, source.severity, certainty, source.message, where, b.pointer, (), 3118, None, source.fix
    )


def clock() -> Change:
    text = "Local time is 15:09:{}; the calendar reads 2026-03-11.\n\n# Desk\n"
    return change(
        "clock",
        "A time of day stands in the system prompt: 15:09:20 became 15:09:34.",
        place(text.format("20"), (20, 22)),
        place(text.format("34"), (20, 22), path="after.json"),
        level="system",
        fix="Move the time behind the last marker, into the newest user message, or offer it as a tool.",
    )


def unicode_form() -> Change:
    texts = "Files:\nrésumé-fiche.txt\nżółw.md", "Files:\nre\u0301sume\u0301-fiche.txt\nżo\u0301łw.md"
    where = {"pointer": "/messages/0/content", "line": 7, "column": 7651, "char": 7628, "byte": 7630}
    return change(
        "unicode-form",
        "The same letters with other code points: equal once both are in NFC.",
        place(texts[0], (8, 12), **where),
        place(texts[1], (8, 14), path="after.json", **where),
        also=tuple(f"/messages/{index}/content" for index in range(2, 22, 2)),
        after_fix_tokens=None,
        fix="Normalise to NFC before the prompt is built.",
    )


def appended() -> Change:
    return change(
        "turn-appended",
        "A user turn follows the last one.",
        place(None, pointer="/messages/-", line=90, column=3),
        place("user", (0, 4), path="after.json", pointer="/messages/8", line=91, column=5),
        affects="suffix",
        severity="info",
        fix="",
    )


def bust() -> Report:
    key = change(
        "model-changed",
        "The model is another: claude-opus-5 became claude-opus-5-5.",
        place("claude-opus-5", (13, 13), pointer="/model"),
        place("claude-opus-5-5", (13, 15), path="after.json", pointer="/model"),
        level="settings",
        affects="key",
        certainty="possible",
        severity="warning",
        shared_bytes=None,
        shared_tokens=None,
        alone_tokens=None,
        after_fix_tokens=None,
    )
    token_note = "The first differing token begins 3 bytes before the first differing byte: ` 15` and `:` merge."
    notes = ("before.json: the key `x` stands twice in /tools/0; the last one counts",)
    return report(clock(), key, unicode_form(), appended(), notes=notes, token_note=token_note, lost_usd="0.0163")


def line_endings() -> Report:
    return report(
        change(
            "line-endings",
            "Line feeds became carriage return and line feed, 120 times.",
            place("# Rules\nBe brief.  \nC:\\new", (7, 7)),
            place("# Rules\r\nBe brief.  \r\nC:\\new", (7, 8), path="after.json"),
        ),
        change(
            "white-space",
            "One space follows the last line.",
            place("Thank you.", (10, 10), pointer="", atom="key"),
            place("Thank you. ", (10, 11), path="after.json", pointer=("/messages/1/arguments", "/note")),
        ),
        shared_blocks=31,
        unit="block",
        exact=True,
        band="",
    )


def first() -> Report:
    """What `--first` gives: no tokens are counted. The inputs are token ids without a vocabulary."""
    blank: dict[str, Any] = dict.fromkeys(
        ("shared_bytes", "shared_tokens", "alone_tokens", "after_fix_tokens", "lost_tokens")
    )
    figures: dict[str, Any] = dict.fromkeys(("shared_bytes", "shared_tokens", "usable_tokens", "lost_tokens"))
    where = {"pointer": "/input_ids/4", "char": 4, "byte": 4}
    sides = place("[5, 6, 7, 8, 9]", (13, 14), **where), place("[5, 6, 7, 8, 10]", (13, 15), path="after.json", **where)
    body = report(
        change("ids-edited", "Token 4 is another.", *sides, **blank),
        **figures,
    )
    diff = body.diffs[0]
    return body._replace(diffs=(diff._replace(a=diff.a._replace(prompt_bytes=None, prompt_tokens=None, model=None)),))


def kept() -> Report:
    why = "All four entries of the first request stay readable."
    return report(appended(), verdict="kept", usable_tokens=3630, lost_tokens=0, why=why)


def same() -> Report:
    return report(verdict="same", shared_bytes=15974, shared_tokens=3630, usable_tokens=3630, lost_tokens=0, why="")


def folders() -> Report:
    pairs = []
    for name, body in (("chat/one.json", bust()), ("chat/two.json", same()), ("agent/long-name.json", kept())):
        diff = body.diffs[0]
        sides = side(f"old/{name}", revision="HEAD~1"), side(f"new/{name}", record=3)
        pairs.append(diff._replace(a=sides[0], b=sides[1]))
    notes = ("only in old: chat/three.json",)
    return Report("diff", "bust", notes=notes, diffs=tuple(pairs), folders=True)


def tables() -> Report:
    """What later commands add: findings that are no change, and tables."""
    where = Location("after.json", SourceByte(9), SourceByte(12), 2, 7)
    other = Finding(
        "marker-not-advancing", "warning", "certain", "The marker stays.", where, "/system/0", (where,), 9, None, ""
    )
    figures = Table("entries", ("entry", "read_tokens"), (("/system/0", 1234), ("/messages/4", None)))
    return kept()._replace(findings=(other,), tables=(figures,))


def hostile() -> Report:
    texts = " ".join(HOSTILE)
    changes = [
        change(
            f"cause {text}",
            f"message {text}",
            place(f"left {text} right", (5, 5 + len(text)), path=f"{text}.json", pointer=f"/{text}"),
            place(f"left {text[::-1]} right", (5, 5 + len(text)), path=text, pointer=(text, f"/{text}")),
            also=(text, (text,)),
            fix=text,
            affects=affects,
        )
        for text in HOSTILE
        for affects in ("prefix", "nothing")
    ]
    return report(*changes, notes=(*HOSTILE, texts), why=texts, token_note=texts, band=texts)


SAMPLES = {
    "bust": bust,
    "first": first,
    "folders": folders,
    "hostile": hostile,
    "kept": kept,
    "line_endings": line_endings,
    "same": same,
    "tables": tables,
}
