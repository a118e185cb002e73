"""Programs that run with faults: failing allocations, and failing or short reads and writes."""
