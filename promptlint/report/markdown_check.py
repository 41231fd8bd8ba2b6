"""The Markdown report of `promptlint check`: a comment on a pull request with one row a prompt, details folded.

The first line is a comment that nobody sees, by which a bot finds its own comment again and replaces it. Equal facts
give equal text. A comment holds 65,536 characters: what does not fit is counted.
"""

from collections.abc import Iterable
from html import escape
from typing import TypeVar

from promptlint.check_facts import CheckCause, CheckedPrompt
from promptlint.finding import Finding, Report
from promptlint.report import checked, phrases
from promptlint.report.checked import Told, short
from promptlint.report.findings import costliest, place
from promptlint.report.layout import clipped
from promptlint.report.markdown import code, grid, words
from promptlint.report.secrets import mask

MARKER = "<!-- promptlint check -->"
_HEAD = ("prompt", "before", "after", "lost per request", "dollars a day", "cause", "link")
_ROOM_ROWS = 20_000  # characters
_ROOM_DETAILS = 24_000
_ROOM_LISTS = 5_000  # of each list
_MOST_CAUSES = 5  # of a prompt
_NAME = 80  # columns of a name or place
_PROSE = 300  # columns of a sentence
_LINE = 120  # columns of a line of a hunk
_LONGEST_LINK = 500  # characters

_Part = TypeVar("_Part", str, tuple[str, ...])


def blocks(report: Report, excerpts: bool) -> list[str]:
    """Blocks that an empty line parts; the costliest prompt comes first. Notes of the report are among them."""
    facts = report.check
    assert facts is not None
    prompts = checked.shown(facts)
    sides = f"{words(short(facts.before, _NAME))} with {words(short(facts.after, _NAME))}"
    changed = f", {phrases.plural(facts.changed_files, 'file')} changed" if facts.changed_files else ""
    segments = "; places are whole segments" if facts.at_segments else ""
    told = [
        f"{MARKER}\n### promptlint check: **{report.verdict}**",
        f"{words(checked.totals(report))}\n\nCompared {sides}{changed}{segments}.",
    ]
    if prompts:
        rows = _within((_row(prompt) for prompt in prompts), _ROOM_ROWS)
        told.append(grid(_HEAD, rows))
        told += _more(len(prompts) - len(rows), "prompt")
        told += _details(prompts, excerpts)
    lint = costliest(checked.fresh(report))
    told += _list("New lint findings", map(_finding, lint), len(lint))
    told += _list("Errors", map(_prose, facts.errors), len(facts.errors))
    return told + _list("Notes", map(_prose, report.notes), len(report.notes))


def _within(parts: Iterable[_Part], room: int) -> list[_Part]:
    """The first of the parts, as many as fit; no others are made."""
    kept: list[_Part] = []
    used = 0
    for part in parts:
        used += len(part) + 3 if isinstance(part, str) else sum(len(cell) + 3 for cell in part)
        if used > room:
            break
        kept.append(part)
    return kept


def _more(count: int, noun: str) -> list[str]:
    return [f"{phrases.plural(count, f'more {noun}')}: see {code('--format json')}"] if count else []


def _prose(text: str) -> str:
    return words(short(text, _PROSE))


def _row(prompt: CheckedPrompt) -> tuple[str, ...]:
    exact = prompt.exact
    count, once = prompt.lost_tokens_per_request, prompt.lost_tokens_once
    lost = "" if count is None else phrases.number(count, exact=exact)
    if count and prompt.often != "request":
        lost += f" {checked.OFTEN[prompt.often]}"
    if once and not count:
        lost = f"{lost} (once {phrases.number(once, exact=exact)})".lstrip()
    usd = prompt.lost_usd_per_day
    return (
        f"**{prompt.verdict}** {code(short(prompt.name, _NAME))}",
        checked.part(prompt.usable_tokens_before, prompt.prompt_tokens_before, exact=exact),
        checked.part(prompt.usable_tokens_after, prompt.prompt_tokens_after, exact=exact),
        lost,
        checked.money(usd, exact=exact).replace("$", "") if usd and count else "",
        ", ".join(dict.fromkeys(code(short(cause.cause, _NAME)) for cause in prompt.causes[:_MOST_CAUSES]))
        or {"new": "new", "deleted": "deleted", "unrendered": "not rendered"}.get(prompt.change, ""),
        _link(prompt),
    )


def _link(prompt: CheckedPrompt) -> str:
    """The place that matters most; a link if the server's address is known and nothing but an address."""
    first = prompt.causes[0] if prompt.causes else None
    shown = code(short(prompt.path, _NAME) if first is None else _place(first))
    link = prompt.link
    safe = phrases.is_address(link) and len(link) <= _LONGEST_LINK and mask(link) == link and "##" not in link
    return f"[{shown}](<{link}>)" if safe else shown


