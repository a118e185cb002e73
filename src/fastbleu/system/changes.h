/* A number of a dictionary: as long as it is the same, nothing in the dictionary was exchanged, added or taken away.
 *
 * Up to Python 3.11 each dictionary has such a number. Since Python 3.12 a function of ours is called before each change of
 * a dictionary that is watched; it counts the changes of all of them together. Without the global interpreter lock another
 * thread could look at the dictionary between that call and the change, so there the number is 0, which says nothing. */
#ifndef FASTBLEU_CHANGES_H
#define FASTBLEU_CHANGES_H

#include <Python.h>
#include <stdint.h>

#if defined(Py_GIL_DISABLED)

static inline void fb_watch(PyObject *dictionary) { (void)dictionary; }
static inline int64_t fb_changes(PyObject *dictionary) { (void)dictionary; return 0; }

#elif PY_VERSION_HEX < 0x030C0000

static inline void fb_watch(PyObject *dictionary) { (void)dictionary; }
static inline int64_t fb_changes(PyObject *dictionary) { return (int64_t)((PyDictObject *)dictionary)->ma_version_tag; }

#else

static int64_t fb_changes_of_all = 0; /* 0 until a dictionary is watched, and for good if none can be */

static int fb_count_change(PyDict_WatchEvent event, PyObject *dictionary, PyObject *key, PyObject *value) {
    (void)event, (void)dictionary, (void)key, (void)value;
    fb_changes_of_all++;
    return 0;
}

static inline void fb_watch(PyObject *dictionary) {
    static int watcher = -2; /* Python's number of the function; -1 if it has no room for another one */
    if (watcher == -2) {
        watcher = PyDict_AddWatcher(fb_count_change);
        fb_changes_of_all = watcher >= 0;
    }
    if (watcher < 0) {
        PyErr_Clear();
    } else {
        PyDict_Watch(watcher, dictionary);
    }
}

static inline int64_t fb_changes(PyObject *dictionary) { (void)dictionary; return fb_changes_of_all; }

#endif

#endif
