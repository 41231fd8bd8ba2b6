"""Which files a template is made of, without rendering it: an unchanged prompt costs no more than reading them."""

import posixpath
import re
from collections.abc import Sequence

from promptlint.commands.check.trees import Tree

_TAG = re.compile(r"\{%[-+]?\s*(?:include|import|extends|from)\b((?:[^%{]|%(?!\})|\{(?!%))*)%\}")
_ARGUMENT = re.compile(r"\s+(?:import\b|ignore\s+missing\b|with(?:out)?\s+context\b|as\b)")
_LITERAL = re.compile(r"""'([^'\\\n]*)'|"([^"\\\n]*)\"""")
_TEMPLATES = (".j2", ".jinja", ".jinja2", ".txt", ".md", ".prompt")


def roots_of(path: str, folder: str) -> tuple[str, ...]:
    """The folders out of which a template includes others: its own, then those above it up to the configuration's."""
    own = posixpath.dirname(path)
    steps = own.split("/") if own else []
    above = ["/".join(steps[:count]) for count in range(len(steps), -1, -1)]
    inside = [each for each in above if not folder or each == folder or each.startswith(f"{folder}/")]
    return tuple(inside) or (own,)


def closure(tree: Tree, path: str, roots: Sequence[str]) -> tuple[str, ...]:
    """A template and all that it may include, import or extend; fetched."""
    found: dict[str, None] = {}
    waiting = [path]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found[one] = None
        names, is_open = _named(tree, one)
        places = (posixpath.normpath(posixpath.join(root, name)) for name in names for root in roots)
        waiting += [place for place in places if place in tree.there]
        if is_open:
            waiting += _templates_below(tree, roots[0], posixpath.splitext(one)[1])
    return tuple(found)


def _named(tree: Tree, path: str) -> tuple[tuple[str, ...], bool]:
    """The templates that a file brings in by name, and whether it works out others."""
    known = tree.known.get(("names", path))
    if known is None:
        text = text_of(tree, path)
        found_tags = _TAG.finditer(text) if "{%" in text else ()
        tags = [_ARGUMENT.split(tag[1], maxsplit=1)[0] for tag in found_tags]
        names = tuple("".join(groups) for tag in tags for groups in _LITERAL.findall(tag))
        known = tree.known["names", path] = names, any(re.search(r"\w", _LITERAL.sub("", tag)) for tag in tags)
    found: tuple[tuple[str, ...], bool] = known
    return found


def _templates_below(tree: Tree, folder: str, ending: str) -> list[str]:
    """What a name that is worked out may mean: templates in the same folder and below it."""
    begin = f"{folder}/" if folder else ""
    endings = (*_TEMPLATES, ending) if ending else _TEMPLATES
    return [path for path in tree.paths if path.startswith(begin) and path.endswith(endings)]


def text_of(tree: Tree, path: str) -> str:
    """The text of a file, as far as it is one; "" where it cannot be read."""
    tree.fetch((path,))
    try:
        with open(tree.path(path), "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
