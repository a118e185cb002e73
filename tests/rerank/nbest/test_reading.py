"""N-best lists read by a program: the same blocks in every form, whatever their size."""

from __future__ import annotations

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

from fastbleu.inputs import files
from fastbleu.rerank import NBestBlock, mbr, oracle, read
from tests.support.nbest_lists import (
    POOLS,
    REFERENCES,
    SCORES,
    blocks,
    dumped,
    flat,
    lists,
    many_pools,
    moses,
)


def pools_of(blocks: list[NBestBlock]) -> list[list[str]]:
    return [pool for block in blocks for pool in block.pools]


def together(blocks: list[NBestBlock], name: str) -> list[Any]:
    return [item for block in blocks for item in getattr(block, name)]


@blocks(1 << 20, 200, 1)
def test_every_form(folder: Path) -> None:
    (folder / "moses.gz").write_bytes(gzip.compress((folder / "moses").read_bytes()))
    places = [k for pool in POOLS for k in range(len(pool))]
    for name in ("moses", "moses.gz"):
        blocks = list(read(folder / name))
        assert pools_of(blocks) == POOLS
        assert together(blocks, "texts") == [text for pool in POOLS for text in pool]
        assert together(blocks, "ids") == [0, 1, 2, 3, 4]
        assert together(blocks, "features") == [f"lm= {k}" for k in places]
        scores = [SCORES[i][k % 2] for i, pool in enumerate(POOLS) for k in range(len(pool))]
        assert together(blocks, "scores") == scores
        assert [block.first for block in blocks] == np.cumsum([0, *map(len, blocks)])[:-1].tolist()
        assert all(block.references is None for block in blocks)
    for name, ids in (("lists", [f"s{i}" for i in range(5)]), ("each", [0, 1, 2, 3, 4])):
        blocks = list(read(folder / name))
        assert (pools_of(blocks), together(blocks, "ids")) == (POOLS, ids)
        assert together(blocks, "scores") == flat(SCORES)
        assert all(block.features is None and block.references is None for block in blocks)
    blocks = list(read(folder / "text", candidates_per_source=2))
    assert pools_of(blocks) == [pool[:2] for pool in POOLS]
    assert together(blocks, "ids") == [0, 1, 2, 3, 4]
    assert all(block.features is None and block.scores is None for block in blocks)


