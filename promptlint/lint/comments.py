"""The comments of hosts other than templates, whose reader gives them itself."""

import re
from bisect import bisect_right
from typing import Any, Literal

Range = tuple[int, int]
"""Characters of a text, half-open."""
Host = Literal["json", "yaml", "text"]


def comments_of(text: str, host: Host) -> tuple[Range, ...]:
    """The comments of a YAML document (`#` to the end of the line) or of Markdown and plain text (`<!-- -->`).

    JSON has none. In order; never raises: what is no YAML has none.
    """
    if host == "yaml":
        return tuple(_yaml(text))
    return tuple(_marked(text)) if host == "text" and "<!--" in text else ()


def _yaml(text: str) -> list[Range]:
    from promptlint.read.yaml_nodes import Fault, compose

    try:
        root = compose(text)
    except Fault:
        return []
    scalars = sorted(_scalars(root, text))
    starts = [start for start, _ in scalars]
    found: list[Range] = []
    at, begins, line_end = 0, re.compile(r"(?<!\S)#"), re.compile(r"[\r\n]|\Z")
    while match := begins.search(text, at):
        behind = bisect_right(starts, match.start())
        at = match.end()
        if not behind or scalars[behind - 1][1] <= match.start():
            end = line_end.search(text, at)
            at = end.start() if end else len(text)
            found.append((match.start(), at))
    return found


def _scalars(root: Any, text: str) -> list[Range]:
    """Where the texts of a document stand; one that aliases share stands once. A block begins behind its first line."""
    found, seen, waiting = [], set(), [] if root is None else [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node.value, str):
            start, end = node.start_mark.index, node.end_mark.index
            head = text.find("\n", start, end) if node.style in ("|", ">") else -1
            found.append((max(start, head), end))
        else:
            waiting += [each for item in node.value for each in (item if isinstance(item, tuple) else (item,))]
    return found


def _marked(text: str) -> list[Range]:
    """Comments outside of code: what stands between fences, or right behind a backtick, is shown to a reader."""
    found: list[Range] = []
    fence, at = "", 0
    for match in re.finditer(r"^[ ]{0,3}(`{3,}|~{3,})|(?<!`)<!--", text, re.MULTILINE):
        if match.start() < at:
            continue
        if match[1]:
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence):
                fence = ""
        elif not fence:
            end = text.find("-->", match.end())
            if end < 0:
                break
            at = end + 3
            found.append((match.start(), at))
    return found
