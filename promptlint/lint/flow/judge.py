"""Where in a prompt a change stands, and whether anything is lost behind it."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from promptlint.lint.flow.flow import Flow, Slot
from promptlint.lint.flow.run import Run
from promptlint.lint.flow.scope import Frame
from promptlint.lint.flow.stream import MARKERS, Piece, stream
from promptlint.lint.flow.values import (
    At,
    Change,
    Either,
    Element,
    Fields,
    Plain,
    Several,
    Thing,
    Value,
    changes_in,
    options,
)

_SYSTEM = frozenset({"system", "developer"})
_MOST = 200  # changes of one prompt that are told
_PLACES_OF_MARKERS = frozenset(MARKERS)


class Prompt(NamedTuple):
    """A prompt as one call, list or answer shows it."""

    tools: tuple[Value, ...] = ()
    system: tuple[Value, ...] = ()
    messages: tuple[Value, ...] = ()
    cache_key: tuple[Value, ...] = ()
    marks_itself: bool = False  # the last block is marked by a setting of the request


class Seen(NamedTuple):
    """Where a prompt is seen."""

    into: At
    where: str
    certain: bool
    is_request: bool = True  # it is sent there; else it is only put together


def judge(run: Run, prompt: Prompt, seen: Seen, frame: Frame) -> None:
    """Tell of every change that stands ahead of what later requests would read; note all others as harmless."""
    if not (prompt.tools or prompt.system or prompt.messages or prompt.cache_key):
        return
    run.saw_prompt = True
    found = chain(_beginning(prompt, seen), _conversation(prompt, seen, frame), _keys(prompt, seen))
    flows = list(islice(found, _MOST))
    run.is_cut_off |= len(flows) == _MOST
    flows += _marked(run, prompt, seen, frame) if seen.certain else []
    if seen.certain:
        for slot in (prompt.tools, prompt.system, prompt.messages):
            for value in slot:
                run.judged.update((change.origin, change.at) for change in changes_in(value))
    run.flows += [flow for flow in flows if not (_is_fixed(run, flow.change, seen, frame) or _is_noise(flow))]


def _is_noise(flow: Flow) -> bool:
    """The keys of somebody else's mapping mostly come in one order; arguments of old calls are as they were."""
    return flow.change.weak and flow.change.kind == "unsorted_keys" and flow.slot != "system"


def _is_fixed(run: Run, change: Change, seen: Seen, frame: Frame) -> bool:
    """Whether the requests of a session, or of a process, all have the same one."""
    if change.kind == "marker":
        return False
    if change.frozen:
        return not (frame.is_script and frame.scope.module == 0 and seen.is_request)
    if change.kind in ("unordered", "unspecified_order", "query", "unsorted_keys"):
        return False
    newer = frame.loops[len(change.loops) :]
    return frame.loops[: len(change.loops)] == change.loops and any(loop not in run.retries for loop in newer)


def _beginning(prompt: Prompt, seen: Seen) -> Iterator[Flow]:
    """Changes among the tools and in the system text: all else follows them."""
    tools, system = stream(*prompt.tools), stream(*prompt.system)
    if not any(piece.change is not None for piece in (*tools, *system)):
        return
    marked_messages = prompt.marks_itself or any(piece.kind == "marker" for piece in stream(*prompt.messages))
    pieces = [*tools, *system]
    last = max((number for number, piece in enumerate(pieces) if piece.kind == "marker"), default=None)
    for number, piece in enumerate(pieces):
        if piece.change is None:
            continue
        if last is not None and number > last and not marked_messages:
            continue  # what it moves is not cached at all
        slot: Slot = "tools" if number < len(tools) else "system"
        yield Flow(piece.change, slot, seen.into, seen.where, seen.certain, _fixed(pieces[number + 1 :]))


def _fixed(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces if piece.kind == "text")


def _conversation(prompt: Prompt, seen: Seen, frame: Frame) -> Iterator[Flow]:
    """Changes in messages that others follow."""
    for value in prompt.messages:
        for one in options(value):
            alone = not (prompt.tools or prompt.system)
            if isinstance(one, Several):
                yield from _messages(one, seen, frame, alone)
            elif not isinstance(one, Fields) and alone:
                yield from _message(Element(one), [], seen, True)


