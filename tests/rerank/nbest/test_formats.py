"""Forms of n-best lists: what is written is what is read, wherever blocks end."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu.inputs import files
from fastbleu.rerank.nbest.blocks import Reader
from fastbleu.rerank.nbest.formats import detect
from fastbleu.rerank.nbest.json_lines import JsonLines
from fastbleu.rerank.nbest.layout import Chosen, Layout
from fastbleu.rerank.nbest.moses import Moses, Text
from fastbleu.rerank.nbest.options import Options

if TYPE_CHECKING:
    from fastbleu.rerank.nbest.blocks import Block, Form

#: All characters but line ends, separators, and white space that a format takes off the ends of a text.
plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r|"), max_size=10).map(
    lambda text: text.strip()
)
pools = st.lists(st.lists(plain, min_size=1, max_size=4), min_size=1, max_size=5)
sizes = st.sampled_from([1, 3, 10, 40, 1 << 20])
score = st.floats(allow_nan=False, allow_infinity=False)


class Bytes:
    """A file in memory."""

    name = "memory"

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int) -> bytes:
        part, self._data = self._data[:size], self._data[size:]
        return part


def read(data: bytes, form: Form, size: int) -> list[Block]:
    """The candidates of all blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BLOCK_BYTES", size)
        reader = Reader(Bytes(data), form)
        found = []
        while (stop := reader.ready()) is not None:
            found.append(reader.parse(reader.take(stop)))
        return found


def texts_of(found: list[Block]) -> list[list[str | None]]:
    result = []
    for candidates in found:
        texts, bounds = list(candidates.texts), candidates.bounds.tolist()
        result += [texts[start:stop] for start, stop in pairwise(bounds)]
    return result


def names_of(found: list[Block]) -> list[Any]:
    return [name for candidates in found for name in candidates.names]


def scores_of(found: list[Block]) -> list[float]:
    return [value for each in found if each.scores is not None for value in each.scores.tolist()]


def rendered(found: list[Block], layout: Layout) -> str:
    import numpy as np

    return b"".join(
        layout.render(
            each,
            Chosen(np.arange(len(each.texts)), each.bounds, np.arange(len(each.texts), dtype=np.float64)),
        )
        for each in found
    ).decode()


@given(pools=pools, first=st.integers(0, 10**12), size=sizes, data=st.data())
def test_moses(pools: list[list[str]], first: int, size: int, data: st.DataObject) -> None:
    number = sum(map(len, pools))
    scores = data.draw(st.lists(score, min_size=number, max_size=number))
    lines = [(i, text) for i, pool in enumerate(pools, first) for text in pool]
    written = "".join(
        f"{i} ||| {text} ||| f= 1 ||| {value!r} ||| 0-0\n"
        for (i, text), value in zip(lines, scores, strict=True)
    )
    found = read(written.encode(), Moses(Options(), "4"), size)
    assert texts_of(found) == pools
    assert names_of(found) == list(range(first, first + len(pools)))
    assert scores_of(found) == scores
    assert [i for each in found for i in each.ordinals.tolist()] == list(range(len(pools)))
    again = rendered(found, Layout(Options(all=True, width=0), "moses", "moses"))
    assert [line.rpartition(" ||| ")[0] for line in again.split("\n")[:-1]] == written.split("\n")[:-1]
    assert texts_of(read(again.encode(), Moses(Options()), size)) == pools


@pytest.mark.slow
@given(
    pools=st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4), min_size=1),
    size=sizes, data=st.data(), ascii_only=st.booleans(),
)  # fmt: skip
def test_json(pools: list[list[str]], size: int, data: st.DataObject, ascii_only: bool) -> None:
    text = st.text(st.characters(exclude_categories=["Cs"]))
    number = len(pools)
    names = data.draw(st.lists(st.integers() | text, min_size=number, max_size=number, unique=True))
    options = Options(all=True, candidates_field="hyps", text_field="hyp", id_field="source")
    scores = [[float(k) for k in range(len(pool))] for pool in pools]
    lists = [
        {"source": name, "hyps": pool, "logp": part, "x": [None]}
        for name, pool, part in zip(names, pools, scores, strict=True)
    ]
    each = [
        {"source": name, "hyp": text, "logp": value}
        for name, pool, part in zip(names, pools, scores, strict=True)
        for text, value in zip(pool, part, strict=True)
    ]
    for records in (lists, each):
        written = [json.dumps(record, ensure_ascii=ascii_only) for record in records]
        content = "".join(f"{line}\n" for line in written).encode()
        found = read(content, JsonLines(options, "logp", written[0].encode()), size)
        assert texts_of(found) == pools
        assert names_of(found) == names
        assert scores_of(found) == [value for part in scores for value in part]
        layout = Layout(options, "json", "json", records is lists, ("hyps", "logp"))
        again = [json.loads(line) for line in rendered(found, layout).split("\n")[:-1]]
        assert [set(record) for record in again] == [{*record, "expected_bleu"} for record in records]
        for record, before in zip(again, records, strict=True):
            del record["expected_bleu"]
            assert record == before


