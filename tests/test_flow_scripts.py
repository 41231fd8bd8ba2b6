"""On which ways a value reaches a prompt in TypeScript and JavaScript."""

import pytest

pytest.importorskip("tree_sitter")

from flow_finds import TYPESCRIPT, finds, typescript

FOUND = "clock NOW"

WAYS = [
    ("template", "SEND(`${NOW} ${RULES}`)", FOUND),
    ("+", "SEND(RULES + NOW)", FOUND),
    ("+=", "let text = RULES; text += NOW; SEND(text)", FOUND),
    ("overwritten", "let text = RULES + NOW; text = RULES; SEND(text)", ""),
    ("branch", "let text = RULES; if (turns.length) { text += NOW; } SEND(text)", FOUND),
    ("early return", "const text = RULES + NOW; if (turns) return SEND(text)\n", FOUND),
    ("?:", "SEND(turns ? RULES : RULES + NOW)", FOUND),
    ("??", "SEND(turns.s ?? RULES + NOW)", FOUND),
    ("&&", "SEND([RULES, turns && NOW].filter(Boolean).join(' '))", FOUND),
    ("push", "const p = [RULES]; p.push(NOW); SEND(p.join(' '))", FOUND),
    ("unshift", "const p = [RULES]; p.unshift(NOW); SEND(p.join(' '))", FOUND),
    ("spread", "const p = [RULES, ...[NOW]]; SEND(p.join(' '))", FOUND),
    ("concat", "SEND([RULES].concat([NOW]).join(' '))", FOUND),
    ("map", "SEND(RULES + turns.map((t) => t + NOW).join(' '))", FOUND),
    ("reduce", "SEND(turns.reduce((a, t) => a + t, RULES + NOW))", FOUND),
    ("for of", "let text = RULES; for (const t of turns) { text += NOW; } SEND(text)", FOUND),
    ("replace", "SEND('{{now}} '.replace('{{now}}', NOW) + RULES)", FOUND),
    ("replaceAll", "SEND(turns.t.replaceAll('@', NOW) + RULES)", FOUND),
    ("no placeholder", "SEND(RULES.replace('@', NOW))", ""),
    ("destructured", "const { a, b } = { a: RULES, b: NOW }; SEND(b)", FOUND),
    ("destructured, the other", "const { a, b } = { a: RULES, b: NOW }; SEND(a)", ""),
    ("destructured list", "const [a, b] = [RULES, NOW]; SEND(b)", FOUND),
    ("structuredClone", "const p = [RULES]; const q = structuredClone(p); q.push(NOW); SEND(p.join(' '))", ""),
    ("only logged", "console.log(NOW, RULES); SEND(RULES)", ""),
    ("JSON", "SEND(RULES + JSON.stringify({ at: NOW }))", FOUND),
    ("JSON of a parameter", "SEND(RULES + JSON.stringify(turns))", "unsorted_keys~ JSON.stringify(turns)"),
    ("JSON, chosen keys", "SEND(RULES + JSON.stringify(turns, ['a', 'b']))", ""),
]
FUNCTIONS = [
    ("function", "function g() { return RULES + NOW; }\n---\nSEND(g())", FOUND),
    ("arrow", "const g = () => RULES + NOW;\n---\nSEND(g())", FOUND),
    ("default, each time", "function g(now = NOW) { return RULES + now; }\n---\nSEND(g())", FOUND),
    ("pattern", "function g({ a, now }) { return a + now; }\n---\nSEND(g({ a: RULES, now: NOW }))", FOUND),
    ("default in a pattern", "function g({ a, now = NOW }) { return a + now; }\n---\nSEND(g({ a: RULES }))", FOUND),
    ("pattern, not used", "function g({ a, now }) { return a; }\n---\nSEND(g({ a: RULES, now: NOW }))", ""),
    ("rest", "function g(...p) { return p.join(' '); }\n---\nSEND(g(RULES, NOW))", FOUND),
    ("spread call", "function g(a, b) { return a + b; }\n---\nSEND(g(...[RULES, NOW]))", FOUND),
    ("spread call, not used", "function g(a, b) { return a; }\n---\nSEND(g(...[RULES, NOW]))", ""),
    ("closure", "let text = RULES; const add = () => { text += NOW; }; add(); SEND(text)", FOUND),
    ("shadowed", "const text = RULES; const log = () => { const text = NOW; print(text); }; log(); SEND(text)", ""),
    (
        "shadowed by a pattern",
        "const text = RULES; const log = ({ text }) => { print(text); }; log({ text: NOW }); SEND(text)",
        "",
    ),
    ("method", "const o = { g() { return RULES + NOW; } };\n---\nSEND(o.g())", FOUND),
    ("getter", "const o = { get g() { return RULES + NOW; } };\n---\nSEND(o.g)", FOUND),
    ("generator", "function* g() { yield RULES; yield NOW; }\n---\nSEND([...g()].join(' '))", FOUND),
    ("then", "const text = await load().then((x) => RULES + NOW); SEND(text)", FOUND),
    ("await", "const g = async () => RULES + NOW; SEND(await g())", FOUND),
]
CLASSES = [
    ("method", "class Desk { g() { return RULES + NOW; } async ask(turns) { SEND(this.g()) } }", FOUND),
    ("getter", "class Desk { get g() { return RULES + NOW; } async ask(turns) { SEND(this.g) } }", FOUND),
    ("static", "class Desk { static g() { return RULES + NOW; } async ask(turns) { SEND(Desk.g()) } }", FOUND),
    ("private", "class Desk { #g() { return RULES + NOW; } async ask(turns) { SEND(this.#g()) } }", FOUND),
    ("arrow field", "class Desk { g = () => RULES + NOW; async ask(turns) { SEND(this.g()) } }", FOUND),
    (
        "inherited",
        "class A { g() { return RULES + NOW; } }\nclass Desk extends A { async ask(turns) { SEND(this.g()) } }",
        FOUND,
    ),
    (
        "super",
        "class A { g() { return RULES + NOW; } }\n"
        "class Desk extends A { g() { return super.g() + '.'; } async ask(turns) { SEND(this.g()) } }",
        FOUND,
    ),
    (
        "super()",
        "class A { constructor(t) { this.t = t; } }\nclass B extends A { constructor() { super(NOW); } }\n"
        "export async function ask(turns) { SEND(RULES + new B().t) }",
        FOUND,
    ),
]
PUSHED = "const out = []; await Promise.all(turns.map(async (t) => { out.push(await load(t)); })); "
JOINED = "arrival_order out.join(' ')"
TEXT = "SEND(RULES + out.join(' '))"
ORDERS = [
    ("all", f"const out = await Promise.all(turns.map((t) => load(t))); {TEXT}", ""),
    ("pushed", PUSHED + TEXT, JOINED),
    ("pushed, sorted", f"{PUSHED}out.sort(); {TEXT}", ""),
    (
        "pushed before it waits",
        f"const out = []; await Promise.all(turns.map(async (t) => {{ out.push(t); await load(t); }})); {TEXT}",
        "",
    ),
    ("then", f"const out = []; await Promise.all(turns.map((t) => load(t).then((x) => out.push(x)))); {TEXT}", JOINED),
    ("forEach", f"const out = []; turns.forEach(async (t) => {{ out.push(await load(t)); }}); {TEXT}", JOINED),
    ("one behind the other", f"const out = []; for (const t of turns) {{ out.push(await load(t)); }} {TEXT}", ""),
    (
        "by number",
        f"const out = []; await Promise.all(turns.map(async (t, i) => {{ out[i] = await load(t); }})); {TEXT}",
        "",
    ),
    (
        "a text",
        "let text = RULES; await Promise.all(turns.map(async (t) => { const x = await load(t); text += x; })); "
        "SEND(text)",
        "arrival_order text += x",
    ),
    (
        "Map",
        "const m = new Map(); await Promise.all(turns.map(async (t) => { m.set(t, await load(t)); })); "
        "SEND(RULES + [...m.values()].join(' '))",
        "arrival_order m.values()",
    ),
    (
        "Map, by key",
        "const m = new Map(); await Promise.all(turns.map(async (t) => { m.set(t, await load(t)); })); "
        "SEND(RULES + turns.map((t) => m.get(t)).join(' '))",
        "",
    ),
    ("Set keeps its order", "SEND(RULES + [...new Set(turns)].join(' '))", ""),
    ("keys keep theirs", "SEND(RULES + Object.keys(turns).join(' '))", ""),
    ("a random sort", "const p = ['a', 'b'].sort(() => Math.random() - 0.5); SEND(RULES + p.join(' '))", "shuffle"),
]
ROWS_OF = "rows.map((r) => r.name).join(' ')"
SELECT = "SELECT name FROM t"
ORDERS += [
    ("rows", f"const rows = await db.query('{SELECT}'); SEND(RULES + {ROWS_OF})", f"query db.query('{SELECT}')"),
    (
        "{ rows }",
        f"const {{ rows }} = await db.query('{SELECT}'); SEND(RULES + {ROWS_OF})",
        f"query db.query('{SELECT}')",
    ),
    ("rows of a tag", f"const rows = await sql`{SELECT}`; SEND(RULES + {ROWS_OF})", f"query sql`{SELECT}`"),
    ("rows in order", f"const rows = await sql`{SELECT} ORDER BY name`; SEND(RULES + {ROWS_OF})", ""),
    ("findMany", f"const rows = await prisma.t.findMany(); SEND(RULES + {ROWS_OF})", "query prisma.t.findMany()"),
    (
        "findMany in order",
        f"const rows = await prisma.t.findMany({{ orderBy: {{ id: 'asc' }} }}); SEND(RULES + {ROWS_OF})",
        "",
    ),
]
VALUES = [
    ("Date()", "Date()", "clock"),
    ("Date.now()", "Date.now()", "clock"),
    ("a date of data", "new Date(turns.at).toISOString()", ""),
    ("toLocaleString", "new Date().toLocaleString()", "clock"),
    ("toLocaleDateString", "new Date().toLocaleDateString()", "date"),
    ("with the hour", "new Date().toLocaleDateString('en', { hour: '2-digit' })", "clock"),
    ("without it", "new Date().toLocaleString('en', { weekday: 'long' })", "date"),
    ("toDateString", "new Date().toDateString()", "date"),
    ("slice", "NOW.slice(0, 10)", "date"),
    ("longer slice", "NOW.slice(0, 16)", "clock"),
    ("split", "NOW.split('T')[0]", "date"),
    ("behind it", "NOW.split('T')[1]", "clock"),
    ("substring", "NOW.substring(0, 10)", "date"),
    ("dayjs, day", "dayjs().format('YYYY-MM-DD')", "date"),
    ("dayjs, minute", "dayjs().format('YYYY-MM-DD HH:mm')", "clock"),
    ("dayjs of data", "dayjs(turns.at).format('HH:mm')", ""),
    ("Intl", "new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(new Date())", "clock"),
    ("Intl, day", "new Intl.DateTimeFormat('en').format(new Date())", "date"),
    ("year", "new Date().getFullYear()", "date"),
    ("hours", "new Date().getHours()", "clock"),
    ("id", "randomUUID()", "identifier"),
    ("random", "Math.random()", "identifier"),
    ("machine", "process.env.HOSTNAME", "environment"),
    ("deployment", "process.env.APP_NAME", ""),
]
VALUE_ROWS = [(name, f"SEND({value} + RULES)", kind and f"{kind} {value}") for name, value, kind in VALUES]
ROWS = [*WAYS, *FUNCTIONS, *CLASSES, *ORDERS, *VALUE_ROWS]