def _messages(messages: Several, seen: Seen, frame: Frame, alone: bool) -> Iterator[Flow]:
    """`alone`: nothing stands ahead of the messages. The newest is expected to differ, unless it is all there is."""
    if messages.order is not None:
        yield Flow(messages.order, "messages", seen.into, seen.where, seen.certain)
    for number, item in enumerate(messages.items):
        others = messages.items[number + 1 :]
        grown = len(item.loops) > len(messages.loops) and item.loops == frame.loops[: len(item.loops)]
        if grown and number:
            continue  # it is put in once, and stays as it is
        is_newest = not others and not item.repeated and not (number == 0 and alone)
        if is_newest and not is_system(item.value):
            continue
        yield from _message(item, others, seen, all(is_system(each.value) for each in messages.items[:number]))


def _message(item: Element, others: Sequence[Element], seen: Seen, is_first: bool) -> Iterator[Flow]:
    pieces = stream(item.value)
    changes = [(number, piece.change) for number, piece in enumerate(pieces) if piece.change is not None]
    if not changes:
        return
    leads = is_first and is_system(item.value)
    rest = [piece for other in others for piece in stream(other.value)]
    many = len(others) > 1 or any(other.spread or other.repeated for other in others)
    more = leads or item.repeated or many
    slot: Slot = "system" if leads else "messages"
    for number, change in changes:
        behind = [*pieces[number + 1 :], *rest]
        marked = any(piece.kind == "marker" for piece in behind)
        yield Flow(change, slot, seen.into, seen.where, seen.certain, _fixed(behind), more=more or marked)


def is_system(value: Value) -> bool:
    """Whether a value is a message with the role of the system."""
    for one in options(value):
        fields = one.entries if isinstance(one, Fields) else one.fields if isinstance(one, Thing) else {}
        role = fields.get("role") or fields.get("type")
        if isinstance(one, Several) and len(one.items) == 2:  # LangChain: ("system", text)
            role = one.items[0].value
        if isinstance(role, Plain) and role.text in _SYSTEM:
            return True
    return False


def is_conversation(value: Value) -> bool:
    """Whether a value is a list that begins with a system message."""
    return isinstance(value, Several) and bool(value.items) and is_system(value.items[0].value)


def _keys(prompt: Prompt, seen: Seen) -> Iterator[Flow]:
    for piece in stream(*prompt.cache_key):
        if piece.change is not None and piece.change.kind in ("clock", "identifier", "random_choice", "counter"):
            yield Flow(piece.change, "cache_key", seen.into, seen.where, seen.certain)


def _marked(run: Run, prompt: Prompt, seen: Seen, frame: Frame) -> Iterator[Flow]:
    """A marker on each of a number of blocks that nobody knows."""
    text = run.module(frame.scope.module).text
    used = [marker for marker in MARKERS if marker in text]
    if not used or any(f'pop("{marker}"' in text or f"pop('{marker}'" in text for marker in used):
        return
    known: set[At] = set()
    for value in (*prompt.tools, *prompt.system, *prompt.messages):
        for at in _repeated_markers(run, value, False, 0, frame):
            if at not in known:
                known.add(at)
                change = Change("marker", run.text(at), at, at)
                yield Flow(change, "marker", seen.into, seen.where, seen.certain)


def _repeated_markers(run: Run, value: Value, repeated: bool, depth: int, frame: Frame) -> Iterator[At]:
    if depth > 6:
        return
    match value:
        case Several():
            for item in value.items:
                grown = bool(item.loops) and item.loops == frame.loops[: len(item.loops)]
                again = (repeated or item.repeated) and not grown
                yield from _repeated_markers(run, item.value, again, depth + 1, frame)
        case Fields():
            for key in value.entries:
                marker = value.entries[key]
                if key in _PLACES_OF_MARKERS and key not in value.maybe and repeated and key in value.places:
                    if not isinstance(marker, Either) and not (isinstance(marker, Plain) and marker.is_none):
                        yield value.places[key]
                elif key in ("content", "parts") and key not in value.maybe:
                    yield from _repeated_markers(run, value.entries[key], repeated, depth + 1, frame)
        case _:
            pass
