"""TypeScript and JavaScript, construct by construct, as the data flow looks at them."""

import pytest

from code_texts import everything, translated
from promptlint.lint.flow.code import Define, Module, Span
from promptlint.lint.flow.typescript import reading

EXPRESSIONS = [
    # Literals.
    ("'a'", "'a'"),
    (r'"a\n\x41\u00e9\u{1F600}\ud83d\ude00\q\"\0"', repr('a\nAé😀😀q"\0')),
    ('"a\\\nb\\\r\nc"', "'abc'"),
    (r'"\ud83d" + "\u{110000}"', "text('\ufffd', '\ufffd')"),
    ("[1, 1n, true, /a'b/g, null, undefined, void 0, -1]", "[#, #, #, #, none, none, none, #]"),
    ("`plain`", "'plain'"),
    ("`a${b}c\\n${d}`", "text('a', b, 'c\\n', d)"),
    ("`\r\n${a}  ${b}`", "text('\\n', a, '  ', b)"),
    ("`${`${a}b`}`", "text(text(a, 'b'))"),
    ("gql`a${b}`", "gql(text('a', b))"),
    ("dedent`a\\t${b}`", "text('a\\t', b)"),
    ("String.raw`a\\t${b}`", "text('a\\\\t', b)"),
    ("[1, ...a]", "[#, ...a]"),
    ("f({a, 'b': 1, [c]: 2, 4: 3, ...d})", "f({'a': a, 'b': #, c: #, '4': #, ...d})"),
    (
        "f({m() { return 1 }, get g() { return 2 }, set g(v) {}})",
        "f({'m': fn m() {return #}, 'g': fn getter g() {return #}})",
    ),
    # Texts, choices, operators.
    ("a + 'b' + `c${d}`", "text(a, 'b', text('c', d))"),
    ("a + b - c + d", "text(keep(a, b, c), d)"),
    ("a - b * c / d", "keep(a, keep(b, c, d))"),
    ("a ** b", "keep(a, b)"),
    ("a === b", "op(a, b)"),
    ("a + b < c", "op(a, b, c)"),
    ("'a' in b", "op('a', b)"),
    ("a instanceof B", "op(a, B)"),
    ("[typeof a, !a, delete a.b, ~a, -a]", "[op(a), op(a), op(a.b), keep(a), keep(a)]"),
    ("a ?? b", "choice(a | b)"),
    ("a || b || c", "choice(a | b | c)"),
    ("a && b", "choice(a ? b)"),
    ("a && b && c", "choice(op(a, b) ? c)"),
    ("a && b || c", "choice(choice(a ? b) | c)"),
    ("a ? b : c", "choice(a ? b | c)"),
    ("a ? b : c ? d : e", "choice(op(a, c) ? b | d | e)"),
    ("f((a, b))", "f(choice(op(a) ? b))"),
    # Access and calls.
    ("a.b?.c", "a.b.c"),
    ("a?.[b]", "a[b]"),
    ("a[0].#c", "a[#].#c"),
    ("this.a", "this.a"),
    ("a?.(b, ...c)", "a(b, ...c)"),
    ("new A.B<C>(d)", "new A.B(d)"),
    ("new A", "new A()"),
    ("x.slice(0, 10)", "x.slice(#, #)"),
    ("super.a()", "super.a()"),
    ("import.meta.url", "import.meta.url"),
    ("f(await a.b())", "f(await a.b())"),
    # What says nothing of values.
    ("((a as B)! satisfies C)", "a"),
    ("<A>b", "b"),
    ("f<A>(b)", "f(b)"),
    ("(a)", "a"),
    # Functions.
    ("a => a", "fn (a) {return a}"),
    ("async ({a, b: [c]}, d = 1, ...e) => { f(); }", "fn async ({'a': a, 'b': [c]}, d = #, ...e) {f()}"),
    ("f(function g() { return 1 })", "f(fn g() {return #})"),
    ("({a = 1}) => a", "fn ({'a': a}) {a ?= #; return a}"),
    # Assignments as values.
    ("f(a = 1)", "f((a := #))"),
    ("f(a += b)", "f((a := text(a, b)))"),
    ("f(a ??= b)", "f((a ?= b))"),
    ("f(a++)", "f((a := keep(a)))"),
    ("f(yield_)", "f(yield_)"),
    ("f(class {})", "f(op())"),
]


@pytest.mark.parametrize(("source", "expected"), EXPRESSIONS)
def test_expressions(source: str, expected: str) -> None:
    assert translated(f"x = {source};") == f"x = {expected}"


