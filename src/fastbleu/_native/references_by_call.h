/* Replace Python's inlined reference counting by function calls. This makes modules that are compiled for size smaller,
 * especially on free-threaded Python. setup.py has the compiler include this file before the code of those modules. */
#ifndef FASTBLEU_REFERENCES_BY_CALL_H
#define FASTBLEU_REFERENCES_BY_CALL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#undef Py_INCREF
#undef Py_XINCREF
#undef Py_DECREF
#undef Py_XDECREF
#define Py_INCREF(object) Py_IncRef((PyObject *)(object))
#define Py_XINCREF(object) Py_IncRef((PyObject *)(object))
#define Py_DECREF(object) Py_DecRef((PyObject *)(object))
#define Py_XDECREF(object) Py_DecRef((PyObject *)(object))

#endif
