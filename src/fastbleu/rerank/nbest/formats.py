"""The forms of n-best lists by name, told apart by the first line of a file."""

from __future__ import annotations

import os
import re

FORMS = ("moses", "json", "text", "parquet", "arrow")

#: What the name of an Arrow IPC stream ends in.
STREAM_ENDING = ".arrows"

#: What the names of tables end in, and their form.
_TABLE_ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    STREAM_ENDING: "arrow",
}

#: What the names of other files end in. Of these an output has the form only if the input is a table: names of Moses
#: n-best lists end in anything.
_LINE_ENDINGS = {".json": "json", ".jsonl": "json", ".txt": "text"}

_MOSES = re.compile(rb"[ \t]*[0-9]+[ \t]+\|\|\|([ \t]|\r?$)")


def detect(first_line: bytes) -> str | None:
    """The name of the form that a file with this first line has; None if it is plain text.

    Example:
        >>> detect(b"0 ||| a cat ||| lm=-3 ||| -3.5"), detect(b'{"candidates": ["a cat"]}'), detect(b"a cat")
        ('moses', 'json', None)
    """
    if _MOSES.match(first_line):
        return "moses"
    return "json" if first_line.lstrip(b" \t").startswith(b"{") else None


def form_of_output(path: str | None, given: str | None, came_in: str) -> str:
    """The form of an output.

    Args:
        path: Its name; None for standard output.
        given: What `--output-format` says.
        came_in: The form of the input.

    Raises:
        ValueError: The name ends as that of another form does, or, if the input is a table and `given` is None, in
            something that is not known.

    Example:
        >>> form_of_output("best.parquet", None, "moses"), form_of_output("best.txt", None, "moses")
        ('parquet', 'moses')
        >>> form_of_output("best.txt", None, "parquet")
        'text'
    """
    ending = "" if path is None else os.path.splitext(path)[1].lower()
    table = _TABLE_ENDINGS.get(ending)
    if given is not None:
        is_table = given in _TABLE_ENDINGS.values()
        if (table or given) != given or (is_table and ending in _LINE_ENDINGS):
            raise ValueError(f"{path!r} ends in {ending}, but --output-format is {given}")
        return given
    if table is not None:
        return table
    if came_in not in _TABLE_ENDINGS.values() or not ending:
        return came_in
    if ending not in _LINE_ENDINGS:
        known = ", ".join([*_TABLE_ENDINGS, *_LINE_ENDINGS])
        raise ValueError(
            f"no format has names that end in {ending} ({known} do); say which with --output-format"
        )
    return _LINE_ENDINGS[ending]
