"""Tokenizers, from text to tokens.

`names` finds a tokenizer by its name; `_tokenize` implements the compiled ones, which work on UTF-8 bytes. Text comes
from `inputs`, and spans of tokens go to `counting`.
"""
