"""What fastbleu takes beside the peer that it replaces; run with `pytest benchmarks`."""
