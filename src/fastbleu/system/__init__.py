"""System utilities: threads, progress bars, atomic file writes, optional packages, and detection of monkeypatches."""
