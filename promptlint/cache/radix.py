"""Prefix caching in a tree of tokens, as SGLang does it.

An edge holds a run of tokens; two prompts share the edges of their common prefix, cut at whole pages. A lookup that
ends inside an edge splits it. What no running request uses is evicted a whole leaf at a time, in a policy's order.

Sources: sglang/srt/mem_cache/{radix_cache,evict_policy}.py of 0.5.23. Not modelled: prompts inserted in several chunks,
`tlru`, EAGLE's pairs of tokens, tiers beyond the accelerator.
"""

import heapq
import sys
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from promptlint.cache.prefix import common_length
from promptlint.errors import PromptlintError
from promptlint.read.names import nearest


class Node:
    """Tokens of an edge and what lies behind them."""

    __slots__ = ("children", "created", "hits", "locks", "parent", "priority", "tokens", "used")

    def __init__(self, tokens: tuple[int, ...], parent: "Node | None", now: int, priority: int, hits: int = 0) -> None:
        self.tokens = tokens
        self.parent = parent
        self.children: dict[Hashable, Node] = {}  # by their first page
        self.locks = 0  # requests that use it
        self.hits = hits  # insertions that passed it, the first included
        self.priority = priority
        self.used = self.created = now


_SLRU_PROTECTED = 2  # hits; sglang/srt/mem_cache/evict_policy.py

POLICIES: dict[str, Callable[[Node], tuple[int, ...]]] = {
    "lru": lambda node: (node.used,),
    "lfu": lambda node: (node.hits, node.used),
    "slru": lambda node: (node.hits >= _SLRU_PROTECTED, node.used),
    "fifo": lambda node: (node.created,),
    "mru": lambda node: (-node.used,),
    "filo": lambda node: (-node.created,),
    "priority": lambda node: (node.priority, node.used),
}
"""What a leaf is judged by: the lowest is evicted first."""


class Served(NamedTuple):
    """What one request met."""

    reused_tokens: int
    evicted_tokens: int
    known_tokens: int  # of the prompt that was inserted


