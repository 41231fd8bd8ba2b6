"""Deliberate faults of the tracking, which the tests have to notice. `python tests/template_mutants.py` tries all.

A mutant is a module, a text of its source, and what stands there instead. It runs in a process of its own, and so does
the child that this starts.
"""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOM = "promptlint.render.template."

MUTANTS = (
    ("pieces", "char + skipped if", "char + skipped + 1 if"),
    ("pieces", "kept = min(end - place, length) - skipped", "kept = min(end - place, length)"),
    ("pieces", "(kind not in SLIDING or right[3] != char + length)", "kind not in SLIDING"),
    ("pieces", "if kind != right[1] or line != right[4]", "if kind != right[1]"),
    ("pieces", "if source is not right[2] and source != right[2]", "if False"),
    ("pieces", '("value", "key", "changed", "template")', '("value", "key", "template")'),
    ("tracked", "at = operator.index(key) % len(self)", "at = operator.index(key) % len(self) - 1"),
    ("tracked", "cut(self._pieces, ((start, start + len(text)),))[0]", "cut(self._pieces, ((0, len(text)),))[0]"),
    ("tracked", "char + ahead if", "char if"),
    ("tracked", "start = str.index(text, part, place) if", "start = str.index(text, part) if"),
    ("tracked", "before + behind if apart", "behind + before if apart"),
    (
        "tracked",
        'pieces.append((length, "changed", source, char, line))',
        "pieces.append((length, kind, source, 0, line))",
    ),
    ("tracked", "joined([self._pieces] * operator.index(count))", "self._pieces"),
    ("formats", "place += len(field) + 2", "place += len(field) + 1"),
    ("formats", "edges = [0, *(edge for span in spans", "edges = [1, *(edge for span in spans"),
    ("serialise", 'return length, "spelled", source, char, line', 'return length, "spelled", source, char + 1, line'),
    ("serialise", "self._value(item, _inside(item, path, index), inner)", "self._value(item, path, inner)"),
    ("serialise", "return (*path, str.__str__(step) if", "return ('x', *path, str.__str__(step) if"),
    ("serialise", "spelled(character, whole[0]))", "spelled(character, whole[0]) + 1)"),
    ("values", "track(item, (*path, index)) for", "track(item, (*path, index + 1)) for"),
    ("values", '"key", inside, 0', '"key", path, 0'),
    ("values", "self._text = text if type(text) is Tracked", "self._text = text[1:] if type(text) is Tracked"),
    ("literals", "text[1:-1], at + 1, name)", "text[1:-1], at, name)"),
    ("literals", '"escape", name, at + match.start(), None', '"escape", name, at + match.end(), None'),
    ("literals", "if known:", "if False:"),
    ("compiler", "concat(parts), lineno=line", "''.join(parts), lineno=line"),
    ("compiler", "return node.lineno if self.name is None", "return node.lineno + 1 if self.name is None"),
    ("filters", "(feed, padding if line or blank", "(padding, feed if line or blank"),
    ("prepare", "source = next((*message._path, name)", "source = next((*message._path, _REASONING[0])"),
    ("origins", "char, column = None, at - starts", "char, column = None, 1 + at - starts"),
)

INSTALL = """
import sys
from importlib.machinery import PathFinder, SourceFileLoader
NAME, OLD, NEW = {mutant!r}
class Mutated(SourceFileLoader):
    def get_code(self, name):
        source = self.get_source(name)
        assert source.count(OLD) == 1, OLD
        return compile(source.replace(OLD, NEW), self.path, "exec")
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        spec = PathFinder.find_spec(name, path) if name == NAME else None
        if spec is not None:
            spec.loader = Mutated(name, spec.origin)
        return spec
sys.meta_path.insert(0, Finder)
"""

CHECK = """
from promptlint.render.template import process
process._START = process._START.replace("from promptlint", {install!r} + "\\nfrom promptlint", 1)
import template_fuzz
template_fuzz.run(40, 5)
import pytest
files = ["test_template_origins.py", "test_template_tracked.py"]
sys.exit(pytest.main(["-qx", "-p", "no:cacheprovider", *({folder!r} + "/" + file for file in files)]))
"""


def caught(mutant: tuple[str, str, str]) -> bool:
    """Whether the tests fail with this fault."""
    install = INSTALL.format(mutant=(ROOM + mutant[0], *mutant[1:]))
    program = install + CHECK.format(install=install, folder=str(FOLDER))
    done = subprocess.run([sys.executable, "-c", program], cwd=FOLDER, capture_output=True, text=True)
    assert "AssertionError: " + mutant[1] not in done.stderr, "the mutant's text is not there once"
    return done.returncode != 0


def main() -> None:
    """Try all."""
    found = [(mutant, caught(mutant)) for mutant in MUTANTS]
    for (module, old, new), seen in found:
        print(f"{'caught' if seen else 'MISSED'}  {module}: {old!r} -> {new!r}")
    print(sum(seen for _, seen in found), "of", len(found), "caught")


if __name__ == "__main__":
    main()
