"""The seeds of the hash tables: secret, and new in every process."""

import os

SEEDS.first = int.from_bytes(os.urandom(8), "little")
SEEDS.second = int.from_bytes(os.urandom(8), "little")
