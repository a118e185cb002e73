"""The command line ``python -m fastbleu.search``."""
