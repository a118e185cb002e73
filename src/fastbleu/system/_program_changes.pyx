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
    # A version number, unique among all classes. It changes with the class and with its base classes; 0 means that no
    # number has been assigned.
    ctypedef struct PyTypeObject:
        unsigned int tp_version_tag

    # These return borrowed references, or NULL if there is no such object.
    PyObject* PyFunction_GET_CODE(PyObject* function)
    PyObject* PyFunction_GET_DEFAULTS(PyObject* function)
    PyObject* PyFunction_GET_KW_DEFAULTS(PyObject* function)
    PyObject* PyFunction_GET_CLOSURE(PyObject* function)
    PyObject* PyCell_GET(PyObject* cell)

    # Returns `__dict__` without an attribute lookup.
    object PyObject_GenericGetDict(object, void*)

cdef extern from "system/program_changes.h":
    void fb_watch(object dictionary)
    int64_t fb_changes(object dictionary)

# The values that a package's code uses may come from the package itself or from these packages. A value from any other
# package, such as unittest.mock, was put there by a program.
cdef frozenset LIBRARIES = frozenset(sys.stdlib_module_names - {"unittest"}).union(
    ("", "lightning_utilities", "nltk", "regex", "sacrebleu", "six", "torch")
)

# CPython's Py_TPFLAGS_IMMUTABLETYPE: the flag of classes, mostly written in C, whose attributes cannot be set.
FIXED = 1 << 8

# Built-in classes whose subclasses programs pass to other packages, and methods whose overriding changes no result.
cdef tuple BUILTIN = (str, list, tuple, dict)
cdef frozenset HARMLESS = frozenset(("__doc__", "__init__", "__new__", "__repr__", "__sizeof__", "__getnewargs__"))


cdef class Functions:
    """A record of functions written in Python: their code, their defaults and the values of their closures.

    Args:
        values: Any objects. Functions are recorded, also those wrapped in methods, properties and caches.
        packages: The packages whose functions are recorded.
    """

    def __cinit__(self, values, packages):
        self.kept = []
        for value in values:
            value = bare(value)
            if inspect.isfunction(value) and root_of(value) in packages:
                self.add(value)

    def __dealloc__(self):
        release(<void**>&self.functions)
        release(<void**>&self.cells)

    cdef int add(self, function) except -1:
        cdef Written* written
        cdef Closed* closed
        code = own_code(function.__code__)
        self.changed_before |= code.co_name != function.__name__
        grow(<void**>&self.functions, self.number + 1, sizeof(Written))
        written = &self.functions[self.number]
        written.function = <PyObject*>function
        written.own = written.seen = <PyObject*>code
        written.defaults = PyFunction_GET_DEFAULTS(written.function)
        written.keywords = PyFunction_GET_KW_DEFAULTS(written.function)
        self.kept += [function, code, function.__defaults__, function.__kwdefaults__]
        self.number += 1
        for cell in function.__closure__ or ():
            grow(<void**>&self.cells, self.number_of_cells + 1, sizeof(Closed))
            closed = &self.cells[self.number_of_cells]
            closed.cell = <PyObject*>cell
            closed.value = PyCell_GET(closed.cell)
            if closed.value != NULL:
                self.kept.append(<object>closed.value)
            self.number_of_cells += 1
        return 0

    cdef bint hold(self) except -1:
        """Return whether all recorded functions are unchanged."""
        cdef Py_ssize_t i
        cdef Written* written
        for i in range(self.number):
            written = &self.functions[i]
            if PyFunction_GET_CODE(written.function) != written.seen and not self.is_own_again(written):
                return False
            if PyFunction_GET_DEFAULTS(written.function) != written.defaults:
                return False
            if PyFunction_GET_KW_DEFAULTS(written.function) != written.keywords:
                return False
        for i in range(self.number_of_cells):
            if PyCell_GET(self.cells[i].cell) != self.cells[i].value:
                return False
        return not self.changed_before

    cdef bint is_own_again(self, Written* written) except -1:
        """Return whether a changed code is a replacement of the recorded one, or the recorded one restored."""
        cdef object code = <object>PyFunction_GET_CODE(written.function)
        if own_code(code) is not <object>written.own:
            return False
        if not any(map(partial(is_, code), self.kept)):
            self.kept.append(code)
        written.seen = <PyObject*>code
        return True


