"""Documents that are no request, and what they are."""

from promptlint import facts
from promptlint.errors import PromptlintError
from promptlint.load.envelope import FIELDS
from promptlint.load.recognise import is_response
from promptlint.prompt import Json


def reason(value: Json) -> PromptlintError | None:
    """What a value is, if it is known and no request: data/formats.yaml says so, and what to do."""
    held = value if isinstance(value, dict) else {}
    for row in facts.table("formats")["refused"]:
        if all(name in held for name in row["has"]):
            return PromptlintError(f"this is {row['is']}", row["do"])
    return None


def answered(value: Json) -> PromptlintError | None:
    """Why a provider's answer, alone or in a log, is refused."""
    inner = value.get("response") if isinstance(value, dict) else None
    alone = isinstance(inner, dict) and isinstance(value, dict) and not any(name in value for name in FIELDS)
    if isinstance(value, dict) and (alone or is_response(value)):
        return PromptlintError("this is a response, not a request", "give the request that was sent")
    return None
