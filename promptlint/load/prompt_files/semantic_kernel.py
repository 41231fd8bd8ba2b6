"""Prompt files of Semantic Kernel: YAML (or JSON) with a `template` and its `template_format`."""

from promptlint.load.prompt_files.found import Stored, StoredText
from promptlint.prompt import Json

LANGUAGES = {"semantic-kernel": "semantic-kernel", "handlebars": "handlebars", "liquid": "liquid", "jinja2": "jinja"}


def prompts(value: Json) -> list[Stored] | None:
    """The one prompt of the file."""
    if not isinstance(value, dict) or not isinstance(value.get("template"), str) or "_type" in value:
        return None
    said = value.get("template_format", "semantic-kernel")
    if "template_format" not in value and "input_variables" not in value and "execution_settings" not in value:
        return None
    language = LANGUAGES.get(said.lower()) if isinstance(said, str) else None
    if language is None:
        return None
    return [Stored("Semantic Kernel prompt", (StoredText(("template",), language, turns="message-tags"),))]


def language_beside(config: Json) -> str:
    """The language of a `skprompt.txt` beside this `config.json`."""
    said = config.get("template_format") if isinstance(config, dict) else None
    return LANGUAGES.get(said.lower(), "semantic-kernel") if isinstance(said, str) else "semantic-kernel"
