"""Which rules look at a file: select, ignore and per-file-ignores."""

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache

from promptlint.config import Config, Stability, relative
from promptlint.errors import PromptlintError
from promptlint.read.ignores import Patterns
from promptlint.read.names import nearest, shown


def chosen(ids: Iterable[str], select: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """The ids that one of `select` and none of `ignore` means; in both, * and ? stand for other characters."""
    wanted, unwanted = tuple(select), tuple(ignore)
    return frozenset(
        each
        for each in ids
        if any(fnmatchcase(each, one) for one in wanted) and not any(fnmatchcase(each, one) for one in unwanted)
    )


def ignored_for(config: Config, path: str) -> tuple[str, ...]:
    """What per-file-ignores says of a file: rules that do not look at it."""
    inside = within(config, path)
    return tuple(
        rule for pattern, rules in config.per_file_ignores.items() if covers(pattern, inside) for rule in rules
    )


def covers(pattern: str, path: str) -> bool:
    """Whether a pattern, as in a .gitignore, means a file or a folder above it."""
    return _patterns(pattern).excludes(path)


def within(config: Config, path: str) -> str:
    """The path of a file relative to the folder of the configuration, with `/`."""
    if path == "-":
        return path
    return relative(path, config.folder)


def stability_of(name: str, declared: Mapping[str, Stability]) -> Stability | None:
    """How often a template's variable changes, as the configuration says; None: it does not say.

    What is said of `user` holds for `user.name`, unless something is said of that. A whole name counts more than one
    with * or ?, of which the first that fits counts.
    """
    while name:
        if name in declared:
            return declared[name]
        for pattern, stability in declared.items():
            if fnmatchcase(name, pattern):
                return stability
        name = name.rpartition(".")[0]
    return None


def refuse_unknown(selectors: Iterable[str], ids: Collection[str], where: str) -> None:
    """Raise PromptlintError for the first that means no rule, with the nearest id; `where` names the place."""
    for each in selectors:
        if not any(fnmatchcase(one, each) for one in ids):
            close = nearest(each, sorted(ids))
            hint = f"did you mean {close}?" if close else "promptlint rules lists them"
            raise PromptlintError(f"{where}: no rule {shown(each)}", hint)


def refuse_unknown_rules(config: Config, ids: Collection[str]) -> None:
    """The same for every rule that a configuration names. `ids`: all that there are, its own among them."""
    where = shown(config.path or "")
    refuse_unknown(config.select, ids, f"{where}: select")
    refuse_unknown(config.ignore, ids, f"{where}: ignore")
    for pattern, rules in config.per_file_ignores.items():
        refuse_unknown(rules, ids, f"{where}: per-file-ignores.{shown(pattern)}")
    for index, pardon in enumerate(config.suppress):
        refuse_unknown((pardon.rule,), ids, f"{where}: suppress.{index}.rule")


@cache
def _patterns(pattern: str) -> Patterns:
    return Patterns((pattern,))
