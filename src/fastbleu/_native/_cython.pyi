# What Cython writes for all compiled modules. Nothing of it is seen from Python.
