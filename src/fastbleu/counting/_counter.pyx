"""Columns -> rows of statistics: segment by segment, in memory that is kept from call to call."""

from cpython.pythread cimport PyThread_get_thread_ident
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, PyObject
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from fastbleu._native.atomics cimport fb_place_of_thread, fb_put, fb_take
from fastbleu._native.memory cimport capacity, held_bytes, reserve
from fastbleu.counting._match_one_short cimport count_one_short
from fastbleu.counting._reference_length cimport CLOSEST, SHORTEST
from fastbleu.counting._segment cimport SegmentReferences, forget_all, match_hypothesis, no_reference, unload
from fastbleu.counting._workspace cimport ONE_SHORT, Index, Workspace, free_workspace, workspace_bytes
from fastbleu.inputs._column cimport NOWHERE, Column, IdColumn, Int64Buffer, View
from fastbleu.inputs._text cimport TextColumn
from fastbleu.inputs._tokens cimport TokenTable, append_tokens
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS, check_tokenizer

from fastbleu.errors import place

cdef enum:
    MOST_KEPT_BYTES = 1 << 22    # what a document of ten thousand tokens takes
    BRIEF_BYTES = 1 << 12        # of a segment and its references, counted within a few microseconds


cdef inline bint ends_tokenized(const View* view, int64_t segment) noexcept nogil:
    """Return whether a segment ends in " .", which suggests that it has been tokenized."""
    cdef int64_t stop = view.ends[segment]
    return stop - view.starts[segment] >= 2 and view.data[stop - 1] == c"." and view.data[stop - 2] == c" "


cdef inline size_t bytes_of(Column column) noexcept:
    return held_bytes(<void**>&column.own_data, <void**>&column.length)


cdef class WorkspaceHolder:
    """One thread's memory, as a Python object, with columns and a table for a single segment."""

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Workspace))
        self.ids = []
        self.names = []
        self.hypothesis = TextColumn()
        self.references = TextColumn()
        self.table = TokenTable()

    def __dealloc__(self):
        free_workspace(&self.work)

    cdef SegmentReferences single(self, NgramCounter counter, size_t streams):
        """Return the references of a single segment, to be filled; the same object from call to call."""
        cdef SegmentReferences found = self.of_single
        if found is None:
            found = self.of_single = SegmentReferences(counter.tokenizer, counter.order, counter.rule)
        reserve(<void**>&found.views, streams, sizeof(View))
        found.streams = streams
        found.length = 1
        return found

    cdef uint64_t read_segment(self, object hypothesis, tuple references, View* views) except? 0:
        """Reads one segment of tokens: the hypothesis into ids[0], and views of its references; returns all bits."""
        cdef uint64_t bits = 0
        cdef list sequences = [hypothesis]
        cdef Py_ssize_t s, n = 1 + len(references)
        cdef list columns = self.ids
        cdef IdColumn column
        sequences.extend(references)
        while len(self.names) < n:
            self.names.append(place("references", len(self.names) - 1) if self.names else place("hypothesis"))
        while len(columns) < n:
            columns.append(IdColumn())
        if len(columns) > n:
            columns = columns[:n]
        for s in range(n):
            column = <IdColumn>columns[s]
            column.bits = 0
            column.reserve_segments(1)
        append_tokens(self.table, columns, sequences, self.names, NOWHERE, None, False)
        for s in range(n):
            column = <IdColumn>columns[s]
            column.finish()
            bits |= column.bits
            if s:
                views[s - 1] = column.view
        return bits

    cdef size_t nbytes(self):
        """Bytes held from one call to the next."""
        cdef size_t size = workspace_bytes(&self.work) + capacity(self.table.slots)
        size += bytes_of(self.hypothesis) + bytes_of(self.references)
        for column in self.ids:
            size += bytes_of(<Column>column)
        return size


