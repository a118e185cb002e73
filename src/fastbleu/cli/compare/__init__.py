"""The command line `fastbleu-compare`: `command` runs it."""
