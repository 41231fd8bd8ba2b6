"""What is found of a prompt in a document."""

from typing import NamedTuple

from promptlint.prompt import Json, Path


class StoredText(NamedTuple):
    """One text of a prompt."""

    path: Path
    language: str  # "jinja", or a key of data/template_languages.yaml
    role: str | None = None  # of the message that it begins; None: it goes on
    marked: bool = False  # a cached part ends behind it
    turns: str = ""  # a key of `turns`: how messages begin inside of it
    is_name: bool = False  # it is the name of a variable that stands for messages
    repeated: bool = False  # it is printed for each of several examples


class Stored(NamedTuple):
    """One prompt: its texts follow another."""

    what: str  # "LangChain prompt"
    texts: tuple[StoredText, ...]
    files: tuple[tuple[Path, str], ...] = ()  # that it names instead of a text
    notes: tuple[str, ...] = ()


def text_at(value: Json, *steps: str | int) -> str | None:
    """The text at a place of a value."""
    for step in steps:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value if isinstance(value, str) else None


def dicts(value: Json) -> list[tuple[int, dict[str, Json]]]:
    """The objects of an array, each with its index."""
    entries = value if isinstance(value, list) else []
    return [(number, entry) for number, entry in enumerate(entries) if isinstance(entry, dict)]
