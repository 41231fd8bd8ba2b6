"""On which ways a value reaches a prompt in Python: statements, texts, lists and mappings."""

import pytest

from flow_finds import python

FOUND = "clock NOW"

STATEMENTS = [
    ("an expression", "SEND(RULES + NOW)", FOUND),
    ("a name", "text = RULES + NOW\nSEND(text)", FOUND),
    ("two names", "now = datetime.now()\nstamp = now\nSEND(RULES + str(stamp))", "clock str(stamp)"),
    ("overwritten", "text = RULES + NOW\ntext = RULES\nSEND(text)", ""),
    ("deleted", "text = RULES + NOW\ndel text\ntext = RULES\nSEND(text)", ""),
    ("two targets", "a = b = RULES + NOW\nSEND(b)", FOUND),
    ("swapped", "a, b = RULES, NOW\na, b = b, a\nSEND(a)", FOUND),
    ("swapped away", "a, b = RULES, NOW\na, b = b, a\nSEND(b)", ""),
    ("walrus", "if (n := NOW):\n    pass\nSEND(RULES + n)", FOUND),
    ("added", "text = RULES\ntext += NOW\nSEND(text)", FOUND),
    ("added if", "text = RULES\nif turns:\n    text += NOW\nSEND(text)", FOUND),
    ("one branch", "text = RULES\nif turns:\n    text = RULES + NOW\nSEND(text)", FOUND),
    ("else", "if turns:\n    text = RULES\nelse:\n    text = RULES + NOW\nSEND(text)", FOUND),
    ("both branches replace it", "text = NOW\nif turns:\n    text = RULES\nelse:\n    text = '-'\nSEND(text)", ""),
    ("early return", "text = RULES + NOW\nif turns:\n    return SEND(text)\ntext = RULES", FOUND),
    ("behind an early return", "if turns:\n    return 1\nSEND(RULES + NOW)", FOUND),
    ("a branch that raises", "text = RULES\nif not turns:\n    text = NOW\n    raise ValueError(text)\nSEND(text)", ""),
    ("try", "try:\n    text = RULES + NOW\nexcept OSError:\n    text = RULES\nSEND(text)", FOUND),
    ("except", "try:\n    text = RULES\nexcept OSError:\n    text = RULES + NOW\nSEND(text)", FOUND),
    ("finally", "try:\n    text = RULES\nfinally:\n    text = RULES + NOW\nSEND(text)", FOUND),
    ("with", "with open('x') as file:\n    text = file.read() + NOW\nSEND(text)", FOUND),
    ("match", "match turns:\n    case []:\n        text = RULES\n    case _:\n        text = NOW\nSEND(text)", FOUND),
    ("a choice", "SEND(RULES + (NOW if turns else ''))", FOUND),
    ("or", "SEND(turns or RULES + NOW)", FOUND),
    ("and", "SEND(RULES + (turns and NOW))", FOUND),
    ("only asked", "SEND(RULES + ('early' if datetime.now().hour < 12 else 'late'))", ""),
    ("only printed", "print(NOW, RULES)\nSEND(RULES)", ""),
    ("a loop", "text = RULES\nfor turn in turns:\n    text += NOW\nSEND(text)", FOUND),
    ("else of a loop", "for turn in turns:\n    text = RULES\nelse:\n    text = NOW\nSEND(text)", FOUND),
    ("while", "text = RULES\nwhile turns:\n    text += NOW\n    break\nSEND(text)", FOUND),
    (
        "a loop over pairs",
        "text = RULES\nfor a, b in [('x', RULES), ('y', NOW)]:\n    text += a + b\nSEND(text)",
        FOUND,
    ),
    ("items", "text = RULES\nfor key, value in {'x': NOW}.items():\n    text += key + value\nSEND(text)", FOUND),
    ("zip", "text = RULES\nfor a, b in zip(turns, [NOW]):\n    text += b\nSEND(text)", FOUND),
]

