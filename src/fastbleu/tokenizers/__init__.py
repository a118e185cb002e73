"""Text to tokens: every tokenizer by its name, and the compiled ones.

`names` finds a tokenizer; `_tokenize` holds the ones that work on UTF-8 bytes. Text comes in from `inputs`, spans of
tokens go to `counting`.
"""
