"""Names, addresses and numbers of a user that a marker covers together with a long fixed part."""

from collections.abc import Iterator

from promptlint.cache.reuse import looked_up, size_of
from promptlint.lint.hit import Hit
from promptlint.lint.subject import PrefixText, RequestSubject
from promptlint.lint.volatile.found import Found, fixed_texts, in_argument, place, shown
from promptlint.lint.volatile.people import people

_LONG = 1000  # characters of fixed text that are worth an entry of their own


def check(subject: RequestSubject) -> Iterator[Hit]:
    """The first text of a user, in each text that has one."""
    if not subject.explicit:
        return
    ends = [position.end for position in looked_up(subject.prompt, subject.rule)[0] if position.marker is not None]
    for text in fixed_texts(subject):
        one = next(people(text.text, in_argument(text)), None)
        if one is None or text.char + one.start >= subject.cached_end:
            continue
        at = text.char + one.start
        begin = max((end for end in ends if end <= at), default=0)
        if at - begin >= _LONG and size_of(at, subject.rule, subject.count) != "below":
            yield _hit(subject, text, one, begin)


def _hit(subject: RequestSubject, text: PrefixText, one: Found, begin: int) -> Hit:
    tokens = subject.count(text.char + one.start) - subject.count(begin)
    values = {
        "what": one.what,
        "value": shown(text.text[one.start : one.end]),
        "tokens": f"about {tokens:,}" if subject.band else f"{tokens:,}",
    }
    return Hit(place(text, one), values, lost_tokens=tokens)
