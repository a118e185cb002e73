"""The command line `fastbleu`: `command` runs it, `options` and `checks` say what it takes.

Text is read as a whole by `input`, block by block by `streams`, and tables by `tables`.
"""
