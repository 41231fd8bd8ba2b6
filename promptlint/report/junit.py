"""The report as JUnit XML, which every CI server shows: a suite for each file, a test for each finding; of a check one
suite, a test for each prompt.

Untrusted text is made visible before it is escaped, so no character that XML 1.0 forbids is left; all others beyond
ASCII are references, so the bytes do not depend on the locale.
"""

from promptlint.check_facts import CheckedPrompt, CheckFacts
from promptlint.finding import Finding, Report
from promptlint.lint_facts import LintFacts, Suppressed
from promptlint.report.escape import guard, line
from promptlint.report.excerpts import marked_lines
from promptlint.report.findings import answered, by_file, fails, place, relative, tokens_lost
from promptlint.report.layout import Style, painter
from promptlint.report.phrases import pointer

_COLUMNS = 80  # of an excerpt

_Case = tuple[str, str]  # what it counts as ("failures", "errors", "skipped", "") and its XML


def write(report: Report, *, excerpts: bool = True) -> str:
    """A file without findings is a test that passes, as is a finding below --fail-on; a suppressed one is skipped."""
    if report.check is not None:
        return _document([_suite("promptlint check", _checked(report, report.check, excerpts))])
    facts = report.lint
    files: dict[str, list[_Case]] = {file.path: [] for file in facts.files} if facts is not None else {}
    for path, findings in by_file(report.findings).items():
        files.setdefault(path, []).extend(_finding(found, facts, excerpts) for found in findings)
    if facts is not None:
        for each in facts.suppressed:
            files.setdefault(each.finding.location.path, []).append(_suppressed(each))
        for path, reason in facts.skipped:
            files.setdefault(path, []).append(
                _case("skipped", "promptlint", path, f'<skipped message="{_text(reason)}"/>')
            )
    suites = [_suite(path, cases or [_case("", "promptlint", path, "")]) for path, cases in files.items()]
    if facts is not None and facts.errors:
        suites.append(_suite("promptlint", [_error(reason) for reason in facts.errors]))
    return _document(suites)


def _document(suites: list[tuple[str, list[_Case]]]) -> str:
    told = [case for _, cases in suites for case in cases]
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="promptlint"{_counts(told)}>\n'
    body = "".join(xml for xml, _ in suites)
    return guard(f"{head}{body}</testsuites>\n").encode("ascii", "xmlcharrefreplace").decode("ascii")


def _suite(path: str, cases: list[_Case]) -> tuple[str, list[_Case]]:
    skipped = sum(kind == "skipped" for kind, _ in cases)
    name = _text(relative(path))
    head = f'  <testsuite name="{name}"{_counts(cases)} skipped="{skipped}">\n'
    return f"{head}{''.join(xml for _, xml in cases)}  </testsuite>\n", cases


def _counts(cases: list[_Case]) -> str:
    kinds = [kind for kind, _ in cases]
    return f' tests="{len(cases)}" failures="{kinds.count("failures")}" errors="{kinds.count("errors")}"'


def _case(kind: str, name: str, path: str, inner: str) -> _Case:
    head = f'    <testcase name="{_text(name)}" classname="{_text(relative(path))}" time="0"'
    return kind, f"{head}>\n      {inner}\n    </testcase>\n" if inner else f"{head}/>\n"


def _finding(found: Finding, facts: LintFacts | None, excerpts: bool) -> _Case:
    failed = fails(found, facts)
    exact = facts is not None and facts.exact
    rows = [
        place(found),
        f"{found.severity}, {found.confidence}",
        pointer(found.pointer),
        tokens_lost(found, exact=exact),
    ]
    rows += marked_lines(found.excerpt, found.mark, _COLUMNS) if excerpts and found.excerpt else []
    rows += [f"fix: {line(found.fix)}"] if found.fix else []
    text = "\n".join(_escaped(row) for row in rows if row)
    told = _text(found.message)
    if failed:
        inner = f'<failure type="{_text(found.rule)}" message="{told}">{text}</failure>'
    else:
        inner = f"<system-out>{told}\n{text}</system-out>"
    return _case("failures" if failed else "", _name(found), found.location.path, inner)


def _suppressed(each: Suppressed) -> _Case:
    told = f"suppressed {answered(each.how)}" + (f": {line(each.reason)}" if each.reason else "")
    return _case("skipped", _name(each.finding), each.finding.location.path, f'<skipped message="{_escaped(told)}"/>')


def _error(reason: str) -> _Case:
    return _case("errors", "input", "promptlint", f'<error type="input" message="{_text(reason)}"/>')


def _checked(report: Report, facts: CheckFacts, excerpts: bool) -> list[_Case]:
    """A test for each prompt, as the configuration lists them; one for each finding of lint; what went wrong."""
    from promptlint.report.checked import fresh

    cases = [_prompt(prompt, facts, excerpts) for prompt in facts.prompts]
    return [*cases, *(_finding(each, None, excerpts) for each in fresh(report)), *map(_error, facts.errors)]


def _prompt(prompt: CheckedPrompt, facts: CheckFacts, excerpts: bool) -> _Case:
    """What is not known is skipped, unless it is a no."""
    from promptlint.report.checked import is_unchanged, told_once
    from promptlint.report.text_check import prompt_lines

    if is_unchanged(prompt):
        return _case("", prompt.name, prompt.path, "")
    (told,) = told_once([prompt])  # each test stands alone
    text = "\n".join(map(_escaped, prompt_lines(told, Style(_COLUMNS, excerpts, painter(False)))))
    messages = [reason.message for reason in prompt.reasons] or [cause.message for cause in prompt.causes[:1]]
    message = _text("; ".join(messages) or prompt.verdict)
    if prompt.verdict == "fail" or (prompt.verdict == "unknown" and facts.strict):
        rule = prompt.reasons[0].budget if prompt.reasons else prompt.verdict
        inner = f'<failure type="{_text(rule)}" message="{message}">{text}</failure>'
        return _case("failures", prompt.name, prompt.path, inner)
    if prompt.verdict == "unknown":
        return _case("skipped", prompt.name, prompt.path, f'<skipped message="{message}"/>')
    return _case("", prompt.name, prompt.path, f"<system-out>{text}</system-out>")


def _name(found: Finding) -> str:
    return f"{found.rule} {found.location.line}:{found.location.column}"


def _text(raw: str) -> str:
    """Untrusted text, visible and escaped."""
    return _escaped(line(raw))


def _escaped(visible: str) -> str:
    text = visible.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")
