/* Handling of signals that arrive while a kernel runs. */
#ifndef FASTBLEU_SIGNALS_H
#define FASTBLEU_SIGNALS_H

#include <Python.h>

#include "_native/compiler.h"

/* Run the Python handlers of signals that have arrived. Return -1 with an exception set if a handler raises, otherwise
 * 0. The caller may hold the GIL or not. Outside the main thread, this does nothing. The function is not inlined,
 * because it would take registers from the loop that calls it. */
FB_RARE int fb_handle_signals(void)
{
    PyGILState_STATE state = PyGILState_Ensure();
    int result = PyErr_CheckSignals();
    PyGILState_Release(state);
    return result;
}

#endif
