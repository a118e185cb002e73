"""Times of fastbleu beside those of the peers that it replaces; run with `pytest benchmarks`."""
