"""The memory that this process holds."""

import os
from pathlib import Path

import pytest


def resident_bytes() -> int:
    """Memory of this process that is in RAM now. Skips the test where the system does not say.

    Tests that compare two of these carry the marker `unsanitized`: AddressSanitizer keeps freed memory on purpose.
    """
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("needs the memory figures of Linux")
    return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
