"""What is made once is no change, unless something makes it anew: variables of modules, memos, caches."""

import pytest

from flow_finds import python, typescript

FOUND = "clock NOW"
RESET = "def reset():\n    global T\n    T = None\n"
MEMO = "T = None\ndef g():\n    global T\n    if T is None:\n        T = RULES + NOW\n    return T\n"
ASK = "---\nSEND(g())"
MODULE = [
    ("a constant", "T = RULES + NOW\n---\nSEND(T)", ""),
    ("an id", "RUN = uuid.uuid4().hex\n---\nSEND(RULES + RUN)", ""),
    ("in a mapping", "T = {'now': NOW}\n---\nSEND(RULES + T['now'])", ""),
    ("an answer", "def g():\n    return RULES + NOW\nT = g()\n---\nSEND(T)", ""),
    ("an order lasts", "T = {'a', 'b', 'c'}\n---\nSEND(RULES + ' '.join(T))", "unordered ' '.join(T)"),
    ("an order that is sorted", "T = sorted({'a', 'b', 'c'})\n---\nSEND(RULES + ' '.join(T))", ""),
    (
        "an order in a cache",
        "@functools.cache\ndef g():\n    return ' '.join({RULES, 'b'})\n" + ASK,
        "unordered ' '.join({RULES, 'b'})",
    ),
    ("an import that fails", "try:\n    T = RULES + NOW\nexcept OSError:\n    T = ''\n---\nSEND(T)", ""),
    ("refreshed", "T = ''\ndef tick():\n    global T\n    T = NOW\n---\ntick()\nSEND(RULES + T)", FOUND),
    (
        "refreshed after it was read",
        "T = ''\ndef tick():\n    global T\n    T = NOW\n---\nprint(T)\ntick()\nSEND(RULES + T)",
        FOUND,
    ),
    ("refreshed by nobody here", "T = ''\ndef tick():\n    global T\n    T = NOW\n---\nSEND(RULES + T)", ""),
    ("a key of the module", "T = {}\n---\nT['now'] = NOW\nSEND(RULES + T['now'])", FOUND),
]
MEMOS = [
    ("memo", MEMO + ASK, ""),
    ("memo, reset", RESET + MEMO + ASK, FOUND),
    (
        "memo, early",
        "T = None\ndef g():\n    global T\n    if T:\n        return T\n    T = RULES + NOW\n    return T\n" + ASK,
        "",
    ),
    ("memo with a lifetime", MEMO.replace("if T is None", "if T is None or time.time() - AT > 60") + ASK, FOUND),
    (
        "cache",
        "C = {}\ndef g(k=1):\n    if k in C:\n        return C[k]\n    t = RULES + NOW\n    C[k] = t\n    return t\n"
        + ASK,
        "",
    ),
    (
        "cache, get",
        "C = {}\ndef g(k=1):\n    t = C.get(k)\n    if t is None:\n        t = RULES + NOW\n        C[k] = t\n"
        "    return t\n" + ASK,
        "",
    ),
    (
        "cache, hit",
        "C = {}\ndef g(k=1):\n    if (t := C.get(k)) is not None:\n        return t\n    t = RULES + NOW\n"
        "    C[k] = t\n    return t\n" + ASK,
        "",
    ),
    (
        "cache, not in",
        "C = {}\ndef g(k=1):\n    if k not in C:\n        C[k] = RULES + NOW\n    return C[k]\n" + ASK,
        "",
    ),
    (
        "cache, emptied",
        "C = {}\ndef new():\n    C.clear()\ndef g(k=1):\n    if k in C:\n        return C[k]\n"
        "    t = RULES + NOW\n    C[k] = t\n    return t\n" + ASK,
        FOUND,
    ),
    (
        "cache with a lifetime",
        "C = {}\ndef g(k=1):\n    if k in C and time.time() - C[k][1] < 60:\n        return C[k][0]\n"
        "    t = RULES + NOW\n    C[k] = t, time.time()\n"
        "    return t\n" + ASK,
        FOUND,
    ),
    (
        "cache of its own",
        "def g(k=1):\n    c = {}\n    if k in c:\n        return c[k]\n    t = RULES + NOW\n    c[k] = t\n"
        "    return t\n" + ASK,
        FOUND,
    ),
    (
        "cache of answers",
        "C = {}\n---\nif turns in C:\n    return C[turns]\nr = SEND(RULES + NOW)\nC[turns] = r\nreturn r",
        FOUND,
    ),
    (
        "cache of answers, not in",
        "C = {}\n---\nif turns not in C:\n    C[turns] = SEND(RULES + NOW)\nreturn C[turns]",
        FOUND,
    ),
]


