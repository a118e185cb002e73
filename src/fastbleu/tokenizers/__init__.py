"""Tokenizers: this package splits the text that `inputs` reads into tokens, which `counting` counts.

`names` loads a tokenizer by its name. `_tokenize` implements the compiled tokenizers, which work on UTF-8 bytes.
"""
