"""The seeds of the hash tables: secret, and new in every process.

They come from where those of `secrets` come from; importing that module would import `hmac` and `random`, too.
"""

import os

SEEDS.first = int.from_bytes(os.urandom(8), "little")
SEEDS.second = int.from_bytes(os.urandom(8), "little")
