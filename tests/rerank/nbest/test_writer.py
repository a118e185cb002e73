"""What is written of sources: lines with scores, in every locale, and what a file holds when writing fails."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.inputs._lines import raw, split_lines
from fastbleu.rerank.nbest._writer import join_lines

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r|"), max_size=8)


@given(
    segments=st.lists(words, min_size=1, max_size=6),
    decimals=st.integers(0, 17),
    values=st.lists(st.floats(-1e300, 1e300), min_size=6, max_size=6),
)
def test_lines_are_written_as_python_writes_them(
    segments: list[str], decimals: int, values: list[float]
) -> None:
    lines, _ = split_lines("".join(f"{segment}\n" for segment in segments).encode(), True)
    chosen = np.arange(len(segments))[::-1].copy()
    scores = np.array(values[: len(segments)])
    written = join_lines(lines, chosen, scores, b" ||| ", decimals).decode()
    kept = [raw(lines, int(k)).decode() for k in chosen]
    expected = [f"{segment} ||| {score:.{decimals}f}\n" for segment, score in zip(kept, scores, strict=True)]
    assert written == "".join(expected)
    assert join_lines(lines, chosen, None, b"", 0).decode() == "".join(f"{segment}\n" for segment in kept)


def test_what_is_chosen_has_to_be_there() -> None:
    lines, _ = split_lines(b"a\nb\n", True)
    for numbers in ([2], [-1]):
        with pytest.raises(
            IndexError, match=f"segment {numbers[0]} is out of range for a column of 2 segments"
        ):
            join_lines(lines, np.array(numbers), None, b"", 0)
    with pytest.raises(ValueError, match="scores must hold 1 numbers, not 2"):
        join_lines(lines, np.array([0]), np.zeros(2), b"", 0)
    with pytest.raises(ValueError, match=r"decimals must be in 0\.\.17, not 18"):
        join_lines(lines, np.array([0]), np.zeros(1), b"", 18)
