"""The command `fastbleu-compare`: `compare_command` runs it, and `compare_options` parses its options."""
