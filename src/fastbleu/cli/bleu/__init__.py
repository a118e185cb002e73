"""The command line `fastbleu`: `command` runs it, `options` and `checks` say what it takes.

Text is read by `text`, and tables by `tables`.
"""
