"""Which files a template is made of, without rendering it: an unchanged prompt costs no more than reading them."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from promptlint.commands.check.trees import Tree

_TAG = re.compile(r"\{%[-+]?\s*(?:include|import|extends|from)\b(.*?)[-+]?%\}", re.DOTALL)
_ARGUMENT = re.compile(r"\s+(?:import\b|ignore\s+missing\b|with(?:out)?\s+context\b|as\b)")
_LITERAL = re.compile(r"""'([^'\\\n]*)'|"([^"\\\n]*)\"""")


def roots_of(path: str, folder: str) -> tuple[str, ...]:
    """The folders out of which a template includes others: its own, then those above it up to the configuration's."""
    own = posixpath.dirname(path)
    roots = [own]
    while own not in ("", folder) and (not folder or own.startswith(f"{folder}/")):
        own = posixpath.dirname(own)
        roots.append(own)
    return tuple(roots)


def closure(tree: Tree, path: str, roots: Sequence[str]) -> tuple[str, ...]:
    """A template and all that it may include, import or extend; fetched."""
    found: dict[str, None] = {}
    waiting = [path]
    there = frozenset(tree.paths)
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found[one] = None
        tree.fetch((one,))
        waiting += _brought_in(text_of(tree, one), roots, tree, there)
    return tuple(found)


def text_of(tree: Tree, path: str) -> str:
    """The text of a file, as far as it is one; "" where it cannot be read."""
    try:
        with open(tree.path(path), "rb") as file:
            return file.read(8 << 20).decode("utf-8", "replace")
    except OSError:
        return ""


def _brought_in(text: str, roots: Sequence[str], tree: Tree, there: frozenset[str]) -> Iterator[str]:
    for tag in _TAG.finditer(text) if "{%" in text else ():
        argument = _ARGUMENT.split(tag[1], maxsplit=1)[0]
        names = ["".join(groups) for groups in _LITERAL.findall(argument)]
        for name in names:
            paths = (posixpath.normpath(posixpath.join(root, name)) for root in roots)
            yield from (path for path in paths if path in there)
        if re.search(r"\w", _LITERAL.sub("", argument)):  # a name that is worked out: it may be any file there
            begin = f"{roots[0]}/" if roots[0] else ""
            yield from (path for path in tree.paths if path.startswith(begin))
