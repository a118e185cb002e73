"""Errors about the rows of a batch: an engine hands over some rows at a time, and does not say which."""

from __future__ import annotations

from ..errors import ArgumentError, Place


def of_batch(error: ArgumentError) -> ArgumentError:
    """Add to an error that rows are counted within the batch.

    Example:
        >>> from fastbleu.errors import wrong_type
        >>> print(of_batch(wrong_type(Place("hypotheses")[1], "a str", None)))
        hypotheses[1] must be a str, not NoneType: None (rows are those of this batch, from 0)
    """
    return type(error)(Place(str(error)), "(rows are those of this batch, from 0)")
