"""Says why fastbleu cannot be imported, where the reason is a second interpreter in the process.

The compiled modules keep seeds and constants once for the whole process, as NumPy's do. So CPython refuses them to an
interpreter with a GIL of its own, and Cython to every interpreter but the first that imported them. Neither says what
to do instead.
"""

try:
    from .._native import _hashing  # type: ignore[attr-defined] # noqa: F401 - a small compiled module, which every door needs
except ImportError as error:
    if "loading in subinterpreters" not in str(error) and "Interpreter change detected" not in str(error):
        raise
    raise ImportError(
        "fastbleu can be imported by one interpreter of a process, and not by an interpreter with a GIL of its own, "
        "because its compiled modules keep their state once for the process (NumPy has the same limits): "
        "use threads, which score without the GIL, or processes",
        name="fastbleu",
    ) from error
