"""The table of `promptlint vary`, and what stands below it."""

from collections.abc import Iterator

from promptlint.finding import Table
from promptlint.vary_facts import Row, VaryFacts

_SURE = {"certain": "", "possible": "?", "unknown": "?"}


def table(found: VaryFacts) -> Table:
    """One line a variation, the harmless ones in front."""
    side = found.side
    about = "" if side.exact or not found.readable_tokens else "about "
    served = found.engine or side.provider
    title = f"Of {about}{found.readable_tokens:,} tokens that {served} can read again, each variation reads"
    # Where any token, or block, can be read, as many are equal, give or take a block.
    equal = found.block_tokens is None and any(each.shared_tokens != each.usable_tokens for each in found.rows)
    places = any(map(_where, found.rows))
    rows = tuple(
        (
            each.name,
            f"{each.outcome}{_SURE[each.certainty]}",
            *([each.shared_tokens] if equal else []),
            each.usable_tokens,
            *([_where(each)] if places else []),
            _cause(each),
        )
        for each in found.rows
    )
    columns = (
        "variation",
        "outcome",
        *(["equal"] if equal else []),
        "read",
        *(["up to"] if places else []),
        "because of",
    )
    return Table(title, columns, rows)


def _cause(row: Row) -> str:
    if row.group == "markers" and row.cause == "body-form-only":
        return "the marker only"
    if row.cause:
        return row.cause
    if row.outcome == "refused":
        return "template"
    return "nothing" if row.name == "sent-again" else "no change"


def _where(row: Row) -> str:
    """The first that is not read; of tokens their number says it."""
    return "" if row.first is None or row.first.unit == "token" else f"{row.first.unit} {row.first.number:,}"


def table_notes(found: VaryFacts, *, versions: bool) -> Iterator[str]:
    """What each variation did, for those that cost something, and how to read the table."""
    if not found.readable_tokens:
        yield f"the request leaves nothing in the cache: {found.nothing}"
    for each in found.rows if found.readable_tokens else ():
        if each.message and (each.outcome != "hit" or each.certainty != "certain"):
            if each.outcome != "refused" and each.group in ("text", "tools"):  # the cause says the rest
                yield f"{each.name}: {each.does}"
            elif each.group in ("settings", "markers"):  # the message says it all
                yield f"{each.name}: {each.message}"
            else:
                yield f"{each.name}: {each.does}: {each.message}"
    if any(each.certainty != "certain" for each in found.rows):
        yield "a question mark: it depends on a rule that is not published, so less may be read, or more"
    if versions:
        yield "another version of vocabulary or chat template: give it with --tokenizer-b or --chat-template-b"
