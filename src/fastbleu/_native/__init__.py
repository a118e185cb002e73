"""Shared by the compiled modules: memory, hashing, bits, code points. Nothing here is imported from Python."""
