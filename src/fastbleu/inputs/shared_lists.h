/* Read lists and the cached hash of a str, which other threads may change at the same time.
 *
 * With the GIL, no other thread runs during these functions. Without the GIL, another thread may remove and free an
 * element of a list at any time, so either a new reference to the element is taken, or the list is locked. */
#ifndef FASTBLEU_SHARED_LISTS_H
#define FASTBLEU_SHARED_LISTS_H

#include <Python.h>
#include <stdint.h>

#include "_native/atomics.h"
#include "_native/compiler.h"

#ifdef Py_GIL_DISABLED
#define FB_FREE_THREADED 1
#else
#define FB_FREE_THREADED 0
#endif

/* Lock a list, and unlock it. Code between the two macros must not run Python code or block, since either releases the
 * lock. With the GIL, the macros do nothing. */
#ifdef Py_GIL_DISABLED
#define FB_LOCK_LIST(list) Py_BEGIN_CRITICAL_SECTION(list)
#define FB_UNLOCK_LIST() Py_END_CRITICAL_SECTION()
#else
#define FB_LOCK_LIST(list) ((void)(list))
#define FB_UNLOCK_LIST() ((void)0)
#endif

/* Return a new reference to element i >= 0 of a list or tuple, or NULL without an exception if i is out of range. */
FB_INLINE PyObject *fb_element(PyObject *sequence, int is_list, Py_ssize_t i)
{
    PyObject *element;
    if (!is_list) {
        if (i >= PyTuple_GET_SIZE(sequence))
            return NULL;
        element = PyTuple_GET_ITEM(sequence, i);
        Py_INCREF(element);
        return element;
    }
#ifdef Py_GIL_DISABLED
    element = PyList_GetItemRef(sequence, i);
    if (element == NULL)
        PyErr_Clear();
#else
    if (i >= PyList_GET_SIZE(sequence))
        return NULL;
    element = PyList_GET_ITEM(sequence, i);
    Py_INCREF(element);
#endif
    return element;
}

/* Return `element`, which is not NULL. _text.pyx declares the result as an object, so Cython owns the new reference. */
#define fb_owned(element) (element)

/* Return the address of element i of a list or tuple, only for prefetching. Return NULL if i is out of range, or if
 * another thread may free the element. */
FB_INLINE PyObject *fb_peek(PyObject *sequence, int is_list, Py_ssize_t i)
{
    if (!is_list)
        return i < PyTuple_GET_SIZE(sequence) ? PyTuple_GET_ITEM(sequence, i) : NULL;
#ifndef Py_GIL_DISABLED
    if (i < PyList_GET_SIZE(sequence))
        return PyList_GET_ITEM(sequence, i);
#endif
    return NULL;
}

/* Return the cached hash of a str, or -1 if it is not computed yet. The read is atomic, since another thread may store
 * the hash at the same time. */
FB_INLINE Py_hash_t fb_cached_hash(PyObject *text)
{
    return (Py_hash_t)fb_read_word((const intptr_t *)&((PyASCIIObject *)text)->hash);
}

#endif
