"""Draw the seeds of the hash tables: secret, and new in every process.

They come from the source that `secrets` uses. Importing `secrets` would import `hmac` and `random` as well.
"""

import os

SEEDS.first = int.from_bytes(os.urandom(8), "little")
SEEDS.second = int.from_bytes(os.urandom(8), "little")
