"""The modules of a project: which file an import means, as far as it lies inside the project."""

import os
from collections.abc import Iterator
from functools import cache

from promptlint.errors import PromptlintError
from promptlint.lint.flow.code import Imported, Language, Module
from promptlint.prompt import Document
from promptlint.read.sources import read

PYTHON = (".py", ".pyi")
TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_ROOTS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "package.json", "promptlint.yaml", "tsconfig.json")
_LONGEST = 2_000_000  # characters of an imported module
_MOST = 150  # modules that one file may lead to


class Project:
    """The modules that have been read, by number; the first is the one that is looked at."""

    def __init__(self, document: Document) -> None:
        self._numbers: dict[str, int | None] = {}
        self.modules: list[Module] = []
        self.documents: list[Document] = []
        self.looked_for: dict[str, None] = {}  # paths that decide what an import means, whether they are there or not
        self._add(document)

    @property
    def language(self) -> Language:
        """That of the first module."""
        return self.modules[0].language

    def _add(self, document: Document) -> int:
        module = parse(document.path, document.text)
        self.modules.append(module)
        self.documents.append(document)
        self._numbers[os.path.realpath(document.path)] = len(self.modules) - 1
        return len(self.modules) - 1

    def find(self, number: int, wanted: Imported) -> int | None:
        """The module of the project that an import in another one means; None: it is from elsewhere."""
        here = self.documents[number].path
        if here == "-" or self.documents[number].revision is not None:
            return None
        is_python = self.modules[number].language == "python"
        paths = _python(here, wanted.module) if is_python else _typescript(here, wanted.module)
        return next((found for path in paths if (found := self._load(path)) is not None), None)

    def submodule(self, number: int, name: str) -> int | None:
        """The module `name` in the package whose `__init__` has this number."""
        path = self.documents[number].path
        if os.path.basename(path) != "__init__.py":
            return None
        folder = os.path.dirname(path)
        return next((found for each in _files(folder, name) if (found := self._load(each)) is not None), None)

    def _load(self, path: str) -> int | None:
        self.looked_for[path] = None
        real = os.path.realpath(path)
        if real not in self._numbers:
            self._numbers[real] = None
            if len(self.modules) < _MOST and os.path.isfile(path) and _is_inside(real, self.documents[0].path):
                try:
                    document = read(path)
                    if len(document.text) <= _LONGEST:
                        return self._add(document)
                except PromptlintError:
                    return None
        return self._numbers[real]


def parse(path: str, text: str) -> Module:
    """A source file, translated. Raises PromptlintError for what cannot be parsed."""
    if path.endswith(TYPESCRIPT):
        from promptlint.lint.flow import typescript

        return typescript.parse(path, text)
    from promptlint.lint.flow import python

    return python.parse(path, text)


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
    root = root_of(os.path.dirname(os.path.abspath(here)))
    first = name.partition(".")[0]
    top = os.path.relpath(os.path.abspath(here), root).split(os.sep)[0]
    marked = any(os.path.exists(os.path.join(root, each)) for each in _ROOTS)
    for above in _above(folder, root):
        # Where nothing marks the project, such as among installed packages, it is one package.
        if (marked or first in (top, top.removesuffix(".py")) or above == folder) and _is_there(above, first):
            yield from _files(above, name)


@cache
def _is_there(folder: str, name: str) -> bool:
    path = os.path.join(folder, name)
    return os.path.isdir(path) or os.path.isfile(f"{path}.py")


def _above(folder: str, root: str) -> Iterator[str]:
    """A folder, those above it up to the root of the project, and where sources usually lie in it."""
    here = folder
    for _ in range(40):
        yield here
        if os.path.abspath(here) == root:
            yield os.path.join(here, "src")
            return
        here = os.path.normpath(os.path.join(here or os.curdir, os.pardir))


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
