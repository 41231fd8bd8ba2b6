"""`must_mention` of the corpus, as far as a machine can judge it.

Wording is free, so most lines are for a reader. Judged are the lines that hold a JSON path, by one rule, and those
that name something countable, by a predicate of their own. Places must stand on the side of the second request; on
that of the first only where the second has nothing there.
"""

import json
import re
from collections.abc import Callable

from grading.answer import WARNING, Answer, Said
from grading.cases import Case, pointer

Mention = Callable[[Case, Answer], bool]

_JSON_PATH = re.compile(r"\$\.\w+(?:\.\w+|\[\d+\])*")


def judged(case: Case) -> tuple[str, ...]:
    """Give the lines that are judged."""
    return tuple(line for line in case.must_mention if _mention(case, line))


def unmentioned(case: Case, answer: Answer) -> tuple[str, ...]:
    """Name what is judged and what the answer does not say."""
    lines = ((line, _mention(case, line)) for line in case.must_mention)
    return tuple(line for line, holds in lines if holds and not holds(case, answer))


def _mention(case: Case, line: str) -> Mention | None:
    own = OWN.get(case.name[:2], {}).get(line)
    paths = _JSON_PATH.findall(line)
    return own or (_places(*map(pointer, paths)) if paths else None)


def _due(case: Case, answer: Answer) -> tuple[Said, ...]:
    """What counts as saying: where the case asks for a finding, a remark is not enough."""
    return tuple(said for said in answer.changes if said.severity in WARNING or not case.busts)


def _is_below(at: str, above: str) -> bool:
    return at == above or at.startswith(above + "/")


def _is_named(said: Said, wanted: str) -> bool:
    gone = said.b.pointer.endswith("/-") or said.b.pointer == ""
    places = (said.a.pointer if gone else said.b.pointer, *said.also)
    return any(_is_below(at, wanted) for at in places)


def _places(*wanted: str) -> Mention:
    return lambda case, answer: all(any(_is_named(said, at) for said in _due(case, answer)) for at in wanted)


def _message(pattern: str) -> Mention:
    return lambda case, answer: any(re.search(pattern, said.message) for said in _due(case, answer))


def _report(*patterns: str) -> Mention:
    return lambda _, answer: all(re.search(pattern, answer.text) for pattern in patterns)


def _all(*mentions: Mention) -> Mention:
    return lambda case, answer: all(holds(case, answer) for holds in mentions)


def _findings(count: int, cause: str) -> Mention:
    return lambda case, answer: [said.cause for said in _due(case, answer)] == [cause] * count


def _no_findings(_: Case, answer: Answer) -> bool:
    return answer.verdict is not None and not answer.warnings


def _pure_extension(_: Case, answer: Answer) -> bool:
    return not answer.texts() and any(said.cause == "turn-appended" for said in answer.changes)


def _no_text_differs(_: Case, answer: Answer) -> bool:
    return answer.verdict is not None and not answer.texts()


def _refused(_: Case, answer: Answer) -> bool:
    return answer.verdict == "refused"


def _two_in_one_message(case: Case, answer: Answer) -> bool:
    inside = [said for said in _due(case, answer) if _is_named(said, "/messages/1/content")]
    return len(inside) == 2 and inside[0].b.char < inside[1].b.char


def _names_the_moved_group(case: Case, answer: Answer) -> bool:
    """Two groups of tools changed places; either is the one that moved, and all of it is named."""
    names = [tool["name"] for tool in json.loads(case.before.read_bytes())["tools"]]
    half = len(names) // 2
    named = [{name for name in names if name in said.message} for said in _due(case, answer)]
    return set(names[:half]) in named or set(names[half:]) in named


_LATER_IDS = tuple(f"/input/{index}/call_id" for index in range(2, 7))

OWN: dict[str, dict[str, Mention]] = {
    "06": {"second difference: the room-left number in the same message": _two_in_one_message},
    # A marker's advice stands in the sentence that says why no more can be read.
    "07": {"a breakpoint at the end of $.system[0] would have kept guide and tools": _report(r"why .*/system/0\b")},
    "11": {"all later ids differ too: one finding, not eight": _all(_findings(1, "identifier"), _places(*_LATER_IDS))},
    "12": {"that the prompt text itself is a pure extension (no byte difference)": _pure_extension},
    "14": {"same set, other order; name the moved group": _names_the_moved_group},
    "21": {
        "$.messages[6].content: the first changed block is the reminder, not the question": lambda case, answer: any(
            said.a.pointer == "/messages/6/content/0/text" for said in _due(case, answer)
        )
    },
    "27": {
        "a stub already present at $.messages[2] is not a change": lambda _, answer: (
            answer.verdict is not None and not any(said.touches("/messages/2") for said in answer.changes)
        )
    },
    "32": {
        "no byte differs: the prompt is a pure extension": _pure_extension,
        "distance in blocks between the two markers": _message(r"\b28\b"),
    },
    "35": {
        "count 5 and list their paths": _all(
            _message(r"\b5\b"),
            _places("/tools/2", "/system/0", *(f"/messages/2/content/{index}" for index in range(3))),
        ),
        "the request will be refused, not just uncached": _refused,
    },
    "36": {
        "both paths": _places("/tools/2", "/system/0"),
        "a marker without ttl counts as 5 minutes": _message(r"\b5 ?m"),
        "request is refused": _refused,
    },
    "37": {
        "$.messages[2].content[1] (empty text) and $.messages[1].content[0] (thinking): two findings": _all(
            _findings(2, "marker-illegal-block"), _places("/messages/2/content/1", "/messages/1/content/0")
        )
    },
    "39": {"no prompt text differs": _no_text_differs},
    "40": {
        "headers.anthropic-beta: removed flag by name": _all(
            _places("/headers/anthropic-beta"), _message("context-1m-2025-08-07")
        ),
        "body is a pure extension": _pure_extension,
    },
    "59": {
        "code points of both sides at the difference": _report(r"\bU\+00E9\b", r"\bU\+0301\b"),
        "equal under NFC": _message(r"\bNFC\b"),
    },
    "63": {"no finding": _no_findings},
    "64": {"no finding with provider set to vllm or sglang": _no_findings},
    "68": {"no finding": _no_findings},
    "69": {"no finding": _no_findings},
}
