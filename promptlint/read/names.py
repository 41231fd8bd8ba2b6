"""How the names of files are shown, and which existing name was probably meant."""

import os

_LONGEST = 120
_OTHER_LENGTH, _COMPARED = 6, 2000


def shown(name: str) -> str:
    """`name` for a message: one line, nothing invisible, not endless."""
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}"
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def nearest(name: str, existing: list[str]) -> str | None:
    """The one of `existing` that looks most like `name`, if any comes close."""
    import difflib

    alike = [other for other in existing if abs(len(other) - len(name)) <= _OTHER_LENGTH]
    close = difflib.get_close_matches(name, alike[:_COMPARED], n=1)
    return close[0] if close else None


def nearest_file(path: str) -> str | None:
    """An existing neighbour of the missing `path` with nearly the same name."""
    folder, name = os.path.split(path)
    try:
        found = nearest(name, os.listdir(folder or os.curdir))
    except (OSError, ValueError):
        return None
    return os.path.join(folder, found) if found else None
