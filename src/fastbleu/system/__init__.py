"""The system around: threads, the progress bar, files that are replaced as a whole, other interpreters, and the version of the package."""

from . import subinterpreters

__all__ = ["subinterpreters"]
