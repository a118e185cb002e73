"""C headers and declarations for the compiled modules: memory, hashing, bits, code points. Nothing for Python code."""
