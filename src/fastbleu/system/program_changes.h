/* A version number of a dictionary: while the number stays the same, no item was replaced, added or removed.
 *
 * Until Python 3.11, each dictionary stores such a number. Since Python 3.12, a callback runs before each change of a
 * watched dictionary and counts the changes of all watched dictionaries together. Without the global interpreter lock,
 * another thread could read the dictionary between the callback and the change. So on free-threaded Python the number
 * is always 0, which means that the version is unknown. */
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

static int64_t fb_changes_of_all = 0; /* 0 until a dictionary is watched, and if Python has no free callback id. */

static int fb_count_change(PyDict_WatchEvent event, PyObject *dictionary, PyObject *key, PyObject *value) {
    (void)event, (void)dictionary, (void)key, (void)value;
    fb_changes_of_all++;
    return 0;
}

static inline void fb_watch(PyObject *dictionary) {
    static int watcher = -2; /* The callback's id; -1 if Python has no free id, -2 before the first call. */
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