def test_tables(folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns: dict[str, Any] = {
        "candidates": POOLS,
        "id": [f"s{i}" for i in range(5)],
        "score": SCORES,
        "features": [[f"f= {k}" for k in range(len(pool))] for pool in POOLS],
        "references": [[text] for text in REFERENCES],
    }
    table = pa.table(columns)
    parquet.write_table(table, folder / "pools.parquet", row_group_size=2)
    with pa.ipc.new_stream(folder / "pools.arrow", table.schema) as stream:
        stream.write_table(table)
    for name in ("pools.parquet", "pools.arrow"):
        blocks = list(read(folder / name))
        assert (pools_of(blocks), together(blocks, "ids")) == (POOLS, columns["id"])
        assert together(blocks, "scores") == flat(SCORES)
        assert together(blocks, "features") == [each for part in columns["features"] for each in part]
        assert together(blocks, "references") == columns["references"]
        assert together(list(read(folder / name, score_field="score")), "scores") == flat(SCORES)


@blocks(1 << 20, 200, 1)
def test_what_a_block_is_for(folder: Path) -> None:
    records = [
        {"candidates": pool, "score": score, "references": reference}
        for pool, score, reference in zip(POOLS, SCORES, REFERENCES, strict=True)
    ]
    (folder / "all").write_bytes("".join(map(dumped, records)).encode())
    blocks = list(read(folder / "all"))
    options: Any = {"weights_as": "log-probabilities", "temperature": 1.0}
    weighted = [
        k for block in blocks for k in mbr(block.pools, weights=block.scores, **options).utilities.tolist()
    ]
    assert weighted == mbr(POOLS, weights=SCORES, **options).utilities.tolist()
    best = [k for block in blocks for k in oracle(block.pools, block.references).indices.tolist()]
    assert best == oracle(POOLS, REFERENCES).indices.tolist()
    assert repr(blocks[0]) == f"<NBestBlock of {len(blocks[0])} sources from number 0 on>"


def test_fields_have_names(folder: Path) -> None:
    record = {"src": "x", "hyps": ["a", "b"], "lp": [1, 2], "refs": ["c", "d"], "features": [{"lm": 1}, None]}
    (folder / "named").write_bytes(dumped(record).encode())
    names = {"candidates_field": "hyps", "id_field": "src", "references_field": "refs"}
    (block,) = read(folder / "named", score_field="lp", **names)
    assert (block.ids, block.references, block.features) == (["x"], [["c", "d"]], [{"lm": 1}, None])
    assert block.scores is not None
    assert block.scores.tolist() == [1.0, 2.0]
    (block,) = read(folder / "named", **names)
    assert block.scores is None
    (block,) = read(folder / "moses", score_field=4)
    assert block.scores is not None
    (folder / "odd").write_bytes(b"0 ||| a ||| f\n0 ||| b ||| g ||| x\n")
    (block,) = read(folder / "odd")
    assert (block.scores, block.features) == (None, ["f", "g"])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(moses(POOLS).encode())))
    assert pools_of(list(read("-"))) == POOLS


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ('{"candidates": ["a"]}\n{"candidates": 3}\n', {}, "expected a list in 'candidates', found 3"),
        ("0 ||| a ||| f ||| 1\n0 ||| b ||| f ||| x\n", {},
         "expected a score, a finite number, as the first candidate has; name the field with score_field"),
        ("0 ||| a ||| f ||| 1\n0 ||| b ||| f ||| x\n", {"score_field": 4}, "expected a number in field 4, found 'x'"),
        *((f'{{"candidates": ["a"], "score": [1]}}\n{{"candidates": ["a"], "score": {score}}}\n', {},
           "expected a score, a finite number") for score in ("[1, 2]", "[true]", "9" * 400)),
        ('{"candidates": ["a"], "references": "b"}\n{"candidates": ["a"], "references": [1]}\n', {},
         "expected a string or a list of them in 'references', found [1]"),
    ],
)  # fmt: skip
def test_broken_lines(data: str, options: dict[str, Any], message: str, folder: Path) -> None:
    (folder / "bad").write_text(data)
    with pytest.raises(ValueError, match=re.escape(f"bad: line 2: {message}")):
        _ = [block.references for block in read(folder / "bad", **options)]


def test_sources_that_are_left_out(folder: Path) -> None:
    lines = [*lists(POOLS[:2]), '{"candidates": 3}\n', *lists(POOLS)[3:]]
    (folder / "bad").write_bytes("".join(lines).encode())
    blocks = list(read(folder / "bad", skip_bad=True))
    assert pools_of(blocks) == POOLS[:2] + POOLS[3:]
    assert sum(block.skipped_sources for block in blocks) == 1


def test_arguments_that_do_not_go_together(folder: Path) -> None:
    for arguments, message in (
        ({"form": "csv"}, "form must be one of 'moses', 'json', 'text'"),
        ({"form": "text"}, "form='text' needs candidates_per_source"),
        (
            {"candidates_per_source": 2},
            "candidates_per_source is for plain text, but .*moses looks like moses; if it is plain text, name the form",
        ),
        ({"score_field": 2}, "score_field the score of a Moses n-best list must be in a field from 3"),
    ):
        with pytest.raises(ValueError, match=message):
            list(read(folder / "moses", **arguments))
    with pytest.raises(ValueError, match="say how many candidates each source has"):
        list(read(folder / "text"))
    with pytest.raises(FileNotFoundError):
        list(read(folder / "missing"))
    with pytest.raises(TypeError):
        read(3)
    with pytest.raises(ValueError, match="candidates_per_source must be at least 1"):
        read(folder / "text", candidates_per_source=0)


@pytest.mark.slow
def test_memory_is_flat(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 1 << 14)
    peaks = []
    for sources in (500, 5000):
        many_pools(folder, sources)
        gc.collect()
        tracemalloc.start()
        assert sum(len(block) for block in read(folder / "many")) == sources
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


@pytest.mark.parametrize("name", ["candidates_field", "id_field", "references_field", "score_field"])
def test_columns_that_are_named_have_to_be_there(folder: Path, name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"candidates": POOLS}), folder / "pools.parquet")
    assert [block.ids for block in read("pools.parquet")] == [[0, 1, 2, 3, 4]]
    arguments: dict[str, Any] = {name: "nope"}
    with pytest.raises(ValueError, match=r"no column 'nope'; its columns are 'candidates'$"):
        list(read("pools.parquet", **arguments))
