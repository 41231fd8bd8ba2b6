"""Orders that nothing fixes: sets, folders, rows, answers as they come in; and moments that become days."""

import pytest

from flow_finds import python

SETS = [
    ("joined", "SEND(RULES + ' '.join(set(turns)))", "unordered ' '.join(set(turns))"),
    ("comprehension", "SEND(RULES + ' '.join({t for t in turns}))", "unordered ' '.join({t for t in turns})"),
    ("literal", "names = {'a', 'b'}\nSEND(RULES + ' '.join(names))", "unordered ' '.join(names)"),
    ("literal of one", "names = {'a'}\nSEND(RULES + ' '.join(names))", ""),
    ("list", "names = list(set(turns))\nSEND(RULES + ' '.join(names))", "unordered ' '.join(names)"),
    ("printed", "SEND(f'{RULES} {set(turns)}')", "unordered set(turns)"),
    ("difference", "names = set(turns) - {'b'}\nSEND(RULES + ' '.join(names))", "unordered ' '.join(names)"),
    ("loop", "text = RULES\nfor name in set(turns):\n    text += name\nSEND(text)", "unordered set(turns)"),
    (
        "numbered",
        "text = RULES\nfor i, n in enumerate(set(turns)):\n    text += n\nSEND(text)",
        "unordered enumerate(set(turns))",
    ),
    (
        "loop that appends",
        "p = []\nfor n in set(turns):\n    p.append(n)\nSEND(RULES + ' '.join(p))",
        "unordered ' '.join(p)",
    ),
    ("keys", "names = dict.fromkeys(set(turns))\nSEND(RULES + ' '.join(names))", "unordered ' '.join(names)"),
    ("json", "d = {n: 1 for n in set(turns)}\nSEND(RULES + json.dumps(d))", "unsorted_keys json.dumps(d)"),
    (
        "a parameter",
        "def ask(turns, names: set[str] | None):\n    SEND(RULES + ' '.join(names))\n",
        "unordered ' '.join(names)",
    ),
    ("perhaps", "names = set(turns) if turns else []\nSEND(RULES + ' '.join(names))", "unordered ' '.join(names)"),
    ("sorted", "SEND(RULES + ' '.join(sorted(set(turns), key=len)))", ""),
    ("sort", "names = list(set(turns))\nnames.sort()\nSEND(RULES + ' '.join(names))", ""),
    ("sorted keys", "d = {n: 1 for n in set(turns)}\nSEND(RULES + json.dumps(d, sort_keys=True))", ""),
    ("dedupe in order", "SEND(RULES + ' '.join(dict.fromkeys(turns)))", ""),
    ("length", "SEND(RULES + str(len(set(turns))))", ""),
    ("smallest", "SEND(RULES + min(set(turns)))", ""),
    ("membership", "SEND(RULES + ('x' if 'a' in set(turns) else 'y'))", ""),
    (
        "added to a list in order",
        "seen = set()\np = []\nfor t in turns:\n    if t not in seen:\n        seen.add(t)\n"
        "        p.append(t)\nSEND(RULES + ' '.join(p))",
        "",
    ),
]
FOLDERS = [
    ("listdir", "SEND(RULES + ' '.join(os.listdir('.')))", "unspecified_order~ ' '.join(os.listdir('.'))"),
    (
        "iterdir",
        "from pathlib import Path\ntext = RULES\nfor p in Path('x').iterdir():\n    text += p.read_text()\nSEND(text)",
        "unspecified_order~ Path('x').iterdir()",
    ),
    (
        "glob",
        "from pathlib import Path\nnames = [p.stem for p in Path(turns).glob('*.md')]\nSEND(RULES + ' '.join(names))",
        "unspecified_order~ ' '.join(names)",
    ),
    ("sorted", "SEND(RULES + ' '.join(sorted(os.listdir('.'))))", ""),
    (
        "sorted paths",
        "from pathlib import Path\ntext = RULES\nfor p in sorted(Path('x').iterdir()):\n"
        "    text += p.read_text()\nSEND(text)",
        "",
    ),
]
ROWS_OF = "rows = turns.execute('{}').fetchall()\nSEND(RULES + ' '.join(r[0] for r in rows))"
SELECT = "SELECT name FROM t"


