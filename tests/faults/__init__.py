"""What happens when memory, files or luck run out: failing allocations, full disks, short reads, floods of hashes."""
