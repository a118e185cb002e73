"""A watch for hypotheses in scripts without spaces between words, by one character of each."""

from libc.stdint cimport int64_t

from fastbleu._native.atomics cimport fb_read, fb_swap, fb_write

cdef enum:
    MOST_WATCHED = 1 << 10       # hypotheses counted one by one, after which their scripts are watched anew
    MANY_WATCHED = 16            # hypotheses that are judged by themselves


cdef class ScriptWatch:
    """The record of what a counter has seen.

    Attributes:
        is_on: Whether hypotheses are looked at.
        suspects: Whether at least half of the latest ones looked wrong, since it was last set to False.
    """

    @property
    def is_on(self):
        return fb_read(&self.watching) != 0

    @is_on.setter
    def is_on(self, bint value):
        fb_write(&self.watching, value)

    @property
    def suspects(self):
        return fb_read(&self.suspecting) != 0

    @suspects.setter
    def suspects(self, bint value):
        fb_write(&self.suspecting, value)

    @property
    def record(self):
        """The number of hypotheses that were looked at of late, and of those that seem to be in such a script.

        Threads may miss some, and nothing else depends on it.
        """
        return fb_read(&self.looked_at), fb_read(&self.looked_wrong)

    @record.setter
    def record(self, tuple value):
        fb_write(&self.looked_at, <int64_t>value[0])
        fb_write(&self.looked_wrong, <int64_t>value[1])

    def turn_off(self):
        """Watch no more; True only for the call that turned it off, of any thread."""
        return fb_swap(&self.watching, False) != 0

    cdef int note(self, Py_ssize_t n, Py_ssize_t unspaced) except -1:
        """Takes note of n more hypotheses that were looked at."""
        cdef int64_t watched = fb_read(&self.looked_at), wrong = fb_read(&self.looked_wrong)
        if n >= MANY_WATCHED or watched >= MOST_WATCHED:
            watched = wrong = 0
        watched += n
        wrong += unspaced
        # Threads that write the same memory wait for each other: batches of equal sizes write nothing.
        if watched != fb_read(&self.looked_at):
            fb_write(&self.looked_at, watched)
        if wrong != fb_read(&self.looked_wrong):
            fb_write(&self.looked_wrong, wrong)
        if unspaced and 2 * wrong >= watched:
            fb_write(&self.suspecting, True)
        return 0
