"""Which reference's length the brevity penalty asks for: the rules by name."""

from __future__ import annotations

from ..errors import describe
from ._reference_length import CLOSEST, CLOSEST_FIRST, SHORTEST

#: The kernel's number of each rule.
REFERENCE_LENGTHS: dict[str, int] = {
    "closest": CLOSEST,
    "closest-first": CLOSEST_FIRST,
    "shortest": SHORTEST,
}


def check_reference_length(rule: str) -> str:
    """Returns the name of a rule in `REFERENCE_LENGTHS`.

    Raises:
        TypeError: It is no str.
        ValueError: It is another name.
    """
    if not isinstance(rule, str):
        raise TypeError(f"reference_length must be a str, not {describe(rule)}")
    if rule not in REFERENCE_LENGTHS:
        raise ValueError(f"unknown reference_length {rule!r}; choose one of {', '.join(REFERENCE_LENGTHS)}")
    return rule
