"""Prefix caching in slots, as the server of llama.cpp does it.

A slot holds the tokens of the last request that it served; the next one that it serves reuses the common prefix, to the
token, except the last token of its prompt. What a slot is about to lose is kept in host memory and may come back.

Source: llama.cpp tools/server/{server-context,server-task}.cpp. Not modelled: checkpoints of models with sliding
windows or recurrent state, which must resume from one; `--cache-reuse`; context shift; how much host memory there is.
"""

from collections.abc import Sequence
from typing import NamedTuple

from promptlint.cache.prefix import common_length
from promptlint.errors import PromptlintError

SIMILARITY = 0.1  # --slot-prompt-similarity
_LOST = 0.5  # a slot that would keep a smaller part of its tokens is saved to host memory first
_WORTH_LOADING = 0.25  # smallest part of an entry of the host memory that must be of use


class Slot:
    """One place for a sequence. `tokens`: what is computed; `used`: when it was released last, -1 for never."""

    def __init__(self) -> None:
        self.tokens: tuple[int, ...] = ()
        self.used = -1
        self.busy = False


class Started(NamedTuple):
    """A request that got a slot."""

    slot: int
    reused_tokens: int


class Slots:
    """The slots of a server.

    `host_memory`: `--cache-ram` is not 0. `unified`: slots share one buffer (`--kv-unified`, and without `--parallel`),
    so that idle ones are moved to host memory when a request starts.
    """

    def __init__(
        self, count: int = 1, *, similarity: float = SIMILARITY, host_memory: bool = True, unified: bool = False
    ) -> None:
        if count < 1 or not 0 <= similarity <= 1:
            raise PromptlintError(
                f"no server has {count} slots and a similarity of {similarity}",
                "take 1 slot or more, and a part of the prompt between 0 and 1",
            )
        self.slots = [Slot() for _ in range(count)]
        self.host: list[tuple[int, ...]] = []  # oldest first
        self._similarity = similarity
        self._host_memory = host_memory
        self._unified = unified
        self._clock = 0

    def start(self, prompt: Sequence[int], *, slot: int | None = None, cache_prompt: bool = True) -> Started | None:
        """Choose a slot, or take the one that the request names; None if it is busy. `prompt` is not empty."""
        tokens = tuple(prompt)
        if not tokens or (slot is not None and not 0 <= slot < len(self.slots)):
            raise PromptlintError(
                f"no request of {len(tokens)} tokens can start in slot {slot}",
                f"send 1 token or more, to a slot from 0 to {len(self.slots) - 1}",
            )
        chosen, saves = self._choose(tokens, slot)
        if chosen is None or self.slots[chosen].busy:
            return None
        place = self.slots[chosen]
        if saves and self._host_memory:
            self._save(place)
            self._load(place, tokens)
        shared = common_length(place.tokens, tokens) if cache_prompt else 0
        reused = min(shared, len(tokens) - 1)
        place.tokens, place.busy = tokens, True
        self._retire_idle()
        return Started(chosen, reused)

    def finish(self, slot: int, output: Sequence[int] = ()) -> None:
        """The request is done. Its last token of output was sampled, but never computed."""
        place = self.slots[slot]
        self._clock += 1
        place.tokens += tuple(output[:-1])
        place.used, place.busy = self._clock, False

    def _choose(self, tokens: tuple[int, ...], wanted: int | None) -> tuple[int | None, bool]:
        """The slot, and whether it loses much."""
        best, similarity = wanted, 0.0
        if self._similarity:
            for number, slot in enumerate(self.slots):
                if slot.busy or not slot.tokens or wanted not in (None, number):
                    continue
                part = common_length(slot.tokens, tokens) / len(tokens)
                if part > similarity and part > self._similarity:
                    best, similarity = number, part
            if best is not None:
                held = len(self.slots[best].tokens)
                return best, held > 0 and similarity * len(tokens) / held < _LOST
        if best is not None:
            return best, False
        free = [number for number, slot in enumerate(self.slots) if not slot.busy]
        # Of slots that were never used the last one is taken.
        return min(free, key=lambda number: (self.slots[number].used, -number), default=None), True

    def _save(self, slot: Slot) -> None:
        if not slot.tokens or any(common_length(slot.tokens, entry) == len(slot.tokens) for entry in self.host):
            return
        self.host = [entry for entry in self.host if common_length(entry, slot.tokens) < len(entry)]
        self.host.append(slot.tokens)

    def _load(self, slot: Slot, tokens: tuple[int, ...]) -> None:
        """Give the slot an entry that is of more use, and keeps more of itself, than what it holds."""
        shared = common_length(slot.tokens, tokens)
        best = None
        kept = shared / len(slot.tokens) if slot.tokens else -1.0
        for entry in self.host:
            of_use = common_length(entry, tokens)
            part = of_use / len(entry)
            if part >= _WORTH_LOADING and part > kept and of_use > shared:
                best, kept, shared = entry, part, of_use
        if best is not None:
            self.host.remove(best)
            slot.tokens = best

    def _retire_idle(self) -> None:
        """A request has started: what idle slots hold is copied to host memory, or moved there."""
        if not self._host_memory:
            return
        for slot in self.slots:
            if not slot.busy:
                self._save(slot)
                if self._unified:
                    slot.tokens = ()
