"""Known shapes of secrets, masked with their length and first four characters kept."""

from promptlint.secrets import HIDDEN_MARKED as HIDDEN_MARKED
from promptlint.secrets import Range as Range
from promptlint.secrets import mask as mask


def mask_rows(text: str, margin: int = 0) -> list[str]:
    """The rows of a text, secrets masked, also those that go over several rows. `margin`: characters at the start of
    each row that are not of the text, such as the sign of a diff."""
    return mask_lines(text.split("\n"), margin)


def mask_lines(rows: list[str], margin: int = 0) -> list[str]:
    """The same of rows, which may hold line feeds."""
    hidden = mask("\n".join(row[margin:] for row in rows))
    told, start = [], 0
    for row in rows:
        end = start + len(row[margin:])
        told.append(row[:margin] + hidden[start:end])
        start = end + 1
    return told
