"""Write promptlint/data/facts.json from promptlint/data/*.yaml and rules/*.yaml: a YAML library costs 20 ms a start.

usage: python scripts/make_facts.py [--check]
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml

from promptlint.facts.flow_checks import changing_value_faults, prompt_call_faults

ROOT = Path(__file__).resolve().parent.parent
DATA, RULES = ROOT / "promptlint" / "data", ROOT / "rules"


def tables() -> dict[str, Any]:
    """The content of each file of data, and of all rules."""
    tables = {path.stem: _read(path) for path in sorted(DATA.glob("*.yaml"))}
    tables["rules"] = {path.stem: _read(path) for path in sorted(RULES.glob("*.yaml"))}
    return tables


def facts(tables: dict[str, Any]) -> str:
    """The text of facts.json: a line for each."""
    lines = (f"{json.dumps(name)}:{_compact(content)}" for name, content in tables.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _compact(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)


def main() -> int:
    target = DATA / "facts.json"
    content = tables()
    faults = prompt_call_faults(content["prompt_calls"]) + changing_value_faults(content["changing_values"])
    if faults:
        print(*faults, sep="\n", file=sys.stderr)
        return 1
    wanted = facts(content)
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
