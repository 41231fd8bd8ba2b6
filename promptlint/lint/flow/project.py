"""The modules of a project: which file an import means, as far as it lies inside the project."""

import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from promptlint.errors import PromptlintError
from promptlint.lint.flow.code import Imported, Language, Module
from promptlint.prompt import Document, SourceByte
from promptlint.read.sources import read

TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_ROOTS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "package.json", "promptlint.yaml", "tsconfig.json")
_LONGEST, _MOST_CHARACTERS = 400_000, 1_000_000  # characters of an imported module, and of all that one file leads to
_DEEPEST = 40  # folders between a file and the root of its project
_MOST = 60  # modules that one file may lead to


class Project:
    """The modules that have been read, by number; the first is the one that is looked at."""

    def __init__(self, document: Document) -> None:
        self._numbers: dict[str, int | None] = {}
        self.modules: list[Module] = []
        self.documents: list[Document] = []
        self.looked_for: dict[str, None] = {}  # paths that decide what an import means, whether they are there or not
        self._found: dict[tuple[int, str], int | None] = {}  # what imports of modules mean
        self._room = _MOST_CHARACTERS
        self._add(document)

    def _add(self, document: Document) -> int:
        module = parse(document.path, document.text)
        self.modules.append(module)
        self.documents.append(document)
        self._numbers[os.path.realpath(document.path)] = len(self.modules) - 1
        return len(self.modules) - 1

    def find(self, number: int, wanted: Imported) -> int | None:
        """The module of the project that an import in another one means; None: it is from elsewhere."""
        if self.documents[number].revision is not None:
            return None
        place = number, wanted.module
        if place not in self._found:
            paths = candidates(self.documents[number].path, self.modules[number].language, wanted.module)
            self._found[place] = next((found for path in paths if (found := self._load(path)) is not None), None)
        return self._found[place]

    def submodule(self, number: int, name: str) -> int | None:
        """The module `name` in the package whose `__init__` has this number."""
        path = self.documents[number].path
        if os.path.basename(path) != "__init__.py":
            return None
        folder = os.path.dirname(path)
        return next((found for each in _files(folder, name) if (found := self._load(each)) is not None), None)

    def _load(self, path: str) -> int | None:
        path = os.path.normpath(path).replace(os.sep, "/")
        self.looked_for[path] = None
        if not os.path.isfile(path):
            return None
        real = os.path.realpath(path)
        if real not in self._numbers:
            self._numbers[real] = None
            if len(self.modules) < _MOST and _is_inside(real, self.documents[0].path):
                held = _held(path, real)
                if held is not None and self._room >= len(held.module.text):
                    self._room -= len(held.module.text)
                    self._numbers[real] = len(self.modules)
                    # Who read it first may have reached it on another way.
                    self.modules.append(held.module._replace(path=path))
                    self.documents.append(held.document._replace(path=path))
        return self._numbers[real]


def candidates(here: str, language: Language, module: str) -> Iterator[str]:
    """The files inside the project, the best first, that a module may mean which the file `here` imports."""
    if here != "-":
        for path in _python(here, module) if language == "python" else _typescript(here, module):
            path = os.path.normpath(path).replace(os.sep, "/")
            # What is not there yet matters as well: a result holds only as long as that stays so.
            if not os.path.isfile(path) or _is_inside(os.path.realpath(path), here):
                yield path


class _Held(NamedTuple):
    """A module that was read, for the next file that imports it."""

    document: Document
    module: Module


_KEPT: dict[tuple[str, int, int], _Held | None] = {}
_MOST_KEPT = 3_000_000  # characters of the modules that are kept; each takes about fifty bytes


def _held(path: str, real: str) -> _Held | None:
    """A module of the project, read once; None where it cannot be parsed."""
    state = os.stat(real)
    key = real, state.st_mtime_ns, state.st_size
    if key not in _KEPT:
        held = None
        try:
            # `read` takes an empty file for a mistake; a package often has one.
            empty = Document(path, None, None, b"", "", "utf-8", SourceByte(0), 1)
            document = read(path) if state.st_size else empty
            if len(document.text) <= _LONGEST:
                held = _Held(document, parse(document.path, document.text))
        except PromptlintError:
            pass
        while _KEPT and sum(len(each.module.text) for each in _KEPT.values() if each) > _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = held
    _KEPT[key] = _KEPT.pop(key)  # what was used last goes last
    return _KEPT[key]


