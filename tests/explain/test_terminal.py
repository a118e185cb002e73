"""Tables that fit a terminal: names are cut and stay different, numbers are never cut."""

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.explain.terminal import columns, cut_names, table_lines


@given(st.lists(st.text("abx語e\u0301.-", max_size=30), min_size=1, max_size=6), st.integers(8, 30))
def test_names_stay_different(names: list[str], width: int) -> None:
    shown = cut_names(names, width)
    assert max(map(columns, shown)) <= width
    assert len(set(zip(names, shown, strict=True))) == len(set(names)) == len(set(shown))


@pytest.mark.parametrize("width", [None, 100, 80, 70])
def test_a_wide_table(width: int | None) -> None:
    names = [f"wmt24.en-de.{'very-' * 8}long-name.checkpoint-{k}000.txt" for k in (1, 2)]
    numbers = [[f"{i}.{k}25" for k in (1, 2)] for i in range(9)]
    heads = [f"{'domain-of-the-segments' * (i % 2)} {i}" for i in range(9)]
    lines = list(table_lines([("system", names), *zip(heads, numbers, strict=True)], width))
    assert max(map(columns, lines)) <= (width or 1000)
    assert sorted(re.findall(r"\d\.\d25", "\n".join(lines))) == sorted(chain(*numbers))
    assert all(name in "".join(lines) for name in names)
