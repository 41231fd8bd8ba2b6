"""What rules look at: a request with its prompt and its cache, a template, a source file, two renderings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from promptlint.cache.rule import Rule as CacheRule
from promptlint.config import Stability
from promptlint.facts.providers import Provider
from promptlint.lint.hit import Hit
from promptlint.prompt import AtomKind, Level, Path, Rendered, Request
from promptlint.template import Template

if TYPE_CHECKING:
    from promptlint.lint.flow.flows import Source
    from promptlint.lint.rendering.outcome import RenderedEffects


class PrefixText(NamedTuple):
    """One text of the prompt that later requests are expected to read from the cache."""

    path: Path  # in the document
    atom: AtomKind
    text: str
    char: int  # characters of the prompt in front of it
    level: Level
    role: str | None  # of its message or system text
    item: int  # index of its tool, system text or message in the prompt
    name: str | None  # of its tool


class RequestSubject(NamedTuple):
    """One request, as it would be sent."""

    request: Request
    prompt: Rendered
    provider: Provider
    rule: CacheRule
    cached_end: int  # characters of the prompt that a later request can be expected to read
    explicit: bool  # markers of the author's decide that; else the provider's own rule
    count: Callable[[int], int]  # tokens of the first so many characters of the prompt
    band: str  # how far off they may be, "" where they are exact
    notes: tuple[str, ...]  # what the reading of the document had to say (duplicate keys and the like)

    def texts(self) -> Iterator[PrefixText]:
        """Every text of the prompt, in reading order."""
        separator = len(self.prompt.separator)
        for number, rendered in enumerate(self.prompt.items):
            char, item = rendered.char, rendered.item
            for piece in rendered.pieces:
                if piece.tokens is None:
                    yield PrefixText(piece.path, piece.atom, piece.text, char, item.level, item.role, number, item.name)
                char += len(piece.text) + separator

    def cached_texts(self) -> Iterator[PrefixText]:
        """The texts that begin in the part that a later request can be expected to read."""
        for text in self.texts():
            if text.char >= self.cached_end:
                return
            yield text

    def tokens_behind(self, char: int) -> int:
        """Tokens of the cached part behind a character of the prompt: what is lost if that character moves."""
        return max(self.count(self.cached_end) - self.count(char), 0)


def _not_rendered() -> None:
    """What is known of a template that is not rendered."""


class TemplateSubject(NamedTuple):
    """One template, and what rendering it has shown."""

    template: Template
    variables: Mapping[str, Stability]  # what the configuration declares: a name -> how often it changes
    count: Callable[[str], int]  # tokens of a text
    fixed_tokens: Callable[[], Sequence[int]]  # of the text that each rendering prints: ahead of each part, and of all
    rendered: "Callable[[], RenderedEffects | None]" = _not_rendered  # worked out when first asked; None: --no-render


class SourceSubject(NamedTuple):
    """One source file, and what reaches prompts through it."""

    source: "Source"
    count: Callable[[str], int]  # tokens of a text


class PairChange(NamedTuple):
    """A change between two renderings of one prompt that costs something, and the hit that tells of it."""

    cause: str
    hit: Hit


class PairSubject(NamedTuple):
    """Two renderings of one prompt."""

    changes: tuple[PairChange, ...]


Subject = RequestSubject | TemplateSubject | SourceSubject | PairSubject
