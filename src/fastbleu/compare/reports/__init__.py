"""A comparison written out: `contents` says what a report has, and `forms` writes it."""
