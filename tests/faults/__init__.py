"""Failing allocations, full disks, short reads, and floods of hashes."""
