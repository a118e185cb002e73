"""The version of fastbleu, which `pyproject.toml`, score signatures and `fastbleu.__version__` read from here."""

__version__ = "0.1.0"