def desk(body: str, more: str = "") -> str:
    """A class whose `text` has this body."""
    inner = "".join(f"        {line}\n" for line in body.split("\n"))
    head = "class Desk:\n    def __init__(self, override=None):\n        self._s = None\n        self._o = override\n"
    return f"{head}{more}    def text(self):\n{inner}    def ask(self, turns):\n        SEND(self.text())\n"


TURN = "    def turn(self):\n        self._s = None\n"
FIELDS = [
    ("is None", desk("if self._s is None:\n    self._s = RULES + NOW\nreturn self._s"), ""),
    ("not", desk("if not self._s:\n    self._s = RULES + NOW\nreturn self._s"), ""),
    ("hasattr", desk("if not hasattr(self, '_s'):\n    self._s = RULES + NOW\nreturn self._s"), ""),
    ("early", desk("if self._s is not None:\n    return self._s\nself._s = RULES + NOW\nreturn self._s"), ""),
    ("early, by a name", desk("if self._s:\n    return self._s\ntext = RULES + NOW\nself._s = text\nreturn text"), ""),
    ("reset", desk("if self._s is None:\n    self._s = RULES + NOW\nreturn self._s", TURN), FOUND),
    ("early, reset", desk("if self._s:\n    return self._s\nself._s = RULES + NOW\nreturn self._s", TURN), FOUND),
    ("something else is asked", desk("if self._o is not None:\n    return self._o\nreturn RULES + NOW"), FOUND),
    (
        "a cached property",
        desk("return self._c", "    @functools.cached_property\n    def _c(self):\n        return RULES + NOW\n"),
        "",
    ),
]
ROWS = [*MODULE, *MEMOS, *FIELDS]


@pytest.mark.parametrize(("row", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_python(row: str, expected: str) -> None:
    assert python(row) == ([expected] if expected else [])


SCRIPTS = [
    ("a constant", "const t = RULES + NOW;\n---\nSEND(t)", ""),
    ("at once", "const t = (() => RULES + NOW)();\n---\nSEND(t)", ""),
    ("once", "import { once } from 'lodash';\nconst g = once(() => RULES + NOW);\n---\nSEND(g())", ""),
    ("refreshed", "let t = '';\nfunction tick() { t = NOW; }\n---\ntick();\nSEND(RULES + t)", FOUND),
    ("refreshed by nobody here", "let t = '';\nfunction tick() { t = NOW; }\n---\nSEND(RULES + t)", ""),
    ("another variable", "let t = RULES;\nfunction tick() { const t = NOW; log(t); }\n---\ntick();\nSEND(t)", ""),
    ("memo", "let t;\nfunction g() { if (!t) { t = RULES + NOW; } return t; }\n---\nSEND(g())", ""),
    ("memo, early", "let t;\nfunction g() { if (t) return t; t = RULES + NOW; return t; }\n---\nSEND(g())", ""),
    (
        "memo, reset",
        "let t;\nfunction r() { t = null; }\nfunction g() { if (!t) { t = RULES + NOW; } return t; }\n---\nSEND(g())",
        FOUND,
    ),
    ("??=", "let t;\nfunction g() { return (t ??= RULES + NOW); }\n---\nSEND(g())", ""),
    (
        "Map",
        "const c = new Map();\nfunction g(k) { if (c.has(k)) return c.get(k); const t = RULES + NOW; "
        "c.set(k, t); return t; }\n---\nSEND(g(1))",
        "",
    ),
    (
        "Map, get",
        "const c = new Map();\nfunction g(k) { let t = c.get(k); if (!t) { t = RULES + NOW; c.set(k, t); "
        "} return t; }\n---\nSEND(g(1))",
        "",
    ),
    ("a field", "class Desk { t = RULES + NOW; async ask(turns) { SEND(this.t); } }", ""),
    ("a constructor", "class Desk { constructor() { this.t = RULES + NOW; } async ask(turns) { SEND(this.t); } }", ""),
    (
        "a field, ??=",
        "class Desk { g() { this.t ??= RULES + NOW; return this.t; } async ask(turns) { SEND(this.g()); } }",
        "",
    ),
    (
        "a field, early",
        "class Desk { g() { if (this.t) return this.t; this.t = RULES + NOW; return this.t; "
        "} async ask(turns) { SEND(this.g()); } }",
        "",
    ),
]


@pytest.mark.parametrize(("row", "expected"), [row[1:] for row in SCRIPTS], ids=[row[0] for row in SCRIPTS])
def test_typescript(row: str, expected: str) -> None:
    assert typescript(row) == ([expected] if expected else [])
