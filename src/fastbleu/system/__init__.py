"""The system around: threads, progress, files replaced as a whole, extras, changes of other packages."""
