"""Turn what a user holds into columns: one module per kind of input.

`reading` is the way in: it says whether segments are text, tokens or ids. `files` reads them from files.
"""