@given(
    texts=st.lists(plain, min_size=1, max_size=12),
    per_source=st.integers(1, 3),
    size=sizes,
    newline=st.booleans(),
)
def test_plain_text(texts: list[str], per_source: int, size: int, newline: bool) -> None:
    texts = texts[: len(texts) // per_source * per_source] or ["a"] * per_source
    # Nothing follows a last newline, so an empty text needs one.
    content = "\n".join(texts) + ("\n" if newline or not texts[-1] else "")
    found = read(content.encode(), Text(Options(candidates_per_source=per_source)), size)
    assert texts_of(found) == [texts[i : i + per_source] for i in range(0, len(texts), per_source)]
    again = rendered(found, Layout(Options(all=True, width=0), "text", "text"))
    assert [line.rpartition("\t")[0] for line in again.split("\n")[:-1]] == texts


#: What lines of broken lists are put together from.
PIECES = (
    "0 ||| a ||| f= 1 ||| -1.5", "0 ||| b ||| f ||| 2e5", "1 ||| c d ||| f ||| 1", "7 ||| x ||| f ||| 0",
    " 1 |||", "||| ", " |||", "\t|||\t", "0", "1", "123456789012345678", "1234567890123456789", "nan", "-inf", "1_0",
    '{"id": 1, "candidates": ["a b", "c"], "score": [1, 2.5]}', '{"id": 2, "candidates": ["d"], "score": [0]}',
    '{"candidates": [', '"a b"', "]}", '{"id": "s", "text": "b", "score": 0.10}',
    '{"id": "s", "text": "c", "score": 3}',
    '"id": 1', "{", "}", "[", "]", ",", ":", '"', "\\", " ", "\t", "\r", "null", "true", "1e5",
    "NaN", "1" * 310,
    '"\\ud800"', '"\\u0000"', "[" * 501, "\ufeff", "\u2028", "\0", "\x1f", "\x85", "é", "😀", "\udcff",
)  # fmt: skip
lists = st.lists(
    st.sampled_from(PIECES) | st.lists(st.sampled_from(PIECES), max_size=4).map("".join),
    min_size=1,
    max_size=20,
)


@pytest.mark.slow
@settings(deadline=None)
@given(lines=lists, size=sizes, newline=st.sampled_from(["\n", "\r\n"]), data=st.data())
def test_broken_lists(lines: list[str], size: int, newline: str, data: st.DataObject) -> None:
    """Blocks of every size hold the same, an error names a line, and what is left is what stands in the list."""
    content = newline.join(lines).encode("utf-8", "surrogateescape")
    number = data.draw(st.integers(1, 3))

    def form(kind: str, skip_bad: bool) -> Form:
        options = Options(candidates_per_source=number, skip_bad=skip_bad)
        if kind == "text":
            return Text(options)
        return JsonLines(options, "score", content) if kind == "json" else Moses(options, "4")

    for kind in ("moses", "json", "text"):
        whole, parts = (read(content, form(kind, True), each) for each in (1 << 20, size))
        for part in (texts_of, names_of, scores_of):
            assert part(whole) == part(parts)
        assert sum(each.skipped_lines for each in whole) == sum(each.skipped_lines for each in parts)
        for texts in texts_of(whole):
            for text in texts:
                assert text is not None
                assert kind == "json" or text.encode() in content
        try:
            strict = read(content, form(kind, False), size)
        except ValueError as error:
            said = re.match(r"memory: line (\d+): expected ", str(error))
            assert said and 0 < int(said[1]) <= content.count(b"\n") + 1, error  # noqa: PT017, PT018  # right only then
        else:
            assert texts_of(strict) == texts_of(whole)
            assert not any(each.skipped_lines for each in whole)


def test_forms_are_told_apart() -> None:
    assert detect(b"0 ||| a ||| b ||| 1\n") == "moses"
    assert detect(b" 12\t|||\n") == "moses"
    assert detect(b"12 |||\r\n") == "moses"
    assert detect(b' {"candidates": []}\n') == "json"
    for line in (b"a ||| b", b"1 |||| b", b"1||| b", b"[1]", b"", b"a text"):
        assert detect(line) is None


def test_what_is_no_field_of_moses() -> None:
    for field in ("2", "0", "x", "-1", "", "3.0"):
        with pytest.raises(ValueError, match="must be in a field from 3 to 1,000,000, not"):
            Moses(Options(), field)
