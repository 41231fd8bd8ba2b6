"""The text report of `promptlint check`: prompt by prompt what its change costs and which line brought it, then the
verdict, which a reader finds above the prompt of the shell."""

from promptlint.check_facts import CheckCause, CheckedPrompt, CheckFacts
from promptlint.finding import Finding, Report
from promptlint.report import checked, phrases
from promptlint.report.checked import Told
from promptlint.report.escape import line
from promptlint.report.excerpts import marked_lines
from promptlint.report.findings import place
from promptlint.report.layout import Style, labelled, wrap

_INDENT = "   "
_DEEP = "     "  # of what is said of a cause
_LABEL = 9  # columns of a label and the space behind it
_SHORT_LABEL = 5  # of a cause
_MOST = 100  # prompts; the other formats have more
_MOST_CAUSES = 10  # of a prompt
_MOST_LINT = 50  # findings
_VERDICTS = {"pass": "green", "fail": "red", "unknown": "yellow"}
_SEVERITIES = {"error": "red", "warning": "yellow", "info": "cyan"}
_SIGNS = {"-": "red", "+": "green"}


def blocks(report: Report, style: Style) -> list[list[str]]:
    """Blocks of lines that an empty line parts; without the verdict. What fails comes ahead of what passes."""
    facts = report.check
    assert facts is not None
    prompts = checked.shown(facts)
    loud = [prompt for prompt in prompts if not checked.is_quiet(prompt)]
    quiet = [prompt for prompt in prompts if checked.is_quiet(prompt)]
    told = checked.told_once(loud[:_MOST])
    failing = [prompt_lines(each, style) for each in told if each.prompt.verdict != "pass"]
    passing = [prompt_lines(each, style) for each in told if each.prompt.verdict == "pass"]
    if len(loud) > _MOST:
        passing.append(_more(len(loud) - _MOST, "prompt"))
    passing.append([row for prompt in quiet[:_MOST] for row in _quiet(prompt, style)])
    if len(quiet) > _MOST:
        passing[-1] += _more(len(quiet) - _MOST, "prompt")
    lint = checked.fresh(report)
    findings = [_finding(found, style) for found in lint[:_MOST_LINT]]
    if len(lint) > _MOST_LINT:
        findings.append(_more(len(lint) - _MOST_LINT, "finding"))
    return [*failing, *findings, *passing, _errors(facts, style)]


def summary(report: Report, style: Style) -> list[str]:
    """What was compared, the verdict and what it means."""
    facts = report.check
    assert facts is not None
    color = "yellow" if report.verdict == "pass" and facts.errors else _VERDICTS[report.verdict or "unknown"]
    verdict = style.paint(report.verdict or "", f"bold {color}")
    lines = wrap(checked.compared(facts).split(" "), style.width, rest="  ")
    return lines + wrap([verdict, "", *checked.totals(report).split(" ")], style.width, rest="      ")


def prompt_lines(told: Told, style: Style) -> list[str]:
    """All that is said of one prompt."""
    prompt = told.prompt
    rows = [
        ("usable", checked.usable(prompt)),
        ("lost", checked.lost(prompt)),
        ("price", line(prompt.price)),
        ("once", checked.lost_once(prompt)),
    ]
    lines = _headline(prompt, style) + _labelled([*rows, *_remarks(prompt)], style)
    for cause, repeats in list(zip(prompt.causes, told.repeats, strict=True))[:_MOST_CAUSES]:
        lines += _cause(cause, repeats, prompt, style)
    more = len(prompt.causes) - _MOST_CAUSES
    return lines + ([f"{_INDENT}{_more(more, 'cause')[0]}"] if more > 0 else [])


def _remarks(prompt: CheckedPrompt) -> list[tuple[str, str]]:
    rows = []
    for reason in prompt.reasons:
        label = "refused" if reason.budget == "refused" else "budget"
        name = "" if label == "refused" else f"{line(reason.budget)}: "
        doubt = " (not certain)" if reason.verdict == "unknown" else ""
        rows.append((label, f"{name}{line(reason.message)}{doubt}"))
    if prompt.allowed is not None:
        rows.append(("allowed", f"until {line(prompt.allowed.until)}: {line(prompt.allowed.reason)}"))
    return rows + [("note", line(note)) for note in prompt.notes]