TEXTS = [
    ("f-string", "SEND(f'{datetime.now()} {RULES}')", "clock datetime.now()"),
    ("conversion", "SEND(f'{datetime.now()!s} {RULES}')", "clock datetime.now()"),
    ("format", "SEND(f'{datetime.now():%H:%M} {RULES}')", "clock datetime.now()"),
    ("format of a day", "SEND(f'{datetime.now():%d.%m.%Y} {RULES}')", "date datetime.now()"),
    ("unknown format", "w = 3\nSEND(f'{datetime.now():{w}} {RULES}')", "clock datetime.now()"),
    ("percent", "SEND('%s at %s' % (RULES, NOW))", FOUND),
    ("percent, one", "SEND('at %s ' % NOW + RULES)", FOUND),
    ("percent, named", "SEND('%(a)s at %(b)s' % {'a': RULES, 'b': NOW})", FOUND),
    ("percent, not named", "SEND('%(a)s' % {'a': RULES, 'b': NOW})", ""),
    ("str.format", "SEND('{} at {}'.format(RULES, NOW))", FOUND),
    ("str.format, numbered", "SEND('{1} at {0}'.format(RULES, NOW))", FOUND),
    ("str.format, named", "SEND('{a} at {b}'.format(a=RULES, b=NOW))", FOUND),
    ("str.format, day", "SEND('{a} {b:%Y-%m-%d}'.format(a=RULES, b=datetime.now()))", "date datetime.now()"),
    ("str.format, not there", "SEND('{a}'.format(a=RULES, b=NOW))", ""),
    ("str.format, mapping", "p = {'a': RULES, 'b': NOW}\nSEND('{a} at {b}'.format(**p))", FOUND),
    ("format_map", "SEND('{a} at {b}'.format_map({'a': RULES, 'b': NOW}))", FOUND),
    ("Template", "SEND(Template('$a at ${b}').substitute(a=RULES, b=NOW))", FOUND),
    ("Template, mapping", "SEND(Template('$a at $b').safe_substitute({'a': RULES, 'b': NOW}))", FOUND),
    ("placeholder", "SEND((RULES + ' @@').replace('@@', NOW))", FOUND),
    ("no placeholder", "SEND(RULES.replace('@@', NOW))", ""),
    ("placeholder in an unknown text", "SEND(load().replace('@@', NOW))", FOUND),
    ("join", "SEND(' '.join([RULES, NOW]))", FOUND),
    ("join of a generator", "SEND(RULES + ' '.join(NOW + turn for turn in turns))", FOUND),
    ("methods of texts", "SEND((RULES + NOW).strip().upper())", FOUND),
    ("StringIO", "out = io.StringIO()\nout.write(RULES)\nout.write(NOW)\nSEND(out.getvalue())", FOUND),
    ("print to StringIO", "out = io.StringIO()\nprint(RULES, NOW, file=out)\nSEND(out.getvalue())", FOUND),
    ("dedent", "SEND(textwrap.dedent(RULES + NOW))", FOUND),
    ("json", "SEND(RULES + json.dumps({'at': NOW}))", FOUND),
    ("json of a parameter", "SEND(RULES + json.dumps(turns))", "unsorted_keys~ json.dumps(turns)"),
    ("json with sorted keys", "SEND(RULES + json.dumps(turns, sort_keys=True))", ""),
]

