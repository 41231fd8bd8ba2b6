"""Delimited sections: `<context>…</context>` around or beside the text of a message or of a system prompt."""

import re

_SECTION = r"(?s)\s*<(?P<tag>[A-Za-z][\w.-]*)(?:\s[^<>]*)?>.*</(?P=tag)>\s*"
_TAG = r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?>"
_TURN_NAMES = (
    r"(?i)"
    r"context|memor|retriev|document|search|result|facts?$|todo|task|state|remind|recent|passage|snippet|source|"
    r"knowledge|attach|selection|open_?files|environment|user_?info|now$|history|notes?$"
)
_THINKING = ("think", "thinking", "thought", "reasoning")
_DEEPEST = 32  # sections within sections; deeper ones are not looked at, so that the time stays linear
_LEAST = 40  # characters of plain text around a message that count as a wrapper without a tag or a line of its own
_WORDS = 12  # characters of a message below which it may stand in another one by chance


def is_context_section(text: str) -> bool:
    """Whether a text is one tagged section from end to end."""
    return re.fullmatch(_SECTION, text) is not None


def unwrapped(old: str, new: str) -> tuple[str, str] | None:
    """The label and words for one text that is the other with a wrapper or whole sections around it."""
    longer, shorter, verb = (old, new, "lost") if len(old) > len(new) else (new, old, "gained")
    core = shorter.strip()
    if not core or core == longer.strip():
        return None
    if verb == "lost" and _without_thinking(longer).strip() == core:
        return "reasoning-dropped", "the thinking inside an earlier message is gone"
    at = longer.find(core)
    if at >= 0 and _is_wrapper(longer[:at], longer[at + len(core) :], len(core)):
        size = len(longer) - len(core)
        return "history-rewrapped", f"the message {verb} a wrapper of {size:,} characters around its text"
    if _outside_sections(longer).strip() == core:
        return "history-rewrapped", f"the message {verb} tagged sections; the text between them is equal"
    return None


def _without_thinking(text: str) -> str:
    """The text without `<think>…</think>`."""
    kept, at = [], 0
    for start, end in thinking_ranges(text):
        kept.append(text[at:start])
        at = end
    return "".join((*kept, text[at:]))


def thinking_ranges(text: str) -> list[tuple[int, int]]:
    """Where `<think>…</think>` stands in a text, tags included, in order and without overlap."""
    found: list[tuple[int, int]] = []
    for tag in _THINKING:
        at = 0
        while (start := text.find(f"<{tag}>", at)) >= 0 and (end := text.find(f"</{tag}>", start)) >= 0:
            at = end + len(tag) + 3
            found.append((start, at))
    ranges: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if not ranges or start >= ranges[-1][1]:
            ranges.append((start, end))
    return ranges


def _is_wrapper(before: str, after: str, size: int) -> bool:
    """Text around a message that stands apart from it: tags, whole lines, or simply much of it."""
    if len(before) + len(after) >= _LEAST and size >= _WORDS:
        return (not before or not before[-1].isalnum()) and (not after or not after[0].isalnum())
    apart_before = not before.strip() or before.rstrip(" ").endswith(("\n", ">", ":"))
    apart_after = not after.strip() or after.lstrip(" ").startswith(("\n", "<"))
    return bool((before + after).strip()) and apart_before and apart_after


def _outside_sections(text: str) -> str:
    """The text without its tagged sections."""
    for _ in range(_DEEPEST):
        shorter = re.sub(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>[^<>]*</\1>", "", text)
        if shorter == text:
            break
        text = shorter
    return text


def turn_section(text: str, start: int, end: int) -> str:
    """The name of the innermost tagged section around `start:end` if it says that it holds what one turn needs."""
    stack: list[str] = []
    for match in re.compile(_TAG).finditer(text, 0, start):
        closing, name = match[1], match[2]
        if not closing:
            stack.append(name)
            if len(stack) > _DEEPEST:
                return ""
        elif name in stack:
            while stack.pop() != name:
                pass
    for name in reversed(stack):
        if text.find(f"</{name}>", end) >= 0:
            return name if re.search(_TURN_NAMES, name) else ""
    return ""
