"""What `promptlint rules` prints: a table of all rules, or all about one; as Markdown the page rules/README.md."""

from collections.abc import Sequence

from promptlint.errors import PromptlintError
from promptlint.finding import Report
from promptlint.lint_facts import RuleFacts
from promptlint.report.escape import guard, line
from promptlint.report.layout import Style, columns, labelled, painter, wrap
from promptlint.report.markdown import code, words
from promptlint.report.phrases import is_address, plural

_COLORS = {"error": "red", "warning": "yellow", "info": "cyan"}
_LABEL = 8  # columns of a label and the space behind it
_HEAD = ("rule", "scope", "severity", "cause", "summary")
_INTRODUCTION = """\
# Rules

What `promptlint lint` finds. A rule looks at a source file that puts a prompt together, at a template, at one request,
or at a pair: two requests of a log that follow each other, or two renderings of one prompt
(`promptlint lint --renderings FOLDER`). Causes are those that `promptlint diff` names. A comment
`promptlint: ignore[RULE] -- reason` leaves a finding out.

A rule of your own is an entry of `rules` in `promptlint.yaml` (`promptlint init` shows one), with a pattern: it looks
in the text of templates, or in the cached part of requests. With `promptlint lint --rules FOLDER` it is a file of that
folder, `ID.yaml`, with `summary`, `severity`, `confidence`, `scope`, `message` (and `cause`, `why`, `fix`,
`references`), and either a `pattern`, for pairs the `changes` (causes), or Python in `ID.py` beside it:
`check(subject)` yields `Hit(place, {"name": "value"})`, which fills `{name}` of the message. The rules in this folder
are written in the same way.

This page is printed by `promptlint rules --format markdown`."""


def write(report: Report, form: str, *, color: bool = False, width: int = 80) -> str:
    """The catalogue, or the one rule of the report, as "text" or "markdown"."""
    found = report.lint.rules if report.lint is not None else ()
    if form == "text":
        style = Style(width, True, painter(color))
        lines = _about(found[0], style) if len(found) == 1 else _table(found, style)
    elif form == "markdown":
        lines = _section(found[0]) if len(found) == 1 else _page(found)
    else:
        raise PromptlintError(f"the catalogue of rules is not written as {form}", "use text, json or markdown")
    return guard("\n".join(lines) + "\n")


def _table(found: Sequence[RuleFacts], style: Style) -> list[str]:
    """One line a rule."""
    cells = [_HEAD, *((line(cell) for cell in _cells(rule)) for rule in found)]
    head, *rows = columns([list(row) for row in cells], [False] * len(_HEAD))
    return [style.paint(plural(len(found), "rule"), "bold"), "", style.paint(head, "dim"), *rows]


def _cells(rule: RuleFacts) -> tuple[str, ...]:
    return rule.id, rule.scope, rule.severity, rule.cause, rule.summary


def _about(rule: RuleFacts, style: Style) -> list[str]:
    """All about one rule."""
    head = [style.paint(line(rule.id), f"bold {_COLORS[rule.severity]}"), *f"({_kind(rule)})".split(" ")]
    lines = [*wrap(head, style.width), *wrap(line(rule.summary).split(" "), style.width, first="  ", rest="  "), ""]
    told = [
        ("why", rule.why),
        ("fix", rule.fix),
        ("cause", rule.cause or "none of its own"),
        *(("see", link) for link in rule.references),
    ]
    for label, text in told:
        lines += labelled(label, _one_line(text).split(" "), style, indent=2, column=_LABEL)
    return lines


def _kind(rule: RuleFacts) -> str:
    return f"{rule.scope}, {rule.severity}, {rule.confidence}, since {line(rule.since)}"


def _page(found: Sequence[RuleFacts]) -> list[str]:
    """The catalogue with a section for each rule."""
    rows = [f"| [{code(line(rule.id))}](#{rule.id}) | {' | '.join(map(_marked, _cells(rule)[1:]))} |" for rule in found]
    table = [f"| {' | '.join(_HEAD)} |", f"| {' | '.join(['---'] * len(_HEAD))} |", *rows]
    return [_INTRODUCTION, "", *table, *(row for rule in found for row in ["", *_section(rule)])]


def _section(rule: RuleFacts) -> list[str]:
    """One rule under a heading, which is its anchor."""
    cause = f"; cause {code(line(rule.cause))}" if rule.cause else ""
    return [
        f"## {rule.id}",
        "",
        f"{_marked(rule.summary[:1].upper() + rule.summary[1:])}. *{_kind(rule)}{cause}*",
        "",
        _marked(rule.why),
        "",
        f"**Fix**: {_marked(rule.fix)}",
        "",
        *(f"- {_link(link)}" for link in rule.references),
    ]


def _one_line(text: str) -> str:
    return line(" ".join(text.split()))


def _marked(text: str) -> str:
    """Prose in which only its own code spans are marked up."""
    parts = _one_line(text).split("`")
    return "".join(code(part) if place % 2 else words(part) for place, part in enumerate(parts))


def _link(link: str) -> str:
    return f"<{link}>" if is_address(link) and link.startswith("https://") else code(line(link))
