"""Handlebars, Dotprompt and Mustache: paths, helpers with arguments, sections."""

import re

from promptlint.load.delimited.languages import strftime_of
from promptlint.load.delimited.making import Making, Region, formatted
from promptlint.load.delimited.scan import Fault, Piece
from promptlint.load.delimited.tokens import Token, tokens
from promptlint.load.delimited.values import NOTHING, Value, inner, joined
from promptlint.template import Call, SourceRange, Turn

_ID = r"[^\s\"'`!#%&()*+,./;<=>@\[\\\]^{|}~]+"
_PATH = rf"(?:\.\./)*(?:@?{_ID}|\[[^\[\]]*\]|\.\.|\./?(?:{_ID})?)(?:[./](?:{_ID}|\[[^\[\]]*\]))*"
_OF_LOOPS = ("@index", "@key", "@first", "@last")
_CONSTANTS = ("true", "false", "null", "undefined")
_ELSE = re.compile(r"\s*(?:else\b|\^(?=\s*$))")


class Handlebars:
    """Reads the tags of one template."""

    def __init__(self, made: Making, pieces: list[Piece]) -> None:
        self.made, self.row = made, made.language
        self.is_mustache = "asking" in self.row.words
        self.outside = _names_outside(made.text, pieces) if self.is_mustache else frozenset()

    def piece(self, piece: Piece) -> None:
        """Read one tag."""
        made, text = self.made, self.made.text
        inside = text[piece.inner : piece.stop]
        sign = inside.lstrip()[:1]
        begin = piece.inner + len(inside) - len(inside.lstrip())
        if piece.kind == "print":
            self._print(piece, begin)
        elif piece.kind == "statement" or sign == "=":
            made.tag(piece)
        elif sign in "#<$" and sign:
            self._open(piece, begin + 1)
        elif sign == "/":
            self._close(piece, inside.strip()[1:].strip())
        elif sign == "^" and not _ELSE.match(inside):
            made.tag(piece)
            value, at = self._value(begin + 1, piece.stop), made.range(begin + 1, piece.stop)
            made.open(piece, _word(text, begin + 1, piece.stop), value, at, "maybe")
        elif _ELSE.match(inside) and made.regions and not self.is_mustache:
            self._else(piece, inside)
        elif sign == "^":
            made.tag(piece)
        elif sign == ">":
            self._partial(piece, begin + 1)
        else:
            self._print(piece, begin + (sign == "&"))

    def _print(self, piece: Piece, begin: int) -> None:
        made = self.made
        head = _word(made.text, begin, piece.stop)
        found = tokens(made.text, begin, piece.stop, _PATH)
        if self.row.has("roles", head) and len(found) == 2 and found[1].kind == "string":
            made.tag(piece)
            made.turns.append(Turn(found[1].text, SourceRange(0, piece.start, piece.end), len(made.parts)))
            return
        made.hole(piece, self._value(begin, piece.stop), made.range(begin, piece.stop))

    def _open(self, piece: Piece, begin: int) -> None:
        made, text = self.made, self.made.text
        made.tag(piece)
        word = _word(text, begin, piece.stop)
        if word.startswith((">", "*")) or text[begin - 1] in "<$":
            made.open(piece, word.lstrip(">*"), NOTHING, made.range(begin, piece.stop), "maybe")
            if word.startswith(">"):
                made.note(piece, f"the partial {word.lstrip('>')!r} is not followed")
            return
        found = tokens(text, begin, piece.stop, _PATH)
        head, rest = (found[0], found[1:]) if found else (None, [])
        names = _block_names(rest)
        if names:
            rest = rest[: next(number for number, one in enumerate(rest) if one.text == "as")]
        if head is None:
            raise Fault(piece.start, "a block without a name")
        begin, stop = (rest[0].start, rest[-1].end) if rest else (head.start, head.end)
        at = made.range(begin, stop)
        if self.is_mustache or (not rest and not self._is_helper(word)):
            self._section(piece, word, at)
        elif self.row.has("loops", word) and rest:
            value = self._value(begin, stop)
            self._loop(made.open(piece, word, value, at, "repeated"), piece, names)
        else:
            value = self._value(begin, stop)
            region = made.open(piece, word, value, at, "maybe")
            region.context = value if self.row.has("scopes", word) else region.context
            region.scope = {names[0]: value} if names else {}

    def _loop(self, region: Region, piece: Piece, names: list[str]) -> None:
        """A loop over the value of its region; one that prints `@key` goes through a mapping."""
        item = region.value._replace(filler="loop", constant=None)
        region.context = item
        region.scope = dict.fromkeys(names[1:], NOTHING) | ({names[0]: item} if names else {})
        region.ordered = True

    def _section(self, piece: Piece, word: str, at: SourceRange) -> None:
        """`{{#rules}}`: once for each entry of a list, or once within a value."""
        asks = self.row.has("asking", re.split(r"[_\W]|(?<=[a-z])(?=[A-Z])", word)[0].lower())
        value = self._path(word)
        region = self.made.open(piece, word, value, at, "maybe" if asks else "repeated")
        region.context = region.context if asks else value._replace(filler="loop")

    def _else(self, piece: Piece, inside: str) -> None:
        made = self.made
        made.tag(piece)
        more = re.match(r"\s*else\s+(?:if\s+|unless\s+)?(?=\S)", inside)
        if more is None:
            made.branch()
        else:
            begin = piece.inner + more.end()
            made.branch(self._value(begin, piece.stop), made.range(begin, piece.stop))
        made.regions[-1].context = made.regions[-2].context if len(made.regions) > 1 else None

    def _close(self, piece: Piece, word: str) -> None:
        made = self.made
        made.tag(piece)
        if not made.regions:
            raise Fault(piece.start, f"{word or 'a block'} is closed and was never opened")
        if (opened := made.regions[-1].word) != word and word:
            raise Fault(piece.start, f"{opened} is open, and {word} is closed")
        made.close()

    def _partial(self, piece: Piece, begin: int) -> None:
        made = self.made
        word = _word(made.text, begin, piece.stop)
        made.note(piece, f"the partial {word!r} is not followed")
        rest = tokens(made.text, begin, piece.stop, _PATH)[1:]
        value = joined(
            [
                self._path(one.text)
                for number, one in enumerate(rest)
                if one.kind == "name" and not _is_key(rest[number : number + 2])
            ]
        )
        made.hole(piece, value, made.range(begin, piece.stop), "block")

    def _is_helper(self, word: str) -> bool:
        return any(self.row.has(row, word) for row in ("loops", "conditions", "scopes"))

    def _value(self, begin: int, stop: int) -> Value:
        """What an expression is made of: a path, or a helper with its arguments."""
        made = self.made
        found = tokens(made.text, begin, stop, _PATH)
        if not found:
            return NOTHING
        if len(found) == 1:
            only = found[0]
            if only.kind == "string":
                at = SourceRange(0, only.start + 1, only.end - 1)
                return Value(constant=only.text, at=at)
            return self._path(only.text) if only.kind == "name" else NOTHING
        if self.is_mustache and not any(one.kind == "sign" for one in found):
            return self._path(found[0].text)  # no name has a space; what it would be is not known
        return self._helper(found)

    def _helper(self, found: list[Token]) -> Value:
        """A call, with calls in brackets as its arguments; the layout of a date may stand around the clock."""
        values: list[Value] = []
        calls: list[tuple[int, str, int, int]] = []  # depth, name, first and last token
        opened: list[int] = []
        layouts: dict[int, str] = {}
        for number, one in enumerate(found):
            if one.text == "(" and one.kind == "sign":
                opened.append(number)
            elif one.text == ")" and one.kind == "sign" and opened:
                first = opened.pop()
                if found[first + 1].kind == "name":
                    calls.append((len(opened) + 1, found[first + 1].text, first + 1, number - 1))
            elif one.kind == "name":
                is_head = number == 0 or (opened[-1:] == [number - 1])
                if not is_head and not _is_key(found[number : number + 2]):
                    values.append(self._path(one.text))
            elif one.kind == "string" and (form := strftime_of(one.text, self.row.layouts)) is not None:
                layouts.setdefault(len(opened), form)
        if found[0].kind == "name":
            calls.append((0, found[0].text, 0, len(found) - 1))
        made_calls = []
        for depth, name, first, last in calls:
            form = next((layouts[level] for level in range(depth, -1, -1) if level in layouts), None)
            at = SourceRange(0, found[first].start, found[last].end)
            made_calls.append(formatted(Call(name.replace("/", "."), at, None), form))
        return joined([*values, Value(calls=tuple(made_calls), filler="call")])

    def _path(self, path: str) -> Value:
        """The value of a path where it stands."""
        made, regions = self.made, self.made.regions
        if path in _CONSTANTS or path.startswith(_OF_LOOPS) or path.isdecimal():
            if path == "@key":
                for region in reversed(regions):
                    if region.loop:
                        region.ordered = False
                        break
            return Value(filler="loop") if path.startswith("@") else NOTHING
        up = 0
        while path.startswith("../"):
            path, up = path[3:], up + 1
        if path.startswith("@root"):
            return made.argument(path[5:].lstrip("./") or "root")
        if path.startswith("@"):
            return made.argument(_dotted(path[1:]))
        context = self._above(up)
        path = re.sub(r"^(?:this|\.)(?:[./]|$)", "", path) if re.match(r"this\b|\.", path) else path
        if path in ("", ".."):
            return Value(filler="loop") if context is None else context
        name = _dotted(path)
        for region in reversed(regions):
            if (held := region.scope.get(name.split(".")[0])) is not None and not up:
                return inner(held, name.partition(".")[2])
        if context is None or (self.is_mustache and name.split(".")[0] in self.outside):
            return made.argument(name)
        return inner(context, name)

    def _above(self, up: int) -> Value | None:
        """The context so many levels above; a condition has none of its own."""
        found: list[Value | None] = [None]
        for region in self.made.regions:
            if region.context is not found[-1]:
                found.append(region.context)
        return found[-1 - up] if up < len(found) else None