@pytest.mark.parametrize(("row", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_way(row: str, expected: str) -> None:
    found = typescript(row)
    if expected == "shuffle":
        assert [line.split()[0] for line in found] == ["shuffle"]
    else:
        assert found == ([expected] if expected else [])


NOW = "new Date().toISOString()"
URL = "'https://api.openai.com/v1/chat/completions'"
BODY = f"{{ model: 'm', messages: [{{ role: 'system', content: RULES + {NOW} }}, ...turns] }}"
CALLS = [
    ("generateText({ model: m, system: RULES + NOW, messages: turns })", "clock NOW"),
    ("generateText({ model: m, system: RULES, prompt: turns + NOW })", ""),
    ("fetch(URL, { method: 'POST', body: JSON.stringify(BODY) })", "clock NOW"),
    ("client.responses.create({ ...{ instructions: RULES + NOW }, input: turns })", "clock NOW"),
    ("client.responses.create({ ...{ instructions: RULES + NOW }, instructions: RULES, input: turns })", ""),
    ("client.responses.create(Object.assign({}, { instructions: RULES + NOW }))", "clock NOW"),
    (
        "claude.messages.create({ system: [{ text: RULES, cache_control: { type: 'ephemeral' } }, { text: NOW }] })",
        "",
    ),
    (
        "client.chat.completions.create({ messages: [{ role: 'system', content: RULES }, ...turns, "
        "{ role: 'user', content: NOW }] })",
        "",
    ),
]


@pytest.mark.parametrize(("call", "expected"), CALLS)
@pytest.mark.parametrize(
    "form",
    [
        "export const ask = (turns) => CALL;",
        "module.exports = { ask: async (turns) => CALL };",
        "app.post('/ask', async (turns, res) => { res.json(await CALL); });",
        "export default { async fetch(turns) { return CALL; } };",
        "export class Desk { private async run(turns: string[]) { return CALL; } }",
    ],
)
def test_wherever_a_request_stands(call: str, expected: str, form: str) -> None:
    written = call.replace("BODY", BODY).replace("URL", URL).replace("NOW", NOW)
    found = finds(TYPESCRIPT + form.replace("CALL", written), "desk.ts")
    assert [line.replace(NOW, "NOW").removesuffix(" -> system") for line in found] == ([expected] if expected else [])
