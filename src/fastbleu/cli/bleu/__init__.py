"""The command line `fastbleu`: `command` runs it, `options` says what it takes.

Text is read by `text`, and tables by `tables`.
"""
