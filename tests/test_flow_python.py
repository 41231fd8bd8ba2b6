"""Python, construct by construct, as the data flow looks at it."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import promptlint
from code_texts import body, everything
from flow_finds import PYTHON, document, finds
from lint_reports import LAW
from promptlint.errors import PromptlintError
from promptlint.lint.flow.code import Define, Module, Name
from promptlint.lint.flow.flows import read_source
from promptlint.lint.flow.python.reading import parse


def translated(source: str) -> str:
    return body(parse("app.py", source).body)


EXPRESSIONS = [
    ("'a' \"b\"", "'ab'"),
    (r"'a\n\x41\u00e9\N{BULLET}'", repr("a\nAé•")),
    (r"r'a\n'", repr("a\\n")),
    ("[1, 1j, True, None, ..., b'a', -1]", "[#, #, #, none, #, #, keep(#)]"),
    ("f'a{b}c'", "text('a', b, 'c')"),
    ("f'{a}'", "text(a)"),
    ("f'{{}}'", "text('{}')"),
    ("f'{a=}'", "text('a=', a)"),
    ("f'{a!r:>10}'", "text(a:>10)"),
    ("f'{a:%H:%M}'", "text(a:%H:%M)"),
    ("f'{a:{b}}'", "text(a:?)"),
    ("'a' f'b{c}'", "text('ab', c)"),
    ("a + 'b' + c", "text(a, 'b', c)"),
    ("a + (b + c)", "text(a, text(b, c))"),
    ("a + 'b' * 3", "text(a, keep('b', #))"),
    ("a * b ** c // d", "keep(a, keep(b, c), d)"),
    ("a - b", "operator:Sub(a, b)"),
    ("a / 'b' / c", "operator:Div(operator:Div(a, 'b'), c)"),
    ("'%s' % (a, b)", "operator:Mod('%s', [a, b])"),
    ("a | b & c ^ d", "operator:BitOr(a, operator:BitXor(operator:BitAnd(b, c), d))"),
    ("[not a, -a, ~a]", "[op(a), keep(a), keep(a)]"),
    ("a < b < c", "op(a, b, c)"),
    ("a not in b", "op(a, b)"),
    ("a is None", "op(a, none)"),
    ("a and b", "choice(a ? b)"),
    ("a or b or c", "choice(a | b | c)"),
    ("a and b or c", "choice(choice(a ? b) | c)"),
    ("a if b else c", "choice(b ? a | c)"),
    ("(a := b)", "(a := b)"),
    ("lambda a, *b, c=1, **d: a", "fn (a, ...b, c = #, d) {return a}"),
    ("(a, *b)", "[a, ...b]"),
    ("[a, b]", "[a, b]"),
    ("{a, *b}", "set[a, ...b]"),
    ("{'a': b, **c}", "{'a': b, ...c}"),
    ("a.b.c", "a.b.c"),
    ("a[0]['b'][c]", "a[#]['b'][c]"),
    ("a[1:2]", "a[]"),
    ("a[::-1]", "reversed(a)"),
    ("a[::2]", "a[]"),
    ("a[b, c]", "a[[b, c]]"),
    ("f(a, *b, c=d, **e)", "f(a, ...b, d, ...e)"),
    ("f(x for x in y)", "f(stream(x for x in y))"),
    ("[x for x in y if z]", "list(x for x in y)"),
    ("{x for x in y}", "set(x for x in y)"),
    ("{k: v for k, v in y}", "mapping({k: v} for [k, v] in y)"),
    ("[x for a in b for x in a]", "list(flat stream(x for x in a) for a in b)"),
    ("[[x for x in a] for a in b]", "list(list(x for x in a) for a in b)"),
]


@pytest.mark.parametrize(("source", "expected"), EXPRESSIONS)
def test_expressions(source: str, expected: str) -> None:
    assert translated(f"x = {source}") == f"x = {expected}"


STATEMENTS = [
    ("'a docstring'\npass\nassert a\n...", ""),
    ("a: int\nb: int = 1", "a = -; b = #"),
    ("a = b = c", "a = c; b = c"),
    ("a, *b = c\n(d.e, f[0]), g = h", "[a, ...b] = c; [[d.e, f[#]], g] = h"),
    ("a += b\nc |= d", "a += b; c += d"),
    ("a -= b\nc %= d\ne *= 2", "a = operator:Sub(a, b); c = operator:Mod(c, d); e = keep(e, #)"),
    ("a()\nawait_", "a(); await_"),
    ("if a: b()\nelif c: d()\nelse: e()", "if a {b()} else {if c {d()} else {e()}}"),
    ("for a, b in c: d()\nelse: e()", "loop [a, b] in c {d()}; e()"),
    ("while a: b()\nelse: c()", "loop {a; b()}; c()"),
    ("for a in b:\n  if a: break\n  continue", "loop a in b {if a {leave} else {}; leave}"),
    ("with a as b, c: d()", "b = a; c; d()"),
    ("with (a as (b, c)): d()", "[b, c] = a; d()"),
    ("try: a()\nexcept B as e: c()\nelse: d()\nfinally: g()", "try {a(); d()} else {c()}; g()"),
    ("try: a()\nexcept* B: c()", "try {a()} else {c()}"),
    ("raise a from b", "leave a"),
    ("match a:\n case 1: b()\n case [c, *d]: e()\n case _: f()",
     "if a {b()} else {if a {c = a; d = a; e()} else {if a {f()} else {}}}"),
    ("match a:\n case {'f': g, **h}: i()\n case K(l=m) as n: o()",
     "if a {g = a; i()} else {if a {n = a; m = a; o()} else {}}"),
    ("global a, b", "global a, b"),
    ("def f():\n nonlocal a\n a = 1", "def f() {nonlocal a; a = #}"),
    ("del a, b[c], d.e, f[1:]", "b.pop(c)"),
    ("import a.b.c, d", "import a=a:, d=d:"),
    ("import a.b as c", "import c=a.b:"),
    ("from a import b as c, d", "import c=a:b, d=a:d"),
    ("from . import a\nfrom ..b.c import *", "import a=.:a; import *=..b.c:*"),
    ("def f(a, /, b=1, *c: int, d: list[str], e: t.List[A]=2, **g): return a",
     "def f(a, b = #, ...c: int, d: list, e: List = #, g) {return a}"),
    ("def f(a: A | None, b: None | list[B], c: Optional[set[C]]): return", "def f(a: A, b: list, c: set) {return}"),
    ("async def f():\n async for a in b: c()\n async with d as e: return await g",
     "def async f() {loop a in b {c()}; e = d; return await g}"),
    ("def f():\n yield a\n yield from b\n c = yield d\n yield", "def f() {yield a; yield b; yield d; yield}"),
    ("@a.b(c)\n@d\ndef f(): return", "def @a.b(c) @d f() {return}"),
    ("@d\nclass A(B, c.D, metaclass=E):\n '''doc'''\n x: int = 1\n y: str", "@d class A(B, c.D) {x = #; y = -}"),
    ("class A:\n @property\n def b(self): return 1\n @functools.cached_property\n def c(self): return 2",
     "class A() {def @property getter b(self) {return #}; def @functools.cached_property getter c(self) {return #}}"),
    ("class A:\n @staticmethod\n def b(): return 1\n @classmethod\n def c(cls): return 2",
     "class A() {def @staticmethod static b() {return #}; def @classmethod c(cls) {return #}}"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), STATEMENTS)
def test_statements(source: str, expected: str) -> None:
    assert translated(source) == expected


def test_a_body_is_translated_once_and_on_demand() -> None:
    (define,) = parse("app.py", "def f(): return 1").body
    assert isinstance(define, Define)
    assert define.function.body() is define.function.body()


# Places.

LINES = (
    "# é 😀",
    "größe = f'é{now( )}😀{a + b}'",
    "\x0cdef f(x=('ü', 1)): return x.y or  datetime. now()  # 😀 ü",
    "text = '''a",
    "  é{b}''' + c",
    "class K: m = {'ß': [1, *z]}",
)
SPANS = {
    ("Text", "f'é{now( )}😀{a + b}'"),
    ("Call", "now( )"),
    ("Text", "a + b"),
    ("Name", "größe"),
    ("Assign", "größe = f'é{now( )}😀{a + b}'"),
    ("Constant", "'ü'"),
    ("Choice", "x.y or  datetime. now()"),
    ("Call", "datetime. now()"),
    ("Return", "return x.y or  datetime. now()"),
    ("Define", "def f(x=('ü', 1)): return x.y or  datetime. now()"),
    ("Constant", "'''a\n  é{b}'''"),
    ("Text", "'''a\n  é{b}''' + c"),
    ("Mapping", "{'ß': [1, *z]}"),
    ("Type", "class K: m = {'ß': [1, *z]}"),
}


def nodes(module: Module) -> set[tuple[str, str]]:
    """The kind of each node, and what was written there."""
    found = set()
    for node in everything(module):
        if (span := getattr(node, "span", None)) is not None:
            start, end = module.chars(span)
            found.add((type(node).__name__, module.text[start:end]))
    return found


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_spans_are_what_was_written(end: str) -> None:
    module = parse("app.py", end.join((*LINES, "")))
    assert {(kind, text.replace(end, "\n")) for kind, text in nodes(module)} >= SPANS
    comments = [module.text[start:end] for start, end in module.comments()]
    assert comments == ["# é 😀", "# 😀 ü"]


def test_separators_that_end_no_line() -> None:
    module = parse("app.py", "a = 'x\u2028y\x85z'; b = c\nd = e\n")
    assert {("Name", "c"), ("Name", "e"), ("Constant", "'x\u2028y\x85z'")} <= nodes(module)


def test_comments_are_no_texts() -> None:
    source = "a = '# no'  # yes\n'''# no\n# no'''\nb = f'# no{c}' \\\n  'd'\n# yes\nif a:\n    # yes\n    pass\n#"
    module = parse("app.py", source)
    assert [source[start:end] for start, end in module.comments()] == ["# yes", "# yes", "# yes", "#"]
    assert parse("app.py", "a = 1").comments() == ()


# Faults.


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("a = (\nb\n", "app.py:1:5"),
        ("def f(:\n", "app.py:1:7"),
        ("a = 1\n  b = 2\n", "app.py:2:"),
        ("print 'x'\n", "app.py:1:1"),
        ("a\x00b", "app.py"),
        ("a = '\ud800'", "app.py"),
        ("\ufeffa = 1", "app.py:1"),
        ("if a:\n\tb\n        c\n", "app.py:3"),
    ],
)
def test_what_is_no_python(source: str, place: str) -> None:
    with pytest.raises(PromptlintError) as error:
        parse("app.py", source)
    assert place in str(error.value)
    assert "no Python that can be parsed" in str(error.value)
    assert error.value.hint == "correct it, or exclude it"


def test_no_warning_of_the_parser_comes_through() -> None:
    assert translated(r"a = '\d'; b = 1 is 2; assert (c, d)") == r"a = '\\d'; b = op(#, #)"


DEEP: dict[str, Callable[[int], str]] = {
    "sum": lambda count: " + ".join(["a"] * count),
    "difference": lambda count: " - ".join(["a"] * count),
    "product": lambda count: " * ".join(["a"] * count),
    "power": lambda count: " ** ".join(["a"] * count),
    "members": lambda count: "a" + ".b" * count,
    "calls": lambda count: "a" + ".b()" * count,
    "items": lambda count: "a" + "[0]" * count,
    "nots": lambda count: "not " * count + "a",
    "choices": lambda count: " if a else ".join(["a"] * count),
    "lambdas": lambda count: "lambda: " * count + "a",
    "lists": lambda count: "[" * count + "]" * count,
    "comparisons": lambda count: " < ".join(["a"] * count),
    "texts": lambda count: "f'{a}'" * count,
    "ors": lambda count: " or ".join(["a"] * count),
    "branches": lambda count: "0\n    if a: b()\n" + "    elif a: b()\n" * count,
    "patterns": lambda count: "0\n    match a:\n" + "        case 1: b()\n" * count,
}


@pytest.mark.parametrize("count", [120, 450, 1200, 5000])
@pytest.mark.parametrize("expression", DEEP.values(), ids=DEEP)
def test_however_deep_it_is_there_is_an_answer(expression: Callable[[int], str], count: int) -> None:
    source = f"def ask(turns):\n    x = {expression(count)}\n    client.responses.create(instructions=RULES + x)\n"
    refused, flows = "", None
    try:
        flows = read_source(document(PYTHON + source, "desk.py")).flows
    except PromptlintError as error:
        refused = str(error)
    assert flows == () or "no Python that can be parsed" in refused


def test_a_sum_of_many_terms_is_followed() -> None:
    terms = " + ".join(["RULES"] * 900)
    source = f"def ask(turns):\n    client.responses.create(instructions={terms} + str(datetime.now()))\n"
    assert finds(PYTHON + source, "desk.py") == ["clock str(datetime.now()) -> system"]


# Whatever the source is.

SOURCES = sorted(Path(promptlint.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("path", random.Random(7).sample(SOURCES, 40), ids=lambda path: path.stem)
def test_the_sources_of_this_project(path: Path) -> None:
    """What stands at the place of a name is that name, however many comments and line feeds lie in front of it."""
    text = path.read_text("utf-8")
    module = parse(path.as_posix(), text)
    for node in everything(module):
        if isinstance(node, Name) and not node.name.startswith(("operator:", "reversed")):
            start, end = module.chars(node.span)
            assert node.name in text[start:end]


PIECES = [*"\n\t()[]{}'\"\\#:=\x0c\ré😀\x00", "    ", "'''", "async ", "match x:"]


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A slice of a source of this project with pieces put in and taken out."""
    text = draw(st.sampled_from(SOURCES)).read_text("utf-8")
    start = draw(st.integers(0, max(len(text) - 1, 0)))
    start = text.rfind("\n", 0, start) + 1
    text = text[start : start + draw(st.integers(0, 3000))]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(PIECES)) + text[at + draw(st.integers(0, 9)) :]
    return text


@LAW
@given(mutants())
def test_any_text_is_a_module_or_told(text: str) -> None:
    try:
        module = parse("app.py", text)
    except PromptlintError:
        return
    everything(module)
    assert all(0 <= start < end <= len(text) and text[start] == "#" for start, end in module.comments())
    assert all(written for _, written in nodes(module))


@LAW
@given(mutants())
def test_any_text_is_followed(text: str) -> None:
    indented = "".join(f"    {line}\n" for line in text.split("\n"))
    source = f"{PYTHON}\ndef system_prompt(a):\n{indented}\n    return RULES + str(datetime.now())\n"
    try:
        found = read_source(document(source, "desk.py"))
    except PromptlintError:
        return
    assert found is not None
