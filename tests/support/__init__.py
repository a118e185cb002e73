"""Code that several test modules share: oracles, strategies, data."""
