"""What is known of a Jinja template without rendering it."""

from collections.abc import Sequence

from promptlint.template import Template


def read_template(name: str, text: str, roots: Sequence[str], *, chat: bool | None = None) -> Template:
    """The parts of the template `text`, in the order in which they are printed.

    `roots`: folders from which it may include, import or extend others. `chat`: whether the white space of its tags is
    that of chat templates (transformers) or of Jinja's defaults; None: such a template is one that goes through
    `messages` and reads their roles or contents. Nothing is rendered, and no constant is computed.
    Raises PromptlintError for a template that does not parse.
    """
    from promptlint.load.jinja.reading import read

    if chat is not None:
        return read(name, text, tuple(roots), chat)._replace(is_chat=chat)
    likely = "messages" in text and ("role" in text or "content" in text)
    found = read(name, text, tuple(roots), likely)
    return found if found.is_chat == likely else read(name, text, tuple(roots), found.is_chat)
