"""Write promptlint/data/facts.json from promptlint/data/*.yaml and rules/*.yaml: a YAML library costs 20 ms a start.

usage: python scripts/make_facts.py [--check]
"""

import json
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
DATA, RULES = ROOT / "promptlint" / "data", ROOT / "rules"


def facts() -> str:
    """The text of facts.json: a line for each file of data, and one for all rules."""
    tables = {path.stem: _read(path) for path in sorted(DATA.glob("*.yaml"))}
    tables["rules"] = {path.stem: _read(path) for path in sorted(RULES.glob("*.yaml"))}
    lines = (f"{json.dumps(name)}:{_compact(content)}" for name, content in tables.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _read(path: Path) -> object:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _compact(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)


def main() -> int:
    target = DATA / "facts.json"
    wanted = facts()
    if "--check" not in sys.argv[1:]:
        target.write_text(wanted, encoding="utf-8", newline="\n")
        return 0
    if target.read_text(encoding="utf-8") == wanted:
        return 0
    print(
        f"{target.name} is not that of data/*.yaml and rules/*.yaml: run python scripts/make_facts.py", file=sys.stderr
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