def _headline(prompt: CheckedPrompt, style: Style) -> list[str]:
    told = [_verdict(prompt, style), "", *_painted(prompt.name, "bold", style), *_paths(prompt, style)]
    who = checked.about(prompt)
    return wrap([*told, *(["", f"({who})"] if who else [])], style.width, rest=_INDENT)


def _paths(prompt: CheckedPrompt, style: Style) -> list[str]:
    path, old = checked.paths(prompt)
    return [*(["", style.paint(path, "cyan")] if path else []), *(["", f"(was {old})"] if old else [])]


def _verdict(prompt: CheckedPrompt, style: Style) -> str:
    return style.paint(prompt.verdict, f"bold {_VERDICTS[prompt.verdict]}")


def _quiet(prompt: CheckedPrompt, style: Style) -> list[str]:
    """A prompt that loses nothing, in one line."""
    told = [_verdict(prompt, style), "", line(prompt.name), *_paths(prompt, style)]
    what = {"new": "new", "deleted": "deleted"}.get(prompt.change, "")
    words = ", ".join(filter(None, (what, checked.usable(prompt))))
    return wrap([*told, *(["", *words.split(" ")] if words else [])], style.width, rest=_INDENT)


def _cause(cause: CheckCause, repeats: str, prompt: CheckedPrompt, style: Style) -> list[str]:
    doubt = [] if cause.certainty == "certain" else [f"({cause.certainty})"]
    where = [style.paint(checked.place(cause), "cyan"), *filter(None, [phrases.pointer(cause.pointer)])]
    lost = checked.cost(cause, prompt)
    told = [*_painted(cause.cause, "bold", style), *doubt, "", *where, *(["", *lost.split(" ")] if lost else [])]
    lines = wrap(told, style.width, first=_INDENT, rest=_DEEP)
    if repeats:
        return lines + wrap(["as", "in", line(repeats)], style.width, first=_DEEP, rest=_DEEP)
    lines += wrap(line(cause.message).split(" "), style.width, first=_DEEP, rest=_DEEP)
    return lines + _hunk(cause, style) + _labelled([("fix", line(cause.fix))], style, len(_DEEP))


def _hunk(cause: CheckCause, style: Style) -> list[str]:
    if cause.hunk is None:
        return []
    lines = _labelled([("in", checked.elsewhere(cause))], style, len(_DEEP))
    if style.excerpts:
        for sign, text in checked.hunk_rows(cause.hunk, max(style.width - len(_DEEP) - 2, 20)):
            row = f"{sign} {text}".rstrip() if sign else f"  ({text})"
            lines.append(_DEEP + style.paint(row, _SIGNS.get(sign, "dim")))
    return lines


def _finding(found: Finding, style: Style) -> list[str]:
    """What a rule of lint found in a changed line."""
    color = _SEVERITIES[found.severity]
    doubt = [] if found.confidence == "certain" else [f"({found.confidence})"]
    rule = _painted(found.rule, f"bold {color}", style)
    head = [style.paint(found.severity, color), "", *rule, *doubt, "", style.paint(place(found), "cyan")]
    lines = wrap(head, style.width, rest=_INDENT)
    lines += wrap(line(found.message).split(" "), style.width, first=_INDENT, rest=_INDENT)
    if style.excerpts and found.excerpt:
        rows = marked_lines(found.excerpt, found.mark, style.width - len(_INDENT))
        lines += [_INDENT + style.paint(row[:2], "dim") + row[2:] for row in rows]
    return lines + _labelled([("fix", line(found.fix))], style)


def _errors(facts: CheckFacts, style: Style) -> list[str]:
    word = style.paint("error:", "bold red")
    return [row for error in facts.errors for row in wrap([word, *line(error).split(" ")], style.width, rest="  ")]


def _painted(text: str, color: str, style: Style) -> list[str]:
    """A painted token, none of nothing: codes would keep the spaces beside it."""
    return [style.paint(line(text), color)] if text else []


def _more(count: int, noun: str) -> list[str]:
    return [f"and {phrases.plural(count, f'more {noun}')} (--format json has all)"]


def _labelled(rows: list[tuple[str, str]], style: Style, indent: int = len(_INDENT)) -> list[str]:
    lines = []
    for label, text in rows:
        if text:
            lines += labelled(
                label, text.split(" "), style, indent=indent, column=_LABEL if indent == len(_INDENT) else _SHORT_LABEL
            )
    return lines
