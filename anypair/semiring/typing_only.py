"""The type that Numba finds for what a function returns, without compiling it."""

from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from anypair.semiring.captures import captured
from anypair.semiring.numba_form import jitted


def return_type(function: FunctionType, types: tuple[Any, ...]) -> Any:
    """What `function` returns for arguments of these types of Numba; one that is defined again is known.

    >>> import numba
    >>> return_type(lambda x: x / 2, (numba.int32,))
    float64
    """
    constants = captured(function)
    if all(type(value) in (bool, int, float) for value in constants.values()):
        # 1, 1.0 and True are equal, but of different types.
        named = ((name, type(value), value) for name, value in constants.items())
        return _known(_Alike(function.__code__, frozenset(named), function), types)
    return _found(function, types)


@dataclass(frozen=True)
class _Alike:
    """Functions that compute the same: equal code, and equal numbers captured."""

    code: CodeType
    constants: frozenset[tuple[str, type, Any]]
    function: FunctionType = field(compare=False)


@lru_cache(maxsize=1024)
def _known(alike: _Alike, types: tuple[Any, ...]) -> Any:
    return _found(alike.function, types)


def _found(function: FunctionType, types: tuple[Any, ...]) -> Any:
    numba: Any = import_module("numba")
    core: Any = import_module("numba.core.compiler")
    flags = core.Flags()
    flags.nrt = True  # as njit has it, so that arrays can be made inside
    target = import_module("numba.core.registry").cpu_target
    with import_module("numba.core.compiler_lock").global_compiler_lock:
        found = core.compile_extra(
            target.typing_context, target.target_context, jitted(function).py_func, types, None, flags,
            {}, pipeline_class=_pipeline(),
        )  # fmt: skip
    return numba.types.unliteral(found)


@cache
def _pipeline() -> Any:
    """Numba's passes up to the one that infers types; what comes out is the return type."""
    core: Any = import_module("numba.core.compiler")
    machinery: Any = import_module("numba.core.compiler_machinery")
    inference = import_module("numba.core.typed_passes").NopythonTypeInference

    @machinery.register_pass(mutates_CFG=False, analysis_only=True)
    class KeepReturnType(machinery.AnalysisPass):  # type: ignore[misc]
        _name = "anypair_keep_return_type"

        def __init__(self) -> None:  # which Numba asks each pass to define
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            state.cr = state.return_type
            return False

    class TypingOnly(core.CompilerBase):  # type: ignore[misc]
        def define_pipelines(self) -> list[Any]:
            passes = core.DefaultPassBuilder.define_untyped_pipeline(self.state)
            passes.add_pass(inference, "infer types")
            passes.add_pass(KeepReturnType, "keep the return type")
            passes.finalize()
            return [passes]

    return TypingOnly
