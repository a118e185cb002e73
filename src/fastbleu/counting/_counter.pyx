"""Count the n-gram matches of columns of segments, and write a row per hypothesis. Buffers are reused between calls."""

from cpython.pythread cimport PyThread_get_thread_ident
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, PyObject
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from fastbleu._native.atomics cimport fb_put, fb_slot_of_thread, fb_take
from fastbleu._native.memory cimport allocated_bytes, capacity, reserve
from fastbleu.counting._match_one_short cimport count_one_short
from fastbleu.counting._reference_length cimport CLOSEST, SHORTEST
from fastbleu.counting._segment cimport SegmentReferences, forget_all, match_hypothesis, no_reference, unload
from fastbleu.counting._workspace cimport ROUTE_ONE_SHORT, Index, Workspace, free_workspace, workspace_bytes
from fastbleu.inputs._column cimport NO_INDEX, Column, IdColumn, Int64Buffer, View
from fastbleu.inputs._text cimport TextColumn
from fastbleu.inputs._tokens cimport TokenTable, append_tokens
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS, check_tokenizer

from fastbleu.errors import locate

cdef enum:
    MAX_IDLE_BYTES = 1 << 22     # Larger workspaces are not reused. A document of ten thousand tokens takes this much.
    BRIEF_BYTES = 1 << 12        # Hold the GIL for at most this much text, which is counted within a few microseconds.


cdef inline bint ends_tokenized(const View* view, int64_t segment) noexcept nogil:
    """Return whether a segment ends in " .", which suggests that it is tokenized already."""
    cdef int64_t stop = view.ends[segment]
    return stop - view.starts[segment] >= 2 and view.data[stop - 1] == c"." and view.data[stop - 2] == c" "


cdef inline size_t bytes_of(Column column) noexcept:
    """Return the capacity of a column's buffers in bytes."""
    return allocated_bytes(<void**>&column.own_data, <void**>&column.length)


cdef class WorkspaceObject:
    """A workspace as a Python object, with the columns and the token table into which single segments are read."""

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Workspace))
        self.ids = []
        self.names = []
        self.hypothesis = TextColumn()
        self.references = TextColumn()
        self.table = TokenTable()

    def __dealloc__(self):
        free_workspace(&self.work)

    cdef SegmentReferences references_of_one(self, NgramCounter counter, size_t streams):
        """Return a reused object for a segment with a reference in each of `streams` views, which the caller sets."""
        cdef SegmentReferences segment = self.one_segment
        if segment is None:
            segment = self.one_segment = SegmentReferences(counter.tokenizer, counter.order, counter.rule)
        reserve(<void**>&segment.views, streams, sizeof(View))
        segment.streams = streams
        segment.length = 1
        return segment

    cdef uint64_t read_segment(self, object hypothesis, tuple references, View* views) except? 0:
        """Convert the tokens of a segment to ids: the hypothesis to the column ids[0], reference k to ids[k + 1].

        Args:
            hypothesis: A sequence of hashable tokens.
            references: Sequences of hashable tokens; None for a missing one.
            views: Receives the view of each reference's column.

        Returns:
            The bitwise OR of all ids.
        """
        cdef uint64_t bits = 0
        cdef list sequences = [hypothesis]
        cdef Py_ssize_t s, n = 1 + len(references)
        cdef list columns = self.ids
        cdef IdColumn column
        sequences.extend(references)
        while len(self.names) < n:
            self.names.append(locate("references", len(self.names) - 1) if self.names else locate("hypothesis"))
        while len(columns) < n:
            columns.append(IdColumn())
        if len(columns) > n:
            columns = columns[:n]
        for s in range(n):
            column = <IdColumn>columns[s]
            column.bits = 0
            column.reserve_segments(1)
        append_tokens(self.table, columns, sequences, self.names, NO_INDEX, None, False)
        for s in range(n):
            column = <IdColumn>columns[s]
            column.finish()
            bits |= column.bits
            if s:
                views[s - 1] = column.view
        return bits

    cdef size_t nbytes(self):
        """Return the capacity in bytes of all buffers that are reused, without the arrays that are indexed by ids."""
        cdef size_t size = workspace_bytes(&self.work) + capacity(self.table.slots)
        size += bytes_of(self.hypothesis) + bytes_of(self.references)
        for column in self.ids:
            size += bytes_of(<Column>column)
        return size