STATEMENTS = [
    ("'use strict'; ;", ""),
    ("let a: T, b = 1; const {c, d: {e = 2}, ...f} = g", "a = -; b = #; {'c': c, 'd': {'e': e}, ...f} = g; e ?= #"),
    ("const [a, , b = 1, ...c] = d", "[a, none, b, ...c] = d; b ?= #"),
    ("({a, b: c.d} = e); [a, b] = [b, a]", "{'a': a, 'b': c.d} = e; [a, b] = [b, a]"),
    ("a = 1; a += b; a ??= c; a ||= d", "a = #; a += b; a ?= c; a ?= d"),
    ("a -= 2; a &&= e", "a = keep(a, #); a = choice(a ? e)"),
    ("a++, --b; (c())", "a += #; b += #; c()"),
    ("if (a) b(); else if (c) { d() } else e()", "if a {b()} else {if c {d()} else {e()}}"),
    ("for (const x of xs) f(x)", "loop x in xs {f(x)}"),
    ("async () => { for await (const {a = 1} of b) {} }", "fn async () {loop {'a': a} in b {a ?= #}}"),
    ("for (k in o) f(k)", "loop k in Object.keys(o) {f(k)}"),
    ("for (let i = 0; i < n; i++) f(i)", "i = #; loop {op(i, n); f(i); i += #}"),
    ("for (;;) { break }", "loop {leave}"),
    ("while (m = r()) { continue }", "loop {m = r(); leave}"),
    ("do a(); while (b())", "loop {a(); b()}"),
    ("switch (a) { case 1: b(); break; case 2: { c(); break; } default: d() }",
     "if op(a, #) {b()} else {if op(a, #) {c()} else {d()}}"),
    ("switch (a) { case 'x': case 'y': b(); case 'z': c(); break; case 4: if (d) break; else e() }",
     "if op(a, 'x', 'y', 'z') {if op(a, 'x', 'y') {b()} else {}; c()} else {if op(a, #) {if d {} else {e()}} else {}}"),
    ("switch (a) { default: b(); case 1: c() }", "if op() {b()} else {}; c()"),
    ("try { a() } catch (e) { b(e) } finally { c() }", "try {a()} else {e = -; b(e)}; c()"),
    ("try { a() } catch { }", "try {a()} else {}"),
    ("throw new E(a)", "leave new E(a)"),
    ("l: for (;;) { break l }", "loop {leave}"),
    ("{ a(); { b() } }", "a(); b()"),
    ("function f(a, {b, c = 1}: P = {}, ...d: T[]) { return a }",
     "def f(a, {'b': b, 'c': c}: P = {}, ...d) {c ?= #; return a}"),
    ("async function f(this: A, a?: ns.Clock<B>): Promise<C> {}", "def async f(a: Clock) {}"),
    ("function* g() { const a = yield b; yield; yield* c() }",
     "def g() {yield b; a = -; yield; loop yield* in c() {yield yield*}}"),
    ("function f(a: string): void; function f(a) { return }", "def f(a) {return}"),
    ("enum E { A, B = 'b', 'c' = 1 }", "E = {'A': #, 'B': 'b', 'c': #}"),
    ("namespace N.M { a() } namespace K { export const b = 1 }", "a(); b = #"),
    ("interface I {} type T = string; declare const a: T; declare module 'm' { }", ""),
    ("abstract class A { abstract b(): void }", "class A() {}"),
    ("const A = class B extends C {}", "class A(C) {}"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), STATEMENTS)
def test_statements(source: str, expected: str) -> None:
    assert translated(source) == expected


CLASS = """@Injectable({a: 1}) export class A<T> extends mixin(B) implements I {
  static #count = 0; readonly name: string; now = () => Date.now();
  @Input() value = "x"; 'quoted' = 1;
  constructor(private readonly clock: Clock, b = 1) { super(); }
  get time() { return this.clock.now(); } set time(v) { this.v = v; }
  @log() static async *all() { yield 1; }
  #secret() {} [Symbol.iterator]() {} static { init(); }
  declare d: number; [key: string]: any;
}"""


def test_classes() -> None:
    assert translated(CLASS).split("; ", 1) == [
        "@Injectable({'a': #}) class A(mixin(B)) {#count = #",
        "name = -; now = fn () {return Date.now()}; value = 'x'; quoted = #; "
        "def constructor(clock: Clock, b = #) {this.clock = clock; super()}; "
        "def getter time() {return this.clock.now()}; def set time(v) {this.v = v}; "
        "def @log() async static all() {yield #}; "
        "def #secret() {}; def [Symbol.iterator]() {}; init(); d = -}",
    ]


IMPORTS = [
    ("import a from 'm'", "import a=m:default"),
    ("import a, {b as c, type T, default as d} from 'm'", "import a=m:default, c=m:b, d=m:default"),
    ("import * as a from './m'", "import a=./m:"),
    ("import 'm'; import type {A} from 'm'; import typeof B from 'm'", ""),
    ("import a = require('m'); import b = a.c", "import a=m:; b = a.c"),
    ("const a = require('m'), b = require('m').c.d", "import a=m:; b = require('m').c.d"),
    ("const a = require('m').b", "import a=m:b"),
    ("const {a, b: c} = require('m')", "import a=m:a, c=m:b"),
    ("const {a = 1} = require('m')", "{'a': a} = require('m'); a ?= #"),
    ("const {a} = await import('m'), b = (await import('m')).default", "import a=m:a; import b=m:default"),
    ("const a = __importDefault(require('m')), b = tslib.__importStar(require('m'))", "import a=m:; import b=m:"),
    ("const a = require(b), c = other('m')", "a = require(b); c = other('m')"),
    ("export {a as b, type C, default as d} from 'm'", "import b=m:a, d=m:default"),
    ("export * from 'm'; export * as a from 'm'; export type * from 'm'", "import *=m:*; import a=m:"),
    ("export {a, b as c}; export type {D}", "c = b"),
    ("export const a = 1; export function b() {} export enum C {} export type D = 1", "a = #; def b() {}; C = {}"),
    ("export default function () {}", "def default() {}"),
    ("export default class extends A {}", "class default(A) {}"),
    ("export default async () => 1", "default = fn async () {return #}"),
    ("export default function a() {}", "def a() {}; default = a"),
    ("export default class A {}", "class A() {}; default = A"),
    ("export default {a: 1}; export = b", "default = {'a': #}; default = b"),
    ("export default interface A {}", ""),
]


