"""Values from other modules of the project; what lies outside of it is never read."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from flow_finds import lines
from promptlint.lint.flow.flows import Source, read_source
from promptlint.read.sources import read

HEAD = """
from openai import OpenAI
client = OpenAI()
RULES = "You sort the post of a village by street and never by name."
def ask(turns):
    return client.responses.create(model="m", instructions=RULES + str(VALUE), input=turns)
"""
CLOCK = "from datetime import datetime\ndef now():\n    return datetime.now()\n"
FOUND = "clock str(VALUE) -> system"


def project(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    if not {"pyproject.toml", "package.json"} & {Path(name).name for name in files}:
        (root / "pyproject.toml").write_text("")


def source(root: Path, main: str, monkeypatch: pytest.MonkeyPatch) -> Source:
    monkeypatch.chdir(root)
    found = read_source(read(main))
    assert found is not None
    return found


def looked_at(found: Source) -> list[str]:
    return sorted(os.path.normpath(module.path) for module in found.modules)


PACKAGE = {"pkg/__init__.py": "", "pkg/clock.py": CLOCK}
IMPORTS = [
    ("from", "from clock import now", "now()", {"clock.py": CLOCK}),
    ("from as", "from clock import now as n", "n()", {"clock.py": CLOCK}),
    ("import", "import clock", "clock.now()", {"clock.py": CLOCK}),
    ("import as", "import clock as c", "c.now()", {"clock.py": CLOCK}),
    ("star", "from clock import *", "now()", {"clock.py": CLOCK}),
    ("dotted", "import pkg.clock", "pkg.clock.now()", PACKAGE),
    ("dotted as", "import pkg.clock as c", "c.now()", PACKAGE),
    ("from a package", "from pkg.clock import now", "now()", PACKAGE),
    ("submodule", "from pkg import clock", "clock.now()", PACKAGE),
    ("no __init__", "from pkg import clock", "clock.now()", {"pkg/clock.py": CLOCK}),
    ("no __init__, from", "from pkg.clock import now", "now()", {"pkg/clock.py": CLOCK}),
    ("__init__", "from pkg import now", "now()", {**PACKAGE, "pkg/__init__.py": "from .clock import now\n"}),
    ("__init__, star", "from pkg import now", "now()", {**PACKAGE, "pkg/__init__.py": "from .clock import *\n"}),
    ("src", "from pkg.clock import now", "now()", {f"src/{name}": text for name, text in PACKAGE.items()}),
    ("cycle", "from a import now", "now()", {"a.py": f"import b\n{CLOCK}", "b.py": "import a\nimport app\n"}),
    ("perhaps", "try:\n    from clock import now\nexcept ImportError:\n    now = None", "now()", {"clock.py": CLOCK}),
    (
        "class",
        "from clock import C",
        "C().now()",
        {"clock.py": "import datetime\nclass C:\n    def now(self):\n        return datetime.datetime.now()\n"},
    ),
    (
        "base",
        "from clock import C\nclass D(C):\n    pass",
        "D().now()",
        {"clock.py": "import datetime\nclass C:\n    def now(self):\n        return datetime.datetime.now()\n"},
    ),
]


@pytest.mark.parametrize(("line", "value", "files"), [row[1:] for row in IMPORTS], ids=[row[0] for row in IMPORTS])
def test_imports(
    line: str, value: str, files: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, {"app.py": line + HEAD.replace("VALUE", value), **files})
    found = source(tmp_path, "app.py", monkeypatch)
    assert [each.replace(value, "VALUE") for each in lines(found)] == [FOUND]
    assert found.documents[found.flows[0].change.origin.module].path.endswith("clock.py") or "a.py" in files


RELATIVE = [
    ("from .clock import now", "now()", "pkg/app.py"),
    ("from . import clock", "clock.now()", "pkg/app.py"),
    ("from ..clock import now", "now()", "pkg/sub/app.py"),
    ("from .. import clock", "clock.now()", "pkg/sub/app.py"),
    ("from pkg.clock import now", "now()", "pkg/sub/app.py"),
]


@pytest.mark.parametrize(("line", "value", "main"), RELATIVE)
def test_relative_imports(line: str, value: str, main: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {main: line + HEAD.replace("VALUE", value), "pkg/sub/__init__.py": "", **PACKAGE})
    found = source(tmp_path, main, monkeypatch)
    assert [each.replace(value, "VALUE") for each in lines(found)] == [FOUND]
    assert "pkg/clock.py" in looked_at(found)


NOTHING = [
    ("missing", "from nowhere import now", "now()", {}),
    ("no such name", "from clock import later", "later()", {"clock.py": CLOCK}),
    ("in a circle", "from a import x", "x()", {"a.py": "from b import x\n", "b.py": "from a import x\n"}),
    ("itself", "import app\nfrom app import x", "x()", {}),
    ("made once", "from clock import NOW", "NOW", {"clock.py": f"{CLOCK}NOW = now()\n"}),
    ("broken", "from clock import now", "now()", {"clock.py": "def now(:\n"}),
    ("no text", "from clock import now", "now()", {"clock.py": "\x00\x01"}),
    ("a module of that name", "from datetime import datetime", "datetime.now()", {"datetime.py": "datetime = 1\n"}),
    ("a folder", "from clock import now", "now()", {"clock.py/x": "", "clock/x.txt": ""}),
]


@pytest.mark.parametrize(("line", "value", "files"), [row[1:] for row in NOTHING], ids=[row[0] for row in NOTHING])
def test_nothing_is_known_of_others(
    line: str, value: str, files: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, {"app.py": line + HEAD.replace("VALUE", value), **files})
    assert lines(source(tmp_path, "app.py", monkeypatch)) == []


OUTSIDE = [
    ("in/app.py", "from ..clock import now", "now()", {"in/pyproject.toml": "", "clock.py": CLOCK}),
    ("in/app.py", "from clock import now", "now()", {"in/pyproject.toml": "", "clock.py": CLOCK}),
    ("in/pkg/app.py", "from ...clock import now", "now()", {"in/pyproject.toml": "", "clock.py": CLOCK}),
    ("in/app.py", "from .....etc.clock import now", "now()", {"in/pyproject.toml": ""}),
]


@pytest.mark.parametrize(("main", "line", "value", "files"), OUTSIDE)
@pytest.mark.parametrize("where", ["", "in"])
def test_what_lies_outside_of_the_project_is_not_read(
    main: str, line: str, value: str, files: Mapping[str, str], where: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    project(tmp_path, {main: line + HEAD.replace("VALUE", value), **files})
    found = source(tmp_path / where, os.path.relpath(tmp_path / main, tmp_path / where), monkeypatch)
    assert (lines(found), len(found.modules)) == ([], 1)


def test_a_link_that_leads_out_of_the_project_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "in"
    project(inside, {"app.py": "from clock import now" + HEAD.replace("VALUE", "now()")})
    (tmp_path / "clock.py").write_text(CLOCK)
    (inside / "clock.py").symlink_to(tmp_path / "clock.py")
    assert looked_at(source(inside, "app.py", monkeypatch)) == ["app.py"]
    (inside / "clock.py").unlink()
    (inside / "later.py").write_text(CLOCK)
    (inside / "clock.py").symlink_to("later.py")  # one that stays inside
    assert looked_at(source(inside, "app.py", monkeypatch)) == ["app.py", "clock.py"]


SCRIPT = """
import OpenAI from "openai";
const client = new OpenAI();
const RULES = "You sort the post of a village by street and never by name.";
export async function ask(turns) {
  return client.responses.create({ model: "m", instructions: RULES + VALUE, input: turns });
}
"""
TICK = "export function now() { return new Date().toISOString(); }\nexport default now;\n"
AGAIN = {"lib/index.ts": "export { now as n, now } from './clock';\n", "lib/clock.ts": TICK}
SCRIPTS = [
    ("import { now } from './clock';", "now()", {"clock.ts": TICK}),
    ("import { now as n } from './clock.js';", "n()", {"clock.ts": TICK}),
    ("import n from './clock';", "n()", {"clock.tsx": TICK}),
    ("import n from './clock';", "n()", {"clock.ts": "export default () => new Date().toISOString();\n"}),
    ("import * as c from './clock';", "c.now()", {"clock.mjs": TICK}),
    ("import { now } from './lib';", "now()", {**AGAIN, "lib/index.ts": "export * from './clock';\n"}),
    ("import { now } from './lib';", "now()", AGAIN),
    ("import { n } from './lib/index';", "n()", AGAIN),
    ("import { now } from '@/clock';", "now()", {"src/clock.ts": TICK}),
    ("const { now } = require('./clock');", "now()", {"clock.js": "exports.now = () => new Date().toISOString();\n"}),
    ("const c = require('./clock');", "c.now()", {"clock.cjs": "module.exports = { now: () => Date.now() };\n"}),
    (
        "import { C } from './clock';",
        "new C().now()",
        {"clock.ts": "export class C { now() { return Date(); } }\n"},
    ),
]


@pytest.mark.parametrize(("line", "value", "files"), SCRIPTS)
def test_imports_of_scripts(
    line: str, value: str, files: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tree_sitter")
    project(tmp_path, {"app.ts": line + SCRIPT.replace("VALUE", value), "package.json": "{}", **files})
    assert lines(source(tmp_path, "app.ts", monkeypatch)) == [f"clock {value} -> system"]


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("import { now } from '../clock';", {"in/package.json": "{}", "clock.ts": TICK}),
        ("import { now } from '/etc/passwd';", {"in/package.json": "{}"}),
        ("import { now } from 'clock';", {"in/package.json": "{}", "in/clock.ts": TICK}),  # a package
        (
            "import { now } from './clock';",
            {"in/package.json": "{}", "in/clock.d.ts": "export function now(): string;"},
        ),
        (
            "import { now } from './a';",
            {"in/a.ts": "export { now } from './b';", "in/b.ts": "export { now } from './a';"},
        ),
    ],
)
def test_scripts_that_tell_nothing(
    line: str, files: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tree_sitter")
    project(tmp_path, {"in/app.ts": line + SCRIPT.replace("VALUE", "now()"), **files})
    found = source(tmp_path, "in/app.ts", monkeypatch)
    assert lines(found) == []
    assert not [path for path in looked_at(found) if not path.startswith("in")]


def test_a_function_of_the_project_that_sends_makes_its_callers_worth_a_look(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk/send.py").write_text(
        "import anthropic\nclient = anthropic.Anthropic()\n"
        "def send(text, turns):\n    return client.messages.create(system=text, messages=turns, model='m')\n"
    )
    (tmp_path / "desk/words.py").write_text(
        "from datetime import datetime\ndef words():\n    return f'It is {datetime.now()} and you are kind.'\n"
    )
    main = tmp_path / "main.py"
    main.write_text(
        "from desk.send import send\nfrom desk.words import words\ndef ask(t):\n    return send(words(), t)\n"
    )
    found = read_source(read(str(main)))
    assert [(flow.change.kind, flow.slot, flow.certain) for flow in found.flows] == [("clock", "system", True)]
    main.write_text(
        "from desk.send import sent\nfrom desk.words import words\ndef ask(t):\n    return print(words(), t)\n"
    )
    assert read_source(read(str(main))).flows == ()
    (tmp_path / "desk/send.py").write_text("def send(text, turns):\n    return None\n")
    main.write_text(
        "from desk.send import send\nfrom desk.words import words\ndef ask(t):\n    return send(words(), t)\n"
    )
    assert read_source(read(str(main))).modules == ()
