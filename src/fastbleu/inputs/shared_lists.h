/* Read data that another thread may change at the same time: Python lists, and the cached hash of a str.
 *
 * With the GIL, no list changes while this code holds the lock. Without the GIL, another thread may remove and free an
 * element of a list at any time, so an element is read with an owned reference, or while the list is locked. */
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

/* Lock a list. Code between the two macros must not call Python code or wait, because that would release the lock. */
#ifdef Py_GIL_DISABLED
#define FB_LOCK_LIST(list) Py_BEGIN_CRITICAL_SECTION(list)
#define FB_UNLOCK_LIST() Py_END_CRITICAL_SECTION()
#else
#define FB_LOCK_LIST(list) ((void)(list))
#define FB_UNLOCK_LIST() ((void)0)
#endif

/* Return an owned reference to element i of a list or tuple, i >= 0; NULL, without an error, if it does not exist. */
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

/* Take ownership of the reference to an element that is not NULL. */
#define fb_owned(element) (element)

/* Return element i of a list or tuple, only for prefetching; NULL if it does not exist or another thread may free it. */
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

/* Return the cached hash of a str, or -1 if it was not computed yet. Another thread may be storing it. */
FB_INLINE Py_hash_t fb_kept_hash(PyObject *text)
{
    return (Py_hash_t)fb_read_word((const intptr_t *)&((PyASCIIObject *)text)->hash);
}

#endif
