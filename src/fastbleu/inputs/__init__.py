"""Convert input to columns of segments, which the kernels read.

`reading` is the entry point for Python objects, and decides whether segments are text, tokens or token ids.
`text_lines` reads segments from files, which `decompressed_files` opens. There is a module for each kind of input.
"""
