"""Other writings of one source file: new names, comments between its lines, other quotes. Places move with the text.

Each perturbation is a list of edits of the text it is given, so that any place of the old text has one in the new.
Python and TypeScript only, and only as far as the sources of the tests go: no regular expression literals, no JSX.
"""

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Callable, Iterator
from typing import NamedTuple

MEANING = re.compile(r"system|prompt|instruct|message|tool|skill|note", re.IGNORECASE)
"""Names that say what a value is for."""

_WORD = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*")
_FIELD = re.compile(r"\{([^{}!:]*)")


class Edit(NamedTuple):
    """The characters `start:end` (half-open) of a text become `new`."""

    start: int
    end: int
    new: str


class Code(NamedTuple):
    """A source with its strings and comments blanked, character for character; the holes of templates are code."""

    masked: str  # a line feed inside a string or a comment is blanked too
    strings: tuple[tuple[int, int], ...]  # where the strings stand, half-open; no templates


Perturb = Callable[[str, str], list[Edit]]
"""Gives the edits of a text, told its suffix (`.py` or `.ts`)."""


def applied(text: str, edits: list[Edit]) -> str:
    """The text with the edits made. They do not overlap."""
    parts, behind = [], 0
    for edit in sorted(edits):
        parts += [text[behind : edit.start], edit.new]
        behind = edit.end
    return "".join([*parts, text[behind:]])


def moved(place: int, edits: list[Edit]) -> int:
    """Where a character of the old text stands in the new one; text that is put in there comes before it."""
    return place + sum(len(edit.new) - (edit.end - edit.start) for edit in edits if edit.end <= place)


def _spans_of_python(text: str) -> Iterator[tuple[int, int]]:
    """Give start and end of every string and comment."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    begun: list[int] = []
    opening, closing = getattr(tokenize, "FSTRING_START", -1), getattr(tokenize, "FSTRING_END", -1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if token.type == opening:
            begun.append(start)
        elif token.type == closing:
            first = begun.pop()
            if not begun:
                yield first, end
        elif token.type in (tokenize.STRING, tokenize.COMMENT) and not begun:
            yield start, end


def _blanked(text: str) -> str:
    return re.sub(r"[^\n]", " ", text).replace("\n", "\0")


def _without_quoted(text: str) -> str:
    return re.sub(r"'[^']*'?|\"[^\"]*\"?", lambda quoted: _blanked(quoted[0]), text)


def _python(text: str) -> Code:
    spans = tuple(_spans_of_python(text))
    blank = list(text)
    for start, end in spans:
        blank[start:end] = _blanked(text[start:end])
        if re.match(r"[rR]?[fF]", text[start:end]):
            for field in _FIELD.finditer(text, start, end):
                blank[field.start(1) : field.end(1)] = _without_quoted(field[1])
    return Code("".join(blank), spans)


_STEP = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(?P<tick>`)|(?P<open>\{)|(?P<close>\})|.", re.DOTALL
)
_TEMPLATE = re.compile(r"(?:\\.|(?!\$\{)[^`\\])*(?P<end>`|\$\{)", re.DOTALL)


def _typescript(text: str) -> Code:
    parts: list[str] = []
    strings: list[tuple[int, int]] = []
    holes: list[int] = []  # of each open template hole, how many braces are open in it
    place = 0
    while place < len(text):
        step = _STEP.match(text, place)
        assert step is not None
        closes = bool(step["close"] and holes and holes[-1] == 0)
        if step["tick"] or closes:
            if closes:
                holes.pop()
            rest = _TEMPLATE.match(text, step.end())
            assert rest is not None, "a template without end"
            parts.append(_blanked(text[place : rest.end()]))
            if rest["end"] == "${":
                holes.append(0)
            place = rest.end()
            continue
        if holes and (step["open"] or step["close"]):
            holes[-1] += 1 if step["open"] else -1
        if step[0][0] in "'\"" and len(step[0]) > 1:
            strings.append(step.span())
        parts.append(_blanked(step[0]) if len(step[0]) > 1 else step[0])
        place = step.end()
    return Code("".join(parts), tuple(strings))


def masked(text: str, suffix: str) -> Code:
    """The source with strings and comments blanked."""
    return _python(text) if suffix == ".py" else _typescript(text)


def _declared_in_python(text: str) -> set[str]:
    """Local variables, parameters, functions of the module and constants; not methods, classes or imports."""
    tree = ast.parse(text)
    found: set[str] = set()
    kept = {"self", "cls", *dir(builtins), *keyword.kwlist}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.keyword) and node.arg:
            kept.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            kept.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ClassDef):
            fields = (each for each in ast.walk(node) if isinstance(each, ast.AnnAssign))
            kept.update(each.target.id for each in fields if isinstance(each.target, ast.Name))
    found.update(node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return found - kept


def _declared_in_typescript(code: str) -> set[str]:
    """What `const`, `let` and `function` name, and parameters; no name that is a key of an object somewhere."""
    found = set(re.findall(r"\b(?:const|let|function)\s+([\w$]+)", code))
    found.update(re.findall(r"\(([\w$]+)\??:", code))
    for names in re.findall(r"\(([\w$]+(?:,\s*[\w$]+)*)\)\s*(?=[=]>)", code):
        found.update(re.split(r",\s*", names))
    keys = set(re.findall(r"(?<!\()(?<!const )(?<!let )\b([\w$]+)\??:", code))
    shorthand = set(re.findall(r"\{\s*([\w$]+)\s*[,}]", code)) | set(re.findall(r",\s*([\w$]+)\s*\}", code))
    exported = set(re.findall(r"\bexport\s+const\s+([\w$]+)", code))
    return found - keys - shorthand - exported


def _renames(text: str, suffix: str, wanted: Callable[[str], bool]) -> list[Edit]:
    code = masked(text, suffix).masked
    names = _declared_in_python(text) if suffix == ".py" else _declared_in_typescript(code)
    names = {name for name in names if wanted(name)}
    functions = set(re.findall(r"\b(?:def|function)\s+([\w$]+)", code))
    order: dict[str, str] = {}
    edits = []
    for word in _WORD.finditer(code):
        if word[0] in names and not _is_key(code, word, suffix):
            new = order.setdefault(word[0], f"{'f' if word[0] in functions else 'v'}{len(order) + 1}")
            edits.append(Edit(word.start(), word.end(), new))
    return edits


def _is_key(code: str, word: re.Match[str], suffix: str) -> bool:
    """Whether the word names a method, which is called as an attribute."""
    return suffix == ".py" and bool(re.search(r"^[ \t]+(?:async )?def $", code[: word.start()].rpartition("\n")[2]))


def all_names(text: str, suffix: str) -> list[Edit]:
    """Everything that a source names itself gets a name that says nothing."""
    return _renames(text, suffix, lambda name: True)


def meaningless_names(text: str, suffix: str) -> list[Edit]:
    """Names that say what a value is for stay, the others say nothing any more."""
    return _renames(text, suffix, lambda name: not MEANING.search(name))


def _lines(text: str, suffix: str) -> Iterator[tuple[int, str, str]]:
    """Give start, indentation and rest of every line that holds something and does not begin inside a string."""
    code, start = masked(text, suffix).masked, 0
    for line in text.splitlines(keepends=True):
        rest = line.lstrip(" ")
        if rest.strip() and code[max(0, start - 1)] != "\0":
            yield start, line[: len(line) - len(rest)], rest
        start += len(line)


def comments(text: str, suffix: str) -> list[Edit]:
    """An empty line and a comment before every line; what it says is about clocks."""
    mark = "#" if suffix == ".py" else "//"
    return [
        Edit(start, start, f"\n{indent}{mark} see datetime.now() and new Date(), remark {number}\n")
        for number, (start, indent, _) in enumerate(_lines(text, suffix))
    ]


_DECOYS = {
    ".py": """\
