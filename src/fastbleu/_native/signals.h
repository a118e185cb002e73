/* Signals that arrive while a kernel runs. */
#ifndef FASTBLEU_SIGNALS_H
#define FASTBLEU_SIGNALS_H

#include <Python.h>

#include "_native/compiler.h"

/* Run the handlers of signals that have arrived, with the interpreter's lock or without it; return -1 with an exception
 * if one raises. In any but the main thread this does nothing. A function of its own: copied into a loop, it would take
 * registers from it. */
FB_RARE int fb_handle_signals(void)
{
    PyGILState_STATE state = PyGILState_Ensure();
    int result = PyErr_CheckSignals();
    PyGILState_Release(state);
    return result;
}

#endif
