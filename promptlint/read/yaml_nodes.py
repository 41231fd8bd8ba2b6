"""YAML text -> the tree of its nodes, by libyaml where it is there; nothing that a text holds can make it explode."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from promptlint.read.names import shown
from promptlint.read.surrogates import has_lone

MAX_NODES = 1_000_000
MAX_DEPTH = 100
MAX_ALIASES = 10_000
MAX_EXPANSION = 10
"""How many times its own size a text may have once its aliases are written out."""

_FREE = 1_000_000  # characters that aliases may always make
_FORBIDDEN = "[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"


class Fault(Exception):
    """What is wrong at a character of the text, and what to do about it."""

    def __init__(self, char: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.char, self.message, self.hint = char, message, hint


@lru_cache(maxsize=2)
def compose(text: str) -> Any:
    """The root node (of PyYAML) of a document, None if it is empty; an alias shares the node that it names.

    Raises Fault, and nothing else, for what is no YAML, for a second document, and for what is over a limit.
    """
    import yaml

    if found := re.search(_FORBIDDEN, text):
        code = f"U+{ord(found[0]):04X}"
        raise Fault(found.start(), f"YAML forbids the raw character {code}", "write it as an escape in double quotes")
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _Guard(text).check(yaml.parse(text, Loader=loader))
        return yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        raise _syntax_fault(text, error) from None


def _syntax_fault(text: str, error: Any) -> Fault:
    mark = error.problem_mark or error.context_mark
    char = min(mark.index, len(text))
    problem = str(error.context if error.problem == "second occurrence" else error.problem)
    hint = "check the indentation and the quotes"
    if text.startswith("\t", char):
        hint = "YAML indents with spaces"
    elif "escape" in problem:
        hint = "write the character itself"
    elif "anchor" in problem or "alias" in problem:
        hint = "each anchor has a name of its own, and stands before its aliases"
    return Fault(char, f"not YAML ({shown(problem)})", hint)


class _Weight(NamedTuple):
    """Of the value that an anchor names: characters and nodes, aliases written out; and levels of collections."""

    size: int
    depth: int


class _Open:
    """A collection that has not ended."""

    def __init__(self, event: Any, before: int) -> None:
        self.anchor: str | None = event.anchor
        self.before = before  # the size of all that came before it
        self.depth = 1  # levels so far, its own included


class _Guard:
    """Counts what the tree of a text would hold. Events need no more memory than the deepest place of a text."""

    def __init__(self, text: str) -> None:
        self.most = MAX_EXPANSION * len(text) + _FREE
        self.open: list[_Open] = []
        self.known: dict[str, _Weight] = {}
        self.nodes = self.aliases = self.documents = self.size = 0

    def check(self, events: Iterable[Any]) -> None:
        """Raises Fault at the event that goes over a limit."""
        import yaml

        for event in events:
            if isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, yaml.NodeEvent):
                self.nodes += 1
                self._begin(event, is_scalar=isinstance(event, yaml.ScalarEvent))
            elif isinstance(event, yaml.CollectionEndEvent):
                done = self.open.pop()
                self._end(done.anchor, self.size - done.before, done.depth)
            elif isinstance(event, yaml.DocumentStartEvent):
                self.documents += 1
            self._limit(event)

    def _begin(self, event: Any, *, is_scalar: bool) -> None:
        if not is_scalar:
            self.open.append(_Open(event, self.size))
            self.size += 1
            return
        if has_lone(event.value):
            raise _fault(event, "an escape of half a character", "write the character itself")
        size = len(event.value) + 1
        self.size += size
        self._end(event.anchor, size, 0)

    def _end(self, anchor: str | None, size: int, depth: int) -> None:
        if anchor is not None:
            self.known[anchor] = _Weight(size, depth)
        if self.open:
            self.open[-1].depth = max(self.open[-1].depth, depth + 1)

    def _alias(self, event: Any) -> None:
        self.aliases += 1
        if any(outer.anchor == event.anchor for outer in self.open):
            raise _fault(event, f"*{shown(event.anchor)} stands within what it names", "write out what is meant")
        size, depth = self.known.get(event.anchor, _Weight(0, 0))  # PyYAML tells an undefined one
        self.size += size
        self._end(None, size, depth)

    def _limit(self, event: Any) -> None:
        if self.documents > 1:
            raise _fault(event, "a second YAML document begins here", "keep one document in the file")
        if len(self.open) + (self.open[-1].depth - 1 if self.open else 0) > MAX_DEPTH:
            raise _fault(event, f"nested more than {MAX_DEPTH} levels deep", "no request needs this")
        if self.nodes > MAX_NODES:
            raise _fault(event, f"more than {MAX_NODES:,} values", "cut the file down")
        if self.aliases > MAX_ALIASES:
            raise _fault(event, f"more than {MAX_ALIASES:,} aliases", "write out what they name")
        if self.size > self.most:
            raise _fault(event, f"aliases make the text more than {MAX_EXPANSION} times as long", "use fewer of them")


def _fault(event: Any, message: str, hint: str) -> Fault:
    return Fault(event.start_mark.index, message, hint)
