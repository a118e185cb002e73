"""A comparison written out: `contents` says what a report has, and one module for each form writes it."""