def _place(cause: CheckCause) -> str:
    return f"{short(cause.path, _NAME)}:{cause.line}"


def _details(prompts: list[CheckedPrompt], excerpts: bool) -> list[str]:
    told = checked.told_once(prompt for prompt in prompts if not checked.is_quiet(prompt))
    parts = _within((_detail(each, excerpts) for each in told), _ROOM_DETAILS)
    return [*parts, *_more(len(told) - len(parts), "prompt with details")]


def _detail(told: Told, excerpts: bool) -> str:
    """The name is HTML here, inside an element in which no server looks for mentions."""
    prompt = told.prompt
    head = f"{prompt.verdict} <code>{escape(short(prompt.name, _NAME))}</code>"
    path, old = checked.paths(prompt)
    figures = [
        ("", f"{clipped(path, _NAME)}{f' (was {clipped(old, _NAME)})' if old else ''}".lstrip()),
        ("", clipped(checked.about(prompt), _PROSE)),
        ("Usable", checked.usable(prompt)),
        ("Lost", checked.lost(prompt)),
        ("Price", short(prompt.price, _PROSE)),
        ("Once", checked.lost_once(prompt)),
    ]
    parts = [_rows(figures)]
    causes = list(zip(prompt.causes, told.repeats, strict=True))
    for number, (cause, repeats) in enumerate(causes[:_MOST_CAUSES], 1):
        parts.append(_cause(number, cause, repeats, prompt, excerpts))
    parts += _more(max(len(causes) - _MOST_CAUSES, 0), "cause")
    parts.append(_rows(_remarks(prompt)))
    inner = "\n\n".join(filter(None, parts))
    return f"<details><summary>{head}</summary>\n\n{inner}\n\n</details>"


def _rows(rows: list[tuple[str, str]]) -> str:
    return "\n".join(f"- {label}{': ' if label else ''}{words(text)}" for label, text in rows if text)


def _remarks(prompt: CheckedPrompt) -> list[tuple[str, str]]:
    rows = []
    for reason in prompt.reasons:
        doubt = " (not certain)" if reason.verdict == "unknown" else ""
        told = f"{short(reason.message, _PROSE)}{doubt}"
        refused = reason.budget == "refused"
        rows.append(("Refused", told) if refused else ("Budget", f"{short(reason.budget, _NAME)}: {told}"))
    if prompt.allowed is not None:
        rows.append(("Allowed", f"until {short(prompt.allowed.until, _NAME)}: {short(prompt.allowed.reason, _PROSE)}"))
    return rows + [("Note", short(note, _PROSE)) for note in prompt.notes[:_MOST_CAUSES]]


def _cause(number: int, cause: CheckCause, repeats: str, prompt: CheckedPrompt, excerpts: bool) -> str:
    doubt = "" if cause.certainty == "certain" else f" ({cause.certainty})"
    lost = checked.cost(cause, prompt)
    pointer = code(clipped(phrases.pointer(cause.pointer), _NAME))
    where = " ".join(filter(None, (code(_place(cause)), pointer, f"({lost})" if lost else "")))
    head = f"**{number}.** {code(short(cause.cause, _NAME))}{doubt} {where}"
    if repeats:
        return f"{head}: as in {code(short(repeats, _NAME))}"
    lines = [f"{head}: {_prose(cause.message)}"]
    if excerpts and cause.hunk is not None:
        hunk = cause.hunk
        rows = [f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"]
        rows += [f"{sign}{text}" if sign else f"  ({text})" for sign, text in checked.hunk_rows(hunk, _LINE)]
        other = clipped(checked.elsewhere(cause), _NAME)
        lines += [
            *([f"In {code(other)}:"] if other else []),
            "\n".join(["```diff", *rows, "```"]),
        ]  # every row begins with a sign of its own
    lines += [f"Fix: {_prose(cause.fix)}"] if cause.fix else []
    return "\n\n".join(lines)


def _finding(found: Finding) -> str:
    told = f"{found.severity} {code(short(found.rule, _NAME))} {code(clipped(place(found), _NAME))}"
    fix = f"; fix: {_prose(found.fix)}" if found.fix else ""
    return f"{told}: {_prose(found.message)}{fix}"


def _list(title: str, rows: Iterable[str], count: int) -> list[str]:
    if not count:
        return []
    fitting = _within(rows, _ROOM_LISTS)
    left = count - len(fitting)
    told = [*fitting, *([f"{left:,} more: see {code('--format json')}"] if left else [])]
    return [f"**{title}**\n\n" + "\n".join(f"- {row}" for row in told)]
