"""Read n-best lists from Python: every format and every size of blocks gives the same sources."""

import gc
import gzip
import io
import re
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastbleu.inputs import decompressed_files
from fastbleu.rerank import NBestBlock, oracle, read
from tests.support.nbest_lists import (
    POOLS,
    SCORES,
    blocks,
    dumped,
    each,
    flat,
    lists,
    many_pools,
    moses,
    moses_lines,
)


def pools_of(blocks: list[NBestBlock]) -> list[list[str]]:
    return [pool for block in blocks for pool in block.pools]


def together(blocks: list[NBestBlock], name: str) -> list[Any]:
    return [item for block in blocks for item in getattr(block, name)]


@blocks(1 << 20, 200, 1)
def test_every_form(folder: Path) -> None:
    (folder / "moses.gz").write_bytes(gzip.compress((folder / "moses").read_bytes()))
    of_moses = [SCORES[i][k % 2] for i, pool in enumerate(POOLS) for k in range(len(pool))]
    moses_list = [line.rstrip("\n") for line in moses_lines(POOLS)]
    for name, ids, field, scores, lines in (
        ("moses", [*range(5)], 4, of_moses, moses_list),
        ("moses.gz", [*range(5)], "4", of_moses, moses_list),
        ("lists", [f"s{i}" for i in range(5)], "score", flat(SCORES), lists(POOLS)),
        ("each", [*range(5)], "score", flat(SCORES), each(POOLS)),
    ):
        found = list(read(folder / name, score_field=field))
        assert pools_of(found) == POOLS
        assert together(found, "ids") == ids
        assert together(found, "scores") == scores
        records = together(found, "lines")
        assert records == lines or [dumped(record) for record in records] == lines
        sizes = [len(block.pools) for block in found]
        assert [block.first for block in found] == np.cumsum([0, *sizes])[:-1].tolist()
        assert all(block.scores is None for block in read(folder / name))


def test_fields_have_names(folder: Path) -> None:
    record = {"src": "x", "hyps": ["a", "b"], "lp": [1, 2], "refs": ["c", "d"], "expected_bleu": 1}
    (folder / "named").write_bytes(dumped(record).encode())
    (block,) = read(folder / "named", candidates_field="hyps", id_field="src", score_field="lp")
    assert block.scores is not None
    assert (block.ids, list(block.lines), block.scores.tolist()) == (["x"], [record], [1.0, 2.0])
    (folder / "named").write_bytes(dumped({"doc": 3, "hyp": "a"}).encode())
    (block,) = read(folder / "named", text_field="hyp", id_field="doc")
    assert (list(block.pools), block.ids) == ([["a"]], [3])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(moses(POOLS).encode())))
    assert pools_of(list(read("-"))) == POOLS


def test_sources_that_are_left_out(folder: Path) -> None:
    lines = [*lists(POOLS[:2]), '{"candidates": 3}\n', *lists(POOLS)[3:]]
    (folder / "bad").write_bytes("".join(lines).encode())
    found = list(read(folder / "bad", skip_bad=True))
    assert pools_of(found) == POOLS[:2] + POOLS[3:]
    assert sum(block.skipped_sources for block in found) == 1


def test_wrong_arguments(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"^score_field must be the number of a field from 3 to 1,000,000"):
        list(read(folder / "moses", score_field=2))
    with pytest.raises(FileNotFoundError):
        list(read(folder / "missing"))
    for arguments, message in (
        ({"path": 3}, "path must be a path, not int: 3"),
        ({"candidates_field": 3}, "candidates_field must be a str, not int: 3"),
        ({"text_field": None}, "text_field must be a str, not NoneType: None"),
        ({"id_field": ""}, "id_field must not be empty"),
        ({"references_field": 3}, "references_field must be a str, not int: 3"),
        ({"score_field": True}, "score_field must be a str, not bool: True"),
        ({"skip_bad": "no"}, "skip_bad must be True or False, not str: 'no'"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}$"):
            read(**{"path": folder / "moses", **arguments})
    with pytest.raises(ValueError, match="references_field is for JSON lines, not for a Moses n-best list"):
        list(read(folder / "moses", references_field="references"))
    (folder / "bad").write_text('{"prompt": "x", "responses": ["a b", "a c"]}\n')
    message = (
        "bad: line 1: expected a field 'candidates' or 'text', found the fields [\"prompt\", \"responses\"]; name "
        "another field with candidates_field or text_field"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        list(read(folder / "bad"))


def test_references(folder: Path) -> None:
    records = [{"candidates": ["a"], "refs": "b"}, {"candidates": ["c", "d"], "refs": ["e", "f"]}]
    (folder / "with").write_bytes("".join(map(dumped, records)).encode())
    (block,) = read(folder / "with", references_field="refs")
    assert block.references == [["b"], ["e", "f"]]
    assert oracle(block.pools, block.references).indices.tolist() == [0, 0]
    (block,) = read(folder / "with")
    assert block.references is None


@pytest.mark.slow
def test_memory_is_flat(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompressed_files, "BLOCK_BYTES", 1 << 14)
    peaks = []
    for sources in (500, 5000):
        many_pools(folder, sources)
        gc.collect()
        tracemalloc.start()
        assert sum(len(block.pools) for block in read(folder / "many")) == sources
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]