cdef class NgramCounter:
    """Counter of clipped n-gram matches of segments with their references.

    Each call counts in its own workspace, so several threads may use a counter at the same time. The counter keeps
    idle workspaces for later calls.

    Args:
        tokenizer: The number of a tokenizer; TOKENIZE_IDS if the columns are ids.
        order: The largest n, >= 1.
        rule: The rule for the reference length, an index into options.REFERENCE_LENGTHS.

    Raises:
        ValueError: An argument is out of range.
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
        for k in range(<size_t>IDLE_WORKSPACES):
            Py_XDECREF(<PyObject*>fb_take(<void**>&self.idle[k].workspace))

    def __reduce__(self):
        return NgramCounter, (self.tokenizer, self.order, self.rule)

    cdef WorkspaceObject borrow(self):
        """Return a workspace for exclusive use by the caller, usually the one that this thread used last."""
        cdef size_t first = fb_slot_of_thread(PyThread_get_thread_ident(), IDLE_BITS), k
        cdef void* taken
        cdef WorkspaceObject workspace
        for k in range(<size_t>IDLE_WORKSPACES):
            taken = fb_take(<void**>&self.idle[(first + k) % IDLE_WORKSPACES].workspace)
            if taken != NULL:
                workspace = <WorkspaceObject>taken
                Py_DECREF(workspace)  # The reference that the slot held.
                workspace.slot = first
                return workspace
        workspace = WorkspaceObject()
        workspace.slot = first
        return workspace

    cdef void give_back(self, WorkspaceObject workspace):
        """Store a workspace for later calls, unless a long segment has made it larger than MAX_IDLE_BYTES."""
        cdef size_t k
        if workspace.nbytes() > MAX_IDLE_BYTES:
            return
        Py_INCREF(workspace)
        for k in range(<size_t>IDLE_WORKSPACES):
            if fb_put(<void**>&self.idle[(workspace.slot + k) % IDLE_WORKSPACES].workspace, <void*>workspace):
                return
        Py_DECREF(workspace)

    cdef Column checked(self, Column column, str name):
        """Return a column if this counter counts its kind, text or ids; otherwise raise TypeError."""
        if isinstance(column, IdColumn) != (self.tokenizer == TOKENIZE_IDS):
            wanted, given = ("tokens", "text") if self.tokenizer == TOKENIZE_IDS else ("text", "tokens")
            raise TypeError(f"{name} must be {wanted} throughout, but part of it is {given}")
        return column

    def count(
        self, Column hypotheses not None, list references not None, Py_ssize_t first=0, rows=None,
        Py_ssize_t group_size=1, ranges=None,
    ):
        """Count the matches of hypotheses with their references.

        Args:
            hypotheses: A column of n hypotheses.
            references: One column for each stream, with one reference for each of n / group_size segments; or a single
                column with all references, in which those of a segment are consecutive.
            first: The number of the first segment in error messages.
            rows: None; or an int64 array [n, 2 + 2 * order], which receives sys_len, ref_len, correct_1.., total_1..
            group_size: The number of consecutive hypotheses for each segment.
            ranges: None for streams. For a single column, two arrays int64 [n / group_size]: the index of each
                segment's first reference, and one after the index of its last reference.

        Returns:
            The sum of the rows as a list of 2 + 2 * order int; the number of hypotheses that end in " ."; and the
            number of references per segment: -1 if segments differ in it, 0 if there are no segments.

        Raises:
            TypeError: A column is text and this counter counts ids, or a column is ids and this counter counts text.
            ValueError: A segment has no reference, a column or array has the wrong length, a range is invalid, or a
                segment has more tokens than can be counted.
        """
        cdef WorkspaceObject workspace = self.borrow()
        try:
            self.checked(hypotheses, "hypotheses")
            segment_references = self.references_for(hypotheses, references, ranges, group_size)
            return self.run(workspace, hypotheses, segment_references, rows, first)
        finally:
            self.give_back(workspace)

    cdef SegmentReferences references_for(
        self, Column hypotheses, list references, object ranges, Py_ssize_t group_size
    ):
        """Check the arguments of `count`, and return the references as an object that indexes one segment at a time.

        The caller must keep the columns alive.
        """
        cdef SegmentReferences segment_references = SegmentReferences(self.tokenizer, self.order, self.rule, group_size)
        cdef uint64_t bits = hypotheses.bits
        for column in references:
            bits |= self.checked(<Column?>column, "references").bits
        segment_references.set_columns(references, ranges)
        segment_references.set_hypotheses(hypotheses.length, bits)
        return segment_references

    def count_one(self, hypothesis, references not None, bint lowercase=False):
        """Count a single segment, given as Python objects instead of columns.

        Args:
            hypothesis: A str; or a sequence of hashable tokens if this counter counts ids.
            references: A sequence of references of the same type as the hypothesis; None for a missing one.
            lowercase: Apply str.lower() to each str first.

        Returns:
            The row as a list of 2 + 2 * order int; 1 if the hypothesis ends in " .", otherwise 0; and the number of
            references.

        Raises:
            TypeError: The hypothesis or a reference has another type, or a token is not hashable.
            ValueError: There is no reference.
        """
        cdef tuple reference_segments = tuple(references)
        cdef Py_ssize_t streams = len(reference_segments), s
        cdef WorkspaceObject workspace = self.borrow()
        cdef SegmentReferences segment
        cdef TextColumn column
        cdef int64_t bytes
        try:
            segment = workspace.references_of_one(self, <size_t>streams)
            if self.tokenizer == TOKENIZE_IDS:
                segment.set_hypotheses(1, workspace.read_segment(hypothesis, reference_segments, segment.views))
                return self.run(workspace, <Column>workspace.ids[0], segment, None)
            column = workspace.hypothesis
            column.reserve_segments(1)
            column.append(hypothesis, "hypothesis", NO_INDEX, lowercase, False)
            column.finish()
            bytes = column.own_offsets[1]
            column = workspace.references
            column.reserve_segments(streams)
            for s in range(streams):
                column.append(reference_segments[s], "references", s, lowercase, True)
            column.finish()
            bytes += column.own_offsets[streams]
            for s in range(streams):
                segment.views[s] = column.view
                segment.views[s].starts += s
                segment.views[s].ends += s
                if column.view.missing != NULL:
                    segment.views[s].missing += s
            return self.run(workspace, workspace.hypothesis, segment, None, 0, bytes <= BRIEF_BYTES)
        finally:
            self.give_back(workspace)

    cdef tuple run(
        self, WorkspaceObject workspace, Column hypotheses, SegmentReferences references, object rows,
        Py_ssize_t first=0, bint brief=False
    ):
        """Count all hypotheses with the memory of a workspace, and return the result of `count`.

        Hold the GIL if `brief`, since releasing it would take longer than counting.
        """
        cdef Py_ssize_t k, n = hypotheses.length, missing
        cdef Workspace* work = &workspace.work
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
        """Count n hypotheses. Consecutive hypotheses with the same references are matched with one index.

        Args:
            work: The workspace, which receives the sum of the rows in `totals`.
            hypotheses: The column of hypotheses.
            n: The number of hypotheses.
            references: The references of all segments.
            counted: Has the memory for the rows; receives the other results.

        Returns:
            The index of the first segment without any reference; NO_INDEX if all segments have one.
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
                return i // references.group_size
            if counted.rows != NULL:
                rows = counted.rows + i * width
            else:
                reserve(<void**>&work.rows, <size_t>(sharing * width), sizeof(int64_t))
                rows = work.rows
            if index.route == ROUTE_ONE_SHORT:
                count_one_short(
                    work, &references.options, index.view, index.position, index.lengths[0], hypotheses, i, sharing,
                    rows)
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
        return NO_INDEX
