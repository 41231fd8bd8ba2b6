"""LangChain: prompt files (`_type: prompt`), and serialised objects (`lc: 1, type: constructor`)."""

from collections.abc import Iterator

from promptlint.load.prompt_files.found import Stored, StoredText, dicts, text_at
from promptlint.prompt import Json, Path

_LANGUAGES = {"f-string": "str-format", "mustache": "mustache", "jinja2": "jinja"}
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "developer": "developer", "chat": "user"}
_MOST = 1000  # objects of a serialised chain that are looked into


def prompts(value: Json) -> list[Stored] | None:
    """All prompts of a file."""
    if not isinstance(value, dict):
        return None
    if value.get("type") == "constructor" and isinstance(value.get("id"), list):
        return list(_serialised(value)) or None
    kind = value.get("_type")
    if kind == "prompt" or (kind is None and _is_plain(value)):
        return [_plain(value, ())]
    if kind == "few_shot":
        return [_few_shot(value)]
    return [_chat(value.get("messages"), ("messages",))] if kind == "chat" else None


def _is_plain(value: dict[str, Json]) -> bool:
    """Whether a file without `_type` is one: its variables are names, or its format is one of LangChain alone."""
    names = value.get("input_variables")
    is_named = isinstance(names, list) and bool(names) and all(isinstance(name, str) for name in names)
    formatted = value.get("template_format") in ("f-string", "mustache")
    return isinstance(value.get("template"), str) and (formatted or (is_named and "template_format" not in value))


def _language(held: Json) -> str:
    said = held.get("template_format") if isinstance(held, dict) else None
    return _LANGUAGES.get(said, "str-format") if isinstance(said, str) else "str-format"


def _plain(held: dict[str, Json], at: Path, role: str | None = None) -> Stored:
    if isinstance(held.get("template"), str):
        return Stored("LangChain prompt", (StoredText((*at, "template"), _language(held), role),))
    path = text_at(held, "template_path")
    return Stored("LangChain prompt", (), notes=() if path is None else (f"{path!r} is not followed",))


def _few_shot(held: dict[str, Json]) -> Stored:
    """A beginning, a text for each example, and an end; what examples lie in files is not read."""
    language = _language(held)
    texts = []
    if isinstance(held.get("prefix"), str):
        texts.append(StoredText(("prefix",), language))
    inner = held.get("example_prompt")
    if isinstance(inner, dict) and isinstance(inner.get("template"), str):
        texts.append(StoredText(("example_prompt", "template"), _language(inner), repeated=True))
    if isinstance(held.get("suffix"), str):
        texts.append(StoredText(("suffix",), language))
    named = [text_at(held, key) for key in ("examples", "example_prompt_path")]
    return Stored("LangChain prompt", tuple(texts), notes=tuple(f"{one!r} is not followed" for one in named if one))


def _chat(messages: Json, at: Path) -> Stored:
    texts: list[StoredText] = []
    for number, entry in enumerate(messages if isinstance(messages, list) else []):
        texts += _message(entry, (*at, number))
    return Stored("LangChain prompt", tuple(texts))


def _message(entry: Json, at: Path) -> Iterator[StoredText]:
    """One message: `[role, text]`, an object with its prompt, or a serialised one."""
    if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str) and isinstance(entry[1], str):
        is_name = entry[0] == "placeholder"
        role = None if is_name else _ROLES.get(entry[0], entry[0])
        yield StoredText((*at, 1), "text" if is_name else "str-format", role, is_name=is_name)
        return
    if not isinstance(entry, dict):
        return
    if entry.get("type") == "constructor" and isinstance(entry.get("id"), list):
        yield from _constructed(entry, at)
        return
    said = next((entry[key] for key in ("role", "_type", "type") if isinstance(entry.get(key), str)), "human")
    role = _ROLES.get(str(said), str(said))
    if isinstance(entry.get("variable_name"), str):
        yield StoredText((*at, "variable_name"), "text", is_name=True)
    elif isinstance(entry.get("prompt"), dict):
        yield from (text._replace(role=role) for text in _plain(_object(entry["prompt"]), (*at, "prompt")).texts)
    elif isinstance(entry.get("template"), str):
        yield StoredText((*at, "template"), _language(entry), role)
    elif isinstance(entry.get("content"), str):
        yield StoredText((*at, "content"), "str-format" if "_type" in entry else "text", role)


def _constructed(entry: dict[str, Json], at: Path) -> Iterator[StoredText]:
    """A message, or a template of one, as LangChain's `dumpd` writes it."""
    kind, held = _class(entry), _object(entry.get("kwargs"))
    inside: Path = (*at, "kwargs")
    if kind == "MessagesPlaceholder" and isinstance(held.get("variable_name"), str):
        yield StoredText((*inside, "variable_name"), "text", is_name=True)
    elif kind.endswith("MessagePromptTemplate"):
        role: str | None = _ROLES.get(kind.removesuffix("MessagePromptTemplate").lower(), "user")
        several = held.get("prompt")
        rows = dicts(several) if isinstance(several, list) else [(None, _object(several))]
        for number, inner in rows:
            where: Path = (*inside, "prompt") if number is None else (*inside, "prompt", number)
            template = _object(inner.get("kwargs"))
            if isinstance(template.get("template"), str):
                yield StoredText((*where, "kwargs", "template"), _language(template), role)
                role = None
    elif kind.endswith("Message") and isinstance(held.get("content"), str):
        yield StoredText((*inside, "content"), "text", _ROLES.get(kind.removesuffix("Message").lower(), "user"))


def _serialised(value: dict[str, Json]) -> Iterator[Stored]:
    """Every prompt in a serialised object, which may be a chain."""
    waiting: list[tuple[Path, Json]] = [((), value)]
    for _ in range(_MOST):
        if not waiting:
            return
        at, held = waiting.pop(0)
        if isinstance(held, list):
            waiting += [((*at, number), entry) for number, entry in enumerate(held)]
        elif isinstance(held, dict):
            kind, inner = _class(held), _object(held.get("kwargs"))
            if kind == "PromptTemplate":
                yield _plain(inner, (*at, "kwargs"))
            elif kind == "ChatPromptTemplate":
                yield _chat(inner.get("messages"), (*at, "kwargs", "messages"))
            else:
                waiting += [((*at, key), entry) for key, entry in held.items() if isinstance(entry, dict | list)]


def _class(held: dict[str, Json]) -> str:
    names = held.get("id")
    last = names[-1] if isinstance(names, list) and names and held.get("type") == "constructor" else ""
    return last if isinstance(last, str) else ""


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
