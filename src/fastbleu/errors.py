"""The words of errors: what is wrong with which argument, index and value."""

from __future__ import annotations

#: Characters of a bad value that a message shows.
_LONGEST_SHOWN = 60

#: In the place of an index: the name alone says which value is meant.
NOWHERE = -1


def describe(value: object) -> str:
    """A bad value as a message shows it: its type, and how its `repr` starts.

    Example:
        >>> describe(1.5)
        'float: 1.5'
    """
    shown = repr(value)
    if len(shown) > _LONGEST_SHOWN:
        shown = shown[:_LONGEST_SHOWN] + "..."
    return f"{type(value).__name__}: {shown}"


def place(name: str, i: int) -> str:
    """Where a value stands: `name[i]`, or the name with i in the place of its `%d`; with NOWHERE the name alone.

    Example:
        >>> place("hypotheses", 3), place("references[%d][1]", 3)
        ('hypotheses[3]', 'references[3][1]')
    """
    if i == NOWHERE:
        return name
    return name % i if "%d" in name else f"{name}[{i}]"
