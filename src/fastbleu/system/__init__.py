"""The system around: threads, the progress bar, files that are replaced as a whole, other interpreters."""

from . import subinterpreters

__all__ = ["subinterpreters"]
