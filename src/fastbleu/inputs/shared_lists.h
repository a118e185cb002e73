/* Reading what another thread may change at the same time: Python's lists, and the hash that a str keeps.
 *
 * With the global lock nothing changes a list while this code holds it. Without that lock an element of a list lives as
 * long as the list holds it, which another thread may end at any time: so an element is read with a reference of its
 * own, or while the list is locked. */
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

/* Locks a list. Nothing between the two may call Python code or wait: that would give the lock away. */
#ifdef Py_GIL_DISABLED
#define FB_LOCK_LIST(list) Py_BEGIN_CRITICAL_SECTION(list)
#define FB_UNLOCK_LIST() Py_END_CRITICAL_SECTION()
#else
#define FB_LOCK_LIST(list) ((void)(list))
#define FB_UNLOCK_LIST() ((void)0)
#endif

/* Element i of a list or tuple, i >= 0, with a reference of its own; NULL, without an error, if there is none. */
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

/* Takes over the reference of an element that is not NULL. */
#define fb_owned(element) (element)

/* Element i of a list or tuple, only to be prefetched; NULL if there is none, or if another thread may free it. */
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

/* The hash that a str keeps, -1 if nobody has asked for it yet. Another thread may be about to store it. */
FB_INLINE Py_hash_t fb_kept_hash(PyObject *text)
{
    return (Py_hash_t)fb_read_word((const intptr_t *)&((PyASCIIObject *)text)->hash);
}

#endif
