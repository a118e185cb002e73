"""The exact randomization test: every way to exchange the outputs of two systems."""

from __future__ import annotations

from ...errors import ArgumentValueError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from .systems import Systems

#: Rows in which two systems may differ, at most: 2^24 assignments take some seconds.
MOST_ENUMERATED = 24

#: Assignments that are scored at once.
_ASSIGNMENTS_AT_ONCE = 1 << 14


def enumerate_assignments(systems: Systems, i: int, j: int, most: int) -> tuple[int, int] | None:
    """Compare the difference of two systems with that under every assignment of their outputs.

    Exchanging two equal rows changes nothing, so only rows that differ are exchanged.

    Args:
        systems: The systems.
        i: The place of one.
        j: The place of the other.
        most: In how many rows the two may differ.

    Returns:
        Under how many assignments the difference is at least as large as it is, and how many there are; None if the
        two differ in more than `most` rows.
    """
    import numpy as np

    first, second = systems.rows[i], systems.rows[j]
    # Most systems differ in enough of the first rows.
    if int((first[: 4 * most] != second[: 4 * most]).any(axis=1).sum()) > most:
        return None
    differing = (first != second).any(axis=1).nonzero()[0]
    if len(differing) > most:
        return None
    assignments = 1 << len(differing)
    moves: NDArray[Any] = first[differing].astype(np.int64) - second[differing].astype(np.int64)
    score = systems.formula.score_rows
    observed = abs(systems.scores[i] - systems.scores[j])
    count = 0
    for start in range(0, assignments, _ASSIGNMENTS_AT_ONCE):
        numbers = np.arange(start, min(assignments, start + _ASSIGNMENTS_AT_ONCE))
        moved = (numbers[:, np.newaxis] >> np.arange(len(differing)) & 1) @ moves
        found = np.abs(score(systems.totals[i] - moved) - score(systems.totals[j] + moved))
        count += int(np.count_nonzero(found >= observed))
    return count, assignments


def most_rows(exact: bool | None, n_trials: int) -> int:
    """In how many rows two systems may differ to be enumerated; -1: they never are."""
    if exact is None:
        return min(MOST_ENUMERATED, n_trials.bit_length() - 1)  # 2 ** most_rows <= n_trials
    return MOST_ENUMERATED if exact else -1


def too_many(systems: Systems, i: int, j: int) -> ArgumentValueError:
    """The error for two systems that must be enumerated and cannot."""
    return ArgumentValueError(
        "exact",
        f"is True, but {systems.names[i]!r} and {systems.names[j]!r} differ in more than {MOST_ENUMERATED} rows",
    )
