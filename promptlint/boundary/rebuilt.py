"""A helper request (summary, title, check) that is built from scratch and speaks about the first one."""

from promptlint.boundary.divergence import Divergence, shared_chars, spot_at
from promptlint.prompt import Level, Rendered

_SHARED = 0.05  # of the first prompt; above, the second one is no rebuild
_QUOTE = 60  # characters of history that must stand in the other request


def rebuilt(a: Rendered, b: Rendered) -> Divergence | None:
    """The two requests share next to nothing at the start, yet the second quotes the history of the first."""
    shared = shared_chars(a, b)
    if not a.items or not b.items or shared > _SHARED * len(a.text):
        return None
    lacks = [level for level in ("tools", "system") if _texts(a, level) and not _texts(b, level)]
    kept = set(_texts(a, "messages")) & set(_texts(b, "messages"))
    if not lacks or kept or not _quotes(a, b):
        return None
    return Divergence(
        cause="rebuilt-request",
        level=a.items[0].item.level,
        a_start=shared,
        a_end=len(a.text),
        b_start=shared,
        b_end=len(b.text),
        within=b.request.path,
        message=f"built from scratch: no {' and no '.join(lacks)}, yet it quotes the messages of the first request",
        a=spot_at(a, shared, shared + 1),
        b=spot_at(b, shared, shared + 1),
    )


def _texts(rendered: Rendered, level: Level | str) -> list[str]:
    return [item.text for item in rendered.items if item.item.level == level]


def _quotes(a: Rendered, b: Rendered) -> bool:
    for item in a.items:
        if item.item.level == "messages":
            for piece in item.pieces:
                words = piece.text.strip()
                if piece.atom == "value" and len(words) >= _QUOTE and words[:_QUOTE] in b.text:
                    return True
    return False