def _word(text: str, begin: int, stop: int) -> str:
    """The first word of a tag."""
    found = re.compile(r"\s*(\S*)").match(text, begin, stop)
    return "" if found is None else found[1]


def _dotted(path: str) -> str:
    return re.sub(r"[\[\]]", "", path.replace("/", "."))


def _block_names(rest: list[Token]) -> list[str]:
    """The names behind `as |item index|`."""
    for number, one in enumerate(rest):
        if one.text == "as" and number + 1 < len(rest) and rest[number + 1].text == "|":
            return [each.text for each in rest[number + 2 :] if each.kind == "name"]
    return []


def _is_key(pair: list[Token]) -> bool:
    """Whether the first of two tokens names an argument: `name=value`."""
    return len(pair) > 1 and pair[1].text == "=" and pair[1].start == pair[0].end


def _names_outside(text: str, pieces: list[Piece]) -> frozenset[str]:
    """First names of what is printed outside of every section."""
    depth, found = 0, set()
    for piece in pieces:
        if piece.kind in ("tag", "print"):
            inside = text[piece.inner : piece.stop].strip()
            if inside[:1] in ("#", "^", "<", "$"):
                depth += 1
            elif inside[:1] == "/":
                depth -= 1
            elif depth == 0:
                found.add(inside.lstrip("& ").split(".")[0])
    return frozenset(found)
