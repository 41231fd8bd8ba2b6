"""Explicit cache objects (Gemini): what a request names is read whole; what it holds itself is reused at best effort.

Sources: docs.cloud.google.com/gemini-enterprise-agent-platform/models/context-cache/context-cache-overview; the Python
package google-genai 3.6.1.
"""

from promptlint.prompt import Request

_FIELDS = ("cachedContent", "cached_content")


def handle(request: Request) -> str | None:
    """The name of the object that a request reads, None if it names none."""
    named = (request.settings.get((*request.path, field)) for field in _FIELDS)
    return next((name for name in named if isinstance(name, str) and name), None)


def why(handle_a: str | None, handle_b: str | None) -> str:
    """What is read, as a sentence."""
    rest = "the longest equal prefix may be reused; the provider gives no guarantee"
    if handle_b is None:
        return rest
    if handle_a == handle_b:
        return f"both read the whole object {handle_b}; of what follows it, {rest}"
    return f"the second reads the whole object {handle_b}; of what follows it nothing can be reused"
