"""The words that the text, concise and Markdown reports share: counts, places, verdicts. All of it visible text."""

from promptlint.finding import Boundary, Change, Diff, Place, Report, Side, TemplateLine
from promptlint.report.escape import line

_AFFECTS = {
    "prefix": "in the prefix",
    "suffix": "behind the prefix",
    "key": "changes the cache key",
    "nothing": "no effect on the cache",
}
_UNITS = {
    "token": "the cache is read up to any token",
    "step": "the cache is read in steps",
    "block": "the cache is read in whole blocks",
    "message": "the cache is read in whole messages",
    "marker": "the cache is read up to a marker",
}


def number(count: int | None, *, exact: bool = True) -> str:
    """A count with thousands separators; "about" where it is not exact (zero is)."""
    if count is None:
        return "not counted"
    return f"{count:,}" if exact or count == 0 else f"about {count:,}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def breaks(change: Change) -> bool:
    """Whether the change is a finding: it costs reuse, or will."""
    return change.severity != "info"


def source(item: Side | Place) -> str:
    """The input as a user would name it again: `REV:path#record`."""
    path = item.path if item.revision is None else f"{item.revision}:{item.path}"
    return line(path if item.record is None else f"{path}#{item.record}")


def spot(place: Place) -> str:
    """`path:line:column`, which editors open. The line counts from the start of the file, also in a JSONL."""
    path = place.path if place.revision is None else f"{place.revision}:{place.path}"
    return f"{line(path)}:{place.line}:{place.column}"


def pointer(value: str | tuple[str, ...]) -> str:
    """A JSON pointer; `>` enters JSON inside a string. The whole document has none."""
    return line(value) if isinstance(value, str) else " > ".join(map(line, value))


def offset(place: Place) -> str:
    """Where inside the value or key the difference begins."""
    if place.excerpt is None:
        return "(nothing on this side)"
    where = f"character {place.char:,}"
    if place.byte != place.char:
        where += f" (byte {place.byte:,})"
    return f"{where} of the key" if place.atom == "key" else where


def printed_by(change: Change) -> list[tuple[str, str]]:
    """Which line of a template printed the text at a change, as sides and words; nothing where none did."""
    a, b = change.template_a, change.template_b
    if a is not None and a == b:
        return [("a, b", _template(a))]
    return [(side, _template(found)) for side, found in (("a", a), ("b", b)) if found is not None]


def _template(found: TemplateLine) -> str:
    if not found.pointer:
        return f"{line(found.path)}:{found.line}" + (f":{found.column}" if found.column else "")
    name = f" {line(found.name)}" if found.name else ""
    return f"{line(found.path)} {pointer(found.pointer)}, line {found.line} of the template{name}"


def sharing(change: Change, *, exact: bool) -> list[tuple[str, str]]:
    """What is shared before this change, if it were the only one, and after its fix, as label and words."""
    before = _tokens(change.shared_tokens, "shared", exact=exact)
    if change.shared_bytes is not None:
        size = plural(change.shared_bytes, "byte")
        before = f"{size} shared, tokens not counted" if change.shared_tokens is None else f"{size} and {before}"
    if (change.alone_tokens, change.after_fix_tokens) == (None, None):
        return [("before", before)]
    lost = "" if change.lost_tokens is None else f", {number(change.lost_tokens, exact=exact)} cached tokens lost"
    return [
        ("before", before),
        ("alone", _tokens(change.alone_tokens, f"shared{lost} if it were the only change", exact=exact)),
        ("then", _tokens(change.after_fix_tokens, "shared once this and all above are fixed", exact=exact)),
    ]


def _tokens(count: int | None, rest: str, *, exact: bool) -> str:
    if count is None:
        return number(None)
    return f"{number(count, exact=exact)} token{'' if count == 1 else 's'} {rest}".rstrip()


def labels(change: Change) -> str:
    """Severity, certainty (unless certain), level and effect."""
    effect = "effect not known" if change.certainty == "unknown" else _AFFECTS[change.affects]
    words = [change.severity, change.level, effect]
    if change.certainty == "possible":
        words.insert(1, change.certainty)
    return ", ".join(words)


def figures(diff: Diff) -> list[tuple[str, str]]:
    """The boundary three ways, as label and words."""
    boundary, a, b = diff.boundary, diff.a, diff.b
    sizes = _both(number(a.prompt_bytes), number(b.prompt_bytes))
    lengths = _both(number(a.prompt_tokens, exact=a.exact), number(b.prompt_tokens, exact=b.exact))
    blocks = "" if boundary.shared_blocks is None else f" ({plural(boundary.shared_blocks, 'block')} shared)"
    return [
        ("bytes", _shared(boundary.shared_bytes, sizes, exact=True)),
        ("tokens", _shared(boundary.shared_tokens, lengths, exact=boundary.exact) + blocks),
        ("usable", f"{_tokens(boundary.usable_tokens, '', exact=boundary.exact)}; {_UNITS[boundary.unit]}"),
    ]


