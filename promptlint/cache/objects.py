"""Explicit cache objects (Gemini): what a request names is read whole; what it holds itself is reused at best effort.

Sources: docs.cloud.google.com/gemini-enterprise-agent-platform/models/context-cache/context-cache-overview; the Python
package google-genai 3.6.1.
"""

from promptlint.prompt import Path, Request

_FIELDS = ("cachedContent", "cached_content")
_IN_OBJECT = ("toolConfig", "tool_config")


def handle(request: Request) -> str | None:
    """The name of the object that a request reads, None if it names none."""
    named = (request.settings.get((*request.path, field)) for field in _FIELDS)
    return next((name for name in named if isinstance(name, str) and name), None)


def gone(a: Request, b: Request) -> bool:
    """Whether the second request does not read the object that the first one read, whose size neither tells."""
    return handle(a) is not None and handle(a) != handle(b)


def beside(request: Request) -> Path | None:
    """The first field of the request that belongs into the object that it reads; None if there is none, or no object.

    Source: the Python package google-genai 3.6.1; an API rule, of middling certainty.
    """
    if handle(request) is None:
        return None
    held = [item.path for item in request.items if item.level != "messages"]
    held += [path for path in request.settings if path[: len(request.path)] == request.path and _is_config(path)]
    return held[0] if held else None


def _is_config(path: Path) -> bool:
    return any(step in _IN_OBJECT for step in path)


def why(handle_a: str | None, handle_b: str | None) -> str:
    """What is read, as a sentence."""
    rest = "the longest equal prefix may be reused; the provider gives no guarantee"
    if handle_b is None and handle_a is None:
        return rest
    if handle_b is None:
        return f"the second does not read the object {handle_a}; how much it held is not told"
    if handle_a == handle_b:
        return f"both read the whole object {handle_b}; of what follows it, {rest}"
    if handle_a is not None:
        return f"the second reads another object, {handle_b}; how much the old one held is not told"
    return f"the second reads the whole object {handle_b}; of what follows it nothing can be reused"