LISTS = [
    ("append", "parts = [RULES]\nparts.append(NOW)\nSEND(' '.join(parts))", FOUND),
    ("extend", "parts = [RULES]\nparts.extend([NOW])\nSEND(' '.join(parts))", FOUND),
    ("insert", "parts = [RULES]\nparts.insert(0, NOW)\nSEND(' '.join(parts))", FOUND),
    ("+=", "parts = [RULES]\nparts += [NOW]\nSEND(' '.join(parts))", FOUND),
    ("+", "parts = [RULES] + [NOW]\nSEND(' '.join(parts))", FOUND),
    ("star", "parts = [RULES, *[NOW]]\nSEND(' '.join(parts))", FOUND),
    ("comprehension", "parts = [part for part in [RULES, NOW]]\nSEND(' '.join(parts))", FOUND),
    ("filter", "parts = filter(None, [RULES, NOW])\nSEND(' '.join(parts))", FOUND),
    ("map of a type", "SEND(RULES + ' '.join(map(str, [datetime.now()])))", "clock map(str, [datetime.now()])"),
    ("map", "SEND(RULES + ' '.join(map(lambda turn: turn + NOW, turns)))", FOUND),
    ("index", "parts = [RULES, NOW]\nSEND(parts[-1])", FOUND),
    ("another index", "parts = [RULES, NOW]\nSEND(parts[0])", ""),
    ("slice", "parts = [RULES, NOW]\nSEND(' '.join(parts[1:]))", FOUND),
    ("slice without it", "parts = [RULES, NOW]\nSEND(' '.join(parts[:1]))", ""),
    ("slice without the last", "parts = [RULES, NOW]\nSEND(' '.join(parts[:-1]))", ""),
    ("slice of a parameter", "parts = [NOW, *turns]\nSEND(' '.join(parts[1:]))", ""),
    ("reversed", "SEND(' '.join(reversed([RULES, NOW])))", FOUND),
    ("[::-1]", "SEND(' '.join([RULES, NOW][::-1]))", FOUND),
    ("given to a function", "def add(p):\n    p.append(NOW)\n---\np = [RULES]\nadd(p)\nSEND(' '.join(p))", FOUND),
    ("another name of it", "p = [RULES]\nq = p\nq.append(NOW)\nSEND(' '.join(p))", FOUND),
    ("a copy", "p = [RULES]\nq = list(p)\nq.append(NOW)\nSEND(' '.join(p))", ""),
    ("a copy by slice", "p = [RULES]\nq = p[:]\nq.append(NOW)\nSEND(' '.join(p))", ""),
    ("a deep copy", "p = [RULES]\nq = copy.deepcopy(p)\nq.append(NOW)\nSEND(' '.join(p))", ""),
    ("unpacked", "a, b = [RULES, NOW]\nSEND(b)", FOUND),
    ("unpacked, the other", "a, b = [RULES, NOW]\nSEND(a)", ""),
    ("star behind it", "a, *b = [NOW, RULES]\nSEND(a)", FOUND),
]

REQUEST = "return claude.messages.create(messages=turns, **p)"
MAPPINGS = [
    ("dict", f"p = dict(model='m', system=RULES + NOW)\n{REQUEST}", FOUND),
    ("literal", f"p = {{'model': 'm', 'system': RULES + NOW}}\n{REQUEST}", FOUND),
    ("key", f"p = {{'model': 'm'}}\np['system'] = RULES + NOW\n{REQUEST}", FOUND),
    ("update", f"p = {{'model': 'm'}}\np.update(system=RULES + NOW)\n{REQUEST}", FOUND),
    ("update with a mapping", f"p = {{'model': 'm'}}\np.update({{'system': RULES + NOW}})\n{REQUEST}", FOUND),
    ("|", f"p = {{'model': 'm'}} | {{'system': RULES + NOW}}\n{REQUEST}", FOUND),
    ("|=", f"p = {{'model': 'm'}}\np |= {{'system': RULES + NOW}}\n{REQUEST}", FOUND),
    ("spread", f"q = {{'system': RULES + NOW}}\np = {{'model': 'm', **q}}\n{REQUEST}", FOUND),
    ("spread, overwritten", f"q = {{'system': RULES + NOW}}\np = {{**q, 'system': RULES}}\n{REQUEST}", ""),
    ("setdefault", f"p = {{'model': 'm'}}\np.setdefault('system', RULES + NOW)\n{REQUEST}", FOUND),
    ("setdefault, there", f"p = {{'system': RULES}}\np.setdefault('system', RULES + NOW)\n{REQUEST}", ""),
    ("pop", f"p = {{'system': RULES + NOW}}\np.pop('system')\n{REQUEST}", ""),
    ("what pop answers", "p = {'system': RULES + NOW}\nSEND(p.pop('system'))", FOUND),
    ("del", f"p = {{'system': RULES + NOW}}\ndel p['system']\n{REQUEST}", ""),
    ("a copy", f"p = {{'system': RULES}}\nq = dict(p)\nq['system'] = NOW\n{REQUEST}", ""),
    ("get", "p = {'a': RULES + NOW}\nSEND(p.get('a', ''))", FOUND),
    ("another key", "p = {'a': NOW, 'b': RULES}\nSEND(p['b'])", ""),
    ("default of get", "p = {}\nSEND(p.get('a', RULES + NOW))", FOUND),
    ("merged in a branch", f"p = {{'model': 'm'}}\nif turns:\n    p['system'] = RULES + NOW\n{REQUEST}", FOUND),
]

ROWS = [*STATEMENTS, *TEXTS, *LISTS, *MAPPINGS]


@pytest.mark.parametrize(("row", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_way(row: str, expected: str) -> None:
    assert python(row) == ([expected] if expected else [])
