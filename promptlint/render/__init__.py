"""A request -> the text that the model reads, piece by piece (DESIGN section 4)."""

from promptlint.prompt import Item, Path, Piece, PromptByte, Rendered, RenderedItem, Request
from promptlint.render.form import Form, form_of
from promptlint.render.walk import pieces

__all__ = ["render"]


def render(request: Request, like: Rendered | None = None) -> Rendered:
    """The prompt of `request` in the provider's reading order, every atom followed by the separator.

    Nobody outside a closed provider knows the bytes that it tokenizes; this is one documented form, equal for
    two requests exactly where the provider is known to treat them alike. `like`: another request of this format,
    whose items are taken over where they are equal.
    """
    form = form_of(request.format)
    separator = "" if request.format == "text" else "\n"
    done: list[RenderedItem] = []
    done_before = _by_content(like) if like is not None and like.request.format == request.format else {}
    char = byte = 0
    for level in form.order:
        for item in request.items:
            if item.level == level and not is_late(item):
                known = done_before.get(id(item.segments[0].content)) if item.segments else None
                if known is not None and known.item == item:
                    rendered = known._replace(char=char, byte=PromptByte(byte))
                else:
                    rendered = _item(item, form, separator, char, PromptByte(byte))
                done.append(rendered)
                char += len(rendered.text)
                byte += _size(rendered.text)
    return Rendered(request, "".join([item.text for item in done]), tuple(done), separator, byte)


def is_late(item: Item) -> bool:
    """Whether a tool is loaded only when it is searched for, and so is no part of the prompt before.

    Source: platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool; developers.openai.com/api/docs,
    guides/prompt-caching. One with a marker stays: the request is refused for it.
    """
    return item.level == "tools" and any(
        isinstance(segment.content, dict) and segment.content.get("defer_loading") is True and segment.marker is None
        for segment in item.segments
    )


def _by_content(rendered: Rendered) -> dict[int, RenderedItem]:
    """Items by the identity of their first content: requests that were parsed together share what is equal."""
    return {id(item.item.segments[0].content): item for item in rendered.items if item.item.segments}


def _item(item: Item, form: Form, separator: str, char: int, byte: PromptByte) -> RenderedItem:
    atoms: list[Piece] = []
    if item.role is not None:
        atoms.append(Piece(_role_path(item), "value", item.role))
    ends: list[int] = []
    length = counted = 0
    for segment in item.segments:
        atoms += pieces(segment.content, segment.path, form, segment.omit)
        length += sum([len(piece.text) for piece in atoms[counted:]]) + len(separator) * (len(atoms) - counted)
        counted = len(atoms)
        ends.append(length)
    text = separator.join([*(piece.text for piece in atoms), ""])
    return RenderedItem(item, text, tuple(atoms), tuple(ends), char, byte)


def _role_path(item: Item) -> Path:
    """Where the role stands: for a bare string that means one user message, at the string itself."""
    if item.role_path is not None:
        return item.role_path
    bare = item.segments and item.segments[0].path == item.path and isinstance(item.segments[0].content, str)
    return item.path if bare else (*item.path, "role")


def _size(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
