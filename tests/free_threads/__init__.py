"""Many threads on the same objects, compared with one thread. Worth most on a free-threaded interpreter."""
