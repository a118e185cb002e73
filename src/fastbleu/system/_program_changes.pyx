"""Detect whether a program has changed the modules, classes and functions that another package's code uses."""

import inspect
import sys
from functools import partial
from gc import get_referents
from operator import attrgetter, is_

from cpython.dict cimport PyDict_Contains, PyDict_GetItemWithError
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from fastbleu._native.atomics cimport fb_read, fb_write
from fastbleu._native.memory cimport grow, release

cdef extern from "Python.h":
    # `tp_version_tag` is a number that no other class has. Python changes it when an attribute of the class or of one
    # of its base classes is set. It is 0 while the class has no number.
    ctypedef struct PyTypeObject:
        unsigned int tp_version_tag

    # The following functions return borrowed references, or NULL if the function or the cell lacks such an object.
    PyObject* PyFunction_GET_CODE(PyObject* function)
    PyObject* PyFunction_GET_DEFAULTS(PyObject* function)
    PyObject* PyFunction_GET_KW_DEFAULTS(PyObject* function)
    PyObject* PyFunction_GET_CLOSURE(PyObject* function)
    PyObject* PyCell_GET(PyObject* cell)

    # Return an object's `__dict__` without an attribute lookup, which a program may have overridden.
    object PyObject_GenericGetDict(object, void*)

cdef extern from "system/program_changes.h":
    void fb_watch(object dictionary)
    int64_t fb_changes(object dictionary)

# The packages from which the watched packages import names. If the value of a watched name is defined in one of them,
# no program has replaced it. If the value is defined in any other package, such as unittest.mock, a program has
# replaced it.
cdef frozenset LIBRARIES = frozenset(sys.stdlib_module_names - {"unittest"}).union(
    ("", "lightning_utilities", "nltk", "regex", "sacrebleu", "six", "torch")
)

# CPython's flag Py_TPFLAGS_IMMUTABLETYPE, which marks classes whose attributes cannot be set. Most are written in C.
FIXED = 1 << 8

# The built-in classes whose subclasses `overrides_builtin` checks, because programs may pass their instances as input.
cdef tuple BUILTIN = (str, list, tuple, dict)
# A subclass may override these methods without changing any result.
cdef frozenset HARMLESS = frozenset(("__doc__", "__init__", "__new__", "__repr__", "__sizeof__", "__getnewargs__"))


cdef class Functions:
    """A record of functions written in Python: their code, their defaults and the values of their closures.

    Args:
        values: Any objects. Functions among them are recorded, including those wrapped in methods, properties and
            caches; other objects are ignored.
        packages: The packages whose functions are recorded.
    """

    def __cinit__(self, values, packages):
        self.references = []
        for value in values:
            value = unwrap(value)
            if inspect.isfunction(value) and top_package(value) in packages:
                self.add(value)

    def __dealloc__(self):
        release(<void**>&self.functions)
        release(<void**>&self.cells)

    cdef int add(self, function) except -1:
        """Record a function with its code, defaults and closure."""
        cdef FunctionRecord* record
        cdef CellRecord* cell_record
        code = original_code(function.__code__)
        self.changed_before |= code.co_name != function.__name__
        grow(<void**>&self.functions, self.number + 1, sizeof(FunctionRecord))
        record = &self.functions[self.number]
        record.function = <PyObject*>function
        record.original = record.accepted = <PyObject*>code
        record.defaults = PyFunction_GET_DEFAULTS(record.function)
        record.keywords = PyFunction_GET_KW_DEFAULTS(record.function)
        self.references += [function, code, function.__defaults__, function.__kwdefaults__]
        self.number += 1
        for cell in function.__closure__ or ():
            grow(<void**>&self.cells, self.number_of_cells + 1, sizeof(CellRecord))
            cell_record = &self.cells[self.number_of_cells]
            cell_record.cell = <PyObject*>cell
            cell_record.value = PyCell_GET(cell_record.cell)
            if cell_record.value != NULL:
                self.references.append(<object>cell_record.value)
            self.number_of_cells += 1
        return 0

    cdef bint are_unchanged(self) except -1:
        """Return whether all recorded functions are unchanged."""
        cdef Py_ssize_t i
        cdef FunctionRecord* record
        for i in range(self.number):
            record = &self.functions[i]
            if PyFunction_GET_CODE(record.function) != record.accepted and not self.accepts_code(record):
                return False
            if PyFunction_GET_DEFAULTS(record.function) != record.defaults:
                return False
            if PyFunction_GET_KW_DEFAULTS(record.function) != record.keywords:
                return False
        for i in range(self.number_of_cells):
            if PyCell_GET(self.cells[i].cell) != self.cells[i].value:
                return False
        return not self.changed_before

    cdef bint accepts_code(self, FunctionRecord* record) except -1:
        """Return whether the function's changed code may run. If so, record it as accepted.

        Code may run if it is a replacement by `patch`, or the original code after `patch` has restored it.
        """
        cdef object code = <object>PyFunction_GET_CODE(record.function)
        if original_code(code) is not <object>record.original:
            return False
        if not any(map(partial(is_, code), self.references)):
            self.references.append(code)
        record.accepted = <PyObject*>code
        return True


