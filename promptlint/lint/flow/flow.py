"""What the data flow finds: a change that reaches a prompt."""

from typing import Literal, NamedTuple

from promptlint.lint.flow.values import At, Change

Slot = Literal["tools", "system", "messages", "cache_key", "marker"]
"""Where it arrives; "marker": what arrives is no change, but a cache marker on each of many blocks."""


class Flow(NamedTuple):
    """A change that reaches the part of a prompt that later requests would read from the cache."""

    change: Change
    slot: Slot
    into: At  # the call, the list or the answer in which the prompt is seen
    where: str  # what that is, for a sentence: "client.messages.create()", "the answer of system_prompt()"
    certain: bool  # a known call takes it; else only names and texts say that it is a prompt
    behind: str = ""  # the fixed text that is known to follow it in the prompt
    also: tuple[At, ...] = ()  # other expressions that put the same change into the same part
    more: bool = True  # the conversation, tools or the like follow as well; else `behind` is all that is lost
