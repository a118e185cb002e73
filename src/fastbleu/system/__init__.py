"""The system around: threads, progress, files replaced as a whole, extras, other interpreters, and the version."""

from . import subinterpreters

__all__ = ["subinterpreters"]
