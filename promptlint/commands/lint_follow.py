"""Which earlier request of a log, a batch or recorded traffic a request follows."""

from collections.abc import Hashable, Iterator
from itertools import takewhile
from typing import Literal, NamedTuple

from promptlint.prompt import Rendered, RenderedItem

Kin = Literal["conversation", "beginning"]
"""Whether a request goes on with the conversation of the other, or only has its tools or system text."""

_KEPT = 8 << 20  # bytes of prompts that are kept to be compared; older ones are given up
_FEW = 4  # prompts that are kept, however long they are
_LONG_ENOUGH = 12  # characters of a message that are known again in another one
_TAIL = 200  # characters at the end of a system text by which two of them are known to be versions of one


class Follows(NamedTuple):
    """The request (its number, from 0) that another one follows."""

    number: int
    kin: Kin


class _Seen(NamedTuple):
    """What is kept of a request."""

    size: int
    conversation: int
    items: tuple[int, ...]  # a hash of each item
    system: str
    messages: frozenset[int]
    newest: str  # the text of the last item


class Followed:
    """The requests of one format so far, in the order in which they were sent."""

    def __init__(self) -> None:
        self._seen: dict[int, _Seen] = {}
        self._size = 0
        self._owner: dict[int, int] = {}  # the hash of a message -> the conversation that had it first
        self._latest: dict[int, int] = {}  # a conversation -> its latest request
        self._whole: dict[int, int] = {}  # the hash of a whole request -> its number
        self._beginning: dict[Hashable, int] = {}  # tools or system text -> the latest request that has them

    def add(self, number: int, prompt: Rendered) -> tuple[Follows | None, list[int]]:
        """Which request it follows, if any; and the numbers of those that are given up from now on."""
        items = tuple(hash(item.text) for item in prompt.items)
        system = "".join(item.text for item in prompt.items if item.item.level == "system")
        messages = {hash(item.text): item for item in prompt.items if item.item.level == "messages"}
        whole, length = self._continued(items)
        conversation = self._conversation(messages) if whole is None else self._seen[whole].conversation
        found = None
        if conversation is not None:
            last = self._latest[conversation]
            found = _kin(last, self._seen[last], items, whole, length)
            if found is not None and found.number == last and not _one(self._seen[last], system, messages):
                found = None
        if conversation is None or found is None:
            found = self._like(prompt, system, items)
            goes_on = found is not None and found.kin == "conversation"
            conversation = self._seen[found.number].conversation if found is not None and goes_on else number
        newest = prompt.items[-1].text if prompt.items else ""
        self._learn(number, _Seen(prompt.size, conversation, items, system, frozenset(messages), newest), prompt)
        return found, self._forget()

    def _like(self, prompt: Rendered, system: str, items: tuple[int, ...]) -> Follows | None:
        """A request of which no message comes back: its only one may be there in another wrapper."""
        near = max((self._beginning.get(key, -1) for key in _beginnings(prompt, system)), default=-1)
        latest = self._seen.get(near if near >= 0 else next(reversed(self._seen), -1))
        if latest is not None and len(items) > len(latest.items) > 0:
            place = len(latest.items) - 1
            item = prompt.items[place]
            if latest.items[:place] == items[:place] and item.item.role == "user" and _is_in(latest.newest, item.text):
                return Follows(self._latest[latest.conversation], "conversation")
        return Follows(near, "beginning") if near in self._seen else None

    def _conversation(self, messages: dict[int, RenderedItem]) -> int | None:
        """The conversation to which most of the text of the messages belongs."""
        votes: dict[int, int] = {}
        for key, item in messages.items():
            owner = self._owner.get(key)
            if owner is not None:
                votes[owner] = votes.get(owner, 0) + len(item.text)
        best = max(votes, key=lambda owner: (votes[owner], self._latest[owner]), default=None)
        return best if best is not None and self._latest[best] in self._seen else None

    def _continued(self, items: tuple[int, ...]) -> tuple[int | None, int]:
        """The longest earlier request that is a beginning of this one, and its items."""
        best, length = None, 0
        for count, key in enumerate(_chain(items), 1):
            number = self._whole.get(key)
            if number in self._seen:
                best, length = number, count
        return best, length

    def _learn(self, number: int, seen: _Seen, prompt: Rendered) -> None:
        self._seen[number] = seen
        self._size += seen.size
        self._latest[seen.conversation] = number
        for key in seen.messages:
            self._owner.setdefault(key, seen.conversation)
        for key in _chain(seen.items):
            whole = key
        if seen.items:
            self._whole[whole] = number
        self._beginning.update(dict.fromkeys(_beginnings(prompt, seen.system), number))

    def _forget(self) -> list[int]:
        gone: list[int] = []
        for number in list(self._seen)[:-_FEW]:
            if self._size <= _KEPT:
                break
            self._size -= self._seen.pop(number).size
            gone.append(number)
        return gone


def _kin(last: int, seen: _Seen, items: tuple[int, ...], whole: int | None, length: int) -> Follows:
    """The latest request of the conversation, or the one that the new request really continues.

    A fork of a conversation (an answer made anew, agents side by side) continues an older request, `whole`, and has
    nothing in common with the latest one from there on; where history is rewritten, what stood behind it comes back.
    """
    equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(seen.items, items, strict=False)))
    asked_anew = equal == len(items) - 1 < len(seen.items)
    fork = length > equal or (length == equal and not seen.messages.intersection(items[equal:]))
    if whole is not None and (fork or asked_anew):
        return Follows(whole, "conversation")
    return Follows(last, "beginning" if asked_anew else "conversation")


def _one(last: _Seen, system: str, messages: dict[int, RenderedItem]) -> bool:
    """Whether two requests that share messages are of one conversation: much of the history, or the system text, is."""
    shared = [messages[key] for key in last.messages.intersection(messages)]
    history = len(shared) > 1 and any(item.item.role != "user" for item in shared)
    return history or _akin(last.system, system)


def _chain(items: tuple[int, ...]) -> Iterator[int]:
    """A hash of each beginning of a request."""
    key = 0
    for item in items:
        key = hash((key, item))
        yield key


def _beginnings(prompt: Rendered, system: str) -> list[Hashable]:
    """By what a request may be known as another version of the same prompt."""
    tools = tuple(sorted(item.item.name or "" for item in prompt.items if item.item.level == "tools"))
    found: list[Hashable] = [("tools", tools)] if tools else []
    return [*found, ("system", system[-_TAIL:]), ("start", system[:_TAIL])] if system else found


def _is_in(old: str, new: str) -> bool:
    """Whether one message holds the other, or most of it."""
    inner, outer = sorted((text.partition("\n")[2].strip() for text in (old, new)), key=len)
    return (len(inner) >= _LONG_ENOUGH and inner in outer) or _akin(old, new)


def _akin(old: str, new: str) -> bool:
    """Whether two system texts are versions of one: equal but for less than half of it, in one stretch."""
    from promptlint.read.raw import common_prefix

    if old == new:
        return True
    head = common_prefix(old, new)
    tail = common_prefix(old[head:][::-1], new[head:][::-1])
    return 2 * (head + tail) > max(len(old), len(new))
