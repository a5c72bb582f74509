"""Compiled kernels that are found again: what Numba asks of a cache, by files of our own.

Numba's own files are pickles that nobody checks. A compiled function of Numba asks its `_cache` for
machine code and hands it what it has compiled; that is all of Numba's insides that is used here.
"""

import hashlib
import pickle
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from numba import njit, types
from numba.core.caching import NullCache
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps

from anypair.compiling.interpreting import interpreter
from anypair.compiling.kernel_folder import kernel_folder

#: What a module says of itself: a name that stands for its text and all else that its machine code
#: depends on. Kernels of modules that do not say so stay in memory.
IDENTITY = "__kernels__"

#: What it says for people: its text, and the operators in it.
ABOUT = "__about__"

#: Whether Python comes to the same bits with its kernels.
INTERPRETED = "__interpreted__"


class KernelCache(NullCache):
    """The files of one function, a file for each signature and kind of processor."""

    def __init__(
        self,
        module: str,
        function: Callable[..., Any],
        reduce: Callable[[Any], Any],
        rebuild: Callable[[Any, Any], Any],
    ) -> None:
        self._function = f"{module}.{function.__name__}"
        self._about = {"kernel": function.__name__, **function.__globals__.get(ABOUT, {})}
        self._reduce = reduce
        self._rebuild = rebuild
        self._turn = ExitStack()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for these types of arguments; None if this process has to compile it."""
        target_context.refresh()
        name = self._name(sig, target_context.codegen())
        found = self._loaded(name, target_context)
        if found is None and not self._turn.enter_context(kernel_folder().turn(name)):
            found = self._loaded(name, target_context)
        return found

    def is_kept(self, sig: Any, target_context: Any) -> bool:
        """Whether there is machine code for these types on disk; any thread may ask, without a lock."""
        return kernel_folder().holds(self._name(sig, target_context.codegen()))

    def _loaded(self, name: str, target_context: Any) -> Any:
        content = kernel_folder().read(name)
        if content is None:
            return None
        try:
            return self._rebuild(target_context, pickle.loads(content))
        except Exception:  # all bytes are right, but this process cannot use them: it compiles
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if it can be kept."""
        try:
            content = self._reduce(data)
            content = None if content is None else dumps(content)  # type: ignore[no-untyped-call]
        except Exception:  # what cannot be pickled stays in memory: the call that needs it goes on
            return
        if content is not None:
            types_ = getattr(sig, "args", sig)  # a callback has a signature, a kernel only the types
            about = {**self._about, "arguments": ", ".join(map(_described, types_))}
            kernel_folder().write(self._name(sig, data.codegen), content, about)

    def in_turn(self, compile_: Callable[..., Any]) -> Callable[..., Any]:
        """What compiles or loads a function, so that other processes wait until it has ended."""

        def compile_in_turn(*given: Any) -> Any:
            with global_compiler_lock, self._turn:
                return compile_(*given)

        return compile_in_turn

    def _name(self, sig: Any, codegen: Any) -> str:
        kinds = hashlib.sha256(f"{sig!r}\n{codegen.magic_tuple()!r}".encode()).hexdigest()
        return f"{self._function}-{kinds[:24]}"


def kept(dispatcher: Any, reduce: Callable[[Any], Any], rebuild: Callable[[Any, Any], Any]) -> Any:
    """This compiled function of Numba, its machine code on disk if its module has an identity."""
    function = dispatcher.py_func
    if (module := function.__globals__.get(IDENTITY)) is not None:
        dispatcher._cache = KernelCache(module, function, reduce, rebuild)
        dispatcher.compile = dispatcher._cache.in_turn(dispatcher.compile)
    return dispatcher


def _described(kind: Any) -> str:
    """A type of Numba's: `int64`, or `int64[:]` for an array."""
    return f"{kind.dtype}[{','.join(':' * kind.ndim)}]" if isinstance(kind, types.Array) else str(kind)


def _reduced(result: Any) -> Any:
    if result.lifted or result.library.has_dynamic_globals:  # addresses of this process
        return None
    return result._reduce()


def _rebuilt(target_context: Any, content: Any) -> Any:
    return CompileResult._rebuild(target_context, *content)  # type: ignore[no-untyped-call]


# Nobody calls from C, nor from Python what only kernels call: the way in takes a tenth of the time.
# All are options of Numba that its types do not know. What is called would else count who holds an array
# only if its caller does.
_compiled: Any = partial(njit, nogil=True, no_cfunc_wrapper=True)


def compiled(function: Callable[..., Any]) -> Any:
    """A compiled function that only kernels call."""
    return _compiled(no_cpython_wrapper=True, _nrt=True)(function)


def borrowing(function: Callable[..., Any]) -> Any:
    """As `compiled`, of arrays that a kernel holds: nobody counts who holds them, and none is made.

    A function that is not inlined counts each array that it takes, up and down again, by instructions
    that all threads wait for: a few of them take longer than to put a number into a list.
    """
    return _compiled(no_cpython_wrapper=True, _nrt=False)(function)


def checked(function: Callable[..., Any]) -> Any:
    """As `compiled`; an index beyond an array raises."""
    return _compiled(no_cpython_wrapper=True, boundscheck=True, _nrt=True)(function)


def kernel(function: Callable[..., Any]) -> Any:
    """A compiled function that Python calls, and that other processes find on disk.

    Where it would have to be compiled for work that is little, Python does that (`interpreting.py`), if
    its module says that this comes to the same.
    """
    dispatcher = kept(_compiled()(function), _reduced, _rebuilt)
    if function.__globals__.get(INTERPRETED):
        dispatcher._compile_for_args = partial(_machine_code, dispatcher)
    return dispatcher


def _machine_code(dispatcher: Any, *arguments: Any) -> Any:
    """What Numba calls for types of arguments that it meets for the first time: machine code, or Python
    while there is none and little to do.
    """
    if interpreter.takes(arguments):
        kinds = tuple(map(dispatcher.typeof_pyval, arguments))
        is_kept = dispatcher._cache.is_kept(kinds, dispatcher.targetctx)
        if not is_kept and (found := interpreter.stand_in(dispatcher)) is not None:
            return found
    return type(dispatcher)._compile_for_args(dispatcher, *arguments)


def compile_callback(function: Callable[..., Any], signature: Any) -> Any:
    """A function compiled for calls from C, or found on disk if its module has an identity."""
    callback: Any = CFunc(function, (signature.args, signature.return_type), {}, {})
    if (module := function.__globals__.get(IDENTITY)) is None:
        callback.compile()
    else:
        callback._cache = KernelCache(module, function, _reduced, _rebuilt)
        callback._cache.in_turn(callback.compile)()
    return callback
