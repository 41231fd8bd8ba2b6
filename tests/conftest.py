"""Expected outputs lie beside their inputs; `pytest --update` rewrites them, a missing one fails."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
Expected = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite expected outputs instead of comparing them")


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Expected:
    """Give `expected(path, actual)`: `actual` must equal the text of the file, byte for byte."""
    update: bool = request.config.getoption("--update")

    def compare(path: Path, actual: str) -> None:
        data = actual.encode()
        if update:
            path.write_bytes(data)
        elif not path.exists():
            pytest.fail(f"{path.relative_to(ROOT)} is missing; `pytest --update` writes it")
        elif path.read_bytes() != data:
            # Compared as text so that pytest shows the differing lines.
            assert actual == path.read_bytes().decode(), f"differs from {path.relative_to(ROOT)}"

    return compare


@pytest.fixture(autouse=True, scope="session")
def _results_are_not_kept_between_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads what an earlier run, or the user's own, has left in the cache of results."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROMPTLINT_CACHE_DIR", str(tmp_path_factory.mktemp("results")))
        yield
