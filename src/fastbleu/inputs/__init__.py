"""Convert input to columns, in one module per kind of input.

`reading` is the entry point, and decides whether segments are text, tokens or ids. `files` reads them from files.
"""
