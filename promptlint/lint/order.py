"""Another order of a template: what stays first, what varies by session, then by request. Nothing else is changed.

Models weigh what stands near the end of a prompt; so what is moved in front may be restated, in a line, behind the
breakpoint. What varies is never moved in front of what stays.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from promptlint.errors import PromptlintError
from promptlint.lint.chunks import REQUEST, SESSION, STAYS, Chunk, chunks
from promptlint.lint.paragraphs import word_of
from promptlint.lint.stranded import FEW
from promptlint.lint.subject import TemplateSubject
from promptlint.lint.variables import guess
from promptlint.lint_facts import Suggestion
from promptlint.template import Hole, Template

_TAG = r"</?[A-Za-z][\w.-]{0,60}>"
_MOST = 3  # headings and the like in a row that go with what varies
_NOTE = (
    "models weigh what stands near the end: a rule that now stands ahead of the question and must be close to it can "
    "be restated there, in a line behind the breakpoint"
)


def suggest(subject: TemplateSubject, path: str) -> Suggestion | None:
    """The template in a better order; None where there is none, or none that is surely the same text.

    A chat template has none: it prints a conversation in its order. `path`: as the suggestion names it.
    """
    template = subject.template
    text = template.files[0].text
    if template.is_chat or any(word_of(text[t.start : t.end]) == "extends" for t in template.tags if t.file == 0):
        return None
    found = chunks(subject)
    if not found or not any(chunk.tier for chunk in found):
        return None
    given = _with_tail(_runs(_joined(found)))
    ordered = _ordered(given)
    saved = _saved(given)
    if saved < FEW or ordered == given or not _keeps_names(template, given, ordered):
        return None
    written = _text(ordered, text)
    if not _is_same(template, written):
        return None
    note = _NOTE if _overtakes(subject, given) else ""
    return Suggestion(path, written, saved, tuple(_moves(given)), note)


def _joined(found: Sequence[Chunk]) -> list[Chunk]:
    """A heading, a label or a tag in front of what varies goes with it, and so do what closes it and the gap behind."""
    done: list[Chunk] = []
    closed = 0
    for chunk in found:
        follows = done and done[-1].tier and not chunk.tier and not chunk.mark and closed < _MOST
        if follows and (_closes(chunk.text) or (not chunk.text.strip() and _begins(done))):
            done[-1] = _both(done[-1], chunk)
            closed += 1
            continue
        closed = 0
        for _ in range(_MOST if chunk.tier else 0):
            if done and not done[-1].tier and not done[-1].mark and _opens(done[-1].text):
                chunk = _both(done.pop(), chunk)
        done.append(chunk)
    return done


def _opens(text: str) -> bool:
    line = text.strip()
    if "\n" in line or "{" in line or not line:
        return False
    is_label = line.endswith((":", "\uff1a")) or (line.startswith("**") and line.endswith("**"))
    return is_label or line.startswith("#") or (line[1] != "/" and re.fullmatch(_TAG, line) is not None)


def _closes(text: str) -> bool:
    line = text.strip()
    return line.startswith("</") and re.fullmatch(_TAG, line) is not None


def _begins(done: list[Chunk]) -> bool:
    """Whether the last of the chunks is a paragraph of its own."""
    return len(done) == 1 or not done[-2].text.strip() or done[-2].text.endswith(("\n\n", "\n\r\n"))


def _both(one: Chunk, other: Chunk) -> Chunk:
    dearest = max(one, other, key=lambda chunk: chunk.tier)
    lines = one.lines._replace(last=other.lines.last, end=other.lines.end)
    return Chunk(
        lines,
        one.text + other.text,
        dearest.tier,
        one.tokens + other.tokens,
        dearest.why,
        one.asks or other.asks,
        one.mark or other.mark,
    )


def _runs(found: list[Chunk]) -> list[Chunk]:
    """A short run of what stays behind what varies, such as `Answer:`, stays there."""
    done: list[Chunk] = []
    run: list[Chunk] = []
    tier = STAYS
    for chunk in found:
        if chunk.tier == STAYS and not chunk.mark:
            run.append(chunk)
            continue
        done += _kept_with(run, tier)
        done.append(chunk)
        run, tier = [], STAYS if chunk.mark else chunk.tier
    return done + _kept_with(run, tier)


def _kept_with(run: list[Chunk], tier: int) -> list[Chunk]:
    short = tier != STAYS and sum(chunk.tokens for chunk in run) < FEW
    return [chunk._replace(tier=tier) for chunk in run] if short else run


def _with_tail(found: list[Chunk]) -> list[Chunk]:
    """The last lines with a value of which nothing is known: more often the question than not, they stay last."""
    tokens, first = 0, len(found)
    for number in range(len(found) - 1, -1, -1):
        tokens += found[number].tokens
        if tokens >= FEW or found[number].mark:
            break
        if found[number].asks:
            first = number
    return [*found[:first], *(chunk._replace(tier=max(chunk.tier, REQUEST)) for chunk in found[first:])]


def _mark(found: list[Chunk]) -> int | None:
    """The number of the chunk with the breakpoint."""
    return next((number for number, chunk in enumerate(found) if chunk.mark), None)


def _ordered(found: list[Chunk]) -> list[Chunk]:
    """By how often they change; what varies by request goes behind the breakpoint, the rest behind that stays there."""
    mark = _mark(found)
    ahead = sorted(found[:mark], key=lambda chunk: chunk.tier)
    if mark is None:
        return ahead
    kept = [chunk for chunk in ahead if chunk.tier != REQUEST]
    return [*kept, found[mark], *ahead[len(kept) :], *found[mark + 1 :]]


def _saved(found: list[Chunk]) -> int:
    """Tokens of fixed text that more requests would share."""
    mark = _mark(found)
    ahead = found[:mark]
    first = next((number for number, chunk in enumerate(ahead) if chunk.tier), len(ahead))
    if mark is not None and any(chunk.tier == REQUEST for chunk in ahead):
        first = 0  # the entry at the breakpoint is never read
    return sum(chunk.tokens for chunk in ahead[first:] if chunk.tier == STAYS)


def _keeps_names(template: Template, found: list[Chunk], ordered: list[Chunk]) -> bool:
    """Whether the lines that set or use a name which the template sets stand in the same order."""
    text = template.files[0].text
    tags = [text[tag.start : tag.end] for tag in template.tags if tag.file == 0]
    names = set()
    for tag in tags:
        if word_of(tag) in ("set", "macro", "import", "from"):
            names.update(re.findall(r"\w+", tag.partition("=")[0]))
    if not names:
        return True
    holes = {part.range for part in template.parts if isinstance(part, Hole)}
    starts = [chunk.lines.start for chunk in found]
    using = set()
    for one in (*template.tags, *holes):
        if one.file == 0 and names.intersection(re.findall(r"\w+", text[one.start : one.end])):
            using.add(found[bisect_right(starts, one.start) - 1].lines.first)

    def order(chunks: list[Chunk]) -> list[int]:
        return [chunk.lines.first for chunk in chunks if chunk.lines.first in using]

    return order(found) == order(ordered)


def _moves(found: list[Chunk]) -> Iterator[str]:
    """What varies and now stands behind what stood behind it."""
    mark = _mark(found)
    ahead = found if mark is None else found[:mark]
    for tier in (SESSION, REQUEST):
        lower = [chunk.lines.last for chunk in ahead if chunk.tier < tier]
        last = found[mark].lines.last if mark is not None and tier == REQUEST else max(lower, default=0)
        for chunk in ahead:
            if chunk.tier == tier and chunk.why and chunk.lines.first < last:
                first, end = chunk.lines.first + 1, chunk.lines.first + chunk.text.rstrip().count("\n") + 1
                lines = f"line {first}" if end == first else f"lines {first}-{end}"
                yield f"{lines} ({chunk.why}) behind line {last}"


def _text(ordered: list[Chunk], text: str) -> str:
    feed = "\r\n" if "\r\n" in text else "\n"
    parts = [chunk.text if chunk.text.endswith("\n") else chunk.text + feed for chunk in ordered]
    written = "".join(parts)
    return written if text.endswith("\n") else written.removesuffix(feed)


def _overtakes(subject: TemplateSubject, found: list[Chunk]) -> bool:
    """Whether fixed text stood behind the question, or behind text that was chosen for it."""
    for number, chunk in enumerate(found[: _mark(found)]):
        known = guess(chunk.why, subject.variables)
        if chunk.tier == REQUEST and known is not None and known.cause == "per-turn-context":
            return any(later.tier == STAYS and later.tokens for later in found[number + 1 :])
    return False


def _is_same(template: Template, written: str) -> bool:
    """Whether the new text parses and prints the same values and lines, in whatever order."""
    from promptlint.load.jinja import read_template

    try:
        old, new = (read_template(template.name, text, (), chat=False) for text in (template.files[0].text, written))
    except PromptlintError:
        return False
    return _printed(old) == _printed(new)


def _printed(template: Template) -> Counter[str]:
    """The values and the words of the text, each with how often it is printed."""
    text = template.files[0].text
    found = Counter[str]()
    for part in template.parts:
        if isinstance(part, Hole):
            found[f"{text[part.range.start : part.range.end]} {part.names} {part.when}"] += 1
        else:
            found.update(f"{word} {part.when}" for word in part.text.split())
    return found
