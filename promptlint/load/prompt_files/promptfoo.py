"""promptfoo configurations: prompts as texts (Nunjucks, which is read as Jinja), and in files that they name."""

import re

from promptlint.load.prompt_files.found import Stored, StoredText
from promptlint.prompt import Json, Path

_FIELDS = ("providers", "targets", "tests", "defaultTest", "scenarios")
_TEXTS = (".txt", ".md", ".j2", ".jinja", ".jinja2", ".njk", ".json", ".yaml", ".yml", ".prompt")
_CODE = (".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".sh", ".rb", ".go", ".exe")


def prompts(value: Json) -> list[Stored] | None:
    """Each entry of `prompts`; one that is program text is named, and neither read nor run."""
    if not isinstance(value, dict) or "prompts" not in value or not any(name in value for name in _FIELDS):
        return None
    held = value["prompts"]
    entries: list[tuple[Path, Json]] = [(("prompts",), held)]
    if isinstance(held, list):
        entries = [(("prompts", number), entry) for number, entry in enumerate(held)]
    return [one for at, entry in entries if (one := _prompt(at, entry)) is not None]


def _prompt(at: Path, entry: Json) -> Stored | None:
    if isinstance(entry, dict):
        named = next((name for name in ("raw", "file", "id", "path") if isinstance(entry.get(name), str)), None)
        return None if named is None else _prompt((*at, named), entry[named])
    if not isinstance(entry, str):
        return None
    name, _, function = entry.removeprefix("file://").partition(":")
    is_file = entry.startswith("file://") or (
        re.fullmatch(r"[\w./*{},-]+", entry) is not None and entry.endswith((*_TEXTS, *_CODE))
    )
    if not is_file:
        return Stored("promptfoo prompt", (StoredText(at, "jinja"),))
    if function or not name.endswith(_TEXTS) or any(sign in name for sign in "*{}?["):
        return Stored("promptfoo prompt", (), notes=(f"{entry!r} is not followed",))
    return Stored("promptfoo prompt", (), files=((at, name),))
