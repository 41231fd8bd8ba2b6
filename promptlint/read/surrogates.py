r"""Lone surrogates: an escape such as `\ud83d` without its pair, which no encoding can write."""

import re

from promptlint.prompt import Json, Path

_ESCAPED = re.compile(r"\\u[dD]")
_LONE = re.compile("[\ud800-\udfff]")


def escapes_surrogates(source: str, start: int = 0, end: int | None = None) -> bool:
    """Whether JSON text (from `start` to `end`) holds an escape of a surrogate: nothing else makes a lone one."""
    return _ESCAPED.search(source, start, len(source) if end is None else end) is not None


def has_lone(text: str) -> bool:
    """Encoding is the fastest way to know: 0.2 to 1 ns a character, and nothing for ASCII."""
    if text.isascii():
        return False
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return True
    return False


def mended(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate, so that positions stay."""
    return _LONE.sub("\ufffd", text) if has_lone(text) else text


def mend(value: Json) -> tuple[Json, list[Path]]:
    """`value` with all its strings and keys mended, in place, and the paths of what was changed."""
    if isinstance(value, str):
        new = mended(value)
        return new, [] if new == value else [()]
    changed: list[Path] = []
    waiting: list[tuple[Path, Json]] = [((), value)]
    while waiting:
        path, container = waiting.pop()
        if isinstance(container, dict):
            _mend_keys(container, path, changed)
            items = list(container.items())
            for key, child in items:
                if isinstance(child, str):
                    container[key] = _mend_string(child, (*path, key), changed)
            waiting += [((*path, key), child) for key, child in reversed(items)]
        elif isinstance(container, list):
            for index, child in enumerate(container):
                if isinstance(child, str):
                    container[index] = _mend_string(child, (*path, index), changed)
            waiting += [((*path, index), child) for index, child in reversed(list(enumerate(container)))]
    return value, changed


def _mend_string(text: str, path: Path, changed: list[Path]) -> str:
    new = mended(text)
    if new is not text:
        changed.append(path)
    return new


def _mend_keys(members: dict[str, Json], path: Path, changed: list[Path]) -> None:
    new = {key: mended(key) for key in members}
    broken = [key for key in new if new[key] != key]
    if broken:
        changed += [(*path, new[key]) for key in broken]
        items = list(members.items())
        members.clear()
        members.update((new[key], child) for key, child in items)
