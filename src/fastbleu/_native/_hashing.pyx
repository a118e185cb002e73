"""Draw the seeds of the hash tables when this module is imported, so that they are secret and new in every process.

`os.urandom` is also the source of `secrets`, whose import would be slower, since it imports `hmac` and `random`.
"""

import os

SEEDS.first = int.from_bytes(os.urandom(8), "little")
SEEDS.second = int.from_bytes(os.urandom(8), "little")
