"""What the writers of findings share: their order, their place, what identifies them, and all of them in one clause."""

from collections.abc import Iterable
from typing import NamedTuple

from promptlint.finding import Finding, Report
from promptlint.lint_facts import LintFacts, RuleFacts
from promptlint.report import phrases
from promptlint.report.escape import line

_RANK = {"error": 0, "warning": 1, "info": 2}
_MOST_RELATED = 10  # that are printed; JSON has all
_HOW = {"comment": "by a comment", "configuration": "by the configuration", "baseline": "by the baseline"}


_FEW = 24  # tokens: of fewer it is not worth to speak


class RuleCount(NamedTuple):
    """What one rule found in a whole report."""

    rule: RuleFacts
    severity: str  # the worst of its findings
    findings: int
    lost_tokens: (
        int | None
    )  # of the dearest finding in each file, added: findings of one file overlap; None: not counted


def costliest(findings: Iterable[Finding]) -> list[Finding]:
    """By severity, then by lost tokens, then by place: readers, and the limits of servers, cut at the end."""
    return sorted(findings, key=lambda found: (_RANK[found.severity], -(found.lost_tokens or 0), *_spot(found)))


def by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Findings under the path of their file, in the order in which they come."""
    files: dict[str, list[Finding]] = {}
    for found in findings:
        files.setdefault(found.location.path, []).append(found)
    return files


def fails(found: Finding, facts: LintFacts | None) -> bool:
    """Whether the finding makes the verdict a no; without a threshold every one that is more than a hint does."""
    if facts is None:
        return found.severity != "info"
    return facts.fail_on in _RANK and _RANK[found.severity] <= _RANK[facts.fail_on]


def place(found: Finding) -> str:
    """`path:line:column`, visible."""
    return f"{line(found.location.path)}:{found.location.line}:{found.location.column}"


def relative(path: str) -> str:
    """The path as servers want it: from the checkout of a CI job, else from the working folder, where the file lies in
    it. Raw text."""
    if path == "-":
        return "stdin"
    import os
    import posixpath

    here = os.getcwd().replace(os.sep, "/").rstrip("/")
    top = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR") or here
    top = top.replace(os.sep, "/").rstrip("/")
    top = top if f"{here}/".startswith(f"{top}/") else here
    whole = posixpath.normpath(posixpath.join(here, path))
    inside = whole.removeprefix(f"{top}/")
    return inside if inside != whole else posixpath.normpath(path)


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """One for each finding, all different: equal ones are counted in the order in which they come."""
    seen: dict[str, int] = {}
    names = []
    for found in findings:
        name = found.fingerprint or _fingerprint(found)
        count = seen[name] = seen.get(name, 0) + 1
        names.append(name if count == 1 else f"{name}-{count}")
    return names


def totals(report: Report) -> str:
    """What the verdict of a lint means, in one clause."""
    facts = report.lint
    assert facts is not None
    told = _found(report, facts) if report.findings else _nothing(facts)
    lost = max((found.lost_tokens or 0 for found in report.findings), default=0)
    if lost >= _FEW:
        told += f"; up to {tokens(lost, exact=facts.exact)} lost at a time"
    if facts.errors:
        told += f"; {phrases.plural(len(facts.errors), 'input')} could not be read"
    return told


def tokens_lost(found: Finding, *, exact: bool) -> str:
    """What the finding costs each request, or nothing."""
    if not found.lost_tokens:
        return ""
    money = "" if found.lost_usd is None else f", {phrases.dollars(found.lost_usd, exact=exact)}"
    return f"{tokens(found.lost_tokens, exact=exact)} lost{money}"


def tokens(count: int, *, exact: bool) -> str:
    """So many tokens."""
    return f"{phrases.number(count, exact=exact)} token{'s' * (count != 1)}"


def told(found: Finding, *, exact: bool) -> str:
    """The message, doubt, and what the finding costs unless the message says so itself; visible."""
    doubt = "" if found.confidence == "certain" else f" ({found.confidence})"
    lost = tokens_lost(found, exact=exact)
    said = not lost or f"{found.lost_tokens:,} " in found.message
    return f"{line(found.message)}{doubt}" + ("" if said else f"; {lost}")


def also(found: Finding) -> list[str]:
    """Its related places, visible; those of the same file without its path."""
    places = []
    for where in found.related[:_MOST_RELATED]:
        path = "" if where.path == found.location.path else f"{line(where.path)}:"
        places.append(f"{path}{where.line}:{where.column}")
    return places


def suppressed(facts: LintFacts) -> str:
    """How many findings have been answered, and how; nothing for none."""
    hows = [each.how for each in facts.suppressed]
    if not hows:
        return ""
    told = ", ".join(
        f"{hows.count(how):,} {answered(how)}" for how in (*_HOW, *sorted({*hows} - {*_HOW})) if how in hows
    )
    return f"{phrases.plural(len(hows), 'finding')} suppressed: {told}"


def answered(how: str) -> str:
    """By what a finding was suppressed."""
    return _HOW.get(how) or f"by {line(how)}"


def statistics(report: Report) -> list[RuleCount]:
    """Each rule that found something, the most frequent first."""
    groups: dict[str, list[Finding]] = {}
    for found in report.findings:
        groups.setdefault(found.rule, []).append(found)
    rules = known_rules(report)
    counts = [_count(rules[rule], groups[rule]) for rule in sorted(groups)]
    return sorted(counts, key=lambda count: -count.findings)


def _count(rule: RuleFacts, findings: list[Finding]) -> RuleCount:
    dearest: dict[str, int] = {}
    for found in findings:
        if found.lost_tokens is not None:
            path = found.location.path
            dearest[path] = max(dearest.get(path, 0), found.lost_tokens)
    worst = min((found.severity for found in findings), key=_RANK.__getitem__)
    return RuleCount(rule, worst, len(findings), sum(dearest.values()) if dearest else None)


def exact(report: Report) -> bool:
    """Whether lost tokens are counted as the models themselves count."""
    if report.check is not None:
        from promptlint.report.checked import all_exact

        return all_exact(report.check)
    return report.lint is not None and report.lint.exact


def errors(report: Report) -> tuple[str, ...]:
    """What could not be read or rendered, a line each; untrusted."""
    if report.check is not None:
        return report.check.errors
    return report.lint.errors if report.lint is not None else ()


def known_rules(report: Report) -> dict[str, RuleFacts]:
    """The rules that ran, and what the report names besides, such as causes of a comparison; by id."""
    facts = report.lint  # without it, a rule is the cause of a change
    rules = {} if facts is None else {rule.id: rule for rule in facts.rules}
    more = () if facts is None else tuple(each.finding for each in facts.suppressed)
    for found in (*report.findings, *more):
        if found.rule not in rules:
            summary = found.rule.replace("-", " ") if report.check is None else _summary(found)
            rules[found.rule] = RuleFacts(
                found.rule,
                found.cause or ("" if facts is not None else found.rule),
                summary,
                found.severity,
                found.confidence,
                "pair" if facts is None else "",
                "",
                "",
                found.fix,
                (),
            )
    return {name: rules[name] for name in sorted(rules)}


def _summary(found: Finding) -> str:
    """Of what a check found: of a cause, of a rule of lint, of a line of the budget."""
    from promptlint import facts

    if found.rule == "budget":
        return "a change costs more than the budget of the prompt allows"
    row = facts.table("causes").get(found.rule) or facts.table("rules").get(found.rule)
    return str(row["summary"]) if row else found.rule


def _found(report: Report, facts: LintFacts) -> str:
    severities = [found.severity for found in report.findings]
    tally = [phrases.plural(severities.count(each), each) for each in ("error", "warning") if each in severities]
    tally += [f"{severities.count('info'):,} info"] if "info" in severities else []
    hit = {found.location.path for found in report.findings}
    of = len(hit | {file.path for file in facts.files})  # an included template is a file, too
    where = phrases.plural(of, "file") if len(hit) == of else f"{len(hit):,} of {of:,} files"
    return f"{phrases.plural(len(severities), 'finding')} in {where}: {', '.join(tally)}"


def _nothing(facts: LintFacts) -> str:
    answered = f" ({phrases.plural(len(facts.suppressed), 'finding')} suppressed)" if facts.suppressed else ""
    return f"{phrases.plural(len(facts.files), 'file')}, nothing to report{answered}" if facts.files else "no files"


def _spot(found: Finding) -> tuple[str, int, str]:
    return found.location.path, found.location.start, found.rule


def _fingerprint(found: Finding) -> str:
    """For what comes without one: of rule, file and pointer."""
    from hashlib import sha256

    pointer = found.pointer if isinstance(found.pointer, str) else "\n".join(found.pointer)
    text = "\0".join((found.rule, relative(found.location.path), pointer))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
