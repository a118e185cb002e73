"""What is around the package: threads, the progress bar, whole files, extras, other interpreters, and the version."""

from . import subinterpreters

__all__ = ["subinterpreters"]
