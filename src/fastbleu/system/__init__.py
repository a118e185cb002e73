"""The system around: threads, progress, files replaced as a whole, extras, other interpreters and packages."""

from . import subinterpreters

__all__ = ["subinterpreters"]
