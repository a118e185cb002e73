"""A comparison written out: `parts` says what a report has, and one module for each form writes it."""
