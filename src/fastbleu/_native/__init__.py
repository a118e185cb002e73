"""C headers and declarations that only the compiled modules use: memory, hashing, bits, Unicode, signals, atomics."""
