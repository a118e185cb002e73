"""Tells whether a program has changed what a peer's code uses: modules, classes, functions, texts and lists."""

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
    # A number that no other class has, another after each change of the class or of one that it inherits from; 0 while
    # it has none.
    ctypedef struct PyTypeObject:
        unsigned int tp_version_tag

    # Borrowed, and NULL where there is none.
    PyObject* PyFunction_GET_CODE(PyObject* function)
    PyObject* PyFunction_GET_DEFAULTS(PyObject* function)
    PyObject* PyFunction_GET_KW_DEFAULTS(PyObject* function)
    PyObject* PyFunction_GET_CLOSURE(PyObject* function)
    PyObject* PyCell_GET(PyObject* cell)

    # What `__dict__` is, without the search for that name.
    object PyObject_GenericGetDict(object, void*)

cdef extern from "system/changes.h":
    void fb_watch(object dictionary)
    int64_t fb_changes(object dictionary)

# Where values come from that belong to the code of a peer, or of a copy of it, besides the peer itself. What a program
# puts into a package comes from the program, or from unittest.mock.
cdef frozenset LIBRARIES = frozenset(sys.stdlib_module_names - {"unittest"}).union(
    ("", "lightning_utilities", "nltk", "regex", "sacrebleu", "six", "torch")
)

# The flag of classes whose attributes cannot be set, most of them written in C: CPython's Py_TPFLAGS_IMMUTABLETYPE.
FIXED = 1 << 8

# Python's own classes whose subclasses programs hand to a peer, and methods that do not change what it makes of them.
cdef tuple BUILTIN = (str, list, tuple, dict)
cdef frozenset HARMLESS = frozenset(("__doc__", "__init__", "__new__", "__repr__", "__sizeof__", "__getnewargs__"))


cdef class Functions:
    """Functions written in Python as they are when this is made: their code, their defaults and what they close over.

    Args:
        values: Anything; the functions among them, also those beneath methods, properties and caches.
        packages: Where the functions must come from.
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
        """Returns whether the code is a replacement's, or the function's own after it was a replacement's."""
        cdef object code = <object>PyFunction_GET_CODE(written.function)
        if own_code(code) is not <object>written.own:
            return False
        if not any(map(partial(is_, code), self.kept)):
            self.kept.append(code)
        written.seen = <PyObject*>code
        return True


cdef class Unchanged:
    """Tells whether a module or a class still holds the values that it held when this was made.

    Args:
        holder: The class, or the dictionary of a module.
        names: The names of the values, and others that the holder does not have and must not get.
        packages: Those that the values may come from, besides the holder's own and the standard library; () for its own
            alone. The code of their functions must stay, too.

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
        # `vars` of a class gives a view of its dictionary.
        self.held = holder if self.kind is None else get_referents(vars(holder))[0]
        if self.kind is None:
            fb_watch(self.held)
        self.names = tuple(self.held.keys() & set(names))
        self.values = tuple(map(self.held.__getitem__, self.names))
        self.absent = tuple(set(names) - self.held.keys())
        if self.kind is not None:
            self.bases = self.kind.__mro__
        own = self.held.get("__name__", "") if self.kind is None else self.kind.__module__
        own = str(own).partition(".")[0]
        self.functions = Functions(self.values, packages or (own,))
        self.changed_before = not LIBRARIES.union(packages, (own,)).issuperset(map(root_of, self.values))

    def __call__(self):
        """Return whether the values are still those that the holder came with."""
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
        for name in self.absent:
            if PyDict_Contains(self.held, name):
                return False
        if self.kind is not None and self.kind.__mro__ != self.bases:
            return False
        if self.kind is not None and not version:
            self.kind.__init__  # looking a name up gives the class its number
        fb_write(&self.version, version)
        return True


cdef class Steps:
    """Methods of a class, as they are when this is made.

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
    cdef int64_t version         # of a class that was last seen to have the methods; 0: none was

    def __init__(self, kind, *names):
        self.names = names
        self.get = attrgetter(*names, "__getattribute__")
        self.own = self.get(kind)
        package = root_of(kind)
        self.functions = Functions(self.own, (package,))
        for method in self.own:
            if root_of(method) not in ("", package):
                self.own = ()  # somebody was here before: no object has the class' own

    def are_own(self, instance):
        """Return whether an instance has these very methods: neither it nor its class replaces one."""
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
    """Objects of a class as the class makes them.

    Args:
        made: A new object.
        reads: An `Unchanged` for each module and class that its methods read.
        inner: The attribute that holds another object, "" for none; its type must stay.
        value: The attribute of that object, or without one of this, that must stay equal, "" for none.

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
    cdef object kind             # of what the attribute `inner` holds
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
        """Return whether neither an object of the class nor anything that its methods read has been changed since."""
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
    """Return whether each `Unchanged` of a tuple holds."""
    cdef Unchanged read
    for read in reads:
        if not read.holds():
            return False
    return True


cpdef str root_of(value):
    """Return the package that a value comes from; "" where that is not known."""
    value = getattr(value, "__func__", value)  # of a static method
    module = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
    return str(module).partition(".")[0]


cpdef object bare(value):
    """Return a function without what makes it a method, a property or a function that remembers its results."""
    return inspect.unwrap(getattr(value, "__func__", getattr(value, "fget", value)))


cpdef object own_code(code):
    """Return the code of a function, or that of the original where the code is a replacement's."""
    for constant in code.co_consts:
        constant = getattr(constant, "original", constant)
        if inspect.isfunction(constant):
            return constant.__code__
    return code


cpdef bint has_own_methods(value, int depth) except -1:
    """Return whether a text or container is of a subclass with methods of its own, or holds one that is.

    Args:
        value: Anything. What is neither a str nor a list, tuple or dict has no methods that this asks for.
        depth: 0: nothing is asked; 1: of the value alone; 2: also of what it holds, a dict as its values; and so on.

    Example:
        >>> class Shouted(str):
        ...     def split(self): return self.upper().split()
        >>> has_own_methods(["a b", Shouted("a b")], 1), has_own_methods(["a b", Shouted("a b")], 2)
        (False, True)
    """
    cdef object known = str
    if depth < 1:
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
    cdef dict held
    cdef dict of_base
    if kind is str or kind is list or kind is tuple or kind is dict or not issubclass(kind, BUILTIN):
        return False
    for base in BUILTIN:
        if issubclass(kind, base):
            of_base = get_referents(vars(base))[0]
            for each in kind.__mro__:
                if each is base:
                    return False
                if each.__flags__ & FIXED:
                    continue  # of C, as NumPy's texts and `defaultdict` are
                held = get_referents(vars(each))[0]
                for name in held.keys() & of_base.keys() - HARMLESS:
                    if held[name] is not of_base[name]:
                        return True
    return False