cdef class NgramCounter:
    """Counts the n-grams of segments against their references.

    Args:
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids.
        order: The largest n, >= 1.
        rule: Whose length is ref_len: a place in options.REFERENCE_LENGTHS.

    A call counts in a workspace that no other call has meanwhile: it takes one that is kept, or makes one.
    """

    def __cinit__(self, int tokenizer, int order, int rule=CLOSEST):
        check_tokenizer(tokenizer)
        if order < 1:
            raise ValueError(f"order must be at least 1, not {order}")
        if not CLOSEST <= rule <= SHORTEST:
            raise ValueError(f"rule must be in 0..{SHORTEST}, not {rule}")
        self.tokenizer = tokenizer
        self.order = order
        self.width = 2 + 2 * <Py_ssize_t>order
        self.rule = rule

    def __dealloc__(self):
        cdef size_t k
        for k in range(<size_t>KEPT_WORKSPACES):
            Py_XDECREF(<PyObject*>fb_take(<void**>&self.kept[k].holder))

    def __reduce__(self):
        return NgramCounter, (self.tokenizer, self.order, self.rule)

    cdef WorkspaceHolder borrow(self):
        """A workspace for the caller alone: mostly the one that its thread gave back last."""
        cdef size_t first = fb_place_of_thread(PyThread_get_thread_ident(), KEPT_BITS), k
        cdef void* found
        cdef WorkspaceHolder holder
        for k in range(<size_t>KEPT_WORKSPACES):
            found = fb_take(<void**>&self.kept[(first + k) % KEPT_WORKSPACES].holder)
            if found != NULL:
                holder = <WorkspaceHolder>found
                Py_DECREF(holder)  # that of the place
                holder.place = first
                return holder
        holder = WorkspaceHolder()
        holder.place = first
        return holder

    cdef void give_back(self, WorkspaceHolder holder):
        """Keeps a workspace for the next call, unless a long segment made it large."""
        cdef size_t k
        if holder.nbytes() > MOST_KEPT_BYTES:
            return
        Py_INCREF(holder)
        for k in range(<size_t>KEPT_WORKSPACES):
            if fb_put(<void**>&self.kept[(holder.place + k) % KEPT_WORKSPACES].holder, <void*>holder):
                return
        Py_DECREF(holder)

    cdef Column checked(self, Column column, str name):
        """The column, if it holds what this counts: text or ids."""
        if isinstance(column, IdColumn) != (self.tokenizer == TOKENIZE_IDS):
            wanted, found = ("tokens", "text") if self.tokenizer == TOKENIZE_IDS else ("text", "tokens")
            raise TypeError(f"{name} must be {wanted} throughout, but part of it is {found}")
        return column

    def count(
        self, Column hypotheses not None, list references not None, Py_ssize_t first=0, rows=None, Py_ssize_t samples=1,
        ranges=None,
    ):
        """Count segments against their references.

        Args:
            hypotheses: n segments.
            references: Columns, as `SegmentReferences.hold` takes them, of n / samples segments.
            first: What the first segment of the references is called in an error.
            rows: int64 [n, 2 + 2 * order] to write to: sys_len, ref_len, correct_1.., total_1..
            samples: How many hypotheses each segment has, one after the other.
            ranges: As `SegmentReferences.hold` takes them.

        Returns:
            The sums of the rows as a list of 2 + 2 * order int; how many hypotheses end in " ."; and the number of
            references of a segment, -1 where segments differ, 0 where there are no segments.

        Raises:
            ValueError: A segment has no reference in any stream.
        """
        cdef WorkspaceHolder holder = self.borrow()
        try:
            self.checked(hypotheses, "hypotheses")
            return self.run(holder, hypotheses, self.sources(hypotheses, references, ranges, samples), rows, first)
        finally:
            self.give_back(holder)

    cdef SegmentReferences sources(self, Column hypotheses, list references, object ranges, Py_ssize_t samples):
        """Return references for these hypotheses, which must live as long as their columns."""
        cdef SegmentReferences found = SegmentReferences(self.tokenizer, self.order, self.rule, samples)
        cdef uint64_t bits = hypotheses.bits
        for column in references:
            bits |= self.checked(<Column?>column, "references").bits
        found.hold(references, ranges)
        found.expect(hypotheses.length, bits)
        return found

    def count_one(self, hypothesis, references not None, bint lowercase=False):
        """Counts one segment, without the detour over chunks.

        Args:
            hypothesis: The segment: a str, or where this counts ids a sequence of hashable tokens.
            references: A sequence of likewise; None for one that is not there.
            lowercase: Whether to count str.lower() of each str.

        Returns:
            As count.

        Raises:
            TypeError: The hypothesis is not a segment, a reference is neither one nor None, or a token has no hash.
            ValueError: There is no reference.
        """
        cdef tuple given = tuple(references)
        cdef Py_ssize_t streams = len(given), s
        cdef WorkspaceHolder holder = self.borrow()
        cdef SegmentReferences found
        cdef TextColumn column
        cdef int64_t bytes
        try:
            found = holder.single(self, <size_t>streams)
            if self.tokenizer == TOKENIZE_IDS:
                found.expect(1, holder.read_segment(hypothesis, given, found.views))
                return self.run(holder, <Column>holder.ids[0], found, None)
            column = holder.hypothesis
            column.reserve_segments(1)
            column.append(hypothesis, "hypothesis", NOWHERE, lowercase, False)
            column.finish()
            bytes = column.own_offsets[1]
            column = holder.references
            column.reserve_segments(streams)
            for s in range(streams):
                column.append(given[s], "references", s, lowercase, True)
            column.finish()
            bytes += column.own_offsets[streams]
            for s in range(streams):
                found.views[s] = column.view
                found.views[s].starts += s
                found.views[s].ends += s
                if column.view.absent != NULL:
                    found.views[s].absent += s
            return self.run(holder, holder.hypothesis, found, None, 0, bytes <= BRIEF_BYTES)
        finally:
            self.give_back(holder)

    cdef tuple run(
        self, WorkspaceHolder holder, Column hypotheses, SegmentReferences references, object rows, Py_ssize_t first=0,
        bint brief=False
    ):
        """Count all segments; keep the lock where there is so little to do that to release it takes longer."""
        cdef Py_ssize_t k, n = hypotheses.length, missing
        cdef Workspace* work = &holder.work
        cdef Counted counted
        cdef Int64Buffer row_buffer = None
        cdef list totals = []
        counted.rows = NULL
        if rows is not None:
            row_buffer = Int64Buffer(rows, "rows", 2, True)
            if row_buffer.rows != n or row_buffer.columns != self.width:
                raise ValueError(
                    f"rows must have the shape [{n}, {self.width}], not [{row_buffer.rows}, {row_buffer.columns}]")
            counted.rows = row_buffer.data
        reserve(<void**>&work.totals, <size_t>self.width, sizeof(int64_t))
        try:
            if brief:
                missing = self.count_each(work, &hypotheses.view, n, references, &counted)
            else:
                with nogil:
                    missing = self.count_each(work, &hypotheses.view, n, references, &counted)
        except BaseException:
            forget_all(work)
            raise
        if missing >= 0:
            raise no_reference(first + missing)
        for k in range(self.width):
            totals.append(work.totals[k])
        return totals, counted.tokenized, counted.references

    cdef Py_ssize_t count_each(
        self, Workspace* work, const View* hypotheses, Py_ssize_t n, SegmentReferences references, Counted* counted
    ) except -2 nogil:
        """Count n hypotheses, those that share references against references that are read and indexed once.

        Returns:
            The number of the first segment that has no reference, or NOWHERE.
        """
        cdef Py_ssize_t i = 0, k, column, sharing, width = self.width
        cdef bint is_text = self.tokenizer != TOKENIZE_IDS
        cdef Index index
        cdef int64_t* rows
        cdef int64_t* totals = work.totals
        memset(totals, 0, <size_t>width * sizeof(int64_t))
        counted.tokenized = counted.references = 0
        while i < n:
            sharing = references.load(work, hypotheses, i, False, &index)
            if sharing == 0:
                return i // references.samples
            if counted.rows != NULL:
                rows = counted.rows + i * width
            else:
                reserve(<void**>&work.rows, <size_t>(sharing * width), sizeof(int64_t))
                rows = work.rows
            if index.route == ONE_SHORT:
                count_one_short(
                    work, &references.options, index.only, index.at, index.lengths[0], hypotheses, i, sharing, rows)
            else:
                for k in range(sharing):
                    references.begin(work)
                    match_hypothesis(work, &references.options, hypotheses, i + k, &index, rows + k * width)
                unload(&index)
            if i == 0:
                counted.references = index.references
            elif counted.references != <Py_ssize_t>index.references:
                counted.references = -1
            for k in range(sharing):
                for column in range(width):
                    totals[column] += rows[k * width + column]
                if is_text:
                    counted.tokenized += ends_tokenized(hypotheses, i + k)
            i += sharing
        return NOWHERE
