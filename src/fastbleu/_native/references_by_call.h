/* References are counted by calls of Python's functions and not in place, which makes modules smaller that are compiled
 * for size, and those of Python without the global interpreter lock most of all. setup.py puts this before their code. */
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
