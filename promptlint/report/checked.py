"""What the writers of `promptlint check` share: which prompts are told, in what order, and in which words."""

from collections.abc import Iterable
from typing import NamedTuple

from promptlint.check_facts import CheckCause, CheckedPrompt, CheckFacts, Hunk
from promptlint.finding import Finding, Report
from promptlint.prompt import Location, SourceByte
from promptlint.report import phrases
from promptlint.report.escape import line
from promptlint.report.layout import clipped
from promptlint.report.secrets import mask, mask_lines

OFTEN = {"request": "per request", "session": "per session", "day": "once a day", "once": "once"}
_RANK = {"fail": 0, "unknown": 1, "pass": 2}
_MOST_ROWS = 4  # of each side of a hunk
_BEHIND = 3  # a character that shows nothing follows at most two of its kind, so three of them fill a column


class Told(NamedTuple):
    """A prompt without what a prompt before it has said already."""

    prompt: CheckedPrompt
    repeats: tuple[str, ...]  # for each cause: the name of the prompt that tells it, "" if this one does


def shown(facts: CheckFacts) -> list[CheckedPrompt]:
    """Those that a reader should see, the costliest first."""
    return sorted((prompt for prompt in facts.prompts if not is_unchanged(prompt)), key=_cost)


def is_unchanged(prompt: CheckedPrompt) -> bool:
    """Whether there is nothing to say but that it is there."""
    return prompt.change == "unchanged" and prompt.verdict == "pass" and is_quiet(prompt)


def is_quiet(prompt: CheckedPrompt) -> bool:
    """Whether a line says all: it passes, nothing is lost, nobody has to look at it."""
    lost = prompt.lost_tokens_per_request or prompt.lost_tokens_once
    more = prompt.causes or prompt.reasons or prompt.allowed or prompt.notes
    return prompt.verdict == "pass" and not lost and not more


def _cost(prompt: CheckedPrompt) -> tuple[int, float, int, int, str, str]:
    lost = prompt.lost_tokens_per_request or 0
    usd = float(prompt.lost_usd_per_day or 0)
    return _RANK[prompt.verdict], -usd, -lost, -(prompt.lost_tokens_once or 0), prompt.name, prompt.path


def told_once(prompts: Iterable[CheckedPrompt]) -> list[Told]:
    """A file that many prompts include has one cause in all of them: it is told in the first, as are prices and
    fixes; changed lines once in each prompt."""
    places: dict[tuple[str, str, int, int, str], str] = {}
    said: set[str] = set()
    result = []
    for prompt in prompts:
        price = "" if prompt.price in said else prompt.price
        causes, repeats = [], []
        hunks: set[Hunk] = set()
        for cause in prompt.causes:
            name = places.setdefault((cause.cause, cause.path, cause.line, cause.column, cause.message), prompt.name)
            repeats.append("" if name == prompt.name else name)
            fix, hunk = "" if cause.fix in said else cause.fix, None if cause.hunk in hunks else cause.hunk
            causes.append(cause._replace(fix=fix, hunk=hunk))
            said.add(cause.fix)
            hunks |= {hunk} if hunk is not None else set()
        said.add(prompt.price)
        result.append(Told(prompt._replace(price=price, causes=tuple(causes)), tuple(repeats)))
    return result


def usable(prompt: CheckedPrompt) -> str:
    """Tokens that can be reused, before and after."""
    before = part(prompt.usable_tokens_before, prompt.prompt_tokens_before, exact=prompt.exact)
    after = part(prompt.usable_tokens_after, prompt.prompt_tokens_after, exact=prompt.exact)
    if not before or not after:
        return f"{before or after} tokens" if before or after else ""
    return f"{after} tokens, as before" if before == after else f"{before} -> {after} tokens"


def part(some: int | None, whole: int | None, *, exact: bool) -> str:
    """So many of so many tokens; nothing where they are not counted."""
    if some is None:
        return ""
    return phrases.number(some, exact=exact) + ("" if whole is None else f" of {whole:,}")