class RadixCache:
    """A tree of at most `capacity` tokens (None: no limit). Raises PromptlintError for a policy that is none."""

    def __init__(self, capacity: int | None = None, page_size: int = 1, policy: str = "lru") -> None:
        if page_size < 1:
            raise PromptlintError(f"no page has {page_size} tokens", "take 1 or more")
        if policy not in POLICIES:
            close = nearest(policy, list(POLICIES))
            hint = f"did you mean {close}?" if close else f"take one of {', '.join(POLICIES)}"
            raise PromptlintError(f"unknown eviction policy {policy!r}", hint)
        self.capacity = capacity
        self.page_size = page_size
        self.evictable = 0  # tokens that no request uses
        self.total = 0  # tokens
        self._priority = POLICIES[policy]
        self._clock = 0
        self._leaves: set[Node] = set()  # those that may be evicted
        self._changed: set[Node] = (
            set()
        )  # nodes that are judged otherwise than when the heap was last brought up to date
        self._heap: list[tuple[tuple[int, ...], int, Node]] = []  # the leaves as they were judged then, and earlier
        self._roots: dict[Hashable, Node] = {}

    def serve(self, tokens: Sequence[int], namespace: Hashable = None, priority: int = 0) -> Served | None:
        """One request after another: look up, make room, insert. None if there is no room for all of it.

        `namespace`: adapter, salt or `extra_key`; prompts of different ones share nothing.
        """
        reused, node = self.match(tokens[: len(tokens) - 1], namespace)  # the last token is always computed
        size = len(self._pages(tokens))  # what is left of it once it is done; the rest of its last page is given back
        if self.capacity is not None and size > self.capacity:
            return None
        self.lock(node)
        needed = 0 if self.capacity is None else max(self.total + size - reused - self.capacity, 0)
        evicted = self.evict(needed)
        room = evicted >= needed
        known = self.insert(tokens, namespace, priority) if room else 0
        self.unlock(node)
        return Served(reused, evicted, known) if room else None

    def match(self, tokens: Sequence[int], namespace: Hashable = None) -> tuple[int, Node]:
        """Length of the known prefix in whole pages, and its last node. Counts as a use."""
        pages = self._pages(tokens)
        node = self._root(namespace)
        now = self._now()
        start = 0
        while start < len(pages):
            child = node.children.get(self._first_page(pages, start))
            if child is None:
                break
            child.used = now
            self._changed.add(child)
            shared = self._shared(child, pages, start)
            start += shared
            node = child if shared == len(child.tokens) else self._split(child, shared)
            if node is not child:
                break
        return start, node

    def insert(self, tokens: Sequence[int], namespace: Hashable = None, priority: int = 0) -> int:
        """Add a prompt; the number of its tokens that were there before."""
        pages = self._pages(tokens)
        node = self._root(namespace)
        now = self._now()
        start = 0
        while start < len(pages):
            child = node.children.get(self._first_page(pages, start))
            if child is None:
                self._add(node, pages[start:], self._first_page(pages, start), priority)
                return start
            child.used = now
            self._changed.add(child)
            shared = self._shared(child, pages, start)
            node = child if shared == len(child.tokens) else self._split(child, shared)
            node.priority = max(node.priority, priority)
            node.hits += 1
            start += shared
        return start

    def lock(self, node: Node) -> None:
        """Keep a node and all in front of it while a request uses them."""
        while node.parent is not None:
            if node.locks == 0:
                self.evictable -= len(node.tokens)
            node.locks += 1
            self._review(node)
            node = node.parent

    def unlock(self, node: Node) -> None:
        """Undo one `lock`."""
        while node.parent is not None:
            node.locks -= 1
            if node.locks == 0:
                self.evictable += len(node.tokens)
            self._review(node)
            node = node.parent

    def evict(self, needed: int) -> int:
        """Evict leaves until `needed` tokens are free or no leaf is left; the tokens that became free, often more."""
        if needed <= 0:
            return 0
        self._judge()
        evicted = 0
        while evicted < needed and self._leaves:
            judged, _, leaf = heapq.heappop(self._heap)
            if leaf not in self._leaves or judged != self._priority(leaf):
                continue  # an old judgement; if it is still a leaf, the new one lies in the heap, too
            parent = leaf.parent
            assert parent is not None
            del parent.children[self._first_page(leaf.tokens, 0)]
            self._leaves.remove(leaf)
            evicted += len(leaf.tokens)
            self._review(parent)
            self._judge()
        self.evictable -= evicted
        self.total -= evicted
        return evicted

    def nodes(self) -> list[tuple[int, Node]]:
        """Every node with the number of tokens in front of it."""
        found, stack = [], [(0, child) for root in self._roots.values() for child in root.children.values()]
        while stack:
            depth, node = stack.pop()
            found.append((depth, node))
            stack += [(depth + len(node.tokens), child) for child in node.children.values()]
        return found

    def _judge(self) -> None:
        """Bring the heap up to date. A heap of all leaves for every eviction would cost a thousand times as much."""
        for node in self._changed & self._leaves:
            heapq.heappush(self._heap, (self._priority(node), node.created, node))
        self._changed.clear()
        if len(self._heap) > 2 * len(self._leaves) + 1000:
            self._heap = [(self._priority(node), node.created, node) for node in self._leaves]
            heapq.heapify(self._heap)

    def _now(self) -> int:
        self._clock += 1
        return self._clock

    def _pages(self, tokens: Sequence[int]) -> tuple[int, ...]:
        return tuple(tokens[: len(tokens) // self.page_size * self.page_size])

    def _first_page(self, tokens: tuple[int, ...], start: int) -> Hashable:
        return tokens[start : start + self.page_size]

    def _root(self, namespace: Hashable) -> Node:
        if namespace not in self._roots:
            self._roots[namespace] = Node((), None, self._now(), -sys.maxsize)
        return self._roots[namespace]

    def _shared(self, node: Node, tokens: tuple[int, ...], start: int) -> int:
        return common_length(node.tokens, tokens, start) // self.page_size * self.page_size

    def _split(self, node: Node, length: int) -> Node:
        """A new node in front of `node` for its first tokens. It counts as used later than `node`."""
        front = Node(node.tokens[:length], node.parent, self._now(), node.priority, node.hits)
        front.locks = node.locks
        assert node.parent is not None
        node.parent.children[self._first_page(node.tokens, 0)] = front
        node.tokens, node.parent = node.tokens[length:], front
        front.children[self._first_page(node.tokens, 0)] = node
        return front

    def _add(self, parent: Node, tokens: tuple[int, ...], page: Hashable, priority: int) -> None:
        node = parent.children[page] = Node(tokens, parent, self._now(), priority, hits=1)
        self.evictable += len(tokens)
        self.total += len(tokens)
        self._review(parent)
        self._review(node)

    def _review(self, node: Node) -> None:
        """Whether a node may be evicted has perhaps changed."""
        if node.parent is None or node.locks or node.children:
            self._leaves.discard(node)
        else:
            self._leaves.add(node)
            self._changed.add(node)