def query(sql: str) -> str:
    return f"query turns.execute('{sql}')"


QUERIES = [
    ("no order", ROWS_OF.format(SELECT), query(SELECT)),
    ("in small letters", ROWS_OF.format(SELECT.lower()), query(SELECT.lower())),
    ("the first of all", ROWS_OF.format(f"{SELECT} LIMIT 5"), query(f"{SELECT} LIMIT 5")),
    ("an order", ROWS_OF.format(f"{SELECT} ORDER BY name"), ""),
    ("one", ROWS_OF.format(f"{SELECT} LIMIT 1"), ""),
    ("a number", "row = turns.execute('SELECT COUNT(*) FROM t').fetchone()\nSEND(RULES + str(row[0]))", ""),
    ("a change", ROWS_OF.format("UPDATE t SET name = 1"), ""),
    (
        "sorted",
        "rows = turns.execute('SELECT name FROM t').fetchall()\nSEND(RULES + ' '.join(sorted(r[0] for r in rows)))",
        "",
    ),
    (
        "one of them",
        "row = turns.execute('SELECT name FROM t WHERE id = ?', (1,)).fetchone()\nSEND(RULES + row[0])",
        "",
    ),
    (
        "a cursor",
        "cur = turns.cursor()\ncur.execute('SELECT name FROM t')\nSEND(RULES + str(cur.fetchall()))",
        "query cur.execute('SELECT name FROM t')",
    ),
    ("how many", "rows = turns.execute('SELECT name FROM t').fetchall()\nSEND(RULES + str(len(rows)))", ""),
]
ONE = "out = []\nasync def one(t):\n    out.append(await load(t))\n"
TEXT = "SEND(RULES + ' '.join(out))"
JOINED = "arrival_order ' '.join(out)"
ARRIVALS = [
    ("gather", "out = await asyncio.gather(*[load(t) for t in turns])\n" + TEXT, ""),
    ("as_completed", "out = [await f for f in asyncio.as_completed(turns)]\n" + TEXT, JOINED),
    (
        "a loop over as_completed",
        "text = RULES\nfor f in asyncio.as_completed(turns):\n    text += await f\nSEND(text)",
        "arrival_order asyncio.as_completed(turns)",
    ),
    ("appended by each", f"{ONE}await asyncio.gather(*(one(t) for t in turns))\n{TEXT}", JOINED),
    (
        "appended by tasks",
        f"{ONE}x = [asyncio.create_task(one(t)) for t in turns]\nawait asyncio.gather(*x)\n{TEXT}",
        JOINED,
    ),
    ("sorted behind it", f"{ONE}await asyncio.gather(*(one(t) for t in turns))\nout.sort()\n{TEXT}", ""),
    ("one behind the other", f"{ONE}for t in turns:\n    await one(t)\n{TEXT}", ""),
    (
        "appended before it waits",
        f"{ONE.replace('await load(t)', 't')}    await load(t)\nawait asyncio.gather(*(one(t) for t in turns))\n{TEXT}",
        "",
    ),
    (
        "by key",
        "out = {}\nasync def one(t):\n    out[t] = await load(t)\n"
        "await asyncio.gather(*(one(t) for t in turns))\nSEND(RULES + ' '.join(out[t] for t in turns))",
        "",
    ),
    (
        "values of a mapping",
        "out = {}\nasync def one(t):\n    out[t] = await load(t)\n"
        "await asyncio.gather(*(one(t) for t in turns))\nSEND(RULES + ' '.join(out.values()))",
        "arrival_order ' '.join(out.values())",
    ),
    (
        "threads",
        "from concurrent.futures import as_completed\nout = [f.result() for f in as_completed(turns)]\n" + TEXT,
        JOINED,
    ),
    ("map of a pool", "out = list(pool.map(load, turns))\n" + TEXT, ""),
]
OTHERS = [
    ("shuffle", "p = ['a', 'b']\nrandom.shuffle(p)\nSEND(RULES + ' '.join(p))", "shuffle random.shuffle(p)"),
    ("choice", "SEND(RULES + random.choice(turns))", "random_choice random.choice(turns)"),
    ("seeded with each request", "random.seed(1)\nxs = [1]\nrandom.shuffle(xs)\nSEND(RULES + random.choice(xs))", ""),
    (
        "seeded by the time",
        "random.seed(time.time())\nSEND(RULES + random.choice(turns))",
        "random_choice random.choice(turns)",
    ),
    ("seeded once", "random.seed(1)\n---\nSEND(RULES + random.choice(turns))", "random_choice random.choice(turns)"),
    ("seeded", "SEND(RULES + str(random.Random(1).random()))", ""),
    ("id", "SEND(RULES + str(id(turns)))", "identifier str(id(turns))"),
    ("hash of the content", "import hashlib\nSEND(RULES + hashlib.sha256(turns).hexdigest())", ""),
    ("named id", "SEND(RULES + str(uuid.uuid5(uuid.NAMESPACE_URL, turns)))", ""),
    ("folder", "SEND(RULES + os.getcwd())", "environment os.getcwd()"),
    ("variable", "SEND(RULES + os.environ['HOSTNAME'])", "environment os.environ['HOSTNAME']"),
    ("a constant of the deployment", "SEND(RULES + os.environ['APP_NAME'] + os.getenv('MODEL'))", ""),
    (
        "a program",
        "import subprocess\nSEND(RULES + subprocess.check_output(['git', 'status'], text=True))",
        "environment subprocess.check_output(['git', 'status'], text=True)",
    ),
]
DAYS = [
    ("iso", "datetime.now().isoformat()", "clock"),
    ("its day", "datetime.now().isoformat()[:10]", "date"),
    ("its minute", "datetime.now().isoformat()[:16]", "clock"),
    ("in front of T", "datetime.now().isoformat().split('T')[0]", "date"),
    ("behind T", "datetime.now().isoformat().split('T')[1]", "clock"),
    ("date()", "str(datetime.now().date())", "date"),
    ("time()", "str(datetime.now().time())", "clock"),
    ("strftime, day", "datetime.now().strftime('%A %d %B')", "date"),
    ("strftime, hour", "datetime.now().strftime('%d %H')", "clock"),
    ("time.strftime, day", "time.strftime('%Y-%m-%d')", "date"),
    ("time.strftime", "time.strftime('%Y-%m-%d %H:%M')", "clock"),
    ("today", "str(date.today())", "date"),
    ("year", "str(datetime.now().year)", "date"),
    ("hour", "str(datetime.now().hour)", "clock"),
    ("yesterday", "str(date.today() - timedelta(days=1))", "date"),
    ("a fixed moment", "str(datetime(2026, 1, 1))", ""),
    ("a moment of data", "datetime.fromtimestamp(turns.at).isoformat()", ""),
]
DAYS = [(name, f"SEND({value} + RULES)", kind and f"{kind} {value}") for name, value, kind in DAYS]
ROWS = [*SETS, *FOLDERS, *QUERIES, *ARRIVALS, *OTHERS, *DAYS]


@pytest.mark.parametrize(("row", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_an_order_or_a_moment(row: str, expected: str) -> None:
    if "await" in row:
        row = f"async def ask(turns):\n    {_indented(row)}\n"
    assert python(row) == ([expected] if expected else [])


def _indented(body: str) -> str:
    return body.replace("\n", "\n    ")
