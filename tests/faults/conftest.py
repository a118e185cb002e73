"""The programs with faults of their files."""

from collections.abc import Iterator

import pytest

from tests.support.faults.commands import Runs, write_files
from tests.support.faults.preloading import compiled, started


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """Runs command lines with faults, in a folder of small files of every form."""
    library = compiled("files", tmp_path_factory.mktemp("library"))
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    with started(library, "tests.support.faults.files") as program:
        yield Runs(program, folder)
        program.communicate()
    assert program.returncode == 0