def _shared(count: int | None, total: str, *, exact: bool) -> str:
    return number(None) if count is None else f"{number(count, exact=exact)} shared of {total}"


def _both(a: str, b: str) -> str:
    return a if a == b else f"{a} (a), {b} (b)"


def counted(diff: Diff) -> str:
    """By which tokenizer, and how far off; both sides where they differ."""
    names = [f"{side.tokenizer}{'' if side.exact else ', an estimate'}" for side in (diff.a, diff.b)]
    return line(_both(*names)) + (f": {line(diff.boundary.band)}" if diff.boundary.band else "")


def kind(side: Side) -> str:
    """What was recognised: format, provider and model, each word once."""
    return line(", ".join(dict.fromkeys(filter(None, (side.format, side.provider, side.model)))))


def outcome(diff: Diff) -> str:
    """What the verdict of one comparison means, in one clause."""
    boundary = diff.boundary
    if diff.verdict == "bust":
        return _lost(boundary.lost_tokens, boundary.usable_tokens, boundary.lost_usd, exact=boundary.exact)
    if diff.verdict == "kept":
        return (
            f"nothing that was cached is lost (readable: {_tokens(boundary.usable_tokens, '', exact=boundary.exact)})"
        )
    return {
        "same": "equal prompts under an equal key",
        "refused": "the provider refuses the request",
        "wrong_reuse": "the cache would serve tokens that it must not",
        "unknown": _unknown(boundary),
    }[diff.verdict]


def _unknown(boundary: Boundary) -> str:
    if not boundary.lost_tokens:
        return "what the cache can reuse is not known"
    lost = number(boundary.lost_tokens, exact=boundary.exact)
    total = "" if boundary.usable_tokens is None else f" of {boundary.lost_tokens + boundary.usable_tokens:,}"
    return f"{lost}{total} cached tokens may be lost"


def _lost(lost: int | None, usable: int | None, usd: str | None, *, exact: bool) -> str:
    money = "" if usd is None else f", {dollars(usd, exact=exact)}"
    if lost is None:
        return f"cached tokens lost (not counted){money}"
    total = "" if usable is None else f" of {lost + usable:,}"
    return f"{number(lost, exact=exact)}{total} cached tokens lost{money}"


def dollars(usd: str, *, exact: bool) -> str:
    """An amount; where tokens are only about right, so is it, and two digits say enough."""
    if exact:
        return f"${line(usd)}"
    return f"about ${float(f'{float(usd):.2g}'):.10f}".rstrip("0").rstrip(".")


def totals(report: Report) -> str:
    """What the verdict over two folders means, in one clause."""
    verdicts = [diff.verdict for diff in report.diffs]
    order = ("wrong_reuse", "refused", "bust", "unknown", "kept", "same")
    tally = ", ".join(f"{verdicts.count(each)} {each}" for each in order if each in verdicts)
    words = f"{plural(len(verdicts), 'pair')}: {tally}" if verdicts else "no pairs"
    busts = [diff.boundary for diff in report.diffs if diff.verdict == "bust"]
    if not busts:
        return words
    lost = [boundary.lost_tokens for boundary in busts if boundary.lost_tokens is not None]
    if not lost:
        return f"{words}; cached tokens lost (not counted)"
    exact = all(boundary.exact for boundary in busts)
    missing = f" ({plural(len(busts) - len(lost), 'pair')} not counted)" if len(lost) < len(busts) else ""
    return f"{words}; {number(sum(lost), exact=exact)} cached tokens lost{missing}"


def uncovered(report: Report) -> list[int]:
    """Indexes of the findings that no change of this report already tells."""
    told = {(change.cause, change.message) for diff in report.diffs for change in diff.changes}
    return [index for index, found in enumerate(report.findings) if (found.rule, found.message) not in told]


def is_address(link: str) -> bool:
    """Whether it is a web address of plain characters: others are no links, since rules may come from a repository."""
    plain = link.isascii() and all(character.isalnum() or character in "-._~:/?#@!$&'()*+,;=%" for character in link)
    return plain and link.startswith(("https://", "http://"))


def fence(rows: list[str]) -> str:
    """Backticks that no row of a block of code holds in a run."""
    longest = 2
    for row in rows:
        run = 0
        for character in row:
            run = run + 1 if character == "`" else 0
            longest = max(longest, run)
    return "`" * (longest + 1)
