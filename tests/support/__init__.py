"""What several test modules share: oracles, strategies, data."""
