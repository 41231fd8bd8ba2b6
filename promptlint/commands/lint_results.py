"""What files gave when they were last looked at: see lint/results_cache.py."""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from promptlint.commands.lint_files import Linted

_LONGEST = 4 << 20  # bytes of a file whose result is kept


class Results:
    """Results of files; nothing is found, and nothing kept, without a cache."""

    def __init__(self, *, kept: bool) -> None:
        self._cache: Any = None
        if kept:
            from promptlint.lint.results_cache import results_cache

            self._cache = results_cache(os.getcwd())

    def key(self, path: str, state: str) -> str | None:
        """Under which key the result of a file is kept; None if it is not. `state`: what it depends on besides."""
        if self._cache is None or not os.path.isfile(path) or os.path.getsize(path) > _LONGEST:
            return None
        from promptlint.lint.results_cache import key

        try:
            with open(path, "rb") as file:
                return key(state, file.read())
        except OSError:
            return None

    def get(self, key: str | None) -> "Linted | None":
        """What is kept under a key."""
        row = None if key is None else self._cache.get(key)
        if row is None:
            return None
        from promptlint.commands.lint_stored import unpacked

        return unpacked(row)

    def put(self, key: str | None, linted: "Linted") -> None:
        """Keep a result, unless it depends on what is not there."""
        if key is None or not linted.keeps:
            return
        from promptlint.commands.lint_stored import packed
        from promptlint.lint.results_cache import hash_of

        self._cache.put(key, packed(linted), {path: hash_of(path) for path in linted.files})

    def save(self) -> None:
        """Write what is new."""
        if self._cache is not None:
            self._cache.save()