def lost(prompt: CheckedPrompt) -> str:
    """What requests lose that the budget is about, and what that costs."""
    count = prompt.lost_tokens_per_request
    if count is None:
        return ""
    if not count:
        return "nothing per request"
    usd = prompt.lost_usd_per_day
    cost = "" if usd is None else f", {money(usd, exact=prompt.exact)} a day"
    return f"{tokens(count, exact=prompt.exact)} {OFTEN[prompt.often]}{cost}"


def lost_once(prompt: CheckedPrompt) -> str:
    """The cold start of a deploy."""
    if not prompt.lost_tokens_once:
        return ""
    usd = prompt.lost_usd_once
    cost = "" if usd is None else f", {money(usd, exact=prompt.exact)}"
    return f"{tokens(prompt.lost_tokens_once, exact=prompt.exact)} of each cached prefix, when this is deployed{cost}"


def tokens(count: int, *, exact: bool) -> str:
    """So many tokens."""
    return f"{phrases.number(count, exact=exact)} token{'s' * (count != 1)}"


def money(usd: str, *, exact: bool) -> str:
    """An amount as people write it: cents from a dollar on; two digits where tokens are only about right."""
    value = float(usd)
    if value < 1:
        return phrases.dollars(usd, exact=exact)
    if exact:
        return f"${value:,.2f}"
    rounded = float(f"{value:.2g}")
    return f"about ${rounded:,.2f}".removesuffix(".00")


def about(prompt: CheckedPrompt) -> str:
    """What is known of a prompt beside its name: what became of it, who answers it, doubt."""
    change = {"new": "new", "deleted": "deleted", "unrendered": "not rendered"}.get(prompt.change, "")
    doubt = prompt.certainty if prompt.certainty == "possible" else ""
    return line(", ".join(filter(None, (change, prompt.provider, prompt.model, doubt))))


def paths(prompt: CheckedPrompt) -> tuple[str, str]:
    """The path, unless it is the name; the old one, if it had another. Visible."""
    old = prompt.old_path if prompt.old_path not in (None, prompt.path) else None
    return "" if prompt.path == prompt.name else line(prompt.path), line(old or "")


def place(cause: CheckCause) -> str:
    """`path:line`, with the column where it is known; visible."""
    return f"{line(cause.path)}:{cause.line}" + (f":{cause.column}" if cause.column > 1 else "")


def cost(cause: CheckCause, prompt: CheckedPrompt) -> str:
    """What a cause takes if it is the only one; nothing where it is not counted, or where the prompt says it."""
    if not cause.lost_tokens:
        return ""
    whole = prompt.lost_tokens_once if cause.often == "once" else prompt.lost_tokens_per_request
    if len(prompt.causes) == 1 and cause.lost_tokens == whole and cause.often in ("once", prompt.often):
        return ""
    return f"{tokens(cause.lost_tokens, exact=prompt.exact)} {OFTEN[cause.often]}"


def elsewhere(cause: CheckCause) -> str:
    """Where the hunk of a cause stands, if not at its place."""
    hunk = cause.hunk
    if hunk is None:
        return ""
    near = hunk.path == cause.path and hunk.new_start <= cause.line <= hunk.new_start + max(hunk.new_lines, 1)
    return "" if near else f"{line(hunk.path)}:{max(hunk.new_start, 1)}"


def hunk_rows(hunk: Hunk, room: int) -> list[tuple[str, str]]:
    """The first lines of each side as sign and visible text of at most `room` columns; lines that are longer are cut
    around their difference. Then how many more there are, without a sign."""
    hidden = mask_lines(list(hunk.lines), 1)
    sides = {sign: [row[1:] for row in hidden if row[:1] == sign][:_MOST_ROWS] for sign in "-+"}
    rows = []
    for sign, other in ("-+", "+-"):
        for index, row in enumerate(sides[sign]):
            twin = sides[other][index] if index < len(sides[other]) else ""
            start = _start(row, twin, room)
            text = line(row[start : start + room * _BEHIND + _BEHIND])
            rows.append((sign, clipped(f"{'…' if start else ''}{text}", room)))
    more = max(hunk.old_lines + hunk.new_lines, len(hunk.lines)) - len(rows)
    return [*rows, *([("", f"{phrases.plural(more, 'more line')}")] if more > 0 else [])]


