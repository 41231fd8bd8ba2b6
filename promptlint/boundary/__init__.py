"""Where two prompts stop being equal, and why. This package names differences; it knows no provider."""

from collections.abc import Iterator

from promptlint.boundary.divergence import Divergence
from promptlint.boundary.items import Entries, Level, system_differences, tool_differences
from promptlint.boundary.messages import history_differences
from promptlint.boundary.rebuilt import rebuilt
from promptlint.boundary.repeats import merge
from promptlint.boundary.reshaped import hidden_differences
from promptlint.prompt import Level as LevelName
from promptlint.prompt import Rendered

__all__ = ["Divergence", "text_divergences"]


def text_divergences(a: Rendered, b: Rendered) -> list[Divergence]:
    """Every difference of two rendered prompts of one format, in prompt order, repeats joined to the first."""
    if found := rebuilt(a, b):
        return [found]
    ordered = sorted([*_visible(a, b), *hidden_differences(a, b)], key=lambda d: (d.a_start, d.b_start))
    if any(divergence.cause == "per-turn-context" for divergence in ordered) and not _replayed(a, b):
        ordered = [_without_history(divergence) for divergence in ordered]
    return merge(ordered)


def _visible(a: Rendered, b: Rendered) -> Iterator[Divergence]:
    tools_a, tools_b = _level(a, "tools"), _level(b, "tools")
    if [tool.text for tool in tools_a] != [tool.text for tool in tools_b]:
        yield from tool_differences(a, b, tools_a, tools_b)
    yield from system_differences(a, b, _level(a, "system"), _level(b, "system"))
    yield from history_differences(Level(a, b, _level(a, "messages"), _level(b, "messages")))


def _level(rendered: Rendered, level: LevelName) -> Entries:
    return [item for item in rendered.items if item.item.level == level]


def _replayed(a: Rendered, b: Rendered) -> bool:
    """Whether the second request carries a message of the first again."""
    old = {item.text for item in _level(a, "messages")}
    return any(item.text in old for item in _level(b, "messages"))


def _without_history(divergence: Divergence) -> Divergence:
    """`per-turn-context` needs equal history behind it as evidence."""
    if divergence.cause != "per-turn-context":
        return divergence
    return divergence._replace(cause="history-rewritten" if divergence.level == "messages" else "text-edited")