@pytest.mark.parametrize(("source", "expected"), IMPORTS)
def test_imports_and_exports(source: str, expected: str) -> None:
    assert translated(source) == expected


COMMONJS = """"use strict";
exports.b = exports.a = void 0;
const clock_1 = require("./clock");
exports.a = function () { return 1 };
exports.b = b;
module.exports.c = 2;
module.exports = exports = { b, d: e, "f": 3, g() {} };
exports.g.h = 4;
"""


def test_commonjs() -> None:
    assert translated(COMMONJS, "app.cjs").split("; ") == [
        "import clock_1=./clock:",
        "a = fn () {return #}",
        "c = #",
        "default = {'b': b, 'd': e, 'f': #, 'g': fn g() {}}",
        "d = default.d",
        "f = default.f",
        "g = default.g",
        "exports.g.h = #",
    ]


def test_jsx() -> None:
    source = "const a = <A b='c' d={e} {...f}>text {g} <B h={<i/>}/> {...j}{/* k */}</A>; const l = <></>"
    assert translated(source, "app.tsx") == "a = op(e, f, g, op(op()), j); l = op()"
    assert translated("const a = <T,>(b: T) => b", "app.tsx") == "a = fn (b: T) {return b}"


@pytest.mark.parametrize("path", ["a.js", "a.mjs", "a.cjs", "a.jsx", "a.tsx", "a.TSX"])
def test_some_suffixes_allow_jsx(path: str) -> None:
    assert translated("a = <b>{c}</b>", path) == "a = op(c)"


@pytest.mark.parametrize("path", ["a.ts", "a.mts", "a.cts", "dir/a.d.ts", "A.TS"])
def test_the_others_allow_old_casts(path: str) -> None:
    assert translated("a = <b>c", path) == "a = c"


SPANS = """\ufeff// é 😀\r
const größe = `é${now()}😀${a + b}`;\r
function f(x = [1, "ü"]) { return x?.y ?? new Date( ); } /* 😀 */\r
class K { m() { return {k: 1, ...z}; } }
"""


def _nodes(module: Module) -> list[tuple[str, str]]:
    """The kind of each node, and what was written there."""
    found = []
    for node in everything(module):
        span: Span | None = getattr(node, "span", None)
        if span is not None:
            start, end = module.chars(span)
            found.append((type(node).__name__, module.text[start:end]))
    return found


def test_spans_are_what_was_written() -> None:
    module = reading.parse("a.ts", SPANS)
    assert {
        ("Text", "`é${now()}😀${a + b}`"),
        ("Constant", "é"),
        ("Constant", "😀"),
        ("Call", "now()"),
        ("Text", "a + b"),
        ("Name", "größe"),
        ("Assign", "größe = `é${now()}😀${a + b}`"),
        ("Constant", '"ü"'),
        ("Choice", "x?.y ?? new Date( )"),
        ("Member", "x?.y"),
        ("Call", "new Date( )"),
        ("Return", "return x?.y ?? new Date( );"),
        ("Mapping", "{k: 1, ...z}"),
        ("Type", "class K { m() { return {k: 1, ...z}; } }"),
    } <= set(_nodes(module))
    assert [SPANS[start:end].rstrip() for start, end in module.comments()] == ["// é 😀", "/* 😀 */"]


def test_characters_far_behind_others() -> None:
    module = reading.parse("a.ts", "// 😀é\n" * 500 + "a('ü', b)")
    assert [text for kind, text in _nodes(module) if kind == "Name"] == ["b", "a"]
    assert len(module.comments()) == 500


def test_comments_are_no_texts() -> None:
    source = 'a = "// no"; // yes\nb = `/* no */`; /* yes\n */ <!-- yes\n'
    comments = reading.parse("a.ts", source).comments()
    assert [source[start:end] for start, end in comments] == ["// yes", "/* yes\n */", "<!-- yes"]
    assert reading.parse("a.ts", "a = 1").comments() == ()


def test_a_body_is_read_once_and_on_demand() -> None:
    (define,) = reading.parse("a.ts", "function f() { return 1 }").body
    assert isinstance(define, Define)
    assert define.function.body() is define.function.body()