def tally_{n}(lines):
    import time

    print('tallied at', time.strftime('%H:%M:%S'), len(lines))


""",
    ".ts": """\
function tally{n}(lines: string[]): void {{
  console.log(`tallied at ${{new Date().toISOString()}}`, lines.length);
}}

""",
}


def decoys(text: str, suffix: str) -> list[Edit]:
    """A function that logs the time before every statement of the module that is no import, and one at the end."""
    heads = ("def ", "class ", "async def ") if suffix == ".py" else ("export ", "function ", "const ")
    starts = [start for start, indent, rest in _lines(text, suffix) if not indent and rest.startswith(heads)]
    end = "\n\n" if text.endswith("\n") else "\n\n\n"
    edits = [Edit(start, start, _DECOYS[suffix].format(n=n)) for n, start in enumerate(starts)]
    return [*edits, Edit(len(text), len(text), end + _DECOYS[suffix].format(n=len(starts)).rstrip() + "\n")]


def indentation(text: str, suffix: str) -> list[Edit]:
    """Every step of indentation is half as wide in Python, twice as wide in TypeScript."""
    return [
        Edit(start, start + len(indent), " " * (len(indent) // 2 if suffix == ".py" else len(indent) * 2))
        for start, indent, _ in _lines(text, suffix)
        if indent
    ]


def quotes(text: str, suffix: str) -> list[Edit]:
    """Plain strings in double quotes get single ones; the others stay."""
    plain = re.compile(r'"([^"\'\\\n]*)"')
    spans = ((start, end, plain.fullmatch(text, start, end)) for start, end in masked(text, suffix).strings)
    return [Edit(start, end, f"'{held[1]}'") for start, end, held in spans if held]


PERTURBATIONS: dict[str, tuple[Perturb, ...]] = {
    "plain": (),
    "all-names": (all_names,),
    "meaningless-names": (meaningless_names,),
    "comments": (comments,),
    "decoys": (decoys,),
    "indentation": (indentation,),
    "quotes": (quotes,),
    "everything": (all_names, quotes, decoys, comments, indentation),
}


class Perturbed(NamedTuple):
    """A text written otherwise, with the edits that led to it, one list for each perturbation."""

    text: str
    edits: tuple[list[Edit], ...]

    def place(self, start: int) -> int:
        """Where a character of the first text stands now."""
        for edits in self.edits:
            start = moved(start, edits)
        return start


def perturbed(text: str, suffix: str, name: str) -> Perturbed:
    """The text after the perturbation of that name, one of PERTURBATIONS."""
    made: list[list[Edit]] = []
    for perturb in PERTURBATIONS[name]:
        edits = perturb(text, suffix)
        text = applied(text, edits)
        made.append(edits)
    return Perturbed(text, tuple(made))