def _start(text: str, twin: str, room: int) -> int:
    """Where the visible part of a line begins: of a long one, ahead of its first difference from its twin."""
    if not twin or max(len(text), len(twin)) <= room:
        return 0
    pairs = enumerate(zip(text, twin, strict=False))
    equal = next((index for index, (one, other) in pairs if one != other), min(len(text), len(twin)))
    return equal - room // 2 if equal + room // 4 > room else 0


def short(text: str, columns: int) -> str:
    """Untrusted text as one visible line of at most so many columns."""
    return clipped(line(mask(text)[: columns * _BEHIND + _BEHIND]), columns)


def fresh(report: Report) -> tuple[Finding, ...]:
    """Findings of lint rules: those that are neither a cause of a prompt nor a line of its budget."""
    return report.findings[_told(report) :]


def of_prompts(report: Report) -> tuple[Finding, ...]:
    """The other ones."""
    return report.findings[: _told(report)]


def _told(report: Report) -> int:
    assert report.check is not None
    return len(report.findings) - report.check.lint_findings


def unrendered(facts: CheckFacts) -> list[Finding]:
    """Errors as findings, for formats that know nothing else; each in the file of its prompt, if it names one."""
    paths = {name: prompt.path for prompt in facts.prompts for name in (prompt.name, prompt.path)}
    found = []
    for error in facts.errors:
        path = paths.get(error.partition(": ")[0], ".")
        where = Location(path, SourceByte(0), SourceByte(0), 1, 1)
        found.append(Finding("not-rendered", "error", "certain", error, where, "", (), None, None, ""))
    return found


def all_exact(facts: CheckFacts) -> bool:
    """Whether every count of the report is that of a model."""
    return all(prompt.exact for prompt in facts.prompts if not is_unchanged(prompt))


def compared(facts: CheckFacts) -> str:
    """What was compared with what; visible."""
    changed = f", {phrases.plural(facts.changed_files, 'file')} changed" if facts.changed_files else ""
    places = "; places are whole segments" if facts.at_segments else ""
    return f"{line(facts.before)} -> {line(facts.after)}{changed}{places}"


def totals(report: Report) -> str:
    """What the verdict means, in one clause."""
    facts = report.check
    assert facts is not None
    told = _tally(facts) + "".join(f"; {each}" for each in _sums(facts))
    lint = len(fresh(report))
    told += f"; {phrases.plural(lint, 'new lint finding')}" if lint else ""
    told += f"; {phrases.plural(len(facts.errors), 'error')}" if facts.errors else ""
    strict = facts.strict and any(prompt.verdict == "unknown" for prompt in facts.prompts)
    return told + ("; unknown is a no (--strict)" if strict else "")


def _tally(facts: CheckFacts) -> str:
    if not facts.prompts:
        return "no prompts"
    verdicts = [prompt.verdict for prompt in shown(facts)]
    tally = [f"{verdicts.count(each):,} {each}" for each in _RANK if each in verdicts]
    same = len(facts.prompts) - len(verdicts)
    tally += [f"{same:,} unchanged"] if same else []
    return f"{phrases.plural(len(facts.prompts), 'prompt')}: {', '.join(tally)}"


def _sums(facts: CheckFacts) -> list[str]:
    losing = [prompt for prompt in facts.prompts if prompt.lost_tokens_per_request]
    told = []
    if losing:
        most = max(losing, key=lambda prompt: prompt.lost_tokens_per_request or 0)
        count = tokens(most.lost_tokens_per_request or 0, exact=most.exact)
        told.append(f"{'up to ' if len(losing) > 1 else ''}{count} lost {OFTEN[most.often]}")
    priced = [prompt for prompt in losing if prompt.lost_usd_per_day is not None]
    if priced:
        from decimal import Decimal

        usd = sum((Decimal(prompt.lost_usd_per_day or 0) for prompt in priced), Decimal(0))
        told[-1] += f", {money(str(usd), exact=all(prompt.exact for prompt in priced))} a day"
    allowed = sum(prompt.allowed is not None for prompt in facts.prompts)
    told += [f"{phrases.plural(allowed, 'loss') if allowed == 1 else f'{allowed:,} losses'} allowed"] if allowed else []
    cold = sum(bool(prompt.lost_tokens_once) for prompt in facts.prompts)
    return told + ([f"cold start of {phrases.plural(cold, 'prompt')}"] if cold else [])