def language_of(path: str) -> Language:
    """The language of a source file, by its name; JavaScript is TypeScript here."""
    return "typescript" if path.endswith(TYPESCRIPT) else "python"


def parse(path: str, text: str) -> Module:
    """A source file, translated. Raises PromptlintError for what cannot be parsed."""
    if language_of(path) == "typescript":
        from promptlint.lint.flow.typescript.reading import parse as parse_typescript

        return parse_typescript(path, text)
    from promptlint.lint.flow.python.reading import parse as parse_python

    return parse_python(path, text)


@cache
def root_of(folder: str) -> str:
    """The folder of the project (absolute) to which the files of a folder (absolute) belong."""
    here = folder
    while True:
        if any(os.path.exists(os.path.join(here, name)) for name in _ROOTS):
            return here
        above = os.path.dirname(here)
        if above == here:
            break
        here = above
    here = folder  # nothing marks one: the folder that holds the outermost package
    while os.path.exists(os.path.join(here, "__init__.py")) and os.path.dirname(here) != here:
        here = os.path.dirname(here)
    return here


def _is_inside(real: str, first: str) -> bool:
    root = os.path.realpath(root_of(os.path.dirname(os.path.abspath(first))))
    return real.startswith(root.rstrip(os.sep) + os.sep)


def _python(here: str, module: str) -> Iterator[str]:
    folder = os.path.dirname(here)
    name = module.lstrip(".")
    if levels := len(module) - len(name):
        for _ in range(levels - 1):
            folder = os.path.join(folder, os.pardir)
        yield from _files(os.path.normpath(folder) if folder else os.curdir, name)
        return
    first = name.partition(".")[0]
    for above in _above(folder, os.getcwd()):
        # What is not there is named as well: it would count if it came.
        if _is_there(above, first) or first not in sys.stdlib_module_names:
            yield from _files(above, name)


def _is_there(folder: str, name: str) -> bool:
    path = os.path.join(folder, name)
    return os.path.isdir(path) or os.path.isfile(f"{path}.py")


@cache
def _above(folder: str, current: str) -> tuple[str, ...]:
    """The folders in which a module that a file in `folder` imports may lie: up to the root of the project."""
    here = os.path.normpath(os.path.join(current, folder))
    root = root_of(here)
    if not any(os.path.exists(os.path.join(root, name)) for name in _ROOTS):
        root = here  # nothing marks a project, such as among installed packages: it is one package, or one folder
        while os.path.exists(os.path.join(root, "__init__.py")) and os.path.dirname(root) != root:
            root = os.path.dirname(root)
        return (folder,) if root == here else (folder, os.path.relpath(root))
    found = [folder]
    while here != root and len(found) < _DEEPEST:
        here = os.path.dirname(here)
        found.append(os.path.normpath(os.path.join(found[-1] or os.curdir, os.pardir)))
    return (*found, os.path.join(found[-1], "src"))


def _files(folder: str, name: str) -> Iterator[str]:
    path = os.path.join(folder, *name.split(".")) if name else folder
    if name:
        yield f"{path}.py"
    yield os.path.join(path, "__init__.py")


def _typescript(here: str, module: str) -> Iterator[str]:
    folder = os.path.dirname(here)
    if module.startswith((".", "/")):
        bases = [os.path.normpath(os.path.join(folder, module))]
    elif module.startswith(("@/", "~/")):
        root = os.path.relpath(root_of(os.path.dirname(os.path.abspath(here))))
        bases = [os.path.normpath(os.path.join(root, where, module[2:])) for where in ("src", "")]
    else:
        return
    for base in bases:
        stem, ending = os.path.splitext(base)
        if ending in (".js", ".mjs", ".cjs", ".jsx"):  # a module of TypeScript is imported under its later name
            yield from (stem + ending.replace("js", "ts"), f"{stem}.tsx")
        yield base
        yield from (base + ending for ending in TYPESCRIPT)
        yield from (os.path.join(base, f"index{ending}") for ending in TYPESCRIPT)
