"""Tests against the live peers; each module is skipped where its peer is not installed."""