cdef class Unchanged:
    """A check that a module or a class still has the values that it had when this object was created.

    Args:
        owner: The class, or the dictionary of a module.
        names: The names to check. A name that the owner lacks must remain missing.
        packages: The packages whose functions must also keep their code, defaults and closures; () for the package of
            the owner. The check always fails if a value is defined in any package other than `packages`, the owner's
            package and `LIBRARIES`.

    Example:
        >>> module = {"__name__": "peer", "helper": sorted, "other": sorted}
        >>> is_unchanged = Unchanged(module, "helper", "len")
        >>> module["other"] = None
        >>> first = is_unchanged()
        >>> module["len"] = max
        >>> first, is_unchanged()
        (True, False)
    """

    def __init__(self, owner, *names, packages=()):
        self.kind = None if isinstance(owner, dict) else owner
        # `vars` of a class returns a read-only view; the view refers to the dictionary itself.
        self.namespace = owner if self.kind is None else get_referents(vars(owner))[0]
        if self.kind is None:
            fb_watch(self.namespace)
        self.names = tuple(self.namespace.keys() & set(names))
        self.values = tuple(map(self.namespace.__getitem__, self.names))
        self.missing = tuple(set(names) - self.namespace.keys())
        if self.kind is not None:
            self.bases = self.kind.__mro__
        own = self.namespace.get("__name__", "") if self.kind is None else self.kind.__module__
        own = str(own).partition(".")[0]
        self.functions = Functions(self.values, packages or (own,))
        self.changed_before = not LIBRARIES.union(packages, (own,)).issuperset(map(top_package, self.values))

    def __call__(self):
        """Return whether the owner still has the values that it had when this object was created."""
        return self.is_unchanged()

    cdef bint is_unchanged(self) except -1:
        """Do the same as `__call__` without a Python call. If the version number is unchanged, compare no values."""
        cdef Py_ssize_t i
        cdef int64_t version
        if self.changed_before or not self.functions.are_unchanged():
            return False
        version = fb_changes(self.namespace) if self.kind is None else (<PyTypeObject*>self.kind).tp_version_tag
        if version and version == fb_read(&self.version):
            return True
        for i in range(len(self.names)):
            if PyDict_GetItemWithError(self.namespace, self.names[i]) != <PyObject*>self.values[i]:
                return False
        for name in self.missing:
            if PyDict_Contains(self.namespace, name):
                return False
        if self.kind is not None and self.kind.__mro__ != self.bases:
            return False
        if self.kind is not None and not version:
            self.kind.__init__  # A lookup makes Python assign a version number to the class.
        fb_write(&self.version, version)
        return True


cdef class MethodRecord:
    """A record of methods of a class, to detect objects that override one of them.

    Args:
        kind: The class.
        names: The names of the methods.

    Example:
        >>> class Metric:
        ...     def step(self): ...
        >>> methods = MethodRecord(Metric, "step", "__init__")
        >>> class Other(Metric):
        ...     def step(self): ...
        >>> methods.are_original(Metric()), methods.are_original(Other())
        (True, False)
    """

    cdef object get              # Returns the methods of a class or an instance, as a tuple.
    cdef tuple names
    cdef tuple methods           # The methods of the class; () if a program replaced one before this record was made.
    cdef Functions functions
    cdef int64_t version         # The `tp_version_tag` of the latest class that had all methods; 0 for none.

    def __init__(self, kind, *names):
        self.names = names
        self.get = attrgetter(*names, "__getattribute__")
        self.methods = self.get(kind)
        package = top_package(kind)
        self.functions = Functions(self.methods, (package,))
        for method in self.methods:
            if top_package(method) not in ("", package):
                self.methods = ()  # A program has already replaced a method, so `are_original` must return False.

    def are_original(self, instance):
        """Return whether neither an instance nor its class overrides one of the recorded methods."""
        cdef dict namespace = PyObject_GenericGetDict(instance, NULL)
        cdef object kind = type(instance)
        cdef int64_t version = (<PyTypeObject*>kind).tp_version_tag
        if not self.functions.are_unchanged():
            return False
        if not version or version != fb_read(&self.version):
            if self.get(kind) != self.methods:
                return False
            fb_write(&self.version, version)
        for name in self.names:
            if PyDict_Contains(namespace, name):
                return False
        return True


