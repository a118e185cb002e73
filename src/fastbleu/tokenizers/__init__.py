"""Tokenizers, which split text into tokens. The package `inputs` reads the text, and `counting` counts the tokens.

`names` loads a tokenizer by its name. `_tokenize` implements the compiled tokenizers, which work on UTF-8 bytes.
"""
