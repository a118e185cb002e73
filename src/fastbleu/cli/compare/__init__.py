"""The command line `fastbleu-compare`: `compare_command` runs it."""
