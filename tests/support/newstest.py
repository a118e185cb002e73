"""The WMT 2021 news data: the folder `newstest2021` inside `FASTBLEU_DATA`."""

import os
from functools import cache
from itertools import combinations
from pathlib import Path

PAIRS = ("en-de", "de-en", "en-zh", "zh-en", "en-ja", "en-ru")


def folder() -> Path | None:
    """Return the folder of the data, or None if the environment names no existing one."""
    root = os.environ.get("FASTBLEU_DATA")
    found = Path(root) / "newstest2021" if root else None
    return found if found is not None and found.is_dir() else None


def _files(kind: str, pair: str) -> dict[str, Path]:
    root = folder()
    if root is None:
        raise FileNotFoundError("FASTBLEU_DATA does not name a folder that holds newstest2021")
    # newstest2021.<pair>.<ref|hyp>.<name>.<language>
    return {path.name.split(".")[3]: path for path in sorted((root / kind).glob(f"newstest2021.{pair}.*"))}


def reference_files(pair: str) -> dict[str, Path]:
    return _files("references", pair)


def system_files(pair: str) -> dict[str, Path]:
    return _files("system-outputs", pair)


@cache
def _lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_bytes().decode("utf-8").removesuffix("\n").split("\n"))


def references(pair: str) -> dict[str, list[str]]:
    return {name: list(_lines(path)) for name, path in reference_files(pair).items()}


def systems(pair: str) -> dict[str, list[str]]:
    return {name: list(_lines(path)) for name, path in system_files(pair).items()}


def subsets(names: list[str]) -> list[tuple[str, ...]]:
    """Every non-empty subset, in the order of the names."""
    return [subset for size in range(1, len(names) + 1) for subset in combinations(names, size)]
