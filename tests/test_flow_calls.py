"""On which ways a value reaches a prompt in Python: functions, classes, and what is made once and kept."""

import pytest

from flow_finds import python

FOUND = "clock NOW"

FUNCTIONS = [
    ("an answer", "def g():\n    return RULES + NOW\n---\nSEND(g())", FOUND),
    ("an answer that is the moment", "def g():\n    return NOW\n---\nSEND(RULES + g())", "clock g()"),
    ("another answer", "def g():\n    return RULES, NOW\n---\nSEND(g()[0])", ""),
    (
        "one of several answers",
        "def g(t):\n    if t:\n        return RULES\n    return NOW + RULES\n---\nSEND(g(turns))",
        FOUND,
    ),
    ("an argument", "def g(now):\n    return RULES + str(now)\n---\nSEND(g(datetime.now()))", "clock str(now)"),
    ("an argument that is not used", "def g(now):\n    return RULES\n---\nSEND(g(NOW))", ""),
    ("a keyword", "def g(a=1, now=None):\n    return RULES + now\n---\nSEND(g(now=NOW))", FOUND),
    ("only a keyword", "def g(*, now):\n    return RULES + now\n---\nSEND(g(now=NOW))", FOUND),
    ("only a position", "def g(now, /, a=1):\n    return RULES + now\n---\nSEND(g(NOW))", FOUND),
    ("a default", "def g(now=NOW):\n    return RULES + now\n---\nSEND(g())", ""),
    (
        "a default that is replaced",
        "def g(now=None):\n    now = now or NOW\n    return RULES + now\n---\nSEND(g())",
        FOUND,
    ),
    ("*args", "def g(*parts):\n    return ' '.join(parts)\n---\nSEND(g(RULES, NOW))", FOUND),
    ("a spread list", "def g(a, b):\n    return a + b\n---\nSEND(g(*[RULES, NOW]))", FOUND),
    ("a spread list, the other", "def g(a, b):\n    return a\n---\nSEND(g(*[RULES, NOW]))", ""),
    ("**kwargs", "def g(**p):\n    return p['a'] + p['b']\n---\nSEND(g(a=RULES, b=NOW))", FOUND),
    ("a spread mapping", "def g(a, b):\n    return a + b\n---\nSEND(g(**{'a': RULES, 'b': NOW}))", FOUND),
    ("partial", "def g(a, now):\n    return a + now\nh = functools.partial(g, RULES)\n---\nSEND(h(NOW))", FOUND),
    ("partial, kept", "def g(a, now):\n    return a + now\nh = functools.partial(g, now=NOW)\n---\nSEND(h(RULES))", ""),
    ("lambda", "g = lambda: RULES + NOW\n---\nSEND(g())", FOUND),
    ("a table", "def g():\n    return RULES + NOW\nT = {'a': g}\n---\nSEND(T['a']())", FOUND),
    ("a table, any of it", "def g():\n    return RULES + NOW\nT = {'a': g}\n---\nSEND(T[turns]())", FOUND),
    ("inner", "def g():\n    return RULES + NOW\nSEND(g())", FOUND),
    ("closure", "now = NOW\ndef g():\n    return RULES + now\nSEND(g())", FOUND),
    ("nonlocal", "text = RULES\ndef g():\n    nonlocal text\n    text = RULES + NOW\ng()\nSEND(text)", FOUND),
    ("nonlocal, replaced", "text = NOW\ndef g():\n    nonlocal text\n    text = RULES\ng()\nSEND(text)", ""),
    ("a name of its own", "text = RULES\ndef g():\n    text = NOW\n    print(text)\ng()\nSEND(text)", ""),
    ("generator", "def g():\n    yield RULES\n    yield NOW\n---\nSEND(' '.join(g()))", FOUND),
    ("yield from", "def h():\n    yield NOW\ndef g():\n    yield from h()\n---\nSEND(RULES + ' '.join(g()))", FOUND),
    ("recursion", "def g(n):\n    return RULES + NOW if n == 0 else g(n - 1)\n---\nSEND(g(3))", FOUND),
    ("for ever", "def g(n):\n    return h(n)\ndef h(n):\n    return g(n)\n---\nSEND(RULES + g(1) + NOW)", FOUND),
    ("a callback", "def g(f):\n    return RULES + f()\n---\nSEND(g(lambda: NOW))", "clock f()"),
]
INNER = "    def inner(*a):\n        return f(*a) + NOW\n    return inner\n"
DECORATORS = [
    ("a decorator", f"def d(f):\n{INNER}@d\ndef g():\n    return RULES\n---\nSEND(g())", FOUND),
    (
        "a decorator that is called",
        "def d(x):\n    def e(f):\n        def inner(*a):\n            return f(*a) + NOW\n"
        "        return inner\n    return e\n"
        "@d(1)\ndef g():\n    return RULES\n---\nSEND(g())",
        FOUND,
    ),
    (
        "a decorator that only looks",
        "def d(f):\n    def inner(*a):\n        print(NOW)\n        return f(*a)\n    return inner\n@d\ndef g():\n"
        "    return RULES\n---\nSEND(g())",
        "",
    ),
    ("cache", "@functools.cache\ndef g():\n    return RULES + NOW\n---\nSEND(g())", ""),
    ("lru_cache", "@functools.lru_cache(maxsize=None)\ndef g():\n    return RULES + NOW\n---\nSEND(g())", ""),
    ("another decorator", "@retry\ndef g():\n    return RULES + NOW\n---\nSEND(g())", FOUND),
]


