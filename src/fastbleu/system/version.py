"""The version, in one place; `pyproject.toml`, the signature and `fastbleu.__version__` read it here."""

__version__ = "0.1.0"
