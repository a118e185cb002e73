"""Code that the compiled modules share: memory, hashing, bits, code points. Python imports nothing from here."""