cdef class Unchanged:
    """A check that a module or a class still has the values that it had when this object was created.

    Args:
        holder: The class, or the dictionary of a module.
        names: The names of the values, and names that are missing and must remain missing.
        packages: The packages whose functions must also keep their code; () for the holder's own package. Values must
            come from these packages, the holder's own, or `LIBRARIES`; otherwise, the check always fails.

    Example:
        >>> module = {"__name__": "peer", "helper": sorted, "other": sorted}
        >>> is_unchanged = Unchanged(module, "helper", "len")
        >>> module["other"] = None
        >>> first = is_unchanged()
        >>> module["len"] = max
        >>> first, is_unchanged()
        (True, False)
    """

    def __init__(self, holder, *names, packages=()):
        self.kind = None if isinstance(holder, dict) else holder
        # `vars` of a class returns a read-only view; this is the dictionary itself.
        self.held = holder if self.kind is None else get_referents(vars(holder))[0]
        if self.kind is None:
            fb_watch(self.held)
        self.names = tuple(self.held.keys() & set(names))
        self.values = tuple(map(self.held.__getitem__, self.names))
        self.missing = tuple(set(names) - self.held.keys())
        if self.kind is not None:
            self.bases = self.kind.__mro__
        own = self.held.get("__name__", "") if self.kind is None else self.kind.__module__
        own = str(own).partition(".")[0]
        self.functions = Functions(self.values, packages or (own,))
        self.changed_before = not LIBRARIES.union(packages, (own,)).issuperset(map(root_of, self.values))

    def __call__(self):
        """Return whether the holder has the same values as at first."""
        return self.holds()

    cdef bint holds(self) except -1:
        cdef Py_ssize_t i
        cdef int64_t version
        if self.changed_before or not self.functions.hold():
            return False
        version = fb_changes(self.held) if self.kind is None else (<PyTypeObject*>self.kind).tp_version_tag
        if version and version == fb_read(&self.version):
            return True
        for i in range(len(self.names)):
            if PyDict_GetItemWithError(self.held, self.names[i]) != <PyObject*>self.values[i]:
                return False
        for name in self.missing:
            if PyDict_Contains(self.held, name):
                return False
        if self.kind is not None and self.kind.__mro__ != self.bases:
            return False
        if self.kind is not None and not version:
            self.kind.__init__  # A lookup makes Python assign a version number to the class.
        fb_write(&self.version, version)
        return True


cdef class Steps:
    """A record of methods of a class, to detect objects that override one of them.

    Args:
        kind: The class.
        names: The names of the methods.

    Example:
        >>> class Metric:
        ...     def step(self): ...
        >>> steps = Steps(Metric, "step", "__init__")
        >>> class Other(Metric):
        ...     def step(self): ...
        >>> steps.are_own(Metric()), steps.are_own(Other())
        (True, False)
    """

    cdef object get
    cdef tuple names
    cdef tuple own
    cdef Functions functions
    cdef int64_t version         # The latest class version whose methods were compared and equal; 0 for none.

    def __init__(self, kind, *names):
        self.names = names
        self.get = attrgetter(*names, "__getattribute__")
        self.own = self.get(kind)
        package = root_of(kind)
        self.functions = Functions(self.own, (package,))
        for method in self.own:
            if root_of(method) not in ("", package):
                self.own = ()  # A program has already replaced a method, so no object has the original ones.

    def are_own(self, instance):
        """Return whether an instance has the recorded methods: neither it nor its class overrides one."""
        cdef dict held = PyObject_GenericGetDict(instance, NULL)
        cdef object kind = type(instance)
        cdef int64_t version = (<PyTypeObject*>kind).tp_version_tag
        if not self.functions.hold():
            return False
        if not version or version != fb_read(&self.version):
            if self.get(kind) != self.own:
                return False
            fb_write(&self.version, version)
        for name in self.names:
            if PyDict_Contains(held, name):
                return False
        return True