cdef class ObjectRecord:
    """A record of a new object, to detect objects of its class that have been changed after their creation.

    Args:
        made: A new object of the class.
        reads: An `Unchanged` for each module and class that the methods of the class read.
        inner: The name of an attribute whose value must have the same type in every object; "" for none.
        value: The name of an attribute whose value must be the same in every object; "" for none. It is an attribute of
            the object in the attribute `inner`, or of the object itself if `inner` is "".

    Example:
        >>> class Cutter:
        ...     def __init__(self):
        ...         self.width = 3
        >>> record = ObjectRecord(Cutter(), (Unchanged(Cutter, "__init__"),), value="width")
        >>> cutter = Cutter()
        >>> first = record.is_unchanged(cutter)
        >>> cutter.width = 4
        >>> first, record.is_unchanged(cutter)
        (True, False)
    """

    cdef Py_ssize_t attributes   # The number of attributes of the new object.
    cdef tuple reads
    cdef str inner
    cdef object kind             # The type of the object that has the attribute `name`.
    cdef str name                # The argument `value`: the name of the attribute that must be the same.
    cdef object value            # The value of that attribute.

    def __init__(self, made, tuple reads not None, str inner="", str value=""):
        owner = getattr(made, inner) if inner else made
        self.attributes = len(vars(made))
        self.reads = reads
        self.inner = inner
        self.kind = type(owner)
        self.name = value
        self.value = getattr(owner, value) if value else None

    def is_unchanged(self, instance):
        """Return whether an object equals the recorded one, and everything that its methods read is unchanged."""
        cdef dict namespace = PyObject_GenericGetDict(instance, NULL)
        if len(namespace) != self.attributes or not all_unchanged(self.reads):
            return False
        if self.inner:
            instance = namespace.get(self.inner)
            if type(instance) is not self.kind:
                return False
            namespace = PyObject_GenericGetDict(instance, NULL)
        return not self.name or namespace.get(self.name) == self.value


cpdef bint all_unchanged(tuple reads) except -1:
    """Return whether every `Unchanged` in a tuple returns True."""
    cdef Unchanged read
    for read in reads:
        if not read.is_unchanged():
            return False
    return True


cpdef str top_package(value):
    """Return the name of the top-level package that defines a value; "" if that is unknown."""
    value = getattr(value, "__func__", value)  # Static and class methods wrap a function.
    module = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
    return str(module).partition(".")[0]


cpdef object unwrap(value):
    """Return the function that a static or class method, a property or a cache wraps; return other values unchanged."""
    return inspect.unwrap(getattr(value, "__func__", getattr(value, "fget", value)))


cpdef object original_code(code):
    """Return `code`; or, if `patch` has installed it as a replacement, the code object of the function it replaced."""
    for constant in code.co_consts:
        constant = getattr(constant, "original", constant)
        if inspect.isfunction(constant):
            return constant.__code__
    return code


cpdef bint has_own_methods(value, int depth) except -1:
    """Return whether the class of a str or container, or of an item in it, overrides methods of the built-in class.

    Args:
        value: Any object. The result is False for objects other than a str, list, tuple or dict.
        depth: The number of levels to search. 1 searches only the value; 2 also its items, or the values of a dict; 0
            returns False.

    Example:
        >>> class Shouted(str):
        ...     def split(self): return self.upper().split()
        >>> has_own_methods(["a b", Shouted("a b")], 1), has_own_methods(["a b", Shouted("a b")], 2)
        (False, True)
    """
    cdef object known = str
    # Cython compiles `isinstance` with these literal classes to tests of type flags, which are fast.
    if depth < 1 or not isinstance(value, (str, list, tuple, dict)):
        return False
    if overrides_builtin(type(value)):
        return True
    if depth > 1 and isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            if depth == 2 and type(each) is known:
                continue
            if has_own_methods(each, depth - 1):
                return True
            known = type(each)
    return False


cdef bint overrides_builtin(kind) except -1:
    """Return whether a Python class overrides a method of str, list, tuple or dict that is not in `HARMLESS`."""
    cdef dict namespace
    cdef dict of_base
    if kind is str or kind is list or kind is tuple or kind is dict:
        return False
    for base in BUILTIN:
        if issubclass(kind, base):
            of_base = get_referents(vars(base))[0]
            for each in kind.__mro__:
                if each is base:
                    return False
                if each.__flags__ & FIXED:
                    continue  # The class is written in C, such as NumPy's `str_` and `defaultdict`.
                namespace = get_referents(vars(each))[0]
                for name in namespace.keys() & of_base.keys() - HARMLESS:
                    if namespace[name] is not of_base[name]:
                        return True
    return False
