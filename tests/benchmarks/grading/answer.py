"""What a tool said about a pair, in the few words that the grades need."""

from typing import NamedTuple

WARNING = ("warning", "error")

# Labels that state that no byte of the prompt differs where the first one still runs, or that speak of markers.
NO_DIFFERENCE = {"turn-appended", "body-form-only", "content-shape", "request-only-setting", "block-granularity"}


class Spot(NamedTuple):
    """One side of a difference."""

    pointer: str
    atom: str
    char: int
    byte: int


class Said(NamedTuple):
    """One difference that the tool reported."""

    cause: str
    level: str  # tools, system, messages or settings
    severity: str
    certainty: str
    message: str
    a: Spot
    b: Spot
    also: tuple[str, ...] = ()  # pointers of further places with the same cause

    def touches(self, pointer: str) -> bool:
        """Say whether either side lies at or below a pointer."""
        return any(at == pointer or at.startswith(pointer + "/") for at in (self.a.pointer, self.b.pointer))


class Answer(NamedTuple):
    """Everything that is graded. `changes` in prompt order."""

    changes: tuple[Said, ...]
    verdict: str | None
    lost_tokens: int | None
    warnings: tuple[str, ...]  # causes of findings at warning level or above
    text: str  # what a user reads

    def texts(self) -> tuple[Said, ...]:
        """Give the changes that claim a difference of the prompt's text, first to last."""
        return tuple(said for said in self.changes if said.level != "settings" and not _is_form(said.cause))


def _is_form(cause: str) -> bool:
    return cause in NO_DIFFERENCE or cause == "below-minimum" or cause.startswith("marker-")