def desk(body: str, send: str, ahead: str = "class Desk:\n") -> str:
    """A class with these methods and an `ask`."""
    inner = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"{ahead}{inner}    def ask(self, turns):\n        SEND({send})\n"


ABOVE = (
    "class Above:\n    def g(self):\n        return NOW + RULES + self.part()\n    def part(self):\n        return ''\n"
)
CLASSES = [
    ("a method", desk("def g(self):\n    return RULES + NOW", "self.g()"), FOUND),
    ("a property", desk("@property\ndef g(self):\n    return RULES + NOW", "self.g"), FOUND),
    ("static", desk("@staticmethod\ndef g():\n    return RULES + NOW", "Desk.g()"), FOUND),
    ("of the class", desk("@classmethod\ndef g(cls):\n    return RULES + NOW", "self.g()"), FOUND),
    ("a field of the class", desk("text = RULES + NOW", "self.text"), ""),
    ("made with the object", desk("def __init__(self):\n    self.text = RULES + NOW", "self.text"), ""),
    (
        "made with an object per request",
        "class A:\n    def __init__(self):\n        self.t = NOW\n---\nSEND(RULES + A().t)",
        FOUND,
    ),
    (
        "given to an object",
        "class A:\n    def __init__(self, t):\n        self.t = t\n---\nSEND(RULES + A(NOW).t)",
        FOUND,
    ),
    ("set per request", desk("def start(self):\n    self.t = RULES + NOW", "(self.start(), self.t)[1]"), FOUND),
    ("inherited", desk("x = 1", "self.g()", f"{ABOVE}class Desk(Above):\n"), FOUND),
    ("overridden", desk("def g(self):\n    return RULES", "self.g()", f"{ABOVE}class Desk(Above):\n"), ""),
    ("super", desk("def g(self):\n    return super().g() + '.'", "self.g()", f"{ABOVE}class Desk(Above):\n"), FOUND),
    (
        "super of super",
        desk(
            "def g(self):\n    return super().g()",
            "self.g()",
            f"{ABOVE}class Mid(Above):\n    pass\nclass Desk(Mid):\n",
        ),
        FOUND,
    ),
    (
        "super asks the object itself",
        desk(
            "def part(self):\n    return NOW\ndef g(self):\n    return super().g()",
            "self.g()",
            ABOVE.replace("NOW + ", "") + "class Desk(Above):\n",
        ),
        "clock self.part()",
    ),
    (
        "super of __init__",
        "class A:\n    def __init__(self, t):\n        self.t = t\nclass B(A):\n    def __init__(self):\n"
        "        super().__init__(NOW)\n---\nSEND(RULES + B().t)",
        FOUND,
    ),
    (
        "a part that a subclass gives",
        desk("def part(self):\n    return NOW", "self.g()", ABOVE.replace("NOW + ", "") + "class Desk(Above):\n"),
        "clock self.part()",
    ),
    ("str", "class A:\n    def __str__(self):\n        return NOW\n---\nSEND(f'{A()} {RULES}')", "clock A()"),
    ("str()", "class A:\n    def __str__(self):\n        return NOW\n---\nSEND(RULES + str(A()))", "clock A()"),
    ("called", "class A:\n    def __call__(self):\n        return RULES + NOW\na = A()\n---\nSEND(a())", FOUND),
    (
        "getattr",
        "class A:\n    def __init__(self):\n        self.t = NOW\n---\nSEND(RULES + getattr(A(), 't', ''))",
        FOUND,
    ),
    (
        "a chain",
        "class A:\n    def __init__(self):\n        self.p = []\n    def add(self, x):\n"
        "        self.p.append(x)\n        return self\n---\nSEND(' '.join(A().add(RULES).add(NOW).p))",
        FOUND,
    ),
]
DATA = "@dataclass\nclass A:\n"
CLOCK = "class Desk:\n    def __init__(self, clock=datetime.now):\n        self.clock = clock\n"
CLASSES += [
    (
        "a clock in a field",
        f"{CLOCK}    def ask(self, turns):\n        SEND(RULES + str(self.clock()))\n",
        "clock str(self.clock())",
    ),
    (
        "a function in a field",
        "class A:\n    def __init__(self):\n        self.f = uuid.uuid4\na = A()\n---\nSEND(RULES + a.f().hex)",
        "identifier a.f().hex",
    ),
    (
        "parts in a field",
        desk(
            "def __init__(self):\n    self.p = [RULES]\ndef more(self):\n    self.p.append(NOW)\n"
            "def g(self):\n    self.more()\n    return ' '.join(self.p)",
            "self.g()",
        ),
        FOUND,
    ),
]
RECORDS = [
    ("dataclass", f"{DATA}    now: str\n    b: str = ''\n---\nSEND(RULES + A(NOW).now)", FOUND),
    ("dataclass, the other field", f"{DATA}    now: str\n    b: str = ''\n---\nSEND(RULES + A(now=NOW, b='').b)", ""),
    ("default", f"{DATA}    now: str = NOW\n---\nSEND(RULES + A().now)", ""),
    (
        "factory",
        f"{DATA}    run: object = field(default_factory=uuid.uuid4)\n---\nSEND(RULES + str(A().run))",
        "identifier str(A().run)",
    ),
    (
        "post_init",
        f"{DATA}    now: str = ''\n    def __post_init__(self):\n        self.now = NOW\n---\nSEND(RULES + A().now)",
        FOUND,
    ),
    ("replace", f"{DATA}    now: str = ''\n---\nSEND(RULES + replace(A(), now=NOW).now)", FOUND),
    ("replaced", f"{DATA}    now: str = ''\n---\nSEND(RULES + replace(A(NOW), now='').now)", ""),
    ("asdict", f"{DATA}    now: str\n---\nSEND(RULES + json.dumps(asdict(A(NOW))))", FOUND),
    ("NamedTuple", "class A(NamedTuple):\n    a: str\n    b: str\n---\nSEND(A(RULES, NOW).b)", FOUND),
    ("NamedTuple, the other", "class A(NamedTuple):\n    a: str\n    b: str\n---\nSEND(A(RULES, NOW).a)", ""),
    ("_replace", "class A(NamedTuple):\n    a: str\n---\nSEND(RULES + A('')._replace(a=NOW).a)", FOUND),
    (
        "model_copy",
        "class A(BaseModel):\n    a: str\n---\nSEND(RULES + A(a='').model_copy(update={'a': NOW}).a)",
        FOUND,
    ),
]

ROWS = [*FUNCTIONS, *DECORATORS, *CLASSES, *RECORDS]


@pytest.mark.parametrize(("row", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_way(row: str, expected: str) -> None:
    assert python(row) == ([expected] if expected else [])
