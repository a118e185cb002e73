"""Score every prefix of a hypothesis, in one pass over its tokens.

Clipping accepts the first occurrences of an n-gram as matches and rejects later ones. So an occurrence matches in a
prefix if and only if it matches in the whole hypothesis. The positions at which matches end are marked once, and adding
up the marks token by token gives the matches of each prefix.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy, memset

from fastbleu._native.memory cimport grow, release, reserve
from fastbleu._native.signals cimport check_signals
from fastbleu.counting._counter cimport NgramCounter, WorkspaceObject
from fastbleu.counting._reference_length cimport drop_repeated_lengths, reference_length
from fastbleu.counting._segment cimport (
    SegmentReferences,
    forget_all,
    mark_hypothesis,
    no_reference,
    number_hypothesis,
    unload,
)
from fastbleu.counting._workspace cimport Index, Options, Workspace
from fastbleu.inputs._column cimport Column, View
from fastbleu.scoring._formula cimport CompiledFormula, Formula, score_row


cdef int score_prefixes_of(
    Workspace* work, size_t base, size_t length, const Options* options, Index* index, const Formula* formula,
    double* scores, int64_t* correct
) except -1 nogil:
    """Score the prefixes of 0..length tokens of a hypothesis, whose tokens begin at index `base` in the workspace.

    Write the scores to `scores`, [length + 1], and the matches to `correct`, [length + 1, order]. Either may be NULL.
    """
    cdef size_t t, n, order = <size_t>options.order
    cdef int64_t* row
    cdef uint8_t* marks
    reserve(<void**>&work.marks, length * order + 1, 1)
    # `work.correct` contains `order` counters, which matching writes to, and then the row.
    reserve(<void**>&work.correct, 3 * order + 2, sizeof(int64_t))
    marks = work.marks
    memset(marks, 0, length * order + 1)
    mark_hypothesis(work, options, index, base, marks)
    drop_repeated_lengths(index)
    row = work.correct + order
    memset(row, 0, (2 + 2 * order) * sizeof(int64_t))
    for t in range(length + 1):
        check_signals(t)
        row[0] = <int64_t>t
        row[1] = reference_length(options.rule, index, <int64_t>t)
        if t:
            for n in range(order):
                row[2 + n] += marks[(t - 1) * order + n]
            for n in range(min(order, t)):
                row[2 + order + n] += 1
        if scores != NULL:
            scores[t] = score_row(formula, row)
        if correct != NULL:
            memcpy(correct + t * order, row + 2, order * sizeof(int64_t))
    return 0


def score_prefixes(
    NgramCounter counter not None, CompiledFormula formula not None, Column hypotheses not None,
    list references not None, ranges=None, Py_ssize_t first=0, Py_ssize_t samples=1,
):
    """Score each prefix of each hypothesis as if it were a whole segment.

    Args:
        counter: The n-gram counter.
        formula: The formula, for the same orders as the counter.
        hypotheses: n segments.
        references: One column for each stream, with one reference for each of n / samples segments; or a single column
            with all references, in which those of a segment are consecutive.
        ranges: None for streams. For a single column, two arrays int64 [n / samples]: the index of each segment's first
            reference, and one after the index of its last reference.
        first: The index of the first segment of the references in the whole corpus, for errors.
        samples: The number of consecutive hypotheses that share references.

    Returns:
        The scores, 0..100, as bytes of float64: for each hypothesis in turn, those of its prefixes of 0, 1, 2, ...
        tokens. And the offset of the scores of each hypothesis, as bytes of int64 [n + 1].

    Raises:
        ValueError: A segment has no reference, or the counter and the formula have different orders.
    """
    cdef WorkspaceObject workspace
    cdef SegmentReferences segment_references
    cdef double* scores = NULL   # A growable buffer.
    cdef int64_t* offsets = NULL  # A growable buffer.
    cdef Py_ssize_t i = 0, k, sharing, missing = -1
    cdef View view = hypotheses.view
    cdef Workspace* work
    cdef Index index
    cdef size_t base, length
    if formula.formula.order != counter.order:
        raise ValueError(f"formula must be for orders up to {counter.order}, not {formula.formula.order}")
    segment_references = counter.references_for(counter.checked(hypotheses, "hypotheses"), references, ranges, samples)
    workspace = counter.borrow()
    work = &workspace.work
    try:
        with nogil:
            grow(<void**>&offsets, <size_t>hypotheses.length + 1, sizeof(int64_t))
            offsets[0] = 0
            while i < hypotheses.length:
                sharing = segment_references.load(work, &view, i, True, &index)
                if sharing == 0:
                    missing = i // samples
                    break
                base = segment_references.tokens
                for k in range(i, i + sharing):
                    segment_references.begin(work)
                    length = <size_t>number_hypothesis(work, &segment_references.options, &view, k, &index)
                    offsets[k + 1] = offsets[k] + <int64_t>length + 1
                    grow(<void**>&scores, <size_t>offsets[k + 1], sizeof(double))
                    score_prefixes_of(
                        work, base, length, &segment_references.options, &index, &formula.formula,
                        scores + offsets[k], NULL)
                unload(&index)
                i += sharing
        if missing >= 0:
            raise no_reference(first + missing)
        return (
            PyBytes_FromStringAndSize(
                <const char*>scores, offsets[hypotheses.length] * <Py_ssize_t>sizeof(double)),
            PyBytes_FromStringAndSize(
                <const char*>offsets, (hypotheses.length + 1) * <Py_ssize_t>sizeof(int64_t)),
        )
    except BaseException:
        forget_all(work)
        raise
    finally:
        release(<void**>&scores)
        release(<void**>&offsets)
        counter.give_back(workspace)


def count_prefix_matches(NgramCounter counter not None, Column hypotheses not None, list references not None):
    """Count the matches of each prefix of one hypothesis.

    Args:
        counter: The n-gram counter, for N orders.
        hypotheses: A column of one segment.
        references: Columns of one segment each, of which at least one is not missing.

    Returns:
        The matches of each order in the prefixes of 0, 1, 2, ... tokens, as bytes of int64 [tokens + 1, N].
    """
    cdef WorkspaceObject workspace
    cdef SegmentReferences segment_references = counter.references_for(
        counter.checked(hypotheses, "hypotheses"), references, None, 1)
    cdef int64_t* correct = NULL  # A growable buffer.
    cdef View view = hypotheses.view
    cdef Workspace* work
    cdef Index index
    cdef size_t base, length
    workspace = counter.borrow()
    work = &workspace.work
    try:
        with nogil:
            segment_references.load(work, &view, 0, True, &index)
            base = segment_references.tokens
            segment_references.begin(work)
            length = <size_t>number_hypothesis(work, &segment_references.options, &view, 0, &index)
            grow(<void**>&correct, (length + 1) * <size_t>counter.order, sizeof(int64_t))
            score_prefixes_of(work, base, length, &segment_references.options, &index, NULL, NULL, correct)
            unload(&index)
        return PyBytes_FromStringAndSize(
            <const char*>correct, <Py_ssize_t>((length + 1) * <size_t>counter.order * sizeof(int64_t)))
    except BaseException:
        forget_all(work)
        raise
    finally:
        release(<void**>&correct)
        counter.give_back(workspace)
