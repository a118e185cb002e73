"""Chunks of work on one thread and on several."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu.threads import chunk_size, for_each_chunk


def sums(numbers: list[int], step: int, threads: int, longest: int = 1000) -> tuple[list[int], list[int]]:
    """The numbers squared, and where chunks began, as the loop gives them."""
    results: list[tuple[int, list[int]]] = []
    starts: list[int] = []

    def read(start: int, stop: int) -> tuple[list[int], int]:
        return numbers[start : min(stop, start + longest)], min(stop, start + longest)

    def work(found: list[int], start: int, stop: int) -> tuple[int, list[int]]:
        assert len(found) == stop - start
        return start, [number * number for number in found]

    def done(start: int, squares: list[int]) -> None:
        starts.append(start)
        results.append((start, squares))

    for_each_chunk(read, work, done, 0, len(numbers), step, threads)
    return [square for _, squares in sorted(results) for square in squares], sorted(starts)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("step", "longest", "starts"), [(4, 9, [0, 4, 8]), (4, 3, [0, 3, 6, 9]), (99, 99, [0])]
)
def test_every_chunk_is_worked_on_once(threads: int, step: int, longest: int, starts: list[int]) -> None:
    assert sums(list(range(10)), step, threads, longest) == ([n * n for n in range(10)], starts)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_error_of_the_earliest_chunk_is_raised(threads: int) -> None:
    def read(start: int, stop: int) -> tuple[Any, int]:
        if start >= 30:
            raise ValueError(f"read {start}")
        return None, stop

    def work(_: Any, start: int, stop: int) -> tuple[int]:
        if start >= 20:
            raise KeyError(start)
        return (stop - start,)

    sizes: list[int] = []
    with pytest.raises(KeyError, match="20"):
        for_each_chunk(read, work, sizes.append, 0, 100, 10, threads)
    assert sum(sizes) == 20


def test_no_segments() -> None:
    assert sums([], 4, 2) == ([], [])


def test_chunk_size_is_bounded_by_the_rows() -> None:
    assert [chunk_size(10**9, width, 1) for width in (1, 1 << 10, 1 << 20)] == [1024, 256, 1]
    assert chunk_size(100, 10, 8) == 64
