"""`must_not_say` of the corpus: one predicate on the answer for each sentence."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from grading.answer import WARNING, Answer, Said
from grading.cases import Case

Promise = Callable[[Case, Answer], bool]


def broken_promises(case: Case, answer: Answer) -> tuple[str, ...]:
    """Name what the answer says although the case forbids it."""
    return tuple(words for words in case.must_not_say if not PROMISES[case.name[:2]][words](case, answer))


def _all(*promises: Promise) -> Promise:
    return lambda case, answer: all(kept(case, answer) for kept in promises)


def _never(*causes: str) -> Promise:
    return lambda _, answer: not any(said.cause in causes for said in answer.changes)


def _no_text_difference(_: Case, answer: Answer) -> bool:
    return not answer.texts()


def _only(*causes: str) -> Promise:
    return lambda _, answer: all(said.cause in causes for said in answer.changes)


def _not_at(pointer: str) -> Promise:
    return lambda _, answer: not any(said.touches(pointer) for said in answer.changes)


def _appended_not_blamed(case: Case, answer: Answer) -> bool:
    """What stands behind the messages of the first request is new, hence no reason for a miss."""
    field, count = _messages(json.loads(case.before.read_bytes()))
    return not any(said.severity in WARNING and _index(said, field) >= count for said in answer.changes)


def _messages(request: dict[str, Any]) -> tuple[str, int]:
    return next((field, len(request[field])) for field in ("messages", "input", "contents") if field in request)


def _index(said: Said, field: str) -> int:
    match = re.match(rf"/{field}/(\d+)", said.b.pointer)
    return int(match[1]) if match else -1


def _one_at(level: str) -> Promise:
    return lambda _, answer: sum(said.level == level and said.severity in WARNING for said in answer.changes) == 1


def _never_certain(cause: str) -> Promise:
    return lambda _, answer: not any(said.cause == cause and said.certainty == "certain" for said in answer.changes)


def _never_words(pattern: str) -> Promise:
    return lambda _, answer: not re.search(pattern, answer.text, re.IGNORECASE)


def _no_base64(case: Case, answer: Answer) -> bool:
    """No forty characters in a row of any image may be printed, not even across the lines of a wrapped report."""
    printed = re.sub(r"\s", "", answer.text)
    data = re.findall(r'"data": ?"([A-Za-z0-9+/=]{200,})"', case.before.read_text("utf-8"))
    assert data, "the case lost its image"
    return not any(image[at : at + 40] in printed for image in data for at in range(0, len(image) - 40, 10))


def _names_code_points(_: Case, answer: Answer) -> bool:
    """Names that look alike must be told apart: the combining accent is printed as a code point, never raw."""
    return "0301" in answer.text and not any(unicodedata.combining(char) for char in answer.text)


def _refused(_: Case, answer: Answer) -> bool:
    return answer.verdict == "refused"


PROMISES: dict[str, dict[str, Promise]] = {
    "01": {"blame the appended assistant and user messages": _appended_not_blamed},
    "06": {"the new tool call and result at the end": _appended_not_blamed},
    "07": {"blame the appended turn": _appended_not_blamed},
    "08": {"flag the equal user message": _not_at("/messages")},
    "10": {"point at the tool list order": _never("list-order", "items-changed")},
    "11": {
        # No report of ours has these words; that the finding is called an id is what can fail.
        "call the id a user-supplied value": _all(
            _never_words(r"user[- ]supplied"), _one_at("messages"), _never("text-edited", "item-edited")
        )
    },
    "12": {"report a difference in instructions or input": _no_text_difference},
    "13": {"say that a property was added or removed": _never("items-changed", "item-edited")},
    "14": {
        "report eight changed tools": _one_at("tools"),
        "say that tools were added or removed": _never("items-changed", "item-edited"),
    },
    "15": {
        "say that the tool returned new data": _never(
            "text-edited", "history-rewritten", "item-edited", "items-changed", "per-turn-context"
        )
    },
    "16": {"say that files changed": _never("item-edited", "items-changed", "history-rewritten", "text-edited")},
    "21": {"blame the new turn": _appended_not_blamed},
    "22": {"report a text difference": _no_text_difference, "report high certainty": _never_certain("content-shape")},
    "23": {"say the user edited the question": _never("text-edited", "item-edited")},
    "25": {"dump base64 into the report": _no_base64},
    "26": {"list every message as changed": _one_at("messages")},
    "27": {"report $.messages[2]": _not_at("/messages/2")},
    "32": {"report any changed text": _no_text_difference},
    "34": {"call it a changed prefix": _no_text_difference},
    "35": {"treat it as a cache miss only": _refused},
    "36": {"complain about the 5 min marker in messages: shorter after longer is allowed": _not_at("/messages")},
    "37": {"flag the valid system marker": _not_at("/system")},
    "39": {"report a text difference": _no_text_difference},
    "40": {"certainty": _never_certain("beta-header-changed")},
    "59": {"two names printed as if equal": _names_code_points},
    "63": {"any byte diff of the raw files": _only("body-form-only", "content-shape")},
    "64": {"key-order warning": _never("key-order")},
    "68": {"flag words such as timestamp, uuid or now by name": _only("turn-appended")},
    "69": {"flag the UUID in metadata": _never("identifier")},
}