cdef class Made:
    """A record of a new object, to detect objects of its class that have been changed after their creation.

    Args:
        made: A new object.
        reads: An `Unchanged` for each module and class that its methods read.
        inner: The name of an attribute whose object must keep its type; "" for none.
        value: The name of an attribute that must keep its value, of the object in `inner` or, if that is "", of the
            object itself; "" for none.

    Example:
        >>> class Cutter:
        ...     def __init__(self):
        ...         self.width = 3
        >>> made = Made(Cutter(), (Unchanged(Cutter, "__init__"),), value="width")
        >>> cutter = Cutter()
        >>> first = made.is_own(cutter)
        >>> cutter.width = 4
        >>> first, made.is_own(cutter)
        (True, False)
    """

    cdef Py_ssize_t attributes
    cdef tuple reads
    cdef str inner
    cdef object kind             # The type of the object that has the attribute `name`.
    cdef str name
    cdef object value

    def __init__(self, made, tuple reads not None, str inner="", str value=""):
        holder = getattr(made, inner) if inner else made
        self.attributes = len(vars(made))
        self.reads = reads
        self.inner = inner
        self.kind = type(holder)
        self.name = value
        self.value = getattr(holder, value) if value else None

    def is_own(self, instance):
        """Return whether an object of the class, and everything that its methods read, is unchanged."""
        cdef dict held = PyObject_GenericGetDict(instance, NULL)
        if len(held) != self.attributes or not all_hold(self.reads):
            return False
        if self.inner:
            instance = held.get(self.inner)
            if type(instance) is not self.kind:
                return False
            held = PyObject_GenericGetDict(instance, NULL)
        return not self.name or held.get(self.name) == self.value


cpdef bint all_hold(tuple reads) except -1:
    """Return whether every `Unchanged` of a tuple finds its values unchanged."""
    cdef Unchanged read
    for read in reads:
        if not read.holds():
            return False
    return True


cpdef str root_of(value):
    """Return the name of the top-level package that defines a value; "" if that is unknown."""
    value = getattr(value, "__func__", value)  # Static and class methods wrap a function.
    module = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
    return str(module).partition(".")[0]


cpdef object bare(value):
    """Return the function wrapped in a static or class method, a property, or a cache; any other value itself."""
    return inspect.unwrap(getattr(value, "__func__", getattr(value, "fget", value)))


cpdef object own_code(code):
    """Return the code of the original function if the given code is that of its replacement, otherwise that code."""
    for constant in code.co_consts:
        constant = getattr(constant, "original", constant)
        if inspect.isfunction(constant):
            return constant.__code__
    return code


cpdef bint has_own_methods(value, int depth) except -1:
    """Return whether a str or container, or an item of it, has a class that overrides methods of the built-in class.

    Args:
        value: Any object. The result is False for objects other than a str, list, tuple or dict.
        depth: How deep to search: 0: not at all; 1: the value; 2: the value and its items, or a dict's values; and so
            on.

    Example:
        >>> class Shouted(str):
        ...     def split(self): return self.upper().split()
        >>> has_own_methods(["a b", Shouted("a b")], 1), has_own_methods(["a b", Shouted("a b")], 2)
        (False, True)
    """
    cdef object known = str
    if depth < 1 or not isinstance(value, (str, list, tuple, dict)):  # Written out, these are flags of the type.
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
    """Return whether a built-in class or its subclass, written in Python, overrides a method that is not harmless."""
    cdef dict held
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
                    continue  # Written in C, such as NumPy's str and `defaultdict`.
                held = get_referents(vars(each))[0]
                for name in held.keys() & of_base.keys() - HARMLESS:
                    if held[name] is not of_base[name]:
                        return True
    return False
